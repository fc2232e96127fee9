// The stub of LibTorch: every include of torch/, ATen/, c10/ or caffe2/ leads here.
#pragma once

#include "../deadgrad_stub/autograd.h"
#include "../deadgrad_stub/cuda.h"
#include "../deadgrad_stub/data.h"
#include "../deadgrad_stub/deploy.h"
#include "../deadgrad_stub/functions.h"
#include "../deadgrad_stub/jit.h"
#include "../deadgrad_stub/library.h"
#include "../deadgrad_stub/nn_layers.h"
#include "../deadgrad_stub/optim.h"
