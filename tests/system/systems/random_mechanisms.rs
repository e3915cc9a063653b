//! Mechanisms made and thrown at random: one-step Jacobians against differences, and the ledger of energy.
//!
//! `DUALBODY_MECHANISMS` says how many of each scheme.

use crate::support::cases::tier;
use crate::support::random_contact::Random;
use crate::support::scenes::geometry;
use dualbody::actuator::PdServo;
use dualbody::constraint::{
    AnyConstraint, DistanceConstraint, GearConstraint, JointLimitConstraint,
};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::force::{
    AerodynamicDrag, AnyForce, BodyPoint, FlatPlateWing, JointFriction, JointStops,
    LinearSpringDamper,
};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    LinearModel, RigidBodySystem, Scheme, State, StepWorkspace, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};

type Machine = TimeSteppingRigidBodySystem<f64>;

/// Two to four bodies on hinges and slides, fixed or floating, with dampers, friction, servos, stops, wings and springs of
/// all strengths, over the ground; `held` by rods and gears, too, if asked for.
fn machine(random: &mut Random, scheme: Scheme, held: bool) -> Machine {
    let dt = random.logarithmic(5e-4, 1.5e-2);
    let mut builder = RigidBodyTreeBuilder::new();
    let signed =
        |random: &mut Random, size: f64| Vector3::from_fn(|_, _| random.uniform(-size, size));
    let mut bodies = Vec::new();
    for n in 0..2 + random.index(3) {
        let size = Vector3::from_fn(|_, _| random.uniform(0.05, 0.2));
        let inertia = SpatialInertia::solid_box(random.uniform(0.1, 2.0), &size);
        let body = builder.add_body(format!("body {n}"), inertia).unwrap();
        bodies.push((body, size));
    }
    let floats = random.unit() < 0.5;
    let mut joints = Vec::new();
    for n in usize::from(floats)..bodies.len() {
        let axis = signed(random, 1.0).normalize();
        let kind = match random.unit() < 0.2 {
            true => JointKind::Prismatic { axis },
            false => JointKind::Revolute { axis },
        };
        let (parent, at) = match n {
            0 => (BodyIndex::WORLD, Vector3::new(0.0, 0.0, 0.15)),
            _ => (bodies[random.index(n)].0, signed(random, 0.15)),
        };
        let at = RigidTransform::from_translation(at);
        let joint =
            (builder.add_joint(format!("joint {n}"), kind, parent, at, bodies[n].0)).unwrap();
        if random.unit() < 0.5 {
            let damping = random.logarithmic(1e-3, 1e2);
            builder.set_damping(joint, &[damping]).unwrap();
        }
        if random.unit() < 0.4 {
            builder
                .set_friction(joint, &[random.uniform(0.0, 0.5)])
                .unwrap();
        }
        joints.push(joint);
    }
    let tree = builder.finish().unwrap();

    let mut contact = ContactModelBuilder::new();
    let stiffness = random.logarithmic(1e3, 1e5);
    let material = |random: &mut Random| {
        let (dissipation, friction) = (random.unit(), random.unit());
        let material = ContactMaterial::new(stiffness, dissipation, friction).unwrap();
        match random.unit() < 0.3 {
            true => material.with_restitution(random.unit()).unwrap(),
            false => material,
        }
    };
    for (n, (body, size)) in bodies.iter().enumerate() {
        let shape = match random.index(3) {
            0 => Shape::new_sphere(0.5 * size.x),
            1 => Shape::new_box(*size),
            _ => Shape::new_capsule(0.5 * size.x, size.y),
        };
        let geometry = geometry(
            &format!("shape {n}"),
            *body,
            shape.unwrap(),
            material(random),
        );
        contact.add_geometry(geometry).unwrap();
    }
    let ground = geometry(
        "ground",
        BodyIndex::WORLD,
        Shape::HalfSpace,
        material(random),
    );
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();

    let mut servos = Vec::new();
    let mut forces = Vec::new();
    let mut constraints = Vec::new();
    for (n, &joint) in joints.iter().enumerate() {
        if random.unit() < 0.5 {
            let gains = [random.logarithmic(0.1, 1e2), random.logarithmic(1e-2, 1e2)];
            let limits = (random.unit() < 0.3).then_some([-5.0, 5.0]);
            servos.push(PdServo::new(format!("servo {n}"), &tree, joint, gains, limits).unwrap());
        }
        if random.unit() < 0.2 {
            let limit = JointLimitConstraint::new(
                format!("limit {n}"),
                &tree,
                joint,
                Some(-0.5),
                Some(0.6),
            );
            constraints.push(AnyConstraint::new(limit.unwrap()));
        }
        if random.unit() < 0.2 {
            let stops =
                JointStops::new(format!("stops {n}"), &tree, joint, 100.0, 0.5, [-0.4, 0.4]);
            forces.push(AnyForce::new(stops.unwrap()));
        }
    }
    let first = BodyPoint::new(bodies[0].0, Vector3::new(0.0, 0.1, 0.02));
    let last = BodyPoint::new(bodies[bodies.len() - 1].0, Vector3::new(0.05, 0.0, 0.02));
    if random.unit() < 0.5 {
        let speed = random.logarithmic(1e-2, 0.3);
        forces.push(AnyForce::new(
            JointFriction::new("friction", &tree, speed).unwrap(),
        ));
    }
    if random.unit() < 0.5 {
        let area = random.logarithmic(1e-2, 10.0);
        let drag = AerodynamicDrag::new("drag", &tree, last, 1.2, area);
        forces.push(AnyForce::new(drag.unwrap()));
    }
    if random.unit() < 0.5 {
        let normal = signed(random, 1.0);
        let area = random.logarithmic(1e-2, 1.0);
        let wing = FlatPlateWing::new("wing", &tree, first, normal, 1.2, area);
        forces.push(AnyForce::new(wing.unwrap()));
    }
    if random.unit() < 0.5 {
        let ends = [
            last,
            BodyPoint::new(BodyIndex::WORLD, Vector3::new(0.3, 0.0, 0.6)),
        ];
        let [stiffness, damping] = [random.logarithmic(1.0, 1e2), random.logarithmic(0.1, 1e3)];
        let tie = LinearSpringDamper::new("tie", &tree, ends, stiffness, damping, 0.3, 1e-3);
        forces.push(AnyForce::new(tie.unwrap()));
    }
    if held && (!floats || bodies.len() > 2) {
        let other = match floats {
            true => BodyPoint::new(bodies[0].0, signed(random, 0.1)),
            false => BodyPoint::new(BodyIndex::WORLD, Vector3::new(0.1, -0.2, 0.3)),
        };
        let mut workspace = tree.workspace();
        let neutral = tree.neutral_configuration();
        (tree.set_positions(&mut workspace, neutral.as_slice())).unwrap();
        let [p, q] = [last, other].map(|at| {
            let pose = tree.body_pose(&workspace, at.body).unwrap();
            pose.transform_point(&at.position)
        });
        let ends = [last, other].map(|at| (at.body, at.position));
        let rod = DistanceConstraint::new("rod", ends[0], ends[1], (p - q).norm());
        constraints.push(AnyConstraint::new(rod.unwrap()));
    }
    if held && joints.len() > 1 && random.unit() < 0.5 {
        let ratio = random.uniform(-2.0, 2.0);
        let gear = GearConstraint::new("gear", &tree, joints[1], joints[0], ratio);
        constraints.push(AnyConstraint::new(gear.unwrap()));
    }
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let system = system.with_forces(forces).unwrap();
    let system = system.with_actuators(servos).unwrap();
    let system = system.with_constraints(constraints).unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap()
}

/// Where a state is displaced to, and what a step makes of that: the displacement from `model.base`.
fn stepped(
    machine: &Machine,
    workspace: &mut StepWorkspace<f64>,
    (state, input): (&State<f64>, &[f64]),
    model: &LinearModel,
    (column, by): (usize, f64),
) -> DVector<f64> {
    let nv = state.v.len();
    let mut from = state.clone();
    if column < nv {
        let mut direction = vec![0.0; nv];
        direction[column] = 1.0;
        let to = from.q.as_mut_slice();
        (machine
            .tree()
            .integrate_exponential(state.q.as_slice(), &direction, by, to))
        .unwrap();
    } else {
        from.v[column - nv] += by;
    }
    let step = machine.step(workspace, &from, input).unwrap();
    machine.displacement(&model.base, step.state()).unwrap()
}

/// The largest error of the Jacobian in comparison with differences: the smallest one of three widths. A column of
/// which differences of neighbouring widths disagree by as much tells nothing.
fn error(machine: &Machine, state: &State<f64>, input: &[f64], model: &LinearModel) -> f64 {
    let mut workspace = machine.workspace().unwrap();
    let mut at = |column, by| stepped(machine, &mut workspace, (state, input), model, (column, by));
    let mut worst = 0.0;
    for (j, column) in model.a.column_iter().enumerate() {
        let scale = column.amax().max(1.0);
        let differences = [1e-6, 1e-7, 1e-8].map(|h| {
            let narrow = (at(j, h) - at(j, -h)) / (2.0 * h);
            let wide = (at(j, 2.0 * h) - at(j, -2.0 * h)) / (4.0 * h);
            (narrow * 4.0 - wide) / 3.0
        });
        let errors = differences.each_ref().map(|d| (d - column).amax() / scale);
        let spreads = differences
            .windows(2)
            .map(|d| (&d[1] - &d[0]).amax() / scale);
        let smallest = errors.into_iter().fold(f64::INFINITY, f64::min);
        if smallest > spreads.fold(f64::INFINITY, f64::min) {
            worst = f64::max(worst, smallest);
        }
    }
    worst
}

fn check(scheme: Scheme, held: bool) {
    let count =
        std::env::var("DUALBODY_MECHANISMS").map_or(tier(8, 40), |count| count.parse().unwrap());
    let (mut compared, mut named, mut failed) = (0, 0, 0);
    for seed in 0..count {
        let random = &mut Random::new(seed);
        let machine = machine(random, scheme, held);
        // Differences change velocities, and gaps over the step, by less.
        let kink = 3e-7 / machine.time_step();
        let mut state = machine.initial_state();
        if state.q.len() > state.v.len() {
            state.q[6] = 0.3;
        }
        state
            .v
            .iter_mut()
            .for_each(|v| *v = random.uniform(-2.0, 2.0));
        let input: Vec<f64> = (0..machine.num_inputs())
            .map(|_| random.uniform(-0.5, 0.5))
            .collect();
        let steps = f64::min(0.7 / machine.time_step(), 400.0) as usize;
        let looked_at = [random.index(steps), random.index(steps), steps - 1];
        let mut workspace = machine.workspace().unwrap();
        for n in 0..steps {
            let mut step = match machine.step(&mut workspace, &state, &input) {
                Ok(step) => step,
                Err(error) => {
                    println!("{scheme:?}, {seed}, step {n}: {error}");
                    failed += 1;
                    break;
                }
            };
            let next = step.state().clone();
            if looked_at.contains(&n) {
                let ledger = step.energy().unwrap();
                let total = 1.0 + ledger.total().start.abs();
                let rest = (ledger.residual() + ledger.loss.total()) / total;
                assert!(
                    rest.abs() < 1e-9,
                    "{scheme:?}, {seed}, step {n}: energy {rest}"
                );
                let status = step.status();
                let kinks = status.nearest_kinks.iter().map(|kink| kink.distance());
                let geometry = status.nearest_geometry_kink.map(|kink| kink.distance);
                let mut nearest = (kinks.chain(geometry).chain(status.division_margin))
                    .fold(f64::INFINITY, f64::min);
                step.visit_element_kinks(&mut |kink| nearest = nearest.min(kink.distance))
                    .unwrap();
                let model = machine.linearize(&state, &input).unwrap();
                if nearest < kink {
                    named += 1;
                } else {
                    compared += 1;
                    let error = error(&machine, &state, &input, &model);
                    assert!(
                        error < 3e-4,
                        "{scheme:?}, {seed}, step {n}: {error}, kink at {nearest}"
                    );
                }
            }
            state = next;
        }
    }
    println!("{scheme:?}, {held}: {compared} right, {named} beside kinks, {failed} steps not made");
    assert!(
        2 * compared > count as usize,
        "{compared}, {named}, {failed}"
    );
    assert!(failed * 500 <= count as usize, "{failed}");
}

#[test]
fn compliant_steps_of_random_mechanisms_are_differentiated() {
    check(Scheme::Compliant, false);
}

#[test]
fn rigid_steps_of_random_mechanisms_are_differentiated() {
    check(Scheme::Rigid, false);
}

#[test]
fn compliant_steps_of_mechanisms_that_are_held_are_differentiated() {
    check(Scheme::Compliant, true);
}

#[test]
fn rigid_steps_of_mechanisms_that_are_held_are_differentiated() {
    check(Scheme::Rigid, true);
}
