//! Forces across joints: closed forms, laws of mechanics, and their derivatives in steps.

use crate::support::random_tree::{Random, Style, random_state, random_tree};
use dualbody::constraint::{AnyConstraint, BallConstraint, HingeConstraint, WeldConstraint};
use dualbody::contact::{CollisionGeometry, ContactModel, ContactModelBuilder};
use dualbody::io::mjcf::MjcfReader;
use dualbody::math::{RigidTransform, SpatialAcceleration, SpatialForce, SpatialInertia};
use dualbody::prelude::*;
use dualbody::sensor::{AnySensor, ForceTorque};
use dualbody::system::{IntegrationMethod, RigidBodySystem, Scheme, State};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use num_dual::Dual64;
use std::error::Error;

type Checked = std::result::Result<(), Box<dyn Error>>;

const SCHEMES: [Scheme; 3] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    },
];

/// A body of 2 kg at the end of an arm of 1.5 m that falls about a hinge, held by a fixed joint: with the angular
/// acceleration α the force is `m (g − α r)` upwards and `m ω² r` inwards, as MuJoCo 4.0 has it, too.
#[test]
fn a_fixed_joint_holds_what_falls() -> Checked {
    let text = r#"<mujoco><option gravity="0 0 -10"/><worldbody>
        <body name="a" pos="0 0 1"><joint type="hinge" axis="0 1 0"/><geom size=".1" mass="1"/>
        <body name="b" pos="1 0 0"><geom size=".1" mass="2" pos=".5 0 0"/><site name="t" pos=".1 0 0"/></body></body>
        </worldbody><sensor><force name="held" site="t"/></sensor></mujoco>"#;
    let (tree, model) = MjcfReader::new().tree_from_str::<f64>(text)?;
    let machine = model.system(tree)?;
    let (mut state, rate) = (machine.initial_state(), 0.7);
    state.v[0] = rate;
    let mut workspace = machine.dynamics_workspace();
    let alpha = machine.accelerations(&mut workspace, &state, &[])?[0];
    let expected = [
        0.0,
        0.4 * 2.0 * (1.5 * alpha - 10.0) + 0.4 * 2.0 * 0.01 * alpha,
        0.0,
        -2.0 * rate * rate * 1.5,
        0.0,
        2.0 * (10.0 - 1.5 * alpha),
    ];
    let mut measured = [0.0; 6];
    machine.output(&mut workspace, &state, &[], &mut || 0.0, &mut measured)?;
    assert_eq!(machine.output_names()[5], "held/force/z");
    // The sphere's own inertia: 0.4 m r².
    for (k, (x, y)) in measured.iter().zip(expected).enumerate() {
        assert!((x - y).abs() < 1e-12, "{k}: {x} {y}");
    }
    assert!(
        (measured[3] + 1.47).abs() < 1e-12 && (measured[5] - 0.05319148936170315).abs() < 1e-12
    );
    Ok(())
}

/// What a joint lets through is its generalized force; what holds all is the change of momentum.
#[test]
fn components_along_axes_are_inverse_dynamics() -> Checked {
    for seed in 0..40 {
        let style = [Style::General, Style::Free][seed as usize % 2];
        let tree = random_tree(seed, 6, style);
        let (q, v) = random_state(&tree, seed);
        let (nv, mut workspace) = (tree.num_velocities(), tree.workspace());
        let mut random = Random::new(seed + 100);
        let vdot = random.numbers(nv);
        tree.set_state(&mut workspace, &q, &v)?;
        let external = random.forces(tree.num_bodies());
        let mut tau = vec![0.0; nv];
        tree.inverse_dynamics(&mut workspace, &vdot, Some(&external), &mut tau)?;
        let mut armature = vec![0.0; nv];
        for joint in tree.joints() {
            for (k, a) in joint.armature().iter().enumerate() {
                armature[joint.velocity_start() + k] = *a;
            }
        }
        let mut across = vec![SpatialForce::zero(); tree.num_joints()];
        tree.joint_reactions(&mut workspace, &vdot, Some(&external), &mut across)?;
        for joint in tree.joints() {
            let index = joint.index();
            let force = &across[index.get()];
            let k = joint.velocity_start();
            let parent = tree.body_pose(&workspace, joint.parent())?.rotation
                * joint.pose_in_parent().rotation;
            let along = match joint.kind() {
                JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                    (parent * axis.normalize()).dot(&force.torque)
                }
                JointKind::Prismatic { axis } => (parent * axis.normalize()).dot(&force.force),
                _ => continue,
            };
            let expected = tau[k] - armature[k] * vdot[k];
            assert!(
                (along - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                "{along} {expected}"
            );
        }
    }
    Ok(())
}

/// A pendulum whose end is held by a joint of the tree, or floats and is held by constraints.
fn pendulum(closing: Option<AnyConstraint<f64>>) -> Result<(RigidBodySystem<f64>, State<f64>)> {
    let mut tree = RigidBodyTreeBuilder::new();
    let rod = tree.add_body(
        "rod",
        SpatialInertia::solid_box(1.2, &Vector3::new(0.5, 0.1, 0.1)),
    )?;
    let end = tree.add_body(
        "end",
        SpatialInertia::solid_box(0.7, &Vector3::new(0.1, 0.2, 0.3)),
    )?;
    let hinge = JointKind::Revolute {
        axis: Vector3::new(0.2, 1.0, 0.1),
    };
    tree.add_joint(
        "hinge",
        hinge,
        BodyIndex::WORLD,
        RigidTransform::identity(),
        rod,
    )?;
    if closing.is_none() {
        tree.add_joint(
            "held",
            JointKind::Fixed,
            rod,
            RigidTransform::from_translation(HELD),
            end,
        )?;
    }
    let tree = tree.finish()?;
    let free = tree.num_positions() > 1;
    let system = RigidBodySystem::new(tree, ContactModel::none())?.with_constraints(closing)?;
    let mut state = system.initial_state();
    state.v[0] = 1.3;
    if free {
        let rate = Vector3::new(0.2, 1.0, 0.1).normalize() * 1.3;
        state.q.as_mut_slice()[5..8].copy_from_slice(HELD.as_slice());
        state.v.as_mut_slice()[1..4].copy_from_slice(rate.as_slice());
        state.v.as_mut_slice()[4..7].copy_from_slice(rate.cross(&HELD).as_slice());
    }
    Ok((system, state))
}

const HELD: Vector3<f64> = Vector3::new(0.3, 0.1, -0.2);

/// A constraint that holds a body loads the joints as a joint in its place would.
#[test]
fn constraints_load_joints_as_joints_do() -> Checked {
    let (rod, end) = (BodyIndex::new(1), BodyIndex::new(2));
    let (tree, start) = pendulum(None)?;
    let mut workspace = tree.dynamics_workspace();
    let expected = tree.joint_reactions(&mut workspace, &start, &[])?[0];
    let at = RigidTransform::from_translation(HELD);
    let weld = WeldConstraint::new("weld", (rod, at), (end, RigidTransform::identity()))?;
    let (welded, start) = pendulum(Some(AnyConstraint::new(weld)))?;
    let mut workspace = welded.dynamics_workspace();
    let found = welded.joint_reactions(&mut workspace, &start, &[])?;
    let error = (found[0].to_vector() - expected.to_vector()).norm();
    assert!(error < 1e-9 * expected.to_vector().norm(), "{error:e}");
    assert_eq!(found[1], SpatialForce::zero());
    // What hangs on a hinge or a ball between bodies loads what carries it with its weight, less what falls.
    let hinge = HingeConstraint::new(
        "hinge",
        (rod, HELD, Vector3::x()),
        (end, Vector3::zeros(), Vector3::x()),
    )?;
    let ball = BallConstraint::new("ball", (rod, HELD), (end, Vector3::zeros()))?;
    for closing in [AnyConstraint::new(hinge), AnyConstraint::new(ball)] {
        let (machine, start) = pendulum(Some(closing))?;
        let mut workspace = machine.dynamics_workspace();
        let vdot = machine.accelerations(&mut workspace, &start, &[])?.to_vec();
        let across = machine.joint_reactions(&mut workspace, &start, &[])?[0];
        let (tree, mut placed) = (machine.tree(), machine.tree().workspace());
        tree.set_state(&mut placed, start.q.as_slice(), start.v.as_slice())?;
        // The hinge carries the momentum of all.
        let h = 1e-6;
        let mut momentum = |h: f64| -> Result<_> {
            let mut q = start.q.clone();
            let v = &start.v + nalgebra::DVector::from_column_slice(&vdot) * h;
            let mean = &start.v + nalgebra::DVector::from_column_slice(&vdot) * (0.5 * h);
            tree.integrate(start.q.as_slice(), mean.as_slice(), h, q.as_mut_slice())?;
            tree.set_state(&mut placed, q.as_slice(), v.as_slice())?;
            Ok(tree.momentum(&placed, &Vector3::zeros())?)
        };
        let (after, before) = (momentum(h)?, momentum(-h)?);
        let rate = (after.linear - before.linear) / (2.0 * h);
        let error = (across.force - (rate - tree.gravity() * tree.total_mass())).norm();
        assert!(error < 1e-7 * across.force.norm(), "{error:e}");
        let rate = (after.angular - before.angular) / (2.0 * h);
        tree.set_state(&mut placed, start.q.as_slice(), start.v.as_slice())?;
        let arm = tree.center_of_mass(&placed)?;
        let weight = arm.cross(&(tree.gravity() * tree.total_mass()));
        let error = (across.torque - (rate - weight)).norm();
        assert!(error < 1e-7 * across.force.norm(), "{error:e}");
    }
    Ok(())
}

/// A slider on a hinge that presses on the ground, with a force-torque sensor behind the slider.
fn pressing(scheme: Scheme) -> Result<TimeSteppingRigidBodySystem<f64>> {
    let mut tree = RigidBodyTreeBuilder::new();
    let arm = tree.add_body(
        "arm",
        SpatialInertia::solid_box(1.0, &Vector3::new(0.4, 0.1, 0.1)),
    )?;
    let foot = tree.add_body("foot", SpatialInertia::solid_sphere(0.5, 0.1))?;
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    tree.add_joint(
        "hinge",
        hinge,
        BodyIndex::WORLD,
        RigidTransform::identity(),
        arm,
    )?;
    let at = RigidTransform::from_translation(Vector3::new(0.5, 0.0, 0.0));
    let rail = tree.add_joint(
        "rail",
        JointKind::Prismatic { axis: Vector3::z() },
        arm,
        at,
        foot,
    )?;
    tree.set_damping(rail, &[20.0])?;
    let wrist = tree.add_frame(
        "wrist",
        foot,
        RigidTransform::from_translation(Vector3::x() * 0.05),
    )?;
    let tree = tree.finish()?;
    let material = ContactMaterial::new(3e3, 0.3, 0.6)?;
    let mut contact = ContactModelBuilder::new();
    let geometry = |name: &str, body, height, shape| CollisionGeometry {
        name: name.to_owned(),
        body,
        pose_in_body: RigidTransform::from_translation(Vector3::new(0.0, 0.0, height)),
        shape,
        material,
    };
    let ground = geometry("ground", BodyIndex::WORLD, -0.1, Shape::HalfSpace);
    contact.add_geometry(ground)?;
    contact.add_geometry(geometry("foot", foot, 0.0, Shape::new_sphere(0.1)?))?;
    let contact = contact.finish(&tree)?;
    let system = RigidBodySystem::new(tree, contact)?;
    let system = system.with_sensors([AnySensor::new(ForceTorque::new("wrist", wrist))])?;
    Ok(TimeSteppingRigidBodySystem::with_scheme(
        system, 1e-3, scheme,
    )?)
}

/// The forces balance the motion of the foot; derivatives of the outputs are those of differences.
#[test]
fn sensors_measure_them_in_steps() -> Checked {
    for scheme in SCHEMES {
        let system = pressing(scheme)?;
        let mut state = system.initial_state();
        (state.q[0], state.v[0], state.v[1]) = (0.01, 0.3, -0.2);
        let mut workspace = system.workspace()?;
        // Into the contact, and beyond what it does first.
        for _ in 0..20 {
            state.clone_from(system.step(&mut workspace, &state, &[])?.state());
        }
        let mut step = system.step(&mut workspace, &state, &[])?;
        let measured = step.output().clone();
        let on_foot = step.contacts()?[0].force_on_a();
        let mean = (&step.state().v - &state.v) / 1e-3;
        assert!(on_foot.z.abs() > 1.0, "{scheme:?}: {on_foot}");
        let (tree, mut placed) = (system.tree(), system.tree().workspace());
        tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())?;
        let vdot = match scheme {
            Scheme::Continuous { .. } => {
                let mut memory = system.system().dynamics_workspace();
                system
                    .system()
                    .accelerations(&mut memory, &state, &[])?
                    .to_vec()
            }
            _ => mean.as_slice().to_vec(),
        };
        let mut accelerations = vec![SpatialAcceleration::zero(); tree.num_bodies()];
        tree.body_accelerations(&mut placed, &vdot, &mut accelerations)?;
        let foot = BodyIndex::new(2);
        let held = (accelerations[2].linear - tree.gravity()) * 0.5 - on_foot;
        let held = tree.body_pose(&placed, foot)?.rotation.tr_mul(&held);
        let error = (Vector3::new(measured[3], measured[4], measured[5]) - held).norm();
        assert!(error < 1e-9 * held.norm(), "{scheme:?}: {error:e}, {held}");

        let dual = system.cast::<Dual64>();
        let mut lifted = dual.workspace()?;
        for index in 0..4 {
            let moved = |h: f64| -> Result<_> {
                let mut state = state.clone();
                *(state.q.iter_mut().chain(&mut state.v)).nth(index).unwrap() += h;
                let mut workspace = system.workspace()?;
                Ok(system.step(&mut workspace, &state, &[])?.output().clone())
            };
            let mut seeded = state.cast::<Dual64>();
            (seeded.q.iter_mut().chain(&mut seeded.v))
                .nth(index)
                .unwrap()
                .eps = 1.0;
            let step = dual.step(&mut lifted, &seeded, &[])?;
            let h = 1e-6;
            let slopes = (moved(h)? - moved(-h)?) / (2.0 * h);
            let scale = slopes.amax().max(1.0);
            for (k, (output, slope)) in step.output().iter().zip(&slopes).enumerate() {
                assert_eq!(output.re.to_bits(), measured[k].to_bits());
                let error = (output.eps - slope).abs() / scale;
                assert!(
                    error < 1e-6,
                    "{scheme:?}, {index}, {k}: {} {slope}",
                    output.eps
                );
            }
        }
    }
    Ok(())
}
