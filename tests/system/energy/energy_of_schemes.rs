//! The energy ledger closes in every scheme, at its order, and knows what impacts and actuators do.

use crate::support::scenes::geometry;
use dualbody::Scalar;
use dualbody::actuator::{FirstOrderLag, SpringDamper};
use dualbody::constraint::{JointLimitConstraint, MotionProfile, PrescribedMotion};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{JointMotion, JointSpring};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    EnergyLedger, IntegrationMethod, RigidBodySystem, Scheme, State, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::{Vector3, dvector};
use num_dual::Dual64;

/// What a damper of the knee, a joint's damping, a driven spring, a driven carriage and a foot that slides
/// over the ground do: a carriage moves along x as prescribed, on it a leg with a foot slides along z, at
/// which an arm turns about y.
fn machine() -> RigidBodySystem<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let ball = |mass| SpatialInertia::solid_sphere(mass, 0.1);
    let [carriage, leg] =
        ["carriage", "leg"].map(|name| builder.add_body(name, ball(0.5)).unwrap());
    let tip = Vector3::new(0.0, 0.0, 0.3);
    let arm = builder
        .add_body("arm", SpatialInertia::point_mass(0.5, tip))
        .unwrap();
    let here = RigidTransform::identity();
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    let mut join = |name: &str, kind, parent, child| {
        builder.add_joint(name, kind, parent, here, child).unwrap()
    };
    let rail = join(
        "rail",
        JointKind::Prismatic { axis: x },
        BodyIndex::WORLD,
        carriage,
    );
    let slide = join("slide", JointKind::Prismatic { axis: z }, carriage, leg);
    let knee = join("knee", JointKind::Revolute { axis: y }, leg, arm);
    builder.set_damping(slide, &[1.5]).unwrap();
    let at = RigidTransform::from_translation;
    let hook = builder.add_frame("hook", arm, at(tip)).unwrap();
    let wall = builder
        .add_frame("wall", BodyIndex::WORLD, at(Vector3::new(1.5, 0.0, 0.3)))
        .unwrap();
    let tree = builder.finish().unwrap();

    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(2e3, 2.0, 0.4).unwrap();
    let shape = Shape::new_sphere(0.1).unwrap();
    contact
        .add_geometry(geometry("foot", leg, shape, rubber))
        .unwrap();
    let ground = ContactMaterial::rigid(0.4).unwrap();
    contact
        .add_geometry(geometry(
            "ground",
            BodyIndex::WORLD,
            Shape::HalfSpace,
            ground,
        ))
        .unwrap();
    let contact = contact.finish(&tree).unwrap();

    let spring = JointSpring {
        name: "knee".into(),
        joint: knee,
        motion: JointMotion::Rotation,
        stiffness: 6.0,
        damping: 0.1,
        nominal_position: 0.1,
    };
    let rope = SpringDamper::new("rope", &tree, [hook, wall], [8.0, 0.2, 1.0]).unwrap();
    let winch = FirstOrderLag::new("winch", 0.05, rope).unwrap();
    let coefficients = vec![0.0, 0.8, 0.3];
    let profile = MotionProfile::Polynomial { coefficients };
    let drive = PrescribedMotion::new("drive", &tree, rail, profile).unwrap();
    RigidBodySystem::new(tree, contact)
        .and_then(|system| system.with_forces([spring]))
        .and_then(|system| system.with_actuators([winch]))
        .and_then(|system| system.with_constraints([drive]))
        .unwrap()
}

/// On the ground, which gives way if it is soft.
fn standing(system: &RigidBodySystem<f64>, soft: bool) -> State<f64> {
    let mut state = system.initial_state();
    let depth = if soft { 10.0 / 2e3 } else { 0.0 };
    state.q = dvector![0.0, 0.1 - depth, 0.3];
    state.v = dvector![0.8, if soft { -0.05 } else { 0.0 }, 0.7];
    state.actuators[0] = 0.02;
    state
}

const PULL: f64 = -0.2;

fn ledgers(
    system: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    steps: usize,
) -> Vec<EnergyLedger<f64>> {
    let mut workspace = system.workspace().unwrap();
    let mut state = start.clone();
    let step = |_| {
        let mut step = system.step(&mut workspace, &state, &[PULL]).unwrap();
        let ledger = step.energy().unwrap();
        state = step.state().clone();
        ledger
    };
    (0..steps).map(step).collect()
}

/// The schemes, with the longer of two steps and the order of their error over a given time.
fn schemes() -> Vec<(Scheme, f64, i32)> {
    let continuous = |method| Scheme::Continuous {
        method,
        substeps: 1,
    };
    vec![
        (Scheme::Compliant, 1e-3, 1),
        (Scheme::Rigid, 1e-3, 1),
        (continuous(IntegrationMethod::RungeKutta4), 4e-3, 4),
        (continuous(IntegrationMethod::ImplicitMidpoint), 4e-3, 2),
        (continuous(IntegrationMethod::Radau3), 4e-3, 3),
    ]
}

#[test]
fn the_ledger_closes_at_the_order_of_the_scheme() {
    for (scheme, long, order) in schemes() {
        let start = standing(&machine(), scheme != Scheme::Rigid);
        let run = |dt: f64| {
            let system = TimeSteppingRigidBodySystem::with_scheme(machine(), dt, scheme).unwrap();
            ledgers(&system, &start, (0.2 / dt).round() as usize)
        };
        let (coarse, fine) = (run(long), run(long / 2.0));
        // Of a single step the order is one more; one order is a factor of two.
        let ratio = coarse[0].residual() / fine[0].residual() / 2f64.powi(order + 1);
        assert!(
            (0.85..1.5).contains(&ratio),
            "{scheme:?}: {ratio} for a step"
        );
        let sum = |of: &[EnergyLedger<f64>], entry: fn(&EnergyLedger<f64>) -> f64| {
            of.iter().map(entry).sum::<f64>()
        };
        let [of_coarse, of_fine] = [&coarse, &fine].map(|l| sum(l, EnergyLedger::residual));
        let ratio = of_coarse / of_fine / 2f64.powi(order);
        assert!(
            (0.8..1.5).contains(&ratio),
            "{scheme:?}: {ratio} for a time"
        );
        // Everything that has an entry has a part in it.
        let mut entries = vec![
            sum(&fine, |l| l.dissipated_by_joints),
            sum(&fine, |l| l.dissipated_by_friction),
            sum(&fine, |l| l.work_of_actuation),
            sum(&fine, |l| l.work_of_constraints),
            sum(&fine, |l| l.elements[0].dissipated),
            sum(&fine, |l| l.elements[0].stored.change()),
            sum(&fine, |l| l.stored_in_actuators.change()),
        ];
        if scheme == Scheme::Rigid {
            assert!(fine.iter().all(|l| l.stored_in_contact.end == 0.0));
            // The foot stays on the ground.
            assert!(sum(&fine, |l| l.dissipated_by_contact_normal).abs() < 1e-9);
            // The leg does not move.
            entries.remove(0);
        } else {
            entries.push(sum(&fine, |l| l.dissipated_by_contact_normal));
            entries.push(sum(&fine, |l| l.stored_in_contact.change()));
        }
        for (index, entry) in entries.iter().enumerate() {
            assert!(
                entry.abs() > 1e2 * of_fine.abs().min(1e-7),
                "{scheme:?} {index}: {entry}"
            );
            assert!(entry.abs() > 1e-6, "{scheme:?} {index}: {entry}");
        }
        assert!(
            of_fine.abs() < 0.02 * sum(&fine, |l| l.dissipated()),
            "{scheme:?}: {of_fine}"
        );
    }
}

/// What an impact takes stands where the impulse acts.
#[test]
fn impacts_take_energy_at_contacts_and_at_limits() {
    let (mass, speed) = (2.0, 3.0);
    let inertia = SpatialInertia::solid_sphere(mass, 0.1);
    let slider = |axis| {
        let mut builder = RigidBodyTreeBuilder::new();
        let ball = builder.add_body("ball", inertia).unwrap();
        let (kind, here) = (JointKind::Prismatic { axis }, RigidTransform::identity());
        let joint = builder
            .add_joint("rail", kind, BodyIndex::WORLD, here, ball)
            .unwrap();
        (builder.finish().unwrap(), ball, joint)
    };
    let kinetic = 0.5 * mass * speed * speed;
    let run = |dt: f64| {
        let (tree, ball, _) = slider(Vector3::z());
        let mut contact = ContactModelBuilder::new();
        let material = ContactMaterial::new(1e4, 0.0, 0.3).unwrap();
        for (name, body, shape) in [
            ("ball", ball, Shape::new_sphere(0.1).unwrap()),
            ("ground", BodyIndex::WORLD, Shape::HalfSpace),
        ] {
            contact
                .add_geometry(geometry(name, body, shape, material))
                .unwrap();
        }
        let contact = contact.finish(&tree).unwrap();
        let system = RigidBodySystem::new(tree, contact).unwrap();
        let system = TimeSteppingRigidBodySystem::rigid(system, dt).unwrap();
        let state = State::new(dvector![0.1], dvector![-speed]);
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &state, &[]).unwrap();
        step.energy().unwrap()
    };
    let (coarse, fine) = (run(1e-3), run(5e-4));
    assert!(fine.kinetic.end < 1e-20);
    let lost = fine.dissipated_by_contact_normal;
    assert!((lost / kinetic - 1.0).abs() < 2e-3, "{lost}");
    // Gravity acts on the way with the velocity before, but the step makes no way.
    let ratio = coarse.residual() / fine.residual();
    assert!((1.99..2.01).contains(&ratio), "{ratio}");

    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let (tree, _, joint) = slider(Vector3::x());
        let limit = JointLimitConstraint::new("limit", &tree, joint, None, Some(0.2)).unwrap();
        let system = RigidBodySystem::new(tree, ContactModel::none())
            .and_then(|system| system.with_constraints([limit]))
            .unwrap();
        let system = TimeSteppingRigidBodySystem::with_scheme(system, 1e-3, scheme).unwrap();
        let state = State::new(dvector![0.2], dvector![speed]);
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &state, &[]).unwrap();
        let ledger = step.energy().unwrap();
        let work = ledger.work_of_constraints;
        assert!((work / kinetic + 1.0).abs() < 1e-9, "{scheme:?}: {work}");
        assert!(ledger.residual().abs() < 1e-9 * kinetic, "{scheme:?}");
    }
}

/// Work by the tension of the rope, a parameter: against differences.
#[test]
fn the_ledger_of_every_scheme_is_differentiable() {
    for (scheme, dt, _) in schemes() {
        let system = TimeSteppingRigidBodySystem::with_scheme(machine(), dt, scheme).unwrap();
        let start = standing(&system, scheme != Scheme::Rigid);
        fn entries<T: Scalar>(
            system: &TimeSteppingRigidBodySystem<T>,
            (start, pull): (&State<T>, T),
        ) -> [T; 7] {
            let mut workspace = system.workspace().unwrap();
            let mut step = system.step(&mut workspace, start, &[pull]).unwrap();
            let ledger = step.energy().unwrap();
            [
                ledger.work_of_actuation,
                ledger.work_of_constraints,
                ledger.dissipated_by_joints,
                ledger.dissipated_by_friction,
                ledger.stored_in_actuators.end,
                ledger.elements[0].dissipated,
                ledger.residual(),
            ]
        }
        let mut dual_start = start.cast::<Dual64>();
        dual_start.v[2] = dual_start.v[2].derivative();
        let pull = Dual64::new(PULL, 0.3);
        let exact = entries(&system.cast::<Dual64>(), (&dual_start, pull));
        // Forces are found to about 1e-11 of themselves, which differences divide by h.
        let h = 1e-4;
        let [more, less] = [h, -h].map(|h| {
            let mut moved = start.clone();
            moved.v[2] += h;
            entries(&system, (&moved, PULL + 0.3 * h))
        });
        for i in 0..exact.len() {
            let difference = (more[i] - less[i]) / (2.0 * h);
            let error = (exact[i].eps - difference).abs();
            assert!(
                error < 1e-8 + 1e-6 * difference.abs(),
                "{scheme:?} {i}: {} {difference}",
                exact[i].eps
            );
        }
    }
}
