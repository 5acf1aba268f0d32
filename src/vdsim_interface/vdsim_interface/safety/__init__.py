"""Safety state machine: modes, engage handshake, interlocks and the ordered rules.

Theory of operation

Modes. engagement.py holds the mode; modes.py holds the only table by which it moves. The stack may
request autonomy (ENGAGE) and end it (DISENGAGE). The driver, the vehicle, a lost link and the
deactivation of the interface only end it. Autonomy starts when every precondition holds
(inputs.py) and the vehicle has answered the request with a report. An event takes effect in
the call that brings it, not at the next period.

Authority follows from the mode and from who drove last. COMMAND: the commands of the stack pass,
made safe. IDLE: the vehicle receives the interface's own command (brake, steering as measured).
SILENT: a person drives, so nothing is sent.

One period is one call of `step`, in this order:
1. use the command if it is new and finite; else the latest one holds while it is fresh
2. update the mode: continue the handshake, or end autonomy because the reports stopped
3. choose the gear (gearbox.py); without authority the gear and the memory of the rules mirror the
   vehicle, so that autonomy starts from where the car is
4. describe the situation (RuleContext) and pass the command through the rules (rule_runner.py)
5. compose the body command (body.py); 3 to 5 are one call of composer.py
6. count what the rules changed and issue a notice for each rule that starts to act

Rules. A rule is one row of rules.RULES: a pure function (command, context, limits) -> command, the
situations that it is for (`only_when`), and whether it stays when `safety.enabled` is false. The
rows run in order, each on the result of the row before. The watchdogs are rows too: when a command
or a report is stale, their row replaces the command by a safe stop, which starts from the previous
output. A raw command passes unchanged or is blocked as a whole.

Memory. Held between periods: the latest command, report, cabin state and driver activity; the
requests for gear and body; the previous output of the rules, which the rate limits start from; the
oscillation detectors. Each report and each command has a time of receipt, and its age decides
whether it counts. The end of autonomy discards the requests for gear and hand brake. After a
backward jump of time the command and the report are discarded (`restart`). A new activation starts
from the initial state and keeps what nobody sends again (`restore_from`): cabin, driver, the
requests for lamps and wipers, and whether a person drives.
"""

from vdsim_interface.safety.modes import MODE_TABLE, ModeEvent
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rules import RULES
from vdsim_interface.safety.safety import Safety, SafetyOutput

__all__ = ["MODE_TABLE", "RULES", "ModeEvent", "Safety", "SafetyOutput", "SafetyParameters"]
