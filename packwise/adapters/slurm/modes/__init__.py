"""What is done with a plan: nothing but showing it, or steering Slurm by site factors."""

from packwise.adapters.slurm.modes.advise import Advise
from packwise.adapters.slurm.modes.mode import Mode, Planned, Wish
from packwise.adapters.slurm.modes.steer import Steer

__all__ = ["Advise", "Mode", "Planned", "Steer", "Wish"]
