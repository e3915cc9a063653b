//! Constants and states that make no sense, or are far too large: errors, never numbers that are not
//! finite.

use dualbody::contact::ContactModel;
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::*;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};

/// A free body that carries an arm with a slider.
fn tree() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(1.0, &Vector3::new(0.5, 0.7, 0.9));
    let [free, arm, slider] =
        ["free", "arm", "slider"].map(|name| builder.add_body(name, inertia).unwrap());
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let at = RigidTransform::identity();
    builder.add_joint("hinge", hinge, free, at, arm).unwrap();
    builder.add_joint("rail", rail, arm, at, slider).unwrap();
    builder.finish().unwrap()
}

/// One element of every kind.
fn elements(tree: &RigidBodyTree<f64>) -> Vec<AnyForce<f64>> {
    let (world, body, arm) = (BodyIndex::WORLD, BodyIndex::new(1), BodyIndex::new(2));
    let point = BodyPoint::new(body, Vector3::new(0.1, 0.2, 0.3));
    let one = Vector3::repeat(1.0);
    let constants = BushingConstants::weld(one, one, one, one).unwrap();
    let conservative = |orientation| {
        ConservativeBushing::new("bushing", body, arm, orientation, constants).unwrap()
    };
    vec![
        AnyForce::new(LinearBushingRollPitchYaw::new("bushing", world, body, constants).unwrap()),
        AnyForce::new(conservative(BushingOrientation::RollPitchYaw)),
        AnyForce::new(conservative(BushingOrientation::RotationVector)),
        AnyForce::new(LinearSpringDamper {
            name: "spring".into(),
            first: point,
            second: point,
            stiffness: 1.0,
            damping: 1.0,
            free_length: 0.3,
            softening: 1e-3,
        }),
        AnyForce::new(JointSpring {
            name: "spring".into(),
            joint: tree.joint_by_name("hinge").unwrap(),
            motion: JointMotion::Rotation,
            stiffness: 1.0,
            damping: 1.0,
            nominal_position: 0.3,
        }),
        AnyForce::new(JointStops {
            name: "stops".into(),
            joint: tree.joint_by_name("rail").unwrap(),
            motion: JointMotion::Translation,
            stiffness: 1.0,
            dissipation: 1.0,
            lower: -0.1,
            upper: 0.1,
        }),
        AnyForce::new(JointFriction {
            name: "friction".into(),
            speed: 1e-3,
        }),
        AnyForce::new(AppliedForce {
            name: "thruster".into(),
            point,
            torque: Vector3::x(),
            force: Vector3::y(),
            expressed_in: ExpressedIn::Body,
        }),
        AnyForce::new(UniformGravity {
            name: "field".into(),
            acceleration: Vector3::x(),
        }),
        AnyForce::new(AerodynamicDrag {
            name: "drag".into(),
            point,
            density: 1.0,
            drag_area: 1.0,
        }),
        AnyForce::new(FlatPlateWing {
            name: "wing".into(),
            point,
            normal: Vector3::z(),
            density: 1.0,
            area: 1.0,
        }),
        AnyForce::new(DirectContact {
            name: "contact".into(),
            point,
            plane: world.into(),
            stiffness: 1e3,
            damping: 10.0,
            friction: 0.4,
        }),
    ]
}

/// The element with another value for one of its parameters, the name of that and its lower bound.
fn changed(
    element: &AnyForce<f64>,
    index: usize,
    value: f64,
) -> Option<(AnyForce<f64>, String, f64)> {
    let mut element = element.clone();
    let (mut at, mut found) = (0, None);
    element.visit_parameters(&mut |p| {
        if at == index {
            *p.value = value;
            found = Some((p.name.to_string(), p.lower));
        }
        at += 1;
    });
    found.map(|(name, lower)| (element, name, lower))
}

#[test]
fn constants_that_make_no_sense_are_refused() {
    let tree = tree();
    for element in &elements(&tree) {
        element.validate(&tree).unwrap();
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            for index in 0.. {
                let Some((element, name, lower)) = changed(element, index, value) else {
                    break;
                };
                let no_stop = (name.as_str(), value) == ("stops/lower", f64::NEG_INFINITY)
                    || (name.as_str(), value) == ("stops/upper", f64::INFINITY);
                if (!value.is_finite() || value < lower) && !no_stop {
                    let error = element.validate(&tree).expect_err(&name).to_string();
                    assert!(error.contains(element.name()), "{error}");
                }
            }
        }
    }
}

#[test]
fn steps_and_ledgers_are_finite_or_errors() {
    let tree = tree();
    for element in &elements(&tree) {
        for value in [0.0, 5e-324, 1e160, 1e308, -1e308] {
            for index in 0.. {
                let Some((element, name, _)) = changed(element, index, value) else {
                    break;
                };
                let system =
                    TimeSteppingRigidBodySystem::new(tree.clone(), ContactModel::none(), 1e-3);
                let Ok(system) = system.unwrap().with_forces([element]) else {
                    continue;
                };
                let mut workspace = system.workspace().unwrap();
                for (position, speed) in [(0.0, 0.0), (-0.3, 1.0), (0.2, 1e5), (1e160, 1e160)] {
                    let mut state = system.neutral_state();
                    state.q.rows_mut(4, 5).fill(position);
                    state.v.fill(speed);
                    check_step(
                        &system,
                        &mut workspace,
                        &state,
                        &format!("{name} = {value:e}"),
                    );
                }
            }
        }
    }
}

fn check_step(
    system: &TimeSteppingRigidBodySystem<f64>,
    workspace: &mut dualbody::system::StepWorkspace<f64>,
    state: &State<f64>,
    what: &str,
) {
    let finite = |x: &DVector<f64>| x.iter().all(|x| x.is_finite());
    let Ok(mut step) = system.step(workspace, state, &[]) else {
        return;
    };
    assert!(finite(&step.state().q) && finite(&step.state().v), "{what}");
    if let Ok(ledger) = step.energy() {
        assert!(ledger.residual().is_finite(), "{what}");
        assert!(ledger.total().end.is_finite() && ledger.dissipated().is_finite());
    }
}
