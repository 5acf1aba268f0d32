"""The package needs nothing but the standard library."""

import subprocess
import sys
from pathlib import Path

from vdsim_protocol import vds1


def test_works_on_the_bare_interpreter() -> None:
    package = Path(vds1.__file__).parents[2]
    code = (
        f"import sys; sys.path.insert(0, {str(package)!r}); "
        "from vdsim_protocol import vds1, link, watchdog, faults, morai, capture, dissector; "
        "print(vds1.encode_command(vds1.Command(0, 0, 0, 0, False), seq=0, timestamp_s=0)[:4])"
    )
    # -I -S: no site-packages, no environment; only the standard library is there.
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (0, "b'1SDV'\n"), result.stderr
