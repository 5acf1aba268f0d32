"""The whole interface in one node that also publishes the topics between the stages."""

from __future__ import annotations

from vdsim_interface.extras.stages.ros.stage_publisher import StagePublisher
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.values import VehicleReport


class StagedInterface(VehicleInterface):
    """The vehicle interface in a container: what its stages exchange can be subscribed to."""

    def configure_stage(self) -> None:
        """Create the topics of the stages, too."""
        super().configure_stage()
        self._stages = StagePublisher(self)

    def publish_report(self, report: VehicleReport) -> None:
        """Publish also what the safety stage receives of it."""
        super().publish_report(report)
        self._stages.publish_feedback(self.pipeline.vehicle_side.feedback)

    def publish_output(self, output: PipelineOutput, now: float) -> None:
        """Publish also the result of each stage."""
        super().publish_output(output, now)
        self._stages.publish_output(output)
