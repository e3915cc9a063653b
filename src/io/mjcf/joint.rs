//! MJCF: joints of bodies, and their springs.

use super::assembly::Assembly;
use super::body::{Body, Joint, Kind};
use super::defaults::{Item, Node};
use super::error::{MjcfError, MjcfProblem};
use crate::Scalar;
use crate::force::JointSpring;
use crate::math::{RigidTransform, SpatialInertia, rotation};
use crate::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTree, TreeError};
use nalgebra::{DMatrix, Vector3};
use std::f64::consts::PI;

/// A joint that other elements refer to.
#[derive(Clone, Copy)]
pub(super) struct JointEntry {
    pub index: JointIndex,
    pub kind: Kind,
    pub reference: f64,
}

/// A joint that limits the force of its actuators by `actuatorfrcrange`, with its name in the model.
#[derive(Clone, Copy)]
pub(super) struct LimitedJoint<'a> {
    pub node: Node<'a>,
    pub index: JointIndex,
    pub name: Option<&'a str>,
    pub range: [f64; 2],
}

/// A spring on a joint, which is made when there is a tree.
pub(super) struct Spring<'a> {
    node: Node<'a>,
    joint: JointIndex,
    law: Law,
    relaxed: f64,
}

enum Law {
    Stiffness(f64),
    /// Of the joint alone, moving all that it moves in the reference configuration: a time constant and a
    /// ratio of damping.
    Oscillator {
        time: f64,
        ratio: f64,
    },
}

impl<'a, T: Scalar> Assembly<'_, 'a, T> {
    /// The joints of a body, with bodies without mass between them; the last carries the body, if need be
    /// by way of a fixed one.
    pub(super) fn add_joints(
        &mut self,
        body: &Body<'a>,
        index: BodyIndex,
        name: &str,
    ) -> Result<(), MjcfError> {
        let mut carrier = self.model.bodies[body.parent];
        // Of the body on the carrier, in the reference configuration.
        let mut pose = body.pose;
        let mut is_carried = false;
        for (k, joint) in body.joints.iter().enumerate() {
            let node = &joint.item.node;
            let joint_name = match node.text("name").filter(|name| !name.is_empty()) {
                Some(name) => name.to_owned(),
                None => self.unique("joints", &format!("{name}/joint")),
            };
            let turns = matches!(joint.kind, Kind::Hinge | Kind::Ball);
            let anchor = if turns {
                joint.anchor
            } else {
                Vector3::zeros()
            };
            let frame = pose * RigidTransform::from_translation(anchor);
            is_carried = k + 1 == body.joints.len() && anchor == Vector3::zeros();
            let child = if is_carried {
                index
            } else {
                let link = self.unique("bodies", &format!("{name}/{joint_name}"));
                let link = self.full_name(&link);
                (self.builder.add_body(link, SpatialInertia::zero())).map_err(|e| node.error(e))?
            };
            let (kind, moved) = kind_and_frame(joint.kind, joint.axis, joint.reference);
            let frame = match joint.kind {
                Kind::Free => RigidTransform::identity(),
                _ => frame * moved,
            };
            let full_name = self.full_name(&joint_name);
            let added =
                self.builder
                    .add_joint(&full_name, kind.cast(), carrier, frame.cast(), child);
            let added = added.map_err(|e| node.error(e))?;
            self.set_constants(joint, added, kind)?;
            let reference = match joint.kind {
                Kind::Free => {
                    let q = rotation::quaternion_from_matrix(&pose.rotation);
                    let p = pose.translation;
                    Some(vec![q.w, q.i, q.j, q.k, p.x, p.y, p.z])
                }
                Kind::Ball => None,
                _ => Some(vec![joint.reference]).filter(|_| joint.reference != 0.0),
            };
            (self.model.reference.joints).extend(reference.map(|q| (added, q)));
            carrier = child;
            pose = RigidTransform::from_translation(-anchor);
        }
        if !is_carried {
            let joint_name = self.unique("joints", name);
            let joint_name = self.full_name(&joint_name);
            let pose = pose.cast();
            let added =
                (self.builder).add_joint(joint_name, JointKind::Fixed, carrier, pose, index);
            added.map_err(|e| body.item.node.error(e))?;
        }
        Ok(())
    }

    fn set_constants(
        &mut self,
        joint: &Joint<'a>,
        index: JointIndex,
        kind: JointKind,
    ) -> Result<(), MjcfError> {
        let (item, compiler) = (&joint.item, self.compilers.of(&joint.item.node));
        self.model.joints.push(index);
        if let Some(name) = item.node.text("name") {
            let entry = JointEntry {
                index,
                kind: joint.kind,
                reference: joint.reference,
            };
            self.joints.insert(name, entry);
        }
        let constant = |name| -> Result<f64, MjcfError> { Ok(item.number(name)?.unwrap_or(0.0)) };
        let [damping, stiffness] = [polynomial(item, "damping")?, polynomial(item, "stiffness")?];
        if [damping, stiffness].iter().any(|c| c[1..] != [0.0; 2]) {
            let reason = "has a damping or a stiffness that is not constant";
            self.model.report.leave_out(&item.node, reason);
        }
        let friction = constant("frictionloss")?;
        if friction < 0.0 {
            let reason = "has a friction below zero, which drives it";
            self.model.report.leave_out(&item.node, reason);
        }
        let friction = friction.max(0.0);
        let [damping, friction, armature] = [damping[0], friction, constant("armature")?]
            .map(|x| vec![T::from(x); kind.num_velocities()]);
        let at = |name: &'static str| move |e| item.holder(name).error(MjcfProblem::Tree(e));
        (self.builder.set_damping(index, &damping)).map_err(at("damping"))?;
        (self.builder.set_friction(index, &friction)).map_err(at("frictionloss"))?;
        (self.builder.set_armature(index, &armature)).map_err(at("armature"))?;
        let is_single = matches!(joint.kind, Kind::Hinge | Kind::Slide);
        let coordinate = |x: f64| match joint.kind {
            Kind::Slide => x,
            _ => compiler.angle(x),
        };
        let automatic = compiler.automatic_limits;
        match joint.kind {
            Kind::Hinge | Kind::Slide => {
                if let Some(range) = item.limits("limited", "range", automatic)? {
                    let [lower, upper] = range.map(|x| [T::from(coordinate(x))]);
                    (self.builder.set_position_limits(index, &lower, &upper))
                        .map_err(at("range"))?;
                }
            }
            Kind::Ball => {
                if let Some(upper) = largest_angle(item, automatic)?.map(coordinate)
                    && upper < PI
                {
                    self.model.resistance.ball_limits.push((index, upper));
                }
            }
            // The format has no limit of a free joint.
            Kind::Free => {
                item.range("limited", "range", automatic)?;
            }
        }
        let range = "actuatorfrcrange";
        if is_single {
            if let Some([lower, upper]) = item.limits("actuatorfrclimited", range, automatic)? {
                if lower == -upper {
                    (self.builder.set_effort_limits(index, &[T::from(upper)]))
                        .map_err(at(range))?;
                }
                self.limited_joints.push(LimitedJoint {
                    node: item.node,
                    index,
                    name: item.node.text("name"),
                    range: [lower, upper],
                });
            }
        } else {
            // The format has none on joints of several degrees of freedom.
            item.range("actuatorfrclimited", range, automatic)?;
        }
        let report = &mut self.model.report;
        let law = match item.springdamper()? {
            Some([time, ratio]) => Law::Oscillator { time, ratio },
            None => Law::Stiffness(stiffness[0]),
        };
        match law {
            Law::Stiffness(0.0) => {}
            _ if is_single => self.springs.push(Spring {
                node: item.node,
                joint: index,
                law,
                relaxed: coordinate(item.number("springref")?.unwrap_or(0.0)),
            }),
            Law::Stiffness(_) => report.leave_out(&item.node, "has a stiffness"),
            Law::Oscillator { .. } => report.leave_out(&item.node, "has a springdamper"),
        }
        Ok(())
    }

    /// Adds the springs, and the dampers that come with them.
    pub(super) fn add_springs(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        for spring in std::mem::take(&mut self.springs) {
            let node = spring.node;
            let joint = tree.joint(spring.joint).map_err(|e| node.error(e))?;
            let stiffness = match spring.law {
                Law::Stiffness(stiffness) => stiffness,
                Law::Oscillator { time, ratio } => {
                    let mobilities = self.mobilities(tree).map_err(|e| node.error(e))?;
                    let Some(mobilities) = mobilities else {
                        self.model.report.leave_out(&node, "has a springdamper");
                        continue;
                    };
                    let inertia = 1.0 / mobilities[joint.velocity_start()];
                    let damping = [T::from(2.0 * inertia / time)];
                    (self.builder.set_damping(spring.joint, &damping))
                        .map_err(|e| node.error(e))?;
                    inertia / (time * ratio).powi(2)
                }
            };
            let [k, relaxed] = [stiffness, spring.relaxed].map(T::from);
            let name = joint.name();
            let made = JointSpring::new(name, tree, spring.joint, k, T::zero(), relaxed);
            let made = made.map_err(|e| node.error(e))?;
            self.model
                .elements
                .forces
                .push(crate::force::AnyForce::new(made));
        }
        Ok(())
    }

    /// The diagonal of the inverse mass matrix in the reference configuration; none if it has none.
    pub(super) fn mobilities(
        &mut self,
        tree: &RigidBodyTree<T>,
    ) -> Result<Option<&[f64]>, TreeError> {
        if self.mobilities.is_none() {
            self.mobilities = Some(self.find_mobilities(tree)?);
        }
        Ok(self.mobilities.as_ref().and_then(Option::as_deref))
    }

    fn find_mobilities(&self, tree: &RigidBodyTree<T>) -> Result<Option<Vec<f64>>, TreeError> {
        let tree = tree.cast::<f64>();
        let (mut q, mut workspace) = (tree.neutral_configuration(), tree.workspace());
        self.model.reference.write(&tree, q.as_mut_slice())?;
        tree.set_positions(&mut workspace, q.as_slice())?;
        let n = tree.num_velocities();
        let mut mass = DMatrix::zeros(n, n);
        tree.mass_matrix(&mut workspace, &mut mass)?;
        let inverse = mass.cholesky().map(|factor| factor.inverse());
        Ok(inverse.map(|inverse| inverse.diagonal().as_slice().to_vec()))
    }
}

/// The kind of a joint, and the pose of its frame in one that would do if the reference configuration had
/// coordinates of zero: moved back by those that it has.
pub(super) fn kind_and_frame(
    kind: Kind,
    axis: Vector3<f64>,
    reference: f64,
) -> (JointKind, RigidTransform<f64>) {
    match kind {
        Kind::Hinge => (
            JointKind::Revolute { axis },
            RigidTransform::from_rotation(rotation::exp(&(axis * -reference))),
        ),
        Kind::Slide => (
            JointKind::Prismatic { axis },
            RigidTransform::from_translation(axis * -reference),
        ),
        Kind::Ball => (JointKind::Ball, RigidTransform::identity()),
        Kind::Free => (JointKind::Floating, RigidTransform::identity()),
    }
}

/// The largest angle of a ball joint, in the unit of the model, if it has one.
fn largest_angle(item: &Item, automatic: bool) -> Result<Option<f64>, MjcfError> {
    match item.range("limited", "range", automatic)? {
        // Without a range, as it stands in the format, where it counts all the same.
        None => Ok((item.flag("limited")? == Some(true)).then_some(0.0)),
        Some([0.0, upper]) => Ok(Some(upper.max(0.0))),
        Some(_) => Err(item.holder("range").value("range", "0 before an angle")),
    }
}

/// The coefficients of what may be a polynomial of the coordinate or the speed, the constant first.
fn polynomial(item: &Item, name: &'static str) -> Result<[f64; 3], MjcfError> {
    let mut coefficients = [0.0; 3];
    item.holder(name).numbers(name, &mut coefficients)?;
    Ok(coefficients)
}
