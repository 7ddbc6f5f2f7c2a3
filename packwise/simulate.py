from packwise.simulation import *
from packwise.simulation import CompiledPolicy as CompiledPolicy, simulate as simulate
