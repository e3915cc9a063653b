//! Time steps with rigid contact: friction, stacks, energy, derivatives.

use crate::support::cases::tier;
use crate::support::random_tree::Random;
use crate::support::scenes::{free_body, geometry};
use dualbody::constraint::BallConstraint;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::SpatialInertia;
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{Parameters, Scalar};
use nalgebra::{DVector, Vector3};
use num_dual::{Dual2_64, Dual64};

const G: f64 = 9.81;

/// `count` boxes of 1 kg over the ground, with gravity turned by `slope` about y.
fn boxes(
    count: usize,
    size: Vector3<f64>,
    mu: f64,
    slope: f64,
    dt: f64,
) -> TimeSteppingRigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut contact = ContactModelBuilder::new();
    tree.set_gravity(Vector3::new(G * slope.sin(), 0.0, -G * slope.cos()))
        .unwrap();
    let material = ContactMaterial::new(1e5, 0.0, mu).unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, material);
    contact.add_geometry(ground).unwrap();
    for k in 0..count {
        let name = format!("box{k}");
        let body = tree
            .add_body(&name, SpatialInertia::solid_box(1.0, &size))
            .unwrap();
        let shape = Shape::new_box(size).unwrap();
        contact
            .add_geometry(geometry(&name, body, shape, material))
            .unwrap();
    }
    let tree = tree.finish().unwrap();
    let contact = contact.finish(&tree).unwrap();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    TimeSteppingRigidBodySystem::rigid(system, dt).unwrap()
}

/// The options that `change` makes of the default ones.
fn options(change: impl FnOnce(&mut SystemOptions)) -> SystemOptions {
    let mut options = SystemOptions::default();
    change(&mut options);
    options
}

fn mechanical_energy(system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>) -> f64 {
    let tree = system.tree();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, state.q.as_slice(), state.v.as_slice())
        .unwrap();
    tree.kinetic_energy(&workspace).unwrap() + tree.potential_energy(&workspace).unwrap()
}

#[test]
fn a_box_on_a_slope_stays_or_slides_with_its_closed_form() {
    let size = Vector3::new(0.3, 0.2, 0.1);
    let (slope, dt, steps) = (0.4f64, 0.01, 50);
    let start = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.05], [0.0; 3], [0.0; 3]);
    for mu in [0.6, 0.2] {
        let system = boxes(1, size, mu, slope, dt);
        let mut workspace = system.workspace().unwrap();
        let mut state = start.clone();
        for _ in 0..steps {
            let mut step = system.step(&mut workspace, &state, &[]).unwrap();
            let contacts = step.contacts().unwrap().iter();
            let total = contacts.fold(Vector3::zeros(), |sum, c| sum + c.force * dt);
            assert!((total.z - dt * G * slope.cos()).abs() < 1e-10);
            assert!(step.status().residual < 1e-11);
            state = step.state().clone();
        }
        let acceleration = G * (slope.sin() - mu * slope.cos()).max(0.0);
        let speed = acceleration * dt * steps as f64;
        assert!(
            (state.v[3] - speed).abs() < 1e-9,
            "{mu}: {} {speed}",
            state.v[3]
        );
        // No creep: sticking is exact.
        let way = acceleration * dt * dt * (steps * (steps + 1) / 2) as f64;
        assert!(
            (state.q[4] - way).abs() < 1e-9,
            "{mu}: {} {way}",
            state.q[4]
        );
        assert!((state.q[6] - 0.05).abs() < 1e-9);
    }
}

#[test]
fn a_stack_of_ten_boxes_stands_still() {
    let (count, dt) = (10, 0.01);
    let system = boxes(count, Vector3::new(0.4, 0.4, 0.2), 0.5, 0.0, dt);
    let mut q = system.tree().neutral_configuration();
    for k in 0..count {
        q[7 * k + 6] = 0.1 + 0.2 * k as f64;
    }
    let start = State::new(q, DVector::zeros(6 * count));
    let mut workspace = system.workspace().unwrap();
    let mut state = start.clone();
    for step in 0..tier(150, 1000) {
        state = match system.step(&mut workspace, &state, &[]) {
            Ok(step) => step.state().clone(),
            Err(error) => panic!("step {step}: {error}"),
        };
    }
    let drift = (state.q - start.q).amax();
    assert!(drift < 1e-3, "{drift}");
}

#[test]
fn energy_never_rises() {
    for seed in 0..6 {
        let random = &mut Random::new(seed);
        // Cubes have no gyroscopic torques, which are explicit and may add a little.
        let system = boxes(2, Vector3::repeat(0.2), 0.5, 0.0, 0.004);
        let mut q = system.tree().neutral_configuration();
        let mut v = DVector::zeros(12);
        for k in 0..2 {
            q[7 * k + 6] = 0.3 + 0.4 * k as f64;
            for j in 0..3 {
                q[7 * k + 1 + j] = 0.3 * random.signed();
                v[6 * k + 3 + j] = random.signed();
            }
            let norm = q.rows(7 * k, 4).norm();
            q.rows_mut(7 * k, 4).unscale_mut(norm);
        }
        let mut state = State::new(q, v);
        let mut workspace = system.workspace().unwrap();
        let mut energy = mechanical_energy(&system, &state);
        let first = energy;
        for step in 0..200 {
            let next = system.step(&mut workspace, &state, &[]);
            let next = next.unwrap_or_else(|e| panic!("{seed} {step}: {e}"));
            state = next.state().clone();
            let now = mechanical_energy(&system, &state);
            assert!(now <= energy + 1e-9, "{seed} {step}: {}", now - energy);
            energy = now;
        }
        assert!(energy < first);
    }
}

#[test]
fn what_is_pushed_does_not_pass_into_others() {
    // A row of boxes with gaps; the first is fast, the others learn of it within the step.
    let (size, gap) = (0.2, 1e-4);
    let system = boxes(4, Vector3::repeat(size), 0.5, 0.0, 0.01);
    let mut state = system.initial_state();
    for k in 0..4 {
        state.q[7 * k + 4] = (size + gap) * k as f64;
        state.q[7 * k + 6] = 0.5 * size;
    }
    state.v[3] = 5.0;
    let mut workspace = system.workspace().unwrap();
    let step = system.step(&mut workspace, &state, &[]).unwrap();
    let x = |k: usize| step.state().q[7 * k + 4];
    for k in 1..4 {
        let gap = x(k) - x(k - 1) - size;
        assert!(gap > -1e-9, "{k}: {gap}");
    }
    assert!(x(3) > 3.0 * size + 0.005, "it was not pushed: {}", x(3));
}

#[test]
fn more_edges_make_friction_rounder() {
    // Sliding between two edges of the cone, a box decelerates with μ g cos(π/edges) at least.
    let size = Vector3::new(0.3, 0.3, 0.1);
    for (edges, tolerance) in [(4, 0.3), (8, 0.08), (32, 0.01)] {
        let system = boxes(1, size, 0.3, 0.0, 0.01)
            .with_options(options(|o| o.friction_edges = edges))
            .unwrap();
        for angle in [0.0, 0.3, 0.5, 0.8f64] {
            let v = [2.0 * angle.cos(), 2.0 * angle.sin(), 0.0];
            let state = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.05], [0.0; 3], v);
            let mut workspace = system.workspace().unwrap();
            let step = system.step(&mut workspace, &state, &[]).unwrap();
            let next = step.state();
            let loss = 2.0 - Vector3::new(next.v[3], next.v[4], 0.0).norm();
            let expected = 0.3 * G * 0.01;
            let ratio = loss / expected;
            assert!(
                (1.0 - tolerance..=1.0 + 1e-3).contains(&ratio),
                "{edges} {angle}: {ratio}"
            );
        }
    }
    let system = || boxes(1, size, 0.3, 0.0, 0.01);
    for bad in [
        options(|o| o.friction_edges = 3),
        options(|o| o.friction_edges = 0),
        options(|o| o.overlap_decay = 0.0),
    ] {
        assert!(system().with_options(bad).is_err());
    }
}

#[test]
fn overlaps_decay_with_the_time_constant() {
    let system = boxes(1, Vector3::new(0.3, 0.2, 0.1), 0.5, 0.0, 0.01)
        .with_options(options(|o| o.overlap_decay = 0.05))
        .unwrap();
    let overlap = 2e-3;
    let mut state = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.05 - overlap],
        [0.0; 3],
        [0.0; 3],
    );
    let mut workspace = system.workspace().unwrap();
    for _ in 0..10 {
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        state = step.state().clone();
    }
    let expected = 0.05 - overlap * (-2.0f64).exp();
    assert!(
        (state.q[6] - expected).abs() < 1e-9,
        "{} {expected}",
        state.q[6]
    );
}

#[test]
fn derivatives_are_those_of_central_differences() {
    // A box that slides and one that tumbles; with respect to a velocity, friction and time step.
    let size = Vector3::new(0.3, 0.2, 0.1);
    let slide = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.05],
        [0.0; 3],
        [1.0, 0.4, 0.0],
    );
    let tumble = free_body(
        [0.9, 0.2, -0.3, 0.1],
        [0.0, 0.0, 0.16],
        [1.0, 2.0, 3.0],
        [0.5, 0.2, -3.0],
    );
    fn run<T: Scalar>(size: Vector3<f64>, start: &State<f64>, t: T) -> State<T> {
        let mut tree = RigidBodyTreeBuilder::new();
        let inertia = SpatialInertia::solid_box(t + 1.0, &size.map(T::from));
        let body = tree.add_body("box", inertia).unwrap();
        let tree = tree.finish().unwrap();
        let mut contact = ContactModelBuilder::new();
        let material = ContactMaterial::new(T::from(1e5), T::zero(), t + 0.3).unwrap();
        let shape = Shape::new_box(size.map(|x| t * 0.1 + x)).unwrap();
        contact
            .add_geometry(geometry("box", body, shape, material))
            .unwrap();
        let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, material);
        contact.add_geometry(ground).unwrap();
        let contact = contact.finish(&tree).unwrap();
        let system = RigidBodySystem::new(tree, contact).unwrap();
        let system = system.with_generalized_forces().unwrap();
        let system = TimeSteppingRigidBodySystem::rigid(system, t * 0.02 + 0.01).unwrap();
        let mut state = start.cast::<T>();
        state.v[3] += t;
        let mut workspace = system.workspace().unwrap();
        for _ in 0..3 {
            let step = system.step(&mut workspace, &state, &[t; 6]).unwrap();
            state = step.state().clone();
        }
        state
    }
    for start in [slide, tumble] {
        // Away from the moment of touching, where corners would separate.
        let at = Dual2_64::from(1e-3).derivative();
        let state = run(size, &start, at);
        let value = |t: f64| run::<f64>(size, &start, 1e-3 + t);
        let h = 1e-6;
        let (plus, minus) = (value(h), value(-h));
        let wide = 2e-4;
        let (above, here, below) = (value(wide), value(0.0), value(-wide));
        for i in 0..6 {
            let first = (plus.v[i] - minus.v[i]) / (2.0 * h);
            let v = state.v[i];
            assert!(
                (v.v1 - first).abs() < 1e-5 * (1.0 + first.abs()),
                "{i}: {} {first}",
                v.v1
            );
            let second = (above.v[i] - 2.0 * here.v[i] + below.v[i]) / (wide * wide);
            assert!(
                (v.v2 - second).abs() < 1e-2 * (10.0 + second.abs()),
                "{i}: {} {second}",
                v.v2
            );
        }
        for i in 0..7 {
            let first = (plus.q[i] - minus.q[i]) / (2.0 * h);
            assert!((state.q[i].v1 - first).abs() < 1e-5 * (1.0 + first.abs()));
        }
    }
}

#[test]
fn constraints_act_beside_contacts() {
    // A box that is held at a corner swings, and its step is differentiated through the constraint.
    let system = boxes(1, Vector3::new(0.3, 0.2, 0.1), 0.5, 0.0, 0.01);
    let corner = Vector3::new(0.15, 0.1, 0.05);
    let hold = |height: Dual64| {
        BallConstraint::new(
            "ball",
            (BodyIndex::new(1), corner.map(Dual64::from)),
            (
                BodyIndex::WORLD,
                corner.map(Dual64::from)
                    + Vector3::new(Dual64::from(0.0), Dual64::from(0.0), height),
            ),
        )
        .unwrap()
    };
    let held = hold(Dual64::from(1.0).derivative());
    let system = system.cast::<Dual64>().with_constraints([held]).unwrap();
    let start =
        free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]).cast::<Dual64>();
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, &start, &[]).unwrap();
    // The corner moves after the point that holds it, but for what the turn in the step bends.
    let v = &step.state().v;
    let w = Vector3::new(v[0], v[1], v[2]);
    let corner_velocity = Vector3::new(v[3], v[4], v[5]) + w.cross(&corner.map(Dual64::from));
    let rate = 1.0 / 0.01;
    let bend = 0.01 * w.norm_squared().re * corner.norm();
    assert!(bend < 1e-2 && corner_velocity.map(|x| x.re).amax() < bend);
    assert!(
        (corner_velocity.z.eps / rate - 1.0).abs() < 0.02,
        "{}",
        corner_velocity.z.eps
    );
    assert_eq!(step.constraint_forces().unwrap().len(), 3);
}

#[test]
fn parameters_are_written_by_name() {
    let system = boxes(1, Vector3::new(0.3, 0.3, 0.1), 0.3, 0.0, 0.01);
    let start = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.05],
        [0.0; 3],
        [2.0, 0.0, 0.0],
    );
    // A box that slides loses μ g δt; μ = 2 μ₁ μ₂/(μ₁ + μ₂), so half of dμ₁ where both are equal.
    let mut dual = system.cast::<Dual64>();
    dual.set_parameter("box0/friction", Dual64::from(0.3).derivative())
        .unwrap();
    let mut workspace = dual.workspace().unwrap();
    let step = dual.step(&mut workspace, &start.cast(), &[]).unwrap();
    let next = step.state().clone();
    assert!((next.v[3].re - (2.0 - 0.3 * G * 0.01)).abs() < 1e-12);
    assert!(
        (next.v[3].eps + 0.5 * G * 0.01).abs() < 1e-12,
        "{}",
        next.v[3].eps
    );
    assert!(dual.set_parameter("time_step", Dual64::from(-1.0)).is_err());
}

#[test]
fn states_that_make_no_sense_are_refused() {
    let system = boxes(1, Vector3::new(0.3, 0.3, 0.1), 0.3, 0.0, 0.01)
        .with_generalized_forces()
        .unwrap();
    let mut workspace = system.workspace().unwrap();
    let good = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.05], [0.0; 3], [0.0; 3]);
    let changes: [fn(&mut State<f64>); 7] = [
        |s| s.q[6] = f64::NAN,
        |s| s.q[4] = f64::INFINITY,
        |s| s.q[0] = 2.0,
        |s| s.v[5] = f64::NAN,
        |s| s.v[0] = f64::NEG_INFINITY,
        |s| s.v = DVector::zeros(5),
        |s| s.q = DVector::zeros(0),
    ];
    for (k, change) in changes.into_iter().enumerate() {
        let mut state = good.clone();
        change(&mut state);
        assert!(
            system.step(&mut workspace, &state, &[0.0; 6]).is_err(),
            "{k}"
        );
    }
    for tau in [vec![0.0; 5], vec![f64::NAN; 6], vec![f64::INFINITY; 6]] {
        assert!(system.step(&mut workspace, &good, &tau).is_err());
    }
    // Numbers at the end of the range either give finite states or an error.
    for scale in [1e-300, 1e10, 1e100, 1e160, 1e300] {
        for dt in [1e-300, 1e-9, 1e9, 1e300] {
            let system = boxes(2, Vector3::new(0.3, 0.3, 0.1), 0.3, 0.0, dt);
            let mut workspace = system.workspace().unwrap();
            let mut q = system.tree().neutral_configuration();
            (q[6], q[13]) = (0.04, 0.14);
            let v = DVector::from_fn(12, |i, _| scale * (i as f64 - 5.0));
            if let Ok(mut step) = system.step(&mut workspace, &State::new(q, v), &[]) {
                let state = step.state();
                assert!(state.q.iter().chain(&state.v).all(|x| x.is_finite()));
                if let Ok(contacts) = step.contacts() {
                    assert!((contacts.iter()).all(|c| c.force.iter().all(|x| x.is_finite())));
                }
            }
        }
    }
    // The workspace is as good as new.
    let mut fresh = system.workspace().unwrap();
    let mut same = system.step(&mut workspace, &good, &[0.0; 6]).unwrap();
    let mut step = system.step(&mut fresh, &good, &[0.0; 6]).unwrap();
    assert_eq!(same.state(), step.state());
    assert_eq!(same.contacts().unwrap(), step.contacts().unwrap());
    assert_eq!(same.status(), step.status());
    // Bodies that coincide.
    let pair = boxes(2, Vector3::new(0.3, 0.3, 0.1), 0.3, 0.0, 0.01);
    let mut q = pair.tree().neutral_configuration();
    (q[6], q[13]) = (0.3, 0.3);
    let mut state = State::new(q, DVector::zeros(12));
    let mut workspace = pair.workspace().unwrap();
    for _ in 0..20 {
        let step = pair.step(&mut workspace, &state, &[]).unwrap();
        state = step.state().clone();
        assert!(state.q.iter().chain(&state.v).all(|x| x.is_finite()));
    }
}
