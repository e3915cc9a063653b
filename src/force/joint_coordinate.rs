//! The coordinate of a joint with one degree of freedom.

use super::context::ForceContext;
use super::error::ForceError;
use super::forces::Forces;
use crate::tree::{JointIndex, JointKind, RigidBodyTree};
use crate::{InvalidInput, Scalar};

/// Position and velocity of a joint, and how a force on it acts.
pub(super) struct JointCoordinate<T> {
    pub position: T,
    pub velocity: T,
    index: usize,
    multiplier: T,
}

impl<T: Scalar> JointCoordinate<T> {
    pub fn of(context: &ForceContext<'_, T>, joint: JointIndex) -> Result<Self, ForceError> {
        let joint = context.tree().joint(joint)?;
        let independent = (T::one(), T::zero());
        let (multiplier, offset) =
            (joint.mimic()).map_or(independent, |m| (m.multiplier, m.offset));
        let index = joint.velocity_start();
        let q = context.q().get(joint.position_start());
        match (joint.num_velocities(), q, context.v().get(index)) {
            (1, Some(&q), Some(&v)) => Ok(JointCoordinate {
                position: q * multiplier + offset,
                velocity: v * multiplier,
                index,
                multiplier,
            }),
            _ => Err(InvalidInput::OutOfRange {
                quantity: "degrees of freedom of the joint",
                index: None,
                value: joint.num_velocities() as f64,
                expected: "1",
            }
            .into()),
        }
    }

    pub fn add_force(&self, forces: &mut Forces<T>, force: T) -> Result<(), ForceError> {
        forces.add_generalized(self.index, force * self.multiplier)
    }
}

/// What a joint with one degree of freedom does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum JointMotion {
    /// A revolute or continuous joint: it turns, stiffness is in N m/rad.
    Rotation,
    /// A prismatic joint: it slides, stiffness is in N/m.
    Translation,
}

/// Units of the constants of a joint's forces.
pub(super) struct JointUnits {
    pub stiffness: &'static str,
    pub damping: &'static str,
    pub position: &'static str,
    pub rate: &'static str,
    pub dissipation: &'static str,
}

impl JointMotion {
    pub(super) fn units(self) -> JointUnits {
        match self {
            JointMotion::Rotation => JointUnits {
                stiffness: "N m/rad",
                damping: "N m s/rad",
                position: "rad",
                rate: "rad/s",
                dissipation: "s/rad",
            },
            JointMotion::Translation => JointUnits {
                stiffness: "N/m",
                damping: "N s/m",
                position: "m",
                rate: "m/s",
                dissipation: "s/m",
            },
        }
    }

    /// How joints of this kind move; none for those with several degrees of freedom or without any.
    pub(super) fn of<T: Scalar>(kind: &JointKind<T>) -> Option<Self> {
        match kind {
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => {
                Some(JointMotion::Rotation)
            }
            JointKind::Prismatic { .. } => Some(JointMotion::Translation),
            _ => None,
        }
    }

    /// How a joint of the tree moves.
    pub(super) fn of_joint<T: Scalar>(
        name: &str,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
    ) -> Result<Self, ForceError> {
        let motion = JointMotion::of(tree.joint(joint)?.kind());
        motion.ok_or_else(|| {
            ForceError::invalid(name)(InvalidInput::OutOfRange {
                quantity: "joint",
                index: None,
                value: joint.get() as f64,
                expected: "that of a revolute, continuous or prismatic joint",
            })
        })
    }

    /// Checks that a joint moves so.
    pub(super) fn check<T: Scalar>(
        self,
        name: &str,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
    ) -> Result<(), ForceError> {
        let matches = JointMotion::of(tree.joint(joint)?.kind()) == Some(self);
        let expected = match self {
            JointMotion::Rotation => "that of a revolute or continuous joint",
            JointMotion::Translation => "that of a prismatic joint",
        };
        let index = joint.get() as f64;
        InvalidInput::check_range("joint", &[index], expected, |_| matches)
            .map_err(ForceError::invalid(name))
    }
}
