"""The exam of `vdsim_protocol.why`: planted causes, their keys, and how the answers are judged.

    Question: act on a simulated drive, change of the ROS graph -> Evidence -> Answer -> Mark

A key names the cause and a word that the answer must contain. `drive.py` and `graph.py`
were committed before the rows that answer them; `public.py` holds the causes of public threads,
which no row was written for. `./ws exam` prints the marks.
"""
