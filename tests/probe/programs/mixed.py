import threading
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, x, t):
        return x - 0.1 * self.net(x + t)


def sample(model, x, steps):
    for t in range(steps):
        x = model(x, t * 0.01)
    return x


@torch.inference_mode()
def sample_guarded(model, x, steps):
    for t in range(steps):
        x = model(x, t * 0.01)
    return x


def train(model, x):
    optimizer = torch.optim.AdamW(model.parameters())
    loss = model(x, 0.1).pow(2).mean()
    loss.backward()
    optimizer.step()


def worker(model, x):
    print(model(x, 0.5).argmax())


def unused(model, x):
    return model(x, 1.0).argmax()


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Denoiser()
    x = torch.randn(16, 32)
    print(sample(model, x, 8).argmax())
    print(sample_guarded(model, x, 8).argmax())
    train(model, x)
    with torch.no_grad():
        thread = threading.Thread(target=worker, args=(model, x))
        thread.start()
        thread.join()
    y = checkpoint(model.net, x.clone().requires_grad_(True))
    y.sum().backward()
