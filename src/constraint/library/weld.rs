//! A weld that closes a kinematic loop.

use super::ball::write_point_rows;
use super::point_pair::{Direction, PointPair};
use crate::constants::Constant;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintRows, PointForce, TreeConstraint};
use crate::erased::casts_by_list;
use crate::math::{RigidTransform, rotation};
use crate::parameter::{Parameter, visit_vector};
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace, check_pose};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::{Matrix3, Vector3};

/// A frame P of one body coincides with a frame Q of another (6 rows): `φ` is `p_WP − p_WQ`, then
/// the axial vector `½ Σₖ qₖ × pₖ` of the frames' axes, the sine of the angle of the rotation from Q
/// to P about its axis; both expressed in W.
///
/// The rows of the points have the Jacobian of a [`BallConstraint`](super::BallConstraint), those of the rotation that of
/// `w_WA − w_WB`, with its rate as B sees it: the rate of `φ` where the frames coincide, which differs from it by the order
/// of the error elsewhere.
///
/// Parameters: `name/point_a/{x,y,z}`, `name/point_b/{x,y,z}` (m), and `name/rotation_a/{x,y,z}`,
/// `name/rotation_b/{x,y,z}` (rad), rotation vectors, at first zero, by which the frames are turned
/// from the orientations that they were made with, about their own axes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct WeldConstraint<T> {
    name: String,
    pub(crate) points: PointPair<T>,
    a: Orientation<T>,
    b: Orientation<T>,
}

/// `R = R₀ exp φ`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
struct Orientation<T> {
    made: Matrix3<T>,
    rotation: Vector3<T>,
}

impl<T: Scalar> Orientation<T> {
    fn new(made: Matrix3<T>) -> Self {
        let rotation = Vector3::zeros();
        Orientation { made, rotation }
    }

    fn matrix(&self) -> Matrix3<T> {
        self.made * rotation::exp(&self.rotation)
    }

    fn cast<U: Scalar>(&self) -> Orientation<U> {
        Orientation {
            made: self.made.map(|x| U::from(x.re())),
            rotation: Constant::cast(&self.rotation),
        }
    }

    /// Shows `prefix/rotation_side/{x,y,z}`.
    fn visit_parameters(
        &mut self,
        prefix: &str,
        side: &str,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let name = format_args!("{prefix}/rotation_{side}");
        visit_vector(visit, name, "rad", &mut self.rotation);
    }

    fn validate(&self) -> Result<(), InvalidInput> {
        check_pose(&RigidTransform::new(self.made, Vector3::zeros()))?;
        InvalidInput::check_finite("rotation", self.rotation.as_slice())
    }
}

impl<T: Scalar> WeldConstraint<T> {
    /// Of the frame P of body A, at `X_AP`, and the frame Q of body B, at `X_BQ`.
    ///
    /// # Errors
    /// [`ConstraintError::InvalidConstraint`] when a pose is not finite or its matrix not a rotation.
    pub fn new(
        name: impl Into<String>,
        (body_a, x_ap): (BodyIndex, RigidTransform<T>),
        (body_b, x_bq): (BodyIndex, RigidTransform<T>),
    ) -> Result<Self, ConstraintError> {
        let name = name.into();
        for pose in [&x_ap, &x_bq] {
            check_pose(pose).map_err(ConstraintError::invalid(&name))?;
        }
        Ok(WeldConstraint {
            name,
            points: PointPair::new((body_a, x_ap.translation), (body_b, x_bq.translation)),
            a: Orientation::new(x_ap.rotation),
            b: Orientation::new(x_bq.rotation),
        })
    }

    /// The orientations of the frames P and Q on their bodies.
    #[cfg(feature = "urdf")]
    pub(crate) fn orientations(&self) -> [Matrix3<T>; 2] {
        [self.a.matrix(), self.b.matrix()]
    }
}

impl<T: Scalar> TreeConstraint<T> for WeldConstraint<T> {
    casts_by_list! {}
    constants! { TreeConstraint for WeldConstraint {
        name;
        points: nested in_tree;
        a: nested("a");
        b: nested("b");
    } }

    fn num_rows(&self) -> usize {
        6
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let motion = self.points.motion_seen_by_b(tree, workspace)?;
        write_point_rows(&motion, rows);
        let p = motion.a.rotation * self.a.matrix();
        let q = motion.b.rotation * self.b.matrix();
        let axial = (0..3).fold(Vector3::zeros(), |sum, k| {
            sum + q.column(k).cross(&p.column(k))
        });
        let (wa, wb) = (motion.a.angular_velocity, motion.b.angular_velocity);
        let bias = motion.a.bias.angular - motion.b.bias.angular - wb.cross(&(wa - wb));
        for k in 0..3 {
            rows.phi[3 + k] = axial[k] * 0.5;
            rows.bias[3 + k] = bias[k];
        }
        let [x, y, z] = Direction::axes(Direction::Linear);
        let [about_x, about_y, about_z] = Direction::axes(Direction::Angular);
        let directions = [x, y, z, about_x, about_y, about_z];
        let out = &mut rows.jacobian;
        (self.points).add_rows(tree, workspace, &motion, &directions, out)
    }

    fn point_force(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        f: &[T],
    ) -> Result<Option<PointForce<T>>, ConstraintError> {
        InvalidInput::check_size("forces of the rows", f.len(), self.num_rows())?;
        let [force, torque] = [0, 3].map(|k| Vector3::new(f[k], f[k + 1], f[k + 2]));
        self.points.force(tree, workspace, (force, torque))
    }
}
