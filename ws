#!/bin/sh
# Entry to the workspace: ./ws --help. Finds a Python; everything else is in tools/workspace.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
for python in "${VDSIM_PYTHON:-python3}" python3.13 python3.12 python3.11 python3.10; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        exec "$python" "$here/tools/ws.py" "$@"
    fi
done
echo "ws: Python 3.10 or newer is needed and was not found: sudo apt-get install python3 python3-venv" >&2
exit 1
