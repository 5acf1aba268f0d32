"""The paths of a workspace; no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class WorkspaceError(Exception):
    """An error that the user can correct; its text is one line with cause and remedy."""


@dataclass(frozen=True)
class Layout:
    """The folders of one workspace for one ROS 2."""

    root: Path
    name: str  # of the environment: "jazzy", "system-humble" ...

    @property
    def state(self) -> Path:
        """Everything that `ws` creates for this environment."""
        return self.root / ".ros" / self.name

    @property
    def venv(self) -> Path:
        """The private Python environment."""
        return self.state / "venv"

    @property
    def python(self) -> Path:
        """The interpreter that runs everything in the workspace."""
        return self.venv / "bin" / "python"

    @property
    def build(self) -> Path:
        """Build folder of colcon."""
        return self.state / "build"

    @property
    def install(self) -> Path:
        """Install folder of colcon."""
        return self.state / "install"

    @property
    def messages(self) -> Path:
        """Prefix of the interface packages, where the wheels' messages are built without colcon."""
        return self.state / "messages"

    @property
    def stack_messages(self) -> Path:
        """Prefix of the messages of Autoware and Ackermann, built for commands that use them."""
        return self.state / "stack_messages"

    @property
    def log(self) -> Path:
        """Logs of colcon and of the set-up."""
        return self.state / "log"

    @property
    def venv_stamp(self) -> Path:
        """Written last, when the environment is complete; holds its fingerprint."""
        return self.state / "environment.stamp"

    @property
    def build_stamp(self) -> Path:
        """Written last, when the build is complete; holds the fingerprint of its sources."""
        return self.state / "build.stamp"

    @property
    def variables(self) -> Path:
        """Cached environment variables of the overlay."""
        return self.state / "variables.json"

    @property
    def requirements(self) -> Path:
        """The folder of pinned versions."""
        return self.root / "tools" / "requirements"

    @property
    def portable(self) -> Path:
        """Stand-ins for what the wheels of ROS 2 lack."""
        return self.root / "portable"
