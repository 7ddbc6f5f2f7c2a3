"""What is done with a plan: nothing but showing it, steering Slurm by site factors, or driving it."""

from packwise.adapters.slurm.modes.advise import Advise
from packwise.adapters.slurm.modes.drive import Drive
from packwise.adapters.slurm.modes.mode import Mode, Planned, Wish
from packwise.adapters.slurm.modes.steer import Steer

__all__ = ["Advise", "Drive", "Mode", "Planned", "Steer", "Wish"]
