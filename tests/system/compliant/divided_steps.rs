//! Steps in parts and others: values that derivatives do not change, and noise that is drawn once.

use crate::support::cases::tier;
use crate::support::scenes::{cube, free_body, geometry};
use dualbody::actuator::{Actuator, BristleContact};
use dualbody::constraint::{AnyConstraint, DistanceConstraint, JointLimitConstraint};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{
    AerodynamicDrag, AnyForce, BodyPoint, ForceContext, ForceError, Forces, LinearSpringDamper,
};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::Imu;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian,
    SystemBuilder, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::Vector3;
use num_dual::Dual64;
use std::fmt;

type Machine = RigidBodySystem<f64>;

/// Two boxes and a capsule on a hinge over the ground, of materials of their own; with a rod, a limit, a point that
/// sticks, a spring, drag and an inertial sensor, or without.
fn machine(is_plain: bool) -> Machine {
    let mut tree = RigidBodyTreeBuilder::new();
    let sizes = [[0.3, 0.21, 0.17], [0.1, 0.2, 0.13], [0.1, 0.32, 0.03]].map(Vector3::from);
    let bodies = ["first", "second", "third"].map(|name| {
        let size = &sizes[name.len() % 3];
        let inertia = SpatialInertia::solid_box(1.3 * size.amax(), size);
        tree.add_body(name, inertia).unwrap()
    });
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let at = RigidTransform::from_translation(Vector3::new(0.11, 0.23, -0.03));
    let kind = JointKind::Revolute { axis };
    tree.add_joint("hinge", kind, bodies[1], at, bodies[2])
        .unwrap();
    let tree = tree.finish().unwrap();
    let of = |body: BodyIndex| {
        let n = body.get() as f64;
        ContactMaterial::new(2.3e4 + 8.5e3 * n, 0.71 + 0.13 * n, 0.31 + 0.17 * n).unwrap()
    };
    let shapes = [
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
        ("a", bodies[0], Shape::new_box(sizes[0]).unwrap()),
        ("b", bodies[1], Shape::new_box(sizes[1]).unwrap()),
        ("c", bodies[2], Shape::new_capsule(0.03, 0.3).unwrap()),
    ];
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape) in shapes {
        (contact.add_geometry(geometry(name, body, shape, of(body)))).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let machine = RigidBodySystem::new(tree.clone(), contact)
        .and_then(RigidBodySystem::with_generalized_forces)
        .unwrap();
    if is_plain {
        return machine;
    }
    let corner = BodyPoint::new(bodies[1], Vector3::new(0.05, 0.1, -0.065));
    let point = BristleContact::new(
        "point",
        &tree,
        corner,
        BodyIndex::WORLD,
        of(bodies[1]),
        [1.3e4, 3.0],
        1e-3,
    );
    let beside = BodyPoint::new(bodies[0], Vector3::new(0.0, 0.05, 0.1));
    let ends = [beside, BodyPoint::origin(bodies[2])];
    let forces = [
        AnyForce::new(AerodynamicDrag::new("drag", &tree, beside, 1.2, 0.07).unwrap()),
        AnyForce::new(
            LinearSpringDamper::new("spring", &tree, ends, 200.0, 1.0, 0.1, 0.1).unwrap(),
        ),
    ];
    let ends = [
        (bodies[0], Vector3::new(0.1, 0.03, 0.01)),
        (bodies[1], Vector3::new(0.01, 0.02, 0.0)),
    ];
    let hinge = JointIndex::new(0);
    let limit = JointLimitConstraint::new("stop", &tree, hinge, Some(-0.3), Some(0.9));
    let constraints = [
        AnyConstraint::new(DistanceConstraint::new("rod", ends[0], ends[1], 0.27).unwrap()),
        AnyConstraint::new(limit.unwrap()),
    ];
    let imu = Imu::new("imu", &tree, bodies[0], &RigidTransform::identity());
    (machine.with_actuators([point.unwrap()]).unwrap())
        .with_forces(forces)
        .and_then(|machine| machine.with_constraints(constraints))
        .and_then(|machine| machine.with_sensors([imu.unwrap()]))
        .unwrap()
}

fn bits<T: Scalar>(state: &State<T>) -> Vec<u64> {
    let parts = [&state.q, &state.v, &state.actuators, &state.sensors];
    let all = parts.into_iter().flat_map(|part| part.iter());
    all.map(|x| x.re().to_bits()).collect()
}

#[test]
fn values_do_not_depend_on_derivatives() {
    let method = IntegrationMethod::RungeKutta4;
    let continuous = Scheme::Continuous {
        method,
        substeps: 2,
    };
    let mut divided = 0;
    for is_plain in [true, false] {
        for (scheme, dt) in [
            (Scheme::Compliant, 0.0113),
            (Scheme::Rigid, 0.0113),
            (continuous, 1.3e-4),
        ] {
            let system = TimeSteppingRigidBodySystem::with_scheme(machine(is_plain), dt, scheme);
            let system = system.unwrap();
            let dual = system.cast::<Dual64>();
            let (mut plain, mut lifted) = (system.workspace().unwrap(), dual.workspace().unwrap());
            let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
            let mut jacobian = StepJacobian::default();
            let mut state = system.initial_state();
            let placed = [[0.0, 0.0, 0.25], [0.3, 0.5, 0.4]];
            for (place, q) in placed.iter().zip(state.q.as_mut_slice().chunks_mut(7)) {
                q[4..].copy_from_slice(place);
            }
            let speeds = (0..state.v.len()).map(|i| 8.0 * (1.7 * i as f64 + 0.9).sin());
            (state.v.iter_mut().zip(speeds)).for_each(|(v, speed)| *v = speed);
            let input = vec![0.07; system.num_inputs()];
            for k in 0..tier(12, 40) {
                let step = system.step(&mut plain, &state, &input).unwrap();
                let (next, output) = (step.state().clone(), step.output().clone());
                divided += usize::from(step.status().parts > 1);
                let mut seeded = state.cast::<Dual64>();
                seeded.v[0].eps = 1.0;
                let lifted_input: Vec<_> = input.iter().map(|u| Dual64::from(*u)).collect();
                let step = dual.step(&mut lifted, &seeded, &lifted_input).unwrap();
                assert_eq!(bits(step.state()), bits(&next), "{scheme:?} {k}");
                let mut read = step.output().iter().zip(&output);
                let same = read.all(|(a, b)| a.re.to_bits() == b.to_bits());
                assert!(same, "{scheme:?} {k}");
                let made = differentiator
                    .jacobian(&state, &input, &mut jacobian)
                    .unwrap();
                assert_eq!(bits(made), bits(&next), "{scheme:?} {k}");
                state = next;
            }
        }
    }
    assert!(divided > tier(4, 40), "{divided}");
}

/// A contact whose force jumps where the body is slower than `speed`, in a time in which only short parts of a step
/// are stopped before.
#[derive(Debug, Clone)]
struct Jam {
    speed: f64,
    force: f64,
    window: [f64; 2],
}

impl<T: Scalar> Actuator<T> for Jam {
    type Cast<U: DefaultScalar> = Jam;
    fn cast<U: DefaultScalar>(&self) -> Jam {
        self.clone()
    }
    fn num_inputs(&self) -> usize {
        0
    }
    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (time, [from, to]) = (context.time().re(), self.window);
        let speed = context.body_velocity(BodyIndex::new(1))?.linear.x.re();
        if (from..to).contains(&time) && speed < self.speed {
            forces.add_generalized(3, T::from(self.force))?;
        }
        Ok(())
    }
    fn may_touch(&self, _: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        Ok(true)
    }
}

/// The second of three parts finds no forces, which 16 parts do: noise is drawn for one step all the same.
#[test]
fn a_step_that_is_redone_draws_its_noise_once() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let body = tree.add_body("body", inertia).unwrap();
    let tree = tree.finish().unwrap();
    let imu = Imu::new("imu", &tree, body, &RigidTransform::identity()).unwrap();
    let dt = 0.012;
    let jam = |speed| Jam {
        speed,
        force: 1.0,
        window: [0.33 * dt, 0.38 * dt],
    };
    let drawn = |speed: f64| {
        let system = RigidBodySystem::new(tree.clone(), ContactModel::none()).unwrap();
        let system = (system.with_actuators([jam(speed)]).unwrap())
            .with_sensors([imu.clone()])
            .unwrap();
        let system = TimeSteppingRigidBodySystem::compliant(system, dt).unwrap();
        let mut state = system.initial_state();
        state.v[0] = 0.075 / dt;
        let mut count = 0;
        let mut normal = || {
            count += 1;
            0.1 * f64::from(count)
        };
        let mut workspace = system.workspace().unwrap();
        let step = system.step_with_noise(&mut workspace, &state, &[], &mut normal);
        let step = step.unwrap();
        let result = (step.status().parts, step.output().clone());
        (result, count)
    };
    // One third of the step would bring it to 4 mm/s, a sixteenth to 0.75 mm/s.
    let ((parts, easy), once) = drawn(0.0);
    assert_eq!(parts, 3);
    let ((parts, hard), count) = drawn(2e-3);
    assert!(parts >= 16, "{parts}");
    assert!(once > 0 && count == once, "{count} {once}");
    assert!((easy - hard).amax() < 1e-12);
}

/// Where a pair comes within reach of a step that turns far, the step is made in parts, and jumps: the margin says so on both
/// sides, and further away by how much more the step would have to turn.
#[test]
fn the_margin_counts_what_comes_within_reach() {
    let dt = 0.01;
    let system = cube(dt);
    let mut workspace = system.workspace().unwrap();
    let mut step = |height: f64, spin: f64| {
        let angular = [0.6 * spin, 0.0, 0.8 * spin];
        let state = free_body([1.0, 0.2, 0.1, 0.0], [0.0, 0.0, height], angular, [0.0; 3]);
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        (step.status().parts, step.status().division_margin)
    };
    let spin = 30.0;
    let (mut near, mut far) = (0.1, 1.0);
    while far - near > 1e-15 {
        let middle = 0.5 * (near + far);
        if middle <= near || middle >= far {
            break;
        }
        match step(middle, spin).0 {
            1 => far = middle,
            _ => near = middle,
        }
    }
    assert_eq!((step(near, spin).0 > 1, step(far, spin).0), (true, 1));
    for height in [near, far] {
        let (_, margin) = step(height, spin);
        assert!(margin.is_some_and(|margin| margin < 1e-12), "{margin:?}");
    }
    // Further away, it is by how much more the step would have to turn.
    let height = far + 0.005;
    let margin = step(height, spin).1.unwrap();
    let parts = [0.999, 1.001].map(|factor| step(height, spin + factor * margin / dt).0);
    assert!(parts[0] == 1 && parts[1] > 1, "{margin} {parts:?}");
}

/// The same of two balls of which one spins beside the other: neither comes nearer than its surface moves.
#[test]
fn the_margin_counts_what_spins_beside_another() {
    let (dt, spin, radius) = (0.01, 30.0, 0.05);
    let rubber = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
    let ball = Shape::new_sphere(radius).unwrap();
    for spins in 0..2 {
        let system = SystemBuilder::new()
            .free_body("a", ball.clone(), 0.2, rubber)
            .free_body("b", ball.clone(), 0.2, rubber)
            .compliant(dt)
            .unwrap();
        let mut workspace = system.workspace().unwrap();
        let mut step = |gap: f64| {
            let mut state = system.initial_state();
            state.q[7 + 4] = 2.0 * radius + gap;
            state.v[6 * spins + 2] = spin;
            let step = system.step(&mut workspace, &state, &[]).unwrap();
            (step.status().parts, step.status().division_margin)
        };
        let (mut near, mut far) = (1e-3, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            match step(middle).0 {
                1 => far = middle,
                _ => near = middle,
            }
        }
        let reach = 2.0 * dt * (spin * radius + 9.81 * dt);
        assert!(near > 0.0 && near < 1.01 * reach, "{spins}: {near} {reach}");
        for gap in [near, far] {
            let (parts, margin) = step(gap);
            let said = margin.is_some_and(|margin| margin < 1e-12);
            assert!(said, "body {spins}, {gap} m, {parts} parts: {margin:?}");
        }
    }
}
