"""Does a vehicle interface do what Autoware's interface pages say? A check of each sentence, live.

Theory of operation
  Independent  Nothing here knows the vehicle interface that is judged: only Autoware's messages,
               its topics and what DDS announces. No import of another package of this repository.
  Drive        `scenes.py` is Autoware's side as a script; `conductor.py` plays it on a time that is
               an argument, `ros/` on a clock and a graph, the tests on virtual time.
  Record       What arrived, when; `requirements.py` is the table of the sentences, each with a
               check that looks at the record alone.
  Verdict      passed, failed, or not judged with the reason: nothing passes silently.
"""
