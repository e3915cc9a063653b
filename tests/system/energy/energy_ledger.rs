//! Where the energy of steps goes: closed forms, closure at the order of the integrator, derivatives.

use crate::support::scenes::{body_over_ground, cube, free_body};
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactMaterial, ContactModel};
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::{
    AerodynamicDrag, AnyForce, BodyPoint, ConservativeBushing, ForceContext, ForceElement, Forces,
    JointMotion, JointSpring, LinearBushingRollPitchYaw, LinearSpringDamper,
};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{EnergyLedger, State, SystemBuilder, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, InvalidInput, Parameters};
use nalgebra::{DVector, Vector3};
use num_dual::Dual64;

/// With generalized forces that a function of time writes.
fn ledgers(
    system: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    steps: usize,
    tau: impl Fn(f64, &mut [f64]),
) -> Vec<EnergyLedger<f64>> {
    let system = system.clone().with_generalized_forces().unwrap();
    let mut workspace = system.workspace().unwrap();
    let mut state = start.clone();
    let mut given = vec![0.0; state.v.len()];
    (0..steps)
        .map(|index| {
            tau(index as f64 * system.time_step(), &mut given);
            let mut step = system.step(&mut workspace, &state, &given).unwrap();
            let ledger = step.energy().unwrap();
            state = step.state().clone();
            ledger
        })
        .collect()
}

fn sum(ledgers: &[EnergyLedger<f64>], entry: impl Fn(&EnergyLedger<f64>) -> f64) -> f64 {
    ledgers.iter().map(entry).sum()
}

/// A double pendulum with a bushing at the hip, springs, drag and joint damping.
fn machine(dt: f64) -> TimeSteppingRigidBodySystem<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let link = SpatialInertia::solid_box(0.8, &Vector3::new(0.1, 0.2, 0.5));
    let base = builder.add_body("base", link).unwrap();
    let arm = builder.add_body("arm", link).unwrap();
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    let at = RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.3));
    builder.add_joint("hinge", hinge, base, at, arm).unwrap();
    let mut tree = builder.finish().unwrap();
    tree.set_parameter("joint/hinge/damping", 0.05).unwrap();
    let hinge = tree.joint_by_name("hinge").unwrap();
    let constants = BushingConstants {
        torque_stiffness: Vector3::new(2.0, 3.0, 4.0),
        torque_damping: Vector3::repeat(0.05),
        force_stiffness: Vector3::new(80.0, 60.0, 90.0),
        force_damping: Vector3::repeat(0.8),
    };
    let orientation = BushingOrientation::RotationVector;
    let world = BodyIndex::WORLD;
    let elements = [
        AnyForce::new(
            ConservativeBushing::new("hip", world, base, orientation, constants).unwrap(),
        ),
        AnyForce::new(LinearBushingRollPitchYaw::new("other", world, base, constants).unwrap()),
        AnyForce::new(LinearSpringDamper {
            name: "spring".into(),
            first: BodyPoint::new(world, Vector3::new(0.5, 0.0, 0.0)),
            second: BodyPoint::origin(arm),
            stiffness: 10.0,
            damping: 0.3,
            free_length: 0.4,
            softening: 1e-3,
        }),
        AnyForce::new(JointSpring {
            name: "return".into(),
            joint: hinge,
            motion: JointMotion::Rotation,
            stiffness: 1.5,
            damping: 0.02,
            nominal_position: 0.2,
        }),
        AnyForce::new(AerodynamicDrag {
            name: "drag".into(),
            point: BodyPoint::origin(arm),
            density: 1.2,
            drag_area: 0.3,
        }),
    ];
    (TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), dt).unwrap())
        .with_forces(elements)
        .unwrap()
}

fn swinging() -> State<f64> {
    let body = free_body(
        [1.0, 0.2, -0.1, 0.3],
        [0.1, 0.05, -0.1],
        [1.0, -2.0, 0.5],
        [0.3, 0.2, 0.1],
    );
    let push = |x: &DVector<f64>, last: f64| x.clone().push(last);
    State::new(push(&body.q, 0.4), push(&body.v, -1.5))
}

#[test]
fn the_residual_shrinks_with_the_step() {
    let run = |dt: f64| {
        let steps = (0.5 / dt).round() as usize;
        ledgers(&machine(dt), &swinging(), steps, |t, tau| {
            tau[6] = 0.6 * (7.0 * t).sin()
        })
    };
    let (coarse, fine) = (run(1e-3), run(5e-4));
    let residual = |l: &[EnergyLedger<f64>]| sum(l, EnergyLedger::residual);
    let turnover = sum(&fine, |l| l.dissipated()) + sum(&fine, |l| l.work_of_actuation.abs());
    assert!(turnover > 1.0);
    let ratio = residual(&coarse) / residual(&fine);
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
    assert!(
        residual(&fine).abs() < 0.01 * turnover,
        "{}",
        residual(&fine)
    );
    // Of a single step, it shrinks with the square.
    let ratio = coarse[0].residual() / fine[0].residual();
    assert!((3.6..4.4).contains(&ratio), "{ratio}");

    // Every entry that can be seen does something, and dampers take.
    let ledger = &fine[0];
    let names: Vec<&str> = ledger.elements.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["hip", "other", "spring", "return", "drag"]);
    for index in [0, 2, 3, 4] {
        assert!(sum(&fine, |l| l.elements[index].dissipated) > 1e-3);
        assert!(fine.iter().all(|l| l.elements[index].dissipated > -1e-15));
    }
    assert!(fine.iter().all(|l| l.dissipated_by_joints >= 0.0));
    assert!(sum(&fine, |l| l.dissipated_by_joints) > 1e-3);

    // Energies are those of the states: the end of a step is the start of the next.
    for pair in fine.windows(2) {
        assert!((pair[0].kinetic.end - pair[1].kinetic.start).abs() < 1e-12);
        assert!((pair[0].gravitational.end - pair[1].gravitational.start).abs() < 1e-12);
        let stored = |l: &EnergyLedger<f64>| -> [f64; 2] {
            let sum = |f: fn(&dualbody::system::EnergyChange<f64>) -> f64| {
                l.elements.iter().map(|e| f(&e.stored)).sum()
            };
            [sum(|s| s.start), sum(|s| s.end)]
        };
        assert!((stored(&pair[0])[1] - stored(&pair[1])[0]).abs() < 1e-12);
    }
}

#[test]
fn with_contact_the_residual_shrinks_too() {
    // The cube tumbles onto the ground, bounces, slides.
    let start = free_body(
        [0.9, 0.2, 0.1, 0.3],
        [0.0, 0.0, 0.09],
        [3.0, -2.0, 1.0],
        [0.8, 0.2, -0.3],
    );
    let run = |dt: f64| {
        let steps = (0.15 / dt).round() as usize;
        ledgers(&cube(dt), &start, steps, |_, _| {})
    };
    let (coarse, fine) = (run(1e-4), run(5e-5));
    let residual = |l: &[EnergyLedger<f64>]| sum(l, EnergyLedger::residual);
    let ratio = residual(&coarse) / residual(&fine);
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
    let lost = sum(&fine, |l| l.dissipated());
    assert!(
        residual(&fine).abs() < 0.05 * lost,
        "{} of {lost}",
        residual(&fine)
    );
    for ledger in &fine {
        assert!(ledger.dissipated_by_friction >= 0.0);
        assert!(ledger.dissipated_by_contact_normal > -1e-12);
    }
    assert!(sum(&fine, |l| l.dissipated_by_friction) > 0.01);
    assert!(sum(&fine, |l| l.dissipated_by_contact_normal) > 0.01);
    assert!(fine.iter().any(|l| l.stored_in_contact.start > 1e-4));
    for pair in fine.windows(2) {
        let (end, start) = (
            pair[0].stored_in_contact.end,
            pair[1].stored_in_contact.start,
        );
        assert!((end - start).abs() < 1e-12);
    }
}

#[test]
fn friction_takes_the_energy_of_a_slide() {
    let (mass, g, mu) = (0.37, 9.81, 0.4);
    let material = dualbody::contact::ContactMaterial::new(1e5, 0.3, mu).unwrap();
    let shape = dualbody::geometry::Shape::new_sphere(0.01).unwrap();
    let system = body_over_ground(shape, 1e6, material, 1e-4);
    let start = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.01 - mass * g / 1e5],
        [0.0; 3],
        [0.8, 0.0, 0.0],
    );
    let ledgers = ledgers(&system, &start, 2300, |_, _| {});
    let friction = sum(&ledgers, |l| l.dissipated_by_friction);
    assert!(
        (friction / (0.5 * mass * 0.64) - 1.0).abs() < 2e-3,
        "{friction}"
    );
    let last = &ledgers[ledgers.len() - 1];
    assert!((last.stored_in_contact.end / (0.5 * (mass * g).powi(2) / 1e5) - 1.0).abs() < 1e-3);
}

/// Of a state, the total changes at the rate of what drives and what dissipates, exactly.
#[test]
fn the_powers_of_a_state_are_the_rate_of_its_energy() {
    let (system, state) = (machine(1e-3), swinging());
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    let tree = system.tree();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, q, v).unwrap();
    let mut forces = Forces::new(tree);
    let context = ForceContext::new(tree, &workspace);
    for element in system.forces() {
        element.add_forces(&context, &mut forces).unwrap();
    }
    let motor = 0.6;
    let mut damping = [0.0; 7];
    tree.joint_damping(&mut damping).unwrap();
    let mut tau = forces.generalized().to_vec();
    tau[6] += motor;
    for (tau, (d, v)) in tau.iter_mut().zip(damping.iter().zip(v)) {
        *tau -= d * v;
    }
    let (mut vdot, mut qdot) = ([0.0; 7], vec![0.0; q.len()]);
    let on_bodies = Some(forces.on_bodies());
    tree.forward_dynamics(&mut workspace, &tau, on_bodies, &mut vdot)
        .unwrap();
    tree.map_velocity_to_qdot(q, v, &mut qdot).unwrap();

    let moving =
        |x: &[f64], rate: &[f64]| DVector::from_fn(x.len(), |i, _| Dual64::new(x[i], rate[i]));
    let moving = State::new(moving(q, &qdot), moving(v, &vdot));
    let energy = system.cast::<Dual64>();
    let energy = energy.energy(&moving, &[]).unwrap();
    let stored: f64 = energy.elements.iter().map(|(_, e)| e.stored.eps).sum();
    let rate = energy.kinetic.eps + energy.gravitational.eps + stored;
    let elements = energy
        .elements
        .iter()
        .map(|(_, e)| e.nonconservative_power().re);
    let joints: f64 = damping.iter().zip(v).map(|(d, v)| d * v * v).sum();
    let expected = elements.sum::<f64>() + motor * v[6] - joints;
    assert!(expected.abs() > 0.1);
    assert!((rate / expected - 1.0).abs() < 1e-10, "{rate} {expected}");
    for (name, e) in &energy.elements {
        let (power, rate) = (e.conservative_power.re, e.stored.eps);
        assert!((power + rate).abs() < 1e-12 * (1.0 + rate.abs()), "{name}");
    }
}

/// Entries of the ledger after some steps, as a function of velocities and parameters.
struct Entries<'a> {
    parameters: &'a [&'a str],
}

impl VectorFunction for Entries<'_> {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let system = machine(1e-3).with_generalized_forces().unwrap();
        let mut system = system.cast::<T>();
        for (name, &value) in self.parameters.iter().zip(&x[7..]) {
            system.set_parameter(name, value).unwrap();
        }
        let mut state = swinging().cast::<T>();
        state.v.copy_from_slice(&x[..7]);
        let mut workspace = system.workspace().unwrap();
        let mut tau = [T::zero(); 7];
        tau[6] = T::from(0.3);
        let mut entries = Vec::new();
        for _ in 0..3 {
            let mut step = system.step(&mut workspace, &state, &tau).unwrap();
            let ledger = step.energy().unwrap();
            entries.extend([
                ledger.kinetic.end,
                ledger.gravitational.end,
                ledger.dissipated_by_joints,
                ledger.work_of_actuation,
                ledger.residual(),
            ]);
            entries.extend(ledger.elements.iter().map(|e| e.dissipated));
            entries.extend(ledger.elements.iter().map(|e| e.stored.end));
            state = step.state().clone();
        }
        Ok(DVector::from_vec(entries))
    }
}

#[test]
fn the_ledger_is_differentiable() {
    let entries = Entries {
        parameters: &[
            "hip/force_damping/x",
            "spring/stiffness",
            "drag/drag_area",
            "body/base/mass",
        ],
    };
    let system = machine(1e-3);
    let mut x: Vec<f64> = swinging().v.iter().copied().collect();
    x.extend(
        entries
            .parameters
            .iter()
            .map(|p| system.parameter(p).unwrap()),
    );
    let checker = JacobianChecker::default().tolerance(1e-6, 1e-8);
    check_jacobian(&checker, &entries, &x)
        .unwrap()
        .assert_agrees();
}

/// Entries of the ledger of a cube that slides on one edge, as a function of velocities and of the
/// material.
struct Sliding;

const MATERIAL: [&str; 3] = ["stiffness", "dissipation", "friction"];

impl VectorFunction for Sliding {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let mut system = cube(1e-3).cast::<T>();
        for (quantity, &value) in MATERIAL.iter().zip(&x[6..]) {
            let name = format!("body/shape/{quantity}");
            system.set_parameter(&name, value).unwrap();
        }
        // Turned by 0.3 rad about x: the lowest edge is 0.0524 (cos 0.3 + sin 0.3) m below the center.
        let start = free_body(
            [0.15f64.cos(), 0.15f64.sin(), 0.0, 0.0],
            [0.0, 0.0, 0.0652],
            [0.0; 3],
            [0.0; 3],
        );
        let mut state = start.cast::<T>();
        state.v.copy_from_slice(&x[..6]);
        let mut workspace = system.workspace().unwrap();
        let mut entries = Vec::new();
        for _ in 0..3 {
            let mut step = system.step(&mut workspace, &state, &[]).unwrap();
            let ledger = step.energy().unwrap();
            entries.extend([
                ledger.stored_in_contact.start,
                ledger.stored_in_contact.end,
                ledger.dissipated_by_contact_normal,
                ledger.dissipated_by_friction,
                ledger.residual(),
            ]);
            state = step.state().clone();
        }
        Ok(DVector::from_vec(entries))
    }
}

#[test]
fn the_ledger_of_contact_is_differentiable() {
    let x = [0.1, 0.2, -0.1, 0.5, 0.3, -0.1, 2e4, 0.5, 0.2];
    let real = Sliding.eval::<f64>(&x).unwrap();
    assert!(real.iter().all(|e| e.abs() > 1e-9), "{real}");
    let mut scales = vec![1.0; 9];
    scales[6] = 2e4;
    let checker = JacobianChecker::default().tolerance(1e-6, 1e-7);
    check_jacobian(&checker.scales(scales), &Sliding, &x)
        .unwrap()
        .assert_agrees();
}

#[test]
fn the_energy_of_a_state_is_that_of_the_ledger() {
    let system = machine(1e-3);
    let ledger = &ledgers(&system, &swinging(), 1, |_, _| {})[0];
    let energy = system.energy(&swinging(), &[]).unwrap();
    assert_eq!(energy.kinetic, ledger.kinetic.start);
    assert_eq!(energy.gravitational, ledger.gravitational.start);
    for ((name, energy), entry) in energy.elements.iter().zip(&ledger.elements) {
        assert_eq!((name, energy.stored), (&entry.name, entry.stored.start));
        assert!(energy.stored >= 0.0);
    }
    // A cube stands 1 mm deep on four corners.
    let deep = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0514], [0.0; 3], [0.0; 3]);
    let stored = cube(1e-3).energy(&deep, &[]).unwrap().stored_in_contact;
    assert!((stored - 4.0 * 0.5 * 2e4 * 1e-6).abs() < 1e-12);
    // The bushing is conservative but for its dampers, the drag has no store.
    assert!(energy.elements[0].1.nonconservative_power() < 0.0);
    assert_eq!(energy.elements[4].1.conservative_power, 0.0);
}

/// Of all that acts in discrete steps, in contact, in parts, and where bodies spin.
#[test]
fn ledgers_of_discrete_steps_close_to_round_off() {
    fn check(
        label: &str,
        system: &TimeSteppingRigidBodySystem<f64>,
        start: &State<f64>,
        steps: usize,
    ) {
        let torque = |t: f64, tau: &mut [f64]| tau[tau.len() - 1] = 0.6 * (7.0 * t).sin();
        let ledgers = ledgers(system, start, steps, torque);
        let size = |l: &EnergyLedger<f64>| l.total().start.abs().max(l.dissipated().abs()).max(1.0);
        for (step, ledger) in ledgers.iter().enumerate() {
            let rest = ledger.residual() + ledger.loss.total();
            assert!(rest.abs() < 1e-8 * size(ledger), "{label} {step}: {rest}");
        }
        let lost = sum(&ledgers, |l| l.loss.total().abs());
        assert!(lost > 1e-6, "{label}: nothing is lost");
    }
    check("machine", &machine(5e-3), &swinging(), 100);
    let rigid = TimeSteppingRigidBodySystem::rigid(machine(5e-3).system().clone(), 5e-3).unwrap();
    check("rigid machine", &rigid, &swinging(), 100);
    let material = ContactMaterial::new(1e5, 0.1, 0.4).unwrap();
    let material = material.with_restitution(0.7).unwrap();
    let cylinder = Shape::new_cylinder(0.1, 0.06).unwrap();
    let build = || {
        SystemBuilder::new().floor("floor", material).free_body(
            "wheel",
            cylinder.clone(),
            1.0,
            material,
        )
    };
    let start = free_body(
        [0.9, 0.3, -0.2, 0.2],
        [0.0, 0.0, 0.2],
        [9.0, 4.0, -6.0],
        [1.0, 0.3, 0.0],
    );
    check(
        "compliant wheel",
        &build().compliant(5e-3).unwrap(),
        &start,
        150,
    );
    check("rigid wheel", &build().rigid(5e-3).unwrap(), &start, 150);
}
