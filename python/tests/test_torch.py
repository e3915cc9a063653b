"""Functions of PyTorch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

STEPS = 5


def test_rollouts(pendulum, random):
    from dualbody.torch import rollout, step

    names = ["lower/mass", "elbow/damping"]
    x = torch.from_numpy(0.3 * random.normal(size=(3, 4)))
    u = torch.from_numpy(0.3 * random.normal(size=(3, STEPS, 2)))
    p = torch.tensor([1.2, 0.1], dtype=torch.float64)
    states, outputs = rollout(pendulum, STEPS, parameters=names)(x, u, p)
    changed = pendulum.with_parameters(dict(zip(names, p.tolist())))
    assert np.array_equal(states[1].numpy(), changed.rollout(x[1].numpy(), u[1].numpy()).states)
    assert outputs.shape == (3, STEPS, 0)
    assert np.array_equal(step(pendulum)(x[0]).numpy(), pendulum.step(x[0].numpy()))


def test_gradients(pendulum, random):
    from dualbody.torch import rollout

    function = rollout(pendulum, STEPS, parameters=["lower/mass", "elbow/damping"])
    x = torch.from_numpy(0.3 * random.normal(size=(2, 4))).requires_grad_()
    u = torch.from_numpy(0.3 * random.normal(size=(2, STEPS, 2))).requires_grad_()
    p = torch.tensor([1.2, 0.1], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda *arguments: function(*arguments)[0], (x, u, p), atol=1e-6)


def test_second_derivatives(pendulum, random):
    from dualbody.torch import rollout

    function = rollout(pendulum, 2, parameters=["lower/mass"])
    x = torch.from_numpy(0.3 * random.normal(size=(2, 4))).requires_grad_()
    u = torch.from_numpy(0.3 * random.normal(size=(2, 2, 2))).requires_grad_()
    p = torch.tensor([1.2], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda *arguments: function(*arguments)[0], (x, u, p), atol=1e-5)

    loss = lambda x: (function(x, u, p)[0] ** 2).sum()
    _, product = torch.autograd.functional.vhp(loss, x, torch.ones_like(x))
    hessian = torch.autograd.functional.hessian(loss, x).reshape(8, 8)
    assert torch.allclose(product.reshape(8), hessian.sum(1)) and product.abs().max() > 1e-3
    with pytest.raises(RuntimeError, match="vhp"):
        torch.autograd.functional.hvp(loss, x, torch.ones_like(x))
