"""CPU time of one server at 200 Hz and 1 kHz, driven by 100 commands a second.

    ./ws bench runtime/cpu [--seconds 20]

The time includes receiving, checking, ticks of the 7-DOF car, encoding and sending STATE. The real
VDSim's server takes 10.8 % of a core at 200 Hz on the same kind of machine; the target is 5 %.
"""

from __future__ import annotations

import argparse
import time

from server_process import ServerProcess, command, controller_socket


def share_of_a_core(rate_hz: float, seconds: float, *options: str) -> tuple[float, str]:
    """CPU time over wall time, and the server's summary of its ticks."""
    with controller_socket() as controller:
        port = controller.getsockname()[1]
        server = ServerProcess("--rate", f"{rate_hz:g}", "--state-port", str(port), *options)
        with server:
            time.sleep(1.0)
            start, cpu = time.monotonic(), server.cpu_s()
            seq = 0
            while (now := time.monotonic()) < start + seconds:
                controller.sendto(command(seq, 0.05), server.address)
                seq += 1
                time.sleep(max(0.0, start + seq / 100.0 - now))
            used = (server.cpu_s() - cpu) / (time.monotonic() - start)
        return used, server.summary


def main() -> None:
    """Print a line a rate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    for rate_hz in (200.0, 1000.0):
        for extra in ((), ("--actuator", "passenger_car", "--sensor", "automotive")):
            used, summary = share_of_a_core(rate_hz, options.seconds, *extra)
            layers = "with actuators and sensors" if extra else "plain"
            print(f"{rate_hz:5.0f} Hz  {100 * used:5.1f} % of a core  {layers:27s} {summary}")


if __name__ == "__main__":
    main()
