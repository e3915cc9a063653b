//! Composite joints (screw, universal, roll-pitch-yaw), made of simple ones with massless links.
//!
//! A link without mass or inertia changes nothing of the dynamics: that of the two or three joints is that of one joint with
//! their coordinates, and everything that knows those knows it.

use super::builder::RigidBodyTreeBuilder;
use super::error::TreeError;
use super::index::{BodyIndex, JointIndex};
use super::joint::{JointKind, Mimic};
use crate::Scalar;
use crate::math::{RigidTransform, SpatialInertia};
use nalgebra::Vector3;

impl<T: Scalar> RigidBodyTreeBuilder<T> {
    /// Adds a screw: `child` turns by the angle `θ` (rad) about an axis of the joint's frame F on `parent`, at `X_PF`, and
    /// moves along it by `pitch θ/2π`, with the pitch in m for a whole turn; a negative one is left-handed. One degree of
    /// freedom, with the coordinate θ.
    ///
    /// The joints are `name`, which turns, and `name/slide`, which follows it; the body between is `name/link`. Damping and
    /// friction of the thread are set on the first; the pitch is the parameter `joint/{name}/slide/mimic/multiplier`, in m/rad.
    ///
    /// # Errors
    /// As [`add_joint`](Self::add_joint), and [`TreeError::InvalidElement`] for a pitch that is not finite. The builder is
    /// then as it was.
    pub fn add_screw_joint(
        &mut self,
        name: impl Into<String>,
        (axis, pitch): (Vector3<T>, T),
        parent: BodyIndex,
        pose_in_parent: RigidTransform<T>,
        child: BodyIndex,
    ) -> Result<[JointIndex; 2], TreeError> {
        let (turn, slide) = (
            JointKind::Continuous { axis },
            JointKind::Prismatic { axis },
        );
        let name = name.into();
        let kinds = [(name.clone(), turn), (format!("{name}/slide"), slide)];
        self.all_or_none(|builder| {
            let links = [format!("{name}/link")];
            let joints = builder.add_joints(kinds, links, (parent, pose_in_parent, child))?;
            let mimic = Mimic {
                joint: joints[0],
                multiplier: pitch * (0.5 * std::f64::consts::FRAC_1_PI),
                offset: T::zero(),
            };
            builder.set_mimic(joints[1], mimic)?;
            Ok(joints)
        })
    }

    /// Adds a universal joint (Cardan's): `child` turns by `q₁` about the x axis of the joint's frame F on `parent`, at
    /// `X_PF`, then by `q₂` about the y axis that has turned with it: `R_FB = R_x(q₁) R_y(q₂)`.
    ///
    /// The joints are `name/x` and `name/y`; the body between, the cross, is `name/cross`.
    ///
    /// # Errors
    /// As [`add_joint`](Self::add_joint). The builder is then as it was.
    pub fn add_universal_joint(
        &mut self,
        name: impl Into<String>,
        parent: BodyIndex,
        pose_in_parent: RigidTransform<T>,
        child: BodyIndex,
    ) -> Result<[JointIndex; 2], TreeError> {
        let name = name.into();
        let kinds = [("x", Vector3::x()), ("y", Vector3::y())];
        let kinds =
            kinds.map(|(of, axis)| (format!("{name}/{of}"), JointKind::Continuous { axis }));
        let links = [format!("{name}/cross")];
        self.all_or_none(|builder| {
            builder.add_joints(kinds, links, (parent, pose_in_parent, child))
        })
    }

    /// Adds a ball joint with angles for coordinates, `q = (yaw, pitch, roll)`, in rad:
    /// `R_FB = R_z(yaw) R_y(pitch) R_x(roll)`, as [`RollPitchYaw`](crate::math::RollPitchYaw) has it, in the joint's frame F
    /// on `parent`, at `X_PF`. At a pitch of ±π/2 it has two degrees of freedom only, and the mass matrix is singular:
    /// [`JointKind::Ball`] has no such place.
    ///
    /// The joints are `name/yaw`, `name/pitch` and `name/roll`; the bodies between are `name/yawed` and `name/pitched`.
    ///
    /// # Errors
    /// As [`add_joint`](Self::add_joint). The builder is then as it was.
    pub fn add_roll_pitch_yaw_joint(
        &mut self,
        name: impl Into<String>,
        parent: BodyIndex,
        pose_in_parent: RigidTransform<T>,
        child: BodyIndex,
    ) -> Result<[JointIndex; 3], TreeError> {
        let name = name.into();
        let kinds = [
            ("yaw", Vector3::z()),
            ("pitch", Vector3::y()),
            ("roll", Vector3::x()),
        ];
        let kinds =
            kinds.map(|(of, axis)| (format!("{name}/{of}"), JointKind::Continuous { axis }));
        let links = ["yawed", "pitched"].map(|of| format!("{name}/{of}"));
        self.all_or_none(|builder| {
            builder.add_joints(kinds, links, (parent, pose_in_parent, child))
        })
    }

    /// Adds joints in a row, each but the last with a link that it carries.
    fn add_joints<const N: usize>(
        &mut self,
        kinds: [(String, JointKind<T>); N],
        links: impl IntoIterator<Item = String>,
        (mut parent, mut pose, child): (BodyIndex, RigidTransform<T>, BodyIndex),
    ) -> Result<[JointIndex; N], TreeError> {
        let mut joints = [JointIndex::new(0); N];
        let mut links = links.into_iter();
        for (joint, (name, kind)) in joints.iter_mut().zip(kinds) {
            let outboard = match links.next() {
                Some(link) => self.add_body(link, SpatialInertia::zero())?,
                None => child,
            };
            *joint = self.add_joint(name, kind, parent, pose, outboard)?;
            (parent, pose) = (outboard, RigidTransform::identity());
        }
        Ok(joints)
    }

    /// What is added in part is taken away again.
    fn all_or_none<R>(
        &mut self,
        add: impl FnOnce(&mut Self) -> Result<R, TreeError>,
    ) -> Result<R, TreeError> {
        let before = self.clone();
        let added = add(self);
        if added.is_err() {
            *self = before;
        }
        added
    }
}
