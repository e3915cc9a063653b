//! Free bodies that nothing acts on keep their momentum and their energy, at any length of step.

use crate::compliant::step_jacobian;
use crate::support::derivatives_of_steps::assert_step_jacobian_agrees;
use crate::support::reference::data;
use crate::support::scenes::free_body;
use dualbody::Parameters;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::io::mjcf::MjcfReader;
use dualbody::math::SpatialInertia;
use dualbody::system::{
    RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian, SystemBuilder,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};

const SCHEMES: [Scheme; 2] = [Scheme::Compliant, Scheme::Rigid];

fn stepper(tree: &RigidBodyTree<f64>, dt: f64, scheme: Scheme) -> TimeSteppingRigidBodySystem<f64> {
    let contact = ContactModelBuilder::new().finish(tree).unwrap();
    let system = RigidBodySystem::new(tree.clone(), contact).unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap()
}

/// A body with its centre of mass at a distance from its origin, without weight.
fn body(moments: [f64; 3], center: [f64; 3]) -> RigidBodyTree<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut inertia = SpatialInertia::principal(1.5, Vector3::from(moments));
    inertia.center_of_mass = Vector3::from(center);
    tree.add_body("body", inertia).unwrap();
    let mut tree = tree.finish().unwrap();
    for axis in ["x", "y", "z"] {
        tree.set_parameter(&format!("gravity/{axis}"), 0.0).unwrap();
    }
    tree
}

/// What may differ, relative to the angular momentum, and to the energy.
struct Bounds {
    momentum: f64,
    energy: f64,
}

/// Makes steps, and checks momentum about the centre of mass, where that is, and energy after each.
fn assert_kept(
    (tree, dt, steps): (&RigidBodyTree<f64>, f64, usize),
    start: &State<f64>,
    bounds: &Bounds,
) {
    for scheme in SCHEMES {
        let system = stepper(tree, dt, scheme);
        let (mut steps_memory, mut placed) = (system.workspace().unwrap(), tree.workspace());
        let mut at = |state: &State<f64>| {
            (tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())).unwrap();
            let momentum = tree.momentum_about_center_of_mass(&placed).unwrap();
            let center = tree.center_of_mass(&placed).unwrap();
            (momentum, center, tree.kinetic_energy(&placed).unwrap())
        };
        let (first, center, energy) = at(start);
        let mut state = start.clone();
        for step in 1..=steps {
            let made = system.step(&mut steps_memory, &state, &[]).unwrap();
            state.clone_from(made.state());
            let (momentum, next_center, next_energy) = at(&state);
            let label = format!("{scheme:?}, {dt} s, step {step}");
            let error = (momentum.angular - first.angular).norm() / first.angular.norm();
            assert!(error <= bounds.momentum, "{label}: momentum {error:e}");
            let error = (next_energy / energy - 1.0).abs();
            assert!(error <= bounds.energy, "{label}: energy {error:e}");
            let way = first.linear * (step as f64 * dt / tree.total_mass());
            let error = (next_center - center - way).norm();
            assert!(
                error <= 1e-10 * (1.0 + way.norm()),
                "{label}: path {error:e}"
            );
        }
    }
}

#[test]
fn a_spinning_body_keeps_momentum_and_energy() {
    let text = std::fs::read_to_string(data("mjcf/spin.xml")).unwrap();
    let tree = MjcfReader::new().tree_from_str::<f64>(&text).unwrap().0;
    let bounds = Bounds {
        momentum: 1e-12,
        energy: 1e-10,
    };
    let start = free_body([1.0, 0.0, 0.0, 0.0], [0.0; 3], [20.0, 0.5, 0.0], [0.0; 3]);
    for dt in [1.0 / 60.0, 4e-3, 1e-3] {
        assert_kept((&tree, dt, (10.0 / dt) as usize), &start, &bounds);
    }
    let tree = body([1.0, 2.0, 3.0], [0.0; 3]);
    let start = free_body(
        [0.3, -0.5, 0.7, 0.2],
        [0.0; 3],
        [3.0, 4.0, -0.1],
        [0.2, 1.0, -0.4],
    );
    assert_kept((&tree, 0.01, 4000), &start, &bounds);
}

/// With the centre of mass elsewhere, at turns of up to 0.2 rad in a step, and more.
#[test]
fn many_long_steps_keep_momentum_and_energy() {
    let tree = body([1.0, 2.0, 2.7], [0.3, -0.1, 0.2]);
    let bounds = Bounds {
        momentum: 1e-10,
        energy: 1e-10,
    };
    for (turn, steps) in [(0.02, 10_000), (0.2, 100_000), (1.5, 10_000)] {
        let w = Vector3::new(0.2, 0.9, 0.3).normalize() * (turn / 0.01);
        let start = free_body(
            [0.3, -0.5, 0.7, 0.2],
            [1.0, 2.0, 3.0],
            w.into(),
            [0.2, 1.0, -0.4],
        );
        assert_kept((&tree, 0.01, steps), &start, &bounds);
    }
}

/// The end of a step follows the speed at its start: nothing is treated in another way from some speed on.
#[test]
fn nothing_jumps_with_the_speed_of_the_turn() {
    let tree = body([1.0, 2.0, 2.7], [0.3, -0.1, 0.2]);
    let (dt, h) = (0.01, 1e-4);
    for scheme in SCHEMES {
        let system = stepper(&tree, dt, scheme);
        let mut workspace = system.workspace().unwrap();
        let mut end = |turn: f64| {
            let w = Vector3::new(0.2, 0.9, 0.3).normalize() * (turn / dt);
            let state = free_body([0.3, -0.5, 0.7, 0.2], [0.0; 3], w.into(), [0.0; 3]);
            let step = system.step(&mut workspace, &state, &[]).unwrap();
            let state = step.state();
            DVector::from_iterator(
                13,
                state
                    .q
                    .iter()
                    .copied()
                    .chain(state.v.iter().map(|v| v * dt)),
            )
        };
        for k in 10..5000 {
            let turn = k as f64 * h;
            let bend = end(turn + h) - end(turn) * 2.0 + end(turn - h);
            assert!(
                bend.amax() <= 4.0 * h * h,
                "{scheme:?}, {turn} rad: {:e}",
                bend.amax()
            );
        }
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let tree = body([1.0, 2.0, 2.7], [0.3, -0.1, 0.2]);
    for (turn, scheme) in [(1e-3, 0), (0.3, 0), (1.2, 0), (1e-3, 1), (0.3, 1)] {
        let system = stepper(&tree, 0.01, SCHEMES[scheme]);
        let w = Vector3::new(0.2, 0.9, 0.3).normalize() * (turn / 0.01);
        let state = free_body(
            [0.3, -0.5, 0.7, 0.2],
            [1.0, 2.0, 3.0],
            w.into(),
            [0.2, 1.0, -0.4],
        );
        let parameters = ["time_step", "body/mass"];
        assert_step_jacobian_agrees(&system, (&state, &[]), &parameters, 1e-4);
    }
}

/// A box that spins on the ground, and one in the air.
#[test]
fn derivatives_agree_with_duals_in_contact() {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.4).unwrap();
    let size = Vector3::new(0.2, 0.1, 0.05);
    let system = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body("low", Shape::new_box(size).unwrap(), 1.0, rubber)
        .free_body("high", Shape::new_box(size).unwrap(), 1.0, rubber)
        .compliant(0.01)
        .unwrap();
    let mut state = system.initial_state();
    (state.q[6], state.q[13]) = (0.02, 2.0);
    for (i, v) in state.v.iter_mut().enumerate() {
        *v = 4.0 * (1.3 * i as f64 + 0.4).sin();
    }
    state.v[5] = -0.5;
    let forces = step_jacobian::check(&system, &state, &[], "spinning");
    assert!(forces > 0);
}

/// Forces change the angular momentum by what they give, and derivatives of a machine with several bodies stay apart.
#[test]
fn a_body_apart_has_derivatives_of_its_own() {
    let system = SystemBuilder::new()
        .free_body(
            "a",
            Shape::new_sphere(0.1).unwrap(),
            1.0,
            ContactMaterial::new(1e4, 0.1, 0.5).unwrap(),
        )
        .compliant(0.01)
        .unwrap();
    let mut state = system.initial_state();
    state.v[0] = 7.0;
    let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
    let mut jacobian = StepJacobian::default();
    (differentiator.jacobian(&state, &[], &mut jacobian)).unwrap();
    // A ball: its angular velocity stays as it is.
    for i in 7..10 {
        for k in 0..13 {
            let expected = if i == k { 1.0 } else { 0.0 };
            assert!((jacobian.state[(i, k)] - expected).abs() < 1e-14);
        }
    }
}
