import torch.nn
import torch.nn.functional as F, os
from torch import no_grad, nn as n
from .sibling import a
from .. import b
from . import *
from __future__ import annotations
