"""Regulators, plans and model predictive control."""

import threading

import dualbody as db
import numpy as np
import pytest

CART_POLE = """
<mujoco model="cart pole">
  <option timestep="0.02"/>
  <worldbody>
    <body name="cart">
      <joint name="rail" type="slide" axis="1 0 0" damping="0.1"/>
      <geom type="sphere" size="0.1" mass="1" contype="0" conaffinity="0"/>
      <body name="pole">
        <joint name="hinge" axis="0 1 0" damping="0.01"/>
        <geom type="sphere" size="0.05" pos="0 0 0.5" mass="0.2" contype="0" conaffinity="0"/>
        <site name="tip" pos="0 0 0.5"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="rail"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
</mujoco>"""

# Two balls on a rail; only the first has a motor.
BALLS = """
<mujoco model="balls">
  <option timestep="0.02" gravity="0 0 0"/>
  <worldbody>
    <body name="pusher">
      <joint name="pusher" type="slide" axis="1 0 0" damping="0.5"/>
      <geom name="pusher" type="sphere" size="0.1" mass="1"/>
    </body>
    <body name="target" pos="0.5 0 0">
      <joint name="target" type="slide" axis="1 0 0" damping="0.5"/>
      <geom name="target" type="sphere" size="0.1" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="pusher"/></actuator>
</mujoco>"""


@pytest.fixture(scope="module")
def cart_pole():
    return db.System.from_mjcf(CART_POLE)


@pytest.fixture
def double_integrator():
    text = CART_POLE.split('<body name="pole">')[0] + "</body></worldbody>"
    return db.System.from_mjcf(text + '<actuator><motor name="motor" joint="rail"/></actuator></mujoco>')


def swing(system, horizon=60):
    """The cart moves, so that the pole stands: from hanging, in 1.2 s."""
    problem = db.ControlProblem(system, horizon, system.state(q=[0.0, 3.0]))
    problem.running_cost("effort", "input", weights=1e-3)
    problem.terminal_cost("upright", "position", [0, 0, 0.5], frame="tip", weights=[100, 0, 1000])
    problem.terminal_cost("rest", "state", np.zeros(4), weights=[0, 0, 10, 10])
    return problem.input_limits(-30, 30)


def riccati(model, Q, R):
    linalg = pytest.importorskip("scipy.linalg")
    P = linalg.solve_discrete_are(model.A, model.B, Q, R)
    return P, np.linalg.solve(R + model.B.T @ P @ model.B, model.B.T @ P @ model.A)


def test_gains_of_a_linear_machine_are_those_of_riccati(double_integrator):
    x0 = np.array([1.0, -0.5])
    Q, R = np.diag([3.0, 0.5]), np.array([[0.2]])
    problem = db.ControlProblem(double_integrator, 400, x0)
    problem.running_cost("state", "state", np.zeros(2), weights=np.diag(Q))
    problem.running_cost("input", "input", weights=R[0])
    solution = db.solve_ocp(problem)
    P, K = riccati(double_integrator.linearize(x0), Q, R)
    assert solution.converged and solution.ending == "converged"
    assert np.allclose(solution.gains[0], -K, rtol=1e-9)
    assert solution.cost == pytest.approx(0.5 * x0 @ P @ x0, rel=1e-9)
    assert np.allclose(solution.inputs[0], -K @ x0, rtol=1e-9)


def test_plans(cart_pole):
    problem = swing(cart_pole)
    solution = db.solve_ocp(problem)
    assert solution.converged
    assert solution.states.shape == (61, 4) and solution.inputs.shape == (60, 1) and solution.gains.shape == (60, 1, 4)
    assert np.abs(solution.inputs).max() <= 30.0
    assert np.cos(solution.states[-1, 1]) > 0.9
    # It is what the machine does, at the cost that was asked for.
    assert np.allclose(cart_pole.rollout(solution.states[0], solution.inputs).states, solution.states, atol=1e-8)
    tip = cart_pole.frame_pose(solution.states[-1, :2], "tip")[:3, 3] - [0, 0, 0.5]
    rest = solution.states[-1, 2:]
    cost = 0.5 * (1e-3 * np.sum(solution.inputs**2) + [100, 0, 1000] @ tip**2 + 10 * rest @ rest)
    assert solution.cost == pytest.approx(cost, rel=1e-9)
    history = solution.history
    assert len(history["cost"]) == solution.iterations and (np.diff(history["merit"]) <= 1e-9).all()
    assert solution.cost_planned is None and solution.report.seconds > 0.0

    tight = db.solve_ocp(swing(cart_pole).input_limits(-8, 8))
    assert np.abs(tight.inputs).max() == 8.0 and tight.cost > solution.cost
    # From its own plan there is next to nothing to do.
    again = db.solve_ocp(problem, states=solution.states, inputs=solution.inputs)
    assert again.iterations <= 1 and again.cost == pytest.approx(solution.cost)


def test_policy(cart_pole):
    solution = db.solve_ocp(swing(cart_pole))
    x = solution.states[7]
    assert np.array_equal(solution.policy(7, x), solution.inputs[7])
    change = 1e-3 * np.arange(1, 5)
    expected = solution.inputs[7] + solution.gains[7] @ change
    assert np.allclose(solution.policy(7, x + change), np.clip(expected, -30, 30), atol=1e-12)
    with pytest.raises(db.InputError, match="stage"):
        solution.policy(60, x)


def test_threads_have_the_same_bits(cart_pole):
    one, two = (db.solve_ocp(swing(cart_pole), threads=threads) for threads in (1, 2))
    assert np.array_equal(one.states, two.states) and np.array_equal(one.gains, two.gains)


def test_limits_of_states_hold_at_the_end(cart_pole):
    free = db.solve_ocp(swing(cart_pole))
    reach = 0.8 * np.abs(free.states[:, 0]).max()
    lower, upper = np.full(4, -np.inf), np.full(4, np.inf)
    lower[0], upper[0] = -reach, reach
    rail = swing(cart_pole).running_limit("rail", "state", np.zeros(4), lower=lower, upper=upper)
    solution = db.solve_ocp(rail)
    assert solution.converged and 0.0 < solution.report.violation <= 1e-6
    assert np.abs(solution.states[:-1, 0]).max() == pytest.approx(reach, abs=1e-6)

    middle = swing(cart_pole).terminal_limit("middle", "position", frame="cart", lower=[0, -1, -1], upper=[0, 1, 1])
    solution = db.solve_ocp(middle, states=free.states, inputs=free.inputs)
    assert solution.converged and abs(solution.states[-1, 0]) <= 1e-6 < abs(free.states[-1, 0])


@pytest.mark.parametrize(
    "kind, target, frame, size",
    [
        ("state", [0.1, 0.2, 0.3, 0.4], None, 4),
        ("input", [0.3], None, 1),
        ("output", {"cart pole/angle/position": 0.2}, None, 1),
        ("position", [0.1, 0.2, 0.3], "tip", 3),
        ("rotation", np.eye(3)[[1, 2, 0]], "tip", 3),
        ("velocity", np.arange(6.0), "pole", 6),
        ("center_of_mass", [0.1, 0.2, 0.3], None, 3),
    ],
)
def test_kinds_of_residuals(cart_pole, kind, target, frame, size):
    x, u = np.array([0.4, 0.5, 0.6, 0.7]), np.array([[0.8]])
    weights = np.arange(1.0, 1.0 + size)
    problem = db.ControlProblem(cart_pole, 1, x).running_cost("one", kind, target, weights=weights, frame=frame)
    cost = db.solve_ocp(problem, inputs=u, iterations=0).cost
    q, v = x[:2], x[2:]
    if kind == "rotation":
        turn = cart_pole.frame_pose(q, frame)[:3, :3] @ target.T
        angle = np.arccos((np.trace(turn) - 1) / 2)
        axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        residual = angle * axis / (2 * np.sin(angle))
    else:
        found = {
            "state": lambda: x,
            "input": lambda: u[0],
            "output": lambda: cart_pole.output(x, u[0])[:1],
            "position": lambda: cart_pole.frame_pose(q, frame)[:3, 3],
            "velocity": lambda: cart_pole.frame_velocity(q, v, frame),
            "center_of_mass": lambda: cart_pole.center_of_mass(q),
        }[kind]()
        residual = found - (0.2 if kind == "output" else np.asarray(target))
    assert cost == pytest.approx(0.5 * weights @ residual**2, rel=1e-12)


def test_targets_are_enough_for_all_stages(cart_pole):
    problem = db.ControlProblem(cart_pole, 5)
    for rows in (5, 6, 20):
        problem.running_cost(f"{rows}", "state", np.zeros((rows, 4)), weights=1.0)
    with pytest.raises(db.InputError, match=r"target: .*\(4, 4\).*\(5, 4\)"):
        problem.running_cost("short", "state", np.zeros((4, 4)), weights=1.0)
    with pytest.raises(db.InputError, match="target"):
        problem.terminal_cost("end", "state", np.zeros((6, 4)), weights=1.0)


def one_stage(system, x, u, *arguments, **named):
    """The cost of a stage of one residual of weight 2."""
    problem = db.ControlProblem(system, 1, x).running_cost("one", *arguments, weights=2.0, **named)
    return db.solve_ocp(problem, inputs=[u], iterations=0).cost


def test_energy_and_what_a_step_loses_of_it(cart_pole):
    x, u = np.array([0.4, 0.5, 0.6, 0.7]), np.array([0.8])
    energy = one_stage(cart_pole, x, u, "energy", 0.3)
    q, v = x[:2], x[2:]
    kinetic = 0.5 * v @ cart_pole.mass_matrix(q) @ v
    height = cart_pole.center_of_mass(q)[2]
    assert energy == pytest.approx((kinetic + 1.2 * 9.81 * height - 0.3) ** 2, rel=1e-9)
    loss = one_stage(cart_pole, x, u, "dissipation")
    v = cart_pole.step(x, u)[2:]
    assert loss == pytest.approx((0.02 * (0.1 * v[0] ** 2 + 0.01 * v[1] ** 2)) ** 2, rel=1e-9)


def test_contact_force():
    ball = """
    <mujoco>
      <option timestep="0.01"/>
      <worldbody>
        <geom name="floor" type="plane" size="5 5 0.1"/>
        <body name="ball" pos="0 0 0.1">
          <joint name="z" type="slide" axis="0 0 1"/>
          <geom name="ball" type="sphere" size="0.1" mass="2"/>
        </body>
      </worldbody>
      <actuator><motor name="motor" joint="z"/></actuator>
    </mujoco>"""
    system = db.System.from_mjcf(ball)
    x = system.state(q=[-0.01])
    force = 2 * ((system.step(x)[1] - x[1]) / 0.01 + 9.81)
    assert force > 10.0
    for by in (None, "world"):
        found = one_stage(system, x, [0.0], "contact_force", [0, 0, 5.0], frame="ball", by=by)
        assert found == pytest.approx((force - 5.0) ** 2, rel=1e-9)
    assert one_stage(system, system.state(q=[0.2]), [0.0], "contact_force", frame="ball") == 0.0


def test_a_start_that_is_free(double_integrator):
    # Without a cost of what it starts from, it starts where it is to be.
    goal = np.array([0.7, -0.2])
    problem = db.ControlProblem(double_integrator, 10, [0.0, 0.0]).terminal_cost("goal", "state", goal, weights=1.0)
    problem.running_cost("effort", "input", weights=1e-2)
    given = db.solve_ocp(problem)
    assert np.array_equal(given.states[0], [0.0, 0.0]) and given.cost > 1e-2
    free = db.solve_ocp(problem.free_start(-np.inf, np.inf))
    assert free.converged and free.cost == pytest.approx(0.0, abs=1e-15)
    near = db.solve_ocp(problem.free_start([0.0, -0.1], [0.3, 0.1]))
    assert near.converged and near.states[0, 0] == pytest.approx(0.3) and free.cost < near.cost < given.cost


SPRING = """
<mujoco model="swing">
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <body name="mass">
      <joint name="rail" type="slide" axis="1 0 0" stiffness="20"/>
      <geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
</mujoco>"""


def test_a_spring_is_found_with_the_motion():
    system = db.System.from_mjcf(SPRING)
    name = next(name for name in system.parameters if name.endswith("stiffness"))
    # To the other side, at rest, in 0.5 s: half a period.
    problem = db.ControlProblem(system, 50, system.state(q=[1.0]), parameters={name: (1.0, 1000.0)})
    problem.terminal_cost("goal", "state", [-1.0, 0.0], weights=[1.0, 0.1, 0.0])
    solution = db.solve_ocp(problem)
    assert solution.converged and list(solution.parameters) == [name]
    found = solution.parameters[name]
    assert found == pytest.approx(2 * (np.pi / 0.5) ** 2, rel=0.03)
    assert solution.gains.shape == (50, 0, 3)
    of_found = system.with_parameters({name: found})
    assert np.allclose(of_found.rollout(solution.states[0], steps=50).states, solution.states, atol=1e-9)
    # Limits of parameters stay when the start is freed.
    problem.free_start(0.0, 0.0)
    assert db.solve_ocp(problem).parameters[name] == pytest.approx(found, rel=1e-6)
    with pytest.raises(db.InputError, match="does not find parameters"):
        db.Mpc(problem)


def test_exact_hessians_converge_where_others_creep(cart_pole):
    # Nothing brings the tip to a place so far away: what is left is large.
    problem = db.ControlProblem(cart_pole, 10, cart_pole.state(q=[0.0, 3.0])).running_cost(
        "effort", "input", weights=1e-2
    )
    problem.terminal_cost("far", "position", [3.0, 0.0, 5.0], frame="tip", weights=10.0)
    creeps, exact = (db.solve_ocp(problem, exact_hessians=is_exact) for is_exact in (False, True))
    assert creeps.cost == pytest.approx(exact.cost, rel=1e-6) and exact.converged
    assert exact.iterations < creeps.iterations


def test_gaps_are_closed_along_a_line(cart_pole):
    problem = swing(cart_pole)
    plan = db.solve_ocp(problem)
    moved = plan.states + 1e-3
    for way in ("rollout", "line"):
        again = db.solve_ocp(problem, states=moved, inputs=plan.inputs, gap_closing=way)
        assert again.converged and again.cost == pytest.approx(plan.cost, rel=1e-6)


def test_averaged_slopes_find_a_contact():
    near = BALLS.replace('pos="0.5 0 0"', 'pos="0.25 0 0"')
    system = db.System.from_mjcf(near)
    problem = db.ControlProblem(system, 40).running_cost("effort", "input", weights=1e-4)
    problem.terminal_cost("goal", "state", system.state(q=[0.0, 0.1]), weights=[0, 100, 0, 1])
    assert db.solve_ocp(problem).states[-1, 1] == 0.0
    half_widths = [[width, width, 0, 0, 0] for width in (0.1, 0.05, 0.02)]
    for where_short in (False, True):
        solution = db.solve_ocp(problem, half_widths=half_widths, where_short=where_short)
        assert abs(solution.states[-1, 1] - 0.1) < 0.01, where_short
        assert solution.cost <= solution.cost_replayed


def test_inputs_that_are_good_on_average(cart_pole):
    mass = next(name for name in cart_pole.parameters if name.endswith("pole/mass"))
    problem, covariance = swing(cart_pole), [[4e-4]]
    plan = db.solve_ocp(problem)
    expected = db.solve_expected(problem, [mass], covariance, inputs=plan.inputs)
    assert expected.converged and expected.inputs.shape == (60, 1) and expected.states.shape == (2, 61, 4)
    for value, states in zip((0.22, 0.18), expected.states):
        system = cart_pole.with_parameters({mass: value})
        assert np.allclose(system.rollout(states[0], expected.inputs).states, states, atol=1e-7)
    with_gains = db.solve_ocp(problem, inputs=expected.inputs).costs_over([mass], covariance)
    assert with_gains.shape == (2,) and with_gains.mean() < expected.cost
    for parameters, matrix in (([], np.zeros((0, 0))), ([mass], [[-1.0]]), ([mass], np.eye(2)), (["nothing"], [[1.0]])):
        with pytest.raises(db.DualbodyError):
            db.solve_expected(problem, parameters, matrix)
        with pytest.raises(db.DualbodyError):
            plan.costs_over(parameters, matrix)


def test_a_page_shows_a_plan(cart_pole, tmp_path):
    solution = db.solve_ocp(swing(cart_pole))
    solution.save_page(tmp_path / "plan.html")
    page = (tmp_path / "plan.html").read_text()
    assert page == solution.to_html() and "Inputs and their limits" in page and "iterations" in page
    assert solution._repr_html_().startswith("<iframe")


def test_mpc_begins_with_a_rollout(cart_pole):
    problem = swing(cart_pole)
    plan = db.solve_ocp(problem)
    x = plan.states[0] + [0.0, 0.05, 0.0, 0.0]
    gaps = []
    for rollout in (False, True):
        # Without a second iteration what a short step leaves stays.
        mpc = db.Mpc(problem, states=plan.states, inputs=plan.inputs, iterations=0, rollout=rollout)
        mpc.step(x)
        gaps.append(mpc.report.gap)
    assert gaps[0] == pytest.approx(0.05) and gaps[1] < 1e-12


def test_a_state_for_each_stage(cart_pole):
    x = np.array([0.4, 0.5, 0.6, 0.7])
    way = cart_pole.rollout(x, steps=5).states
    problem = db.ControlProblem(cart_pole, 5, x).running_cost("way", "state", way, weights=1.0)
    assert db.solve_ocp(problem, iterations=0).cost == pytest.approx(0.0, abs=1e-20)


def test_a_plan_finds_the_contact_that_it_needs():
    system = db.System.from_mjcf(BALLS)
    goal = system.state(q=[0.0, 0.3])
    problem = db.ControlProblem(system, 60)
    problem.running_cost("effort", "input", weights=1e-3).terminal_cost("goal", "state", goal, weights=[0, 100, 0.1, 1])
    assert db.solve_ocp(problem).states[-1, 1] == 0.0
    solution = db.solve_ocp(problem, distances=[0.1, 0.05, 0.02, 0.01])
    assert abs(solution.states[-1, 1] - 0.3) < 0.1
    assert solution.cost <= solution.cost_replayed and solution.cost_planned > 0.0
    assert solution.iterations > solution.report.iterations
    assert np.allclose(system.rollout(None, solution.inputs).states, solution.states, atol=1e-6)


def test_mpc_balances_a_heavier_pole(cart_pole):
    x = cart_pole.state(q=[0.0, 0.3])
    problem = db.ControlProblem(cart_pole, 25, x)
    problem.running_cost("effort", "input", weights=1e-3)
    problem.running_cost("state", "state", np.zeros(4), weights=[1, 5, 0.1, 0.1])
    problem.terminal_cost("end", "state", np.zeros(4), weights=[50, 50, 10, 10]).input_limits(-15, 15)
    mpc = db.Mpc(problem, iterations=3, time_limit=1.0)
    assert mpc.report is None
    mass = next(name for name in cart_pole.parameters if name.endswith("pole/mass"))
    plant = cart_pole.with_parameters({mass: 1.2 * cart_pole.parameters[mass]})
    for k in range(400):
        if k == 100:
            x[2] += 0.5  # a push
        u = mpc.step(x)
        assert abs(u[0]) <= 15.0
        x = plant.step(x, u)
    assert np.abs(x).max() < 0.02
    assert mpc.report.iterations <= 3 and mpc.report.seconds > 0.0
    assert mpc.states.shape == (26, 4) and mpc.inputs.shape == (25, 1)
    # Between two plans its policy acts.
    assert np.allclose(mpc.act(mpc.states[1], 400 * 0.02), mpc.inputs[1], atol=1e-9)


def test_mpc_starts_from_a_plan(cart_pole):
    problem = swing(cart_pole)
    plan = db.solve_ocp(problem)
    mpc = db.Mpc(problem, states=plan.states, inputs=plan.inputs, iterations=1)
    assert np.allclose(mpc.step(plan.states[0], time=0.0), plan.inputs[0], atol=1e-6)
    late = db.Mpc(problem, time_limit=0.0)
    assert np.array_equal(late.step(plan.states[0]), [0.0]) and late.report.ending == "time_limit"


def test_regulator_at_rest(cart_pole):
    Q, R = np.diag([1.0, 2.0, 0.5, 0.3]), np.array([[0.4]])
    regulator = cart_pole.regulator_at_rest(np.full(4, 1e-3), Q=Q, R=R)
    P, K = riccati(cart_pole.linearize(regulator.x, regulator.u), Q, R)
    assert np.allclose(regulator.K, K, rtol=1e-8) and np.allclose(regulator.P, P, rtol=1e-8)
    x = regulator.x + [0.0, 0.2, 0.0, 0.0]
    assert np.allclose(regulator.input(x), regulator.u - regulator.K @ (x - regulator.x))
    for _ in range(500):
        x = cart_pole.step(x, regulator.input(x))
    assert np.abs(x - regulator.x).max() < 1e-3
    with pytest.raises(db.ControlError, match="Riccati"):
        cart_pole.regulator_at_rest(np.zeros(4), Q=np.zeros((4, 4)), R=R)


def test_progress_sees_iterations_and_ends_them(cart_pole):
    seen = []
    solution = db.solve_ocp(swing(cart_pole), progress=lambda *told: seen.append(told))
    assert [number for number, _, _ in seen] == list(range(1, solution.iterations + 1))
    assert np.array_equal([cost for _, cost, _ in seen], solution.history["cost"])

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        db.solve_ocp(swing(cart_pole), progress=stop)


def test_endings(cart_pole):
    problem = swing(cart_pole)
    assert db.solve_ocp(problem, iterations=2).ending == "iteration_limit"
    assert db.solve_ocp(problem, time_limit=0).ending == "time_limit"
    far = swing(cart_pole, 5).terminal_limit("far", "state", np.full(4, 9.0), lower=0, upper=0)
    assert db.solve_ocp(far, iterations=1000).ending == "infeasible"


def test_one_controller_of_many_threads(cart_pole):
    mpc = db.Mpc(swing(cart_pole), iterations=1)
    x, inputs = cart_pole.state(q=[0.0, 3.0]), []
    threads = [threading.Thread(target=lambda: inputs.append(mpc.step(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(inputs) == 4 and np.isfinite(inputs).all()


def test_what_cannot_be_asked(cart_pole):
    def problem(*arguments, **named):
        return db.ControlProblem(cart_pole, 5).running_cost("one", *arguments, **{"weights": 1.0, **named})

    solved, nan = swing(cart_pole), float("nan")
    for call in (
        lambda: db.ControlProblem(cart_pole, 0),
        lambda: db.ControlProblem(cart_pole, -1),
        lambda: db.ControlProblem(cart_pole, 1 << 60),
        lambda: db.ControlProblem(cart_pole, 5, [0.0]),
        lambda: db.ControlProblem(cart_pole, 5, time=nan),
        lambda: db.ControlProblem(cart_pole, 5, parameters={"nothing": (0.0, 1.0)}),
        lambda: db.ControlProblem(cart_pole, 5, parameters={"time_step": (1.0, 0.0)}),
        lambda: db.ControlProblem(cart_pole, 5, parameters={"time_step": 1.0}),
        lambda: db.ControlProblem(cart_pole, 5).free_start([0.0]),
        lambda: db.ControlProblem(cart_pole, 5).free_start(1.0, -1.0),
        lambda: problem("contact_force"),
        lambda: problem("contact_force", frame="nothing"),
        lambda: problem("contact_force", frame="pole", by="nothing"),
        lambda: problem("energy", nan),
        lambda: problem("energy", by="pole"),
        lambda: problem("dissipation", 1.0),
        lambda: problem("nothing"),
        lambda: problem("state", [1.0]),
        lambda: problem("state", np.zeros((0, 4))),
        lambda: problem("state", np.full(4, nan)),
        lambda: problem("state", frame="tip"),
        lambda: problem("state", point=[0, 0, 0]),
        lambda: problem("state", weights=[1.0]),
        lambda: problem("state", weights=-1.0),
        lambda: problem("state", weights=nan),
        lambda: problem("state", weights="heavy"),
        lambda: problem("position"),
        lambda: problem("position", frame="nothing"),
        lambda: problem("position", frame="tip", point=[0, nan, 0]),
        lambda: problem("rotation", np.zeros((3, 3)), frame="tip"),
        lambda: problem("rotation", -np.eye(3), frame="tip"),
        lambda: problem("velocity", frame="tip"),
        lambda: problem("output"),
        lambda: problem("output", [0.0]),
        lambda: problem("output", {"nothing": 0.0}),
        lambda: problem("output", {"cart pole/angle/position": nan}),
        lambda: problem("state").running_cost("one", "state", weights=1.0),
        lambda: problem("state").terminal_cost("two", "input", weights=1.0),
        lambda: problem("state").terminal_cost("two", "output", {"cart pole/angle/position": 0.0}, weights=1.0),
        lambda: problem("state").running_limit("two", "state", lower=nan),
        lambda: problem("state").running_limit("two", "state", lower=1.0, upper=0.0),
        lambda: problem("state").input_limits([0.0, 1.0]),
        lambda: problem("state").input_limits(1.0, -1.0),
        lambda: db.solve_ocp(solved, inputs=np.zeros((3, 1))),
        lambda: db.solve_ocp(solved, inputs=np.full((60, 1), nan)),
        lambda: db.solve_ocp(solved, states=np.zeros((60, 4))),
        lambda: db.solve_ocp(solved, iterations=-1),
        lambda: db.solve_ocp(solved, tolerance=nan),
        lambda: db.solve_ocp(solved, tolerance=0.0),
        lambda: db.solve_ocp(solved, threads=0),
        lambda: db.solve_ocp(solved, threads=1 << 40),
        lambda: db.solve_ocp(solved, time_limit=nan),
        lambda: db.solve_ocp(solved, time_limit=-1.0),
        lambda: db.solve_ocp(solved, distances=[-0.1]),
        lambda: db.solve_ocp(solved, distances=[nan]),
        lambda: db.solve_ocp(solved, half_widths=[[0.1]]),
        lambda: db.solve_ocp(solved, half_widths=[[-0.1] * 5]),
        lambda: db.solve_ocp(solved, half_widths=[[0.1] * 5], pairs=0),
        lambda: db.solve_ocp(solved, gap_closing="jump"),
        lambda: db.Mpc(solved, gap_closing="line", gap_growth=0.5),
        lambda: db.solve_ocp(None),
        lambda: db.Mpc(solved, time_limit=1e300),
        lambda: db.Mpc(solved).step([0.0]),
        lambda: db.Mpc(solved).step(np.zeros(4), time=nan),
        lambda: db.Mpc(solved).act(np.zeros(4), nan),
        lambda: cart_pole.regulator_at_rest(np.zeros(4), Q=np.eye(3), R=np.eye(1)),
        lambda: cart_pole.regulator_at_rest(np.zeros(4), Q=np.full((4, 4), nan), R=np.eye(1)),
        lambda: cart_pole.regulator_at_rest(np.zeros(4), Q=np.eye(4), R=-np.eye(1)),
    ):
        with pytest.raises((db.DualbodyError, TypeError, OverflowError)):
            call()
    # What failed has changed nothing.
    unchanged = problem("state")
    with pytest.raises(db.InputError):
        unchanged.running_cost("two", "state", weights=-1.0)
    unchanged.running_cost("two", "state", weights=1.0)


def test_texts_are_those_of_the_library(cart_pole):
    problem = db.ControlProblem(cart_pole, 5)
    with pytest.raises(db.InputError, match='limits of "input" contradict each other: entry 0 is to be from 1 to -1'):
        problem.input_limits(1.0, -1.0)
    with pytest.raises(db.InputError, match=r"weights: found the shape \(2,\), expected \(4,\) or \(\)"):
        problem.running_cost("state", "state", weights=[1.0, 2.0])
    with pytest.raises(db.UnknownNameError, match="tap"):
        problem.running_cost("position", "position", frame="tap", weights=1.0)
    with pytest.raises(db.SimulationError, match="the step of stage"):
        db.solve_ocp(problem, inputs=np.full((5, 1), 1e300))
