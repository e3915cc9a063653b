//! Symbols of elements, as a drawing of a machine has them: springs, bushings, wings, sensors, constraints, limits of joints.

use super::model::{Pose, body_in_scene, pose};
use crate::Scalar;
use crate::constraint::{
    AnyConstraint, BallConstraint, DistanceConstraint, HingeConstraint, JointLimitConstraint,
    TreeConstraint, WeldConstraint,
};
use crate::force::{
    AerodynamicDrag, AnyForce, Attachment, BodyPoint, ConservativeBushing, FlatPlateWing,
    ForceElement, JointStops, LinearBushingRollPitchYaw, LinearSpringDamper,
};
use crate::math::{RigidTransform, rotation};
use crate::sensor::{AnySensor, Delayed, ForceTorque, FramePose, Imu, Lidar, Sensor};
use crate::system::RigidBodySystem;
use crate::tree::{BodyIndex, FrameIndex, Joint, JointKind, RigidBodyTree, TreeError};
use nalgebra::Vector3;

/// What stands for an element in the picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Symbol {
    pub name: String,
    pub kind: &'static str,
    /// Frames on bodies of the scene, or on the world.
    pub ends: Vec<(Option<usize>, Pose)>,
    /// The edge of a plate, the radius of a drag, the limits of a joint.
    pub numbers: Vec<f64>,
}

/// A frame on a body.
pub(super) type End = (BodyIndex, RigidTransform<f64>);

/// The symbols of the elements of a machine.
pub(super) fn symbols<T: Scalar>(system: &RigidBodySystem<T>) -> Result<Vec<Symbol>, TreeError> {
    let tree = system.tree().cast::<f64>();
    let mut found = Vec::new();
    let mut add = |name: &str, kind, ends: &[End], numbers: &[f64]| {
        let ends = ends
            .iter()
            .map(|(body, at)| (body_in_scene(*body, 0), pose(at)));
        found.push(Symbol {
            name: name.to_owned(),
            kind,
            ends: ends.collect(),
            numbers: numbers.to_vec(),
        });
    };
    for force in system.forces() {
        let force = force.cast::<f64>();
        if let Some(symbol) = force_symbol(&tree, &force)? {
            add(force.name(), symbol.kind, &symbol.ends, &[symbol.size]);
        }
    }
    for constraint in system.constraints() {
        let constraint = constraint.cast::<f64>();
        if let Some((kind, ends)) = constraint_symbol(&constraint) {
            add(constraint.name(), kind, &ends, &[]);
        }
    }
    for sensor in system.sensors() {
        if let Some((name, end)) = sensor_frame(&tree, &sensor.cast::<f64>())? {
            add(&name, "sensor", &[end], &[]);
        }
    }
    for joint in tree.joints() {
        let [lower, upper] = limits(system, joint);
        let (kind, axis) = match joint.kind() {
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => ("dial", axis),
            JointKind::Prismatic { axis } => ("slide", axis),
            _ => continue,
        };
        if lower.is_finite() && upper.is_finite() && upper > lower {
            let turn = along(axis);
            let parent = (joint.parent(), *joint.pose_in_parent() * turn);
            add(
                joint.name(),
                kind,
                &[parent, (joint.child(), turn)],
                &[lower, upper],
            );
        }
    }
    Ok(found)
}

/// The symbol of a force element: its kind, the frames that it connects, and a size in m.
pub(super) struct ForceSymbol {
    pub kind: &'static str,
    pub ends: Vec<End>,
    size: f64,
}

/// The symbol of a force element, of those that have one.
pub(super) fn force_symbol(
    tree: &RigidBodyTree<f64>,
    force: &AnyForce<f64>,
) -> Result<Option<ForceSymbol>, TreeError> {
    let symbol = |kind, ends, size| Ok(Some(ForceSymbol { kind, ends, size }));
    let bushing = |ends: [Attachment; 2]| -> Result<Vec<End>, TreeError> {
        ends.into_iter().map(|end| attachment(tree, end)).collect()
    };
    if let Some(e) = force.downcast_ref::<LinearBushingRollPitchYaw<f64>>() {
        return symbol("bushing", bushing([e.frame_a(), e.frame_c()])?, 0.0);
    }
    if let Some(e) = force.downcast_ref::<ConservativeBushing<f64>>() {
        return symbol("bushing", bushing([e.frame_a(), e.frame_c()])?, 0.0);
    }
    if let Some(e) = force.downcast_ref::<LinearSpringDamper<f64>>() {
        let kind = match (e.stiffness > 0.0, e.damping > 0.0) {
            (true, false) => "spring",
            (false, _) => "damper",
            (true, true) => "spring and damper",
        };
        return symbol(kind, vec![point(&e.first), point(&e.second)], 0.0);
    }
    if let Some(e) = force.downcast_ref::<FlatPlateWing<f64>>() {
        let (body, at) = point(&e.point);
        return symbol("wing", vec![(body, at * along(&e.normal))], e.area.sqrt());
    }
    if let Some(e) = force.downcast_ref::<AerodynamicDrag<f64>>() {
        let radius = (e.drag_area / std::f64::consts::PI).sqrt();
        return symbol("drag", vec![point(&e.point)], radius);
    }
    Ok(None)
}

fn constraint_symbol(constraint: &AnyConstraint<f64>) -> Option<(&'static str, [End; 2])> {
    let (kind, points) = if let Some(c) = constraint.downcast_ref::<DistanceConstraint<f64>>() {
        ("rod", &c.points)
    } else if let Some(c) = constraint.downcast_ref::<BallConstraint<f64>>() {
        ("pin", &c.points)
    } else if let Some(c) = constraint.downcast_ref::<HingeConstraint<f64>>() {
        ("pin", &c.points)
    } else if let Some(c) = constraint.downcast_ref::<WeldConstraint<f64>>() {
        ("weld", &c.points)
    } else {
        return None;
    };
    let ends = [
        (points.body_a, points.point_a),
        (points.body_b, points.point_b),
    ];
    Some((
        kind,
        ends.map(|(body, p)| (body, RigidTransform::from_translation(p))),
    ))
}

/// The name of a sensor that sits at a frame, and the frame.
fn sensor_frame(
    tree: &RigidBodyTree<f64>,
    sensor: &AnySensor<f64>,
) -> Result<Option<(String, End)>, TreeError> {
    if let Some(delayed) = sensor.downcast_ref::<Delayed<f64>>() {
        return sensor_frame(tree, &delayed.sensor);
    }
    if let Some(lidar) = sensor.downcast_ref::<Lidar<f64>>() {
        return Ok(Some((
            lidar.name.clone(),
            (lidar.mounting.body, lidar.mounting.pose()),
        )));
    }
    if let Some(imu) = sensor.downcast_ref::<Imu<f64>>() {
        return Ok(Some((
            imu.name.clone(),
            (imu.mounting.body, imu.mounting.pose()),
        )));
    }
    let on_frame = |name: &str, frame| Ok(Some((name.to_owned(), frame_on_body(tree, frame)?)));
    if let Some(sensor) = sensor.downcast_ref::<FramePose>() {
        return on_frame(&sensor.name, sensor.frame);
    }
    if let Some(sensor) = sensor.downcast_ref::<ForceTorque>() {
        return on_frame(&sensor.name, sensor.frame);
    }
    Ok(None)
}

/// The limits of a joint of one coordinate: its own, narrowed by stops and constraints.
pub(super) fn limits<T: Scalar>(system: &RigidBodySystem<T>, joint: &Joint<f64>) -> [f64; 2] {
    let own = joint.limits();
    let (Some(&lower), Some(&upper)) = (own.lower.first(), own.upper.first()) else {
        return [f64::NEG_INFINITY, f64::INFINITY];
    };
    let mut narrowest = [lower, upper];
    let mut narrow = |[lower, upper]: [f64; 2]| {
        narrowest = [narrowest[0].max(lower), narrowest[1].min(upper)];
    };
    for force in system.forces() {
        if let Some(stops) = force.downcast_ref::<JointStops<T>>()
            && stops.joint == joint.index()
        {
            narrow([stops.lower.re(), stops.upper.re()]);
        }
    }
    for constraint in system.constraints() {
        if let Some(limit) = constraint.downcast_ref::<JointLimitConstraint<T>>()
            && limit.joint.joint == joint.index()
        {
            let bound = |x: Option<T>, none: f64| x.map_or(none, |x| x.re());
            let [lower, upper] = [f64::NEG_INFINITY, f64::INFINITY];
            narrow([bound(limit.lower, lower), bound(limit.upper, upper)]);
        }
    }
    narrowest
}

/// The rotation that takes z to a direction.
pub(super) fn along(direction: &Vector3<f64>) -> RigidTransform<f64> {
    let turn = rotation::between(&Vector3::z(), direction);
    RigidTransform::new(rotation::matrix_from_quaternion(&turn), Vector3::zeros())
}

fn point(at: &BodyPoint<f64>) -> End {
    (at.body, RigidTransform::from_translation(at.position))
}

fn attachment(tree: &RigidBodyTree<f64>, at: Attachment) -> Result<End, TreeError> {
    match at {
        Attachment::Body(body) => Ok((body, RigidTransform::identity())),
        Attachment::Frame(frame) => frame_on_body(tree, frame),
    }
}

fn frame_on_body(tree: &RigidBodyTree<f64>, frame: FrameIndex) -> Result<End, TreeError> {
    let frame = tree.frame(frame)?;
    Ok((frame.body(), *frame.pose_in_body()))
}
