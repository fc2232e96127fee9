"""deadgrad finds PyTorch forward passes that run with autograd on and never reach backward.

The analyzer is a native program that this package carries; ``python -m deadgrad`` and the ``deadgrad`` command run it.
"""
