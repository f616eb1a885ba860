# SPDX-License-Identifier: Apache-2.0
"""tinygrad: a small network is trained on its OpenCL device."""
import os

os.environ.update(CL="1", GPU="1", DEV="CL", CACHELEVEL="0", CACHEDB="/dev/null")
import numpy as np
from tinygrad import Tensor, nn
from tinygrad.helpers import Context

from results import random, show

Tensor.manual_seed(3)


class Net:
    def __init__(self):
        self.first = nn.Conv2d(1, 16, 5)
        self.second = nn.Conv2d(16, 32, 3)
        self.last = nn.Linear(32 * 5 * 5, 10)

    def __call__(self, x):
        x = self.first(x).relu().max_pool2d()
        x = self.second(x).relu().max_pool2d()
        return self.last(x.flatten(1))


net = Net()
for i, parameter in enumerate(nn.state.get_parameters(net)):
    parameter.assign(Tensor((random(i, *parameter.shape) - 0.5) * 0.2)).realize()
optimiser = nn.optim.SGD(nn.state.get_parameters(net), lr=0.05)
images, classes = Tensor(random(50, 128, 1, 28, 28)), Tensor((random(51, 128) * 10).astype(np.int32))
with Context(TRAINING=1):
    for step in range(6):
        optimiser.zero_grad()
        loss = net(images).sparse_categorical_crossentropy(classes).backward()
        optimiser.step()
        show(f"loss {step}", loss.numpy())
show("weights", net.first.weight.numpy())
a, b = Tensor(random(60, 512, 512)), Tensor(random(61, 512, 512))
for _ in range(3):
    c = (a @ b).realize()
show("product", c.numpy())
show("softmax", c.softmax().numpy())
