"""Driver assistance: ABS, traction control and ESC between what is held and the wheels."""

from vdsim_plant.assist.parameters import AssistParameters, assist_names, load_assist

__all__ = ["AssistParameters", "assist_names", "load_assist"]
