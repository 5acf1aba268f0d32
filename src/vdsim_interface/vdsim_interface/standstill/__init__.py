"""Standing still: hand brake and PARK of ours.

Theory of operation. The vehicle side owns what is set at rest (parking.py): it outlives a safety
stage and sees speed and wheels. The safety side says in every command who holds the car
(`Standing.holder`) and when a request to drive passes (`may_release`); the vehicle side counts,
sets hand brake and PARK over the commanded body, remembers the gear before, and reports what is
its own in every feedback. That report is the acknowledgement: nothing is handed over, and no time
decides. To the safety side the car is in the gear before for as long as PARK is ours.

Every speed at which a part of the interface takes a car for standing, creeping or moving is one
row of values/speeds.py, which all rooms and the values themselves import; `test_speed_table.py`
refuses a comparison of a speed with a number anywhere else.
"""
