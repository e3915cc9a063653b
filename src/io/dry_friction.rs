//! Dry friction of the joints of a file.

use crate::Scalar;
use crate::force::{AnyForce, ForceError, JointFriction};
use crate::tree::{JointIndex, RigidBodyTree, TreeError};

/// The speed below which dry friction gives way, in rad/s or m/s. With MJCF's defaults a joint under a load that
/// would accelerate it by 10 rad/s² creeps as fast.
const FRICTION_SPEED: f64 = 0.01;

/// The element `MODEL/friction`, or `friction` of a model without a name, if one of the joints has any in the tree.
pub(super) fn dry_friction<T: Scalar>(
    tree: &RigidBodyTree<T>,
    joints: &[JointIndex],
    model: &str,
) -> Result<Option<AnyForce<T>>, ForceError> {
    let rubs = |&joint: &JointIndex| -> Result<bool, TreeError> {
        Ok(tree.joint(joint)?.friction().iter().any(|f| f.re() > 0.0))
    };
    let mut any = false;
    for joint in joints {
        any |= rubs(joint)?;
    }
    if !any {
        return Ok(None);
    }
    let name = match model {
        "" => "friction".to_owned(),
        model => format!("{model}/friction"),
    };
    let friction = JointFriction::new(name, tree, T::from(FRICTION_SPEED))?;
    Ok(Some(AnyForce::new(friction)))
}
