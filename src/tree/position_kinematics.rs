//! Poses of bodies and frames, and the axes of the joints, in W.
//!
//! With the pose `X_WP` of its parent, a mobilized body B has
//!
//! ```text
//! R_WF = R_WP R_PF                p_PoBo = R_WP p_PF + R_WF p_FB(q)
//! R_WB = R_WF R_FB(q)             p_WBo  = p_WPo + p_PoBo
//! ```
//!
//! and the axes of its joint are `R_WF` times constants. Two products of rotations a body are most
//! of the work; `R_PF` is the identity more often than not, and a rotation about an axis of F
//! changes two columns only.

use super::column::Axis;
use super::error::TreeError;
use super::index::{BodyIndex, FrameIndex};
use super::joint::Mimic;
use super::mobilized_body::{MobilizedBody, Motion, vector_at};
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::{RigidTransform, rotation};
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Quaternion, Vector3};

/// How far the squared norm of a quaternion may be from 1.
const QUATERNION_TOLERANCE: f64 = 1e-3;

/// Where a mobilized body is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position<T> {
    /// `X_WB`.
    pub pose: RigidTransform<T>,
    /// `p_PoBo_W`.
    pub offset: Vector3<T>,
    /// First moment of the mass about Bo, `m p_BoBcm_W`.
    pub first_moment: Vector3<T>,
}

impl<T: Scalar> Position<T> {
    pub fn world() -> Self {
        Position {
            pose: RigidTransform::identity(),
            offset: Vector3::zeros(),
            first_moment: Vector3::zeros(),
        }
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// The pose `X_WB` of a body.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`], [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when numbers overflow.
    #[inline(never)]
    pub fn body_pose(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
    ) -> Result<RigidTransform<T>, TreeError> {
        self.check_workspace(workspace)?;
        let (mobilized, welded_pose) = self.placement(body)?;
        let pose = workspace.positions[mobilized].pose;
        let pose = match welded_pose {
            Some(x) => pose * *x,
            None => pose,
        };
        InvalidInput::check_finite("position of a body", pose.translation.as_slice())?;
        Ok(pose)
    }

    /// The pose `X_WF` of a frame.
    ///
    /// # Errors
    /// [`TreeError::NoSuchFrame`], [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when numbers overflow.
    #[inline(never)]
    pub fn frame_pose(
        &self,
        workspace: &TreeWorkspace<T>,
        frame: FrameIndex,
    ) -> Result<RigidTransform<T>, TreeError> {
        let frame = self.frame(frame)?;
        let pose = self.body_pose(workspace, frame.body)? * *frame.pose_in_body();
        InvalidInput::check_finite("position of a frame", pose.translation.as_slice())?;
        Ok(pose)
    }

    /// The position `p_WQ` of a point that is fixed on a body at `p_BoQ_B`.
    ///
    /// # Errors
    /// As [`Self::body_pose`], and when `p_boq_b` is not finite.
    #[inline(never)]
    pub fn point_position(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<Vector3<T>, TreeError> {
        let point = self.body_pose(workspace, body)?.transform_point(p_boq_b);
        InvalidInput::check_finite("position of a point", point.as_slice())?;
        Ok(point)
    }

    /// Checks the size and the entries of `q`.
    pub(super) fn check_positions(&self, q: &[T]) -> Result<(), TreeError> {
        InvalidInput::check_size("q", q.len(), self.num_positions)?;
        InvalidInput::check_finite("q", q)?;
        if self.has_mimic {
            for m in &self.mobilized {
                if let Motion::Rotation { mimic, .. } | Motion::Translation { mimic, .. } =
                    &m.motion
                {
                    let coordinate = coordinate(mimic, &q[m.position_start..]);
                    InvalidInput::check_finite(
                        "coordinate of a joint that follows",
                        &[coordinate],
                    )?;
                }
            }
        }
        for m in self.mobilized.iter().filter(|m| m.motion.has_quaternion()) {
            let components = &q[m.position_start..m.position_start + 4];
            let squared_norm = components.iter().map(|x| x.re() * x.re()).sum::<f64>();
            if (squared_norm - 1.0).abs() > QUATERNION_TOLERANCE {
                return Err(TreeError::NotUnitQuaternion {
                    joint: self.joint_name(m),
                    squared_norm,
                });
            }
        }
        Ok(())
    }

    /// The name of the joint of a mobilized body, for errors.
    pub(super) fn joint_name(&self, m: &MobilizedBody<T>) -> String {
        m.joint
            .map_or_else(String::new, |j| self.joints[j.get()].name.clone())
    }

    /// Computes poses and axes from the positions in the workspace.
    pub(super) fn update_positions(&self, workspace: &mut TreeWorkspace<T>) {
        let TreeWorkspace {
            q, positions, axes, ..
        } = workspace;
        positions[0].first_moment = self.mobilized[0].inertia.first_moment;
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let (before, from_here) = positions.split_at_mut(i);
            let (parent, here) = (&before[m.parent].pose, &mut from_here[0]);
            let product;
            let r_wf = if m.is_parallel {
                &parent.rotation
            } else {
                product = rotation::product(&parent.rotation, &m.joint_frame.rotation);
                &product
            };
            let columns = &self.columns[m.columns.clone()];
            for (axis, column) in axes[m.columns.clone()].iter_mut().zip(columns) {
                *axis = column.axis.rotated(r_wf);
            }
            let coordinates = &q[m.position_start..];
            here.offset = rotation::applied(&parent.rotation, &m.joint_frame.translation);
            if let Some(p_fb) = translation_across(&m.motion, coordinates) {
                here.offset += rotation::applied(r_wf, &p_fb);
            }
            here.pose.translation = parent.translation + here.offset;
            turn(r_wf, &m.motion, coordinates, &mut here.pose.rotation);
            here.first_moment = rotation::applied(&here.pose.rotation, &m.inertia.first_moment);
        }
    }
}

impl<T: Scalar> Motion<T> {
    /// Sine and cosine of the angle by which a joint has turned about an axis of F, if it does so.
    pub(super) fn sine_and_cosine(&self, q: &[T]) -> Option<[T; 2]> {
        match *self {
            Motion::Rotation {
                axis: Axis::Aligned(_, sign),
                ref mimic,
            } => {
                let (sin, cos) = coordinate(mimic, q).sin_cos();
                Some([sin * sign, cos])
            }
            _ => None,
        }
    }

    /// `R_FB`.
    pub(super) fn rotation(&self, q: &[T]) -> Matrix3<T> {
        let mut r = Matrix3::identity();
        turn(&Matrix3::identity(), self, q, &mut r);
        r
    }
}

/// `p_FoBo_F`, unless the joint always keeps it zero.
pub(super) fn translation_across<T: Scalar>(motion: &Motion<T>, q: &[T]) -> Option<Vector3<T>> {
    match motion {
        Motion::None | Motion::Rotation { .. } | Motion::Ball => None,
        Motion::Translation { axis, mimic } => Some(axis.times(coordinate(mimic, q))),
        Motion::Planar { x_axis, y_axis, .. } => Some(x_axis.times(q[0]) + y_axis.times(q[1])),
        Motion::Floating => Some(vector_at(q, 4)),
    }
}

/// The coordinate of a joint with one degree of freedom.
fn coordinate<T: Scalar>(mimic: &Option<Mimic<T>>, q: &[T]) -> T {
    match mimic {
        None => q[0],
        Some(mimic) => q[0] * mimic.multiplier + mimic.offset,
    }
}

/// Computes `R_WB = R_WF R_FB`.
fn turn<T: Scalar>(r_wf: &Matrix3<T>, motion: &Motion<T>, q: &[T], r_wb: &mut Matrix3<T>) {
    match motion {
        Motion::None | Motion::Translation { .. } => *r_wb = *r_wf,
        Motion::Rotation { axis, mimic } => turn_about(r_wf, axis, coordinate(mimic, q), r_wb),
        Motion::Planar { normal, .. } => turn_about(r_wf, normal, q[2], r_wb),
        Motion::Ball | Motion::Floating => {
            let q = Quaternion::new(q[0], q[1], q[2], q[3]);
            *r_wb = rotation::product(r_wf, &rotation::matrix_from_quaternion(&q));
        }
    }
}

/// Computes `R_WF` times the rotation by `angle` about a unit axis of F.
fn turn_about<T: Scalar>(r_wf: &Matrix3<T>, axis: &Axis<T>, angle: T, r_wb: &mut Matrix3<T>) {
    let (sin, cos) = angle.sin_cos();
    match *axis {
        Axis::Aligned(0, sign) => turn_about_own_axis::<_, 0>(r_wf, sin * sign, cos, r_wb),
        Axis::Aligned(1, sign) => turn_about_own_axis::<_, 1>(r_wf, sin * sign, cos, r_wb),
        Axis::Aligned(_, sign) => turn_about_own_axis::<_, 2>(r_wf, sin * sign, cos, r_wb),
        Axis::General(a) => {
            // Rodrigues: cos (I − a aᵀ) + a aᵀ + sin [a]×; of an axis of F the same bits as above.
            let versine = -cos + 1.0;
            let square = a.component_mul(&a);
            let (sx, sy, sz) = (a.x * sin, a.y * sin, a.z * sin);
            let (xy, xz, yz) = (
                a.x * a.y * versine,
                a.x * a.z * versine,
                a.y * a.z * versine,
            );
            let turned = Matrix3::new(
                (square.y + square.z) * cos + square.x,
                xy - sz,
                xz + sy,
                xy + sz,
                (square.z + square.x) * cos + square.y,
                yz - sx,
                xz - sy,
                yz + sx,
                (square.x + square.y) * cos + square.z,
            );
            *r_wb = rotation::product(r_wf, &turned);
        }
    }
}

/// A rotation about axis `I` leaves its column and mixes the two others.
fn turn_about_own_axis<T: Scalar, const I: usize>(
    r_wf: &Matrix3<T>,
    sin: T,
    cos: T,
    r_wb: &mut Matrix3<T>,
) {
    let (j, k) = ((I + 1) % 3, (I + 2) % 3);
    for row in 0..3 {
        let (a, b) = (r_wf[(row, j)], r_wf[(row, k)]);
        r_wb[(row, I)] = r_wf[(row, I)];
        r_wb[(row, j)] = a * cos + b * sin;
        r_wb[(row, k)] = b * cos - a * sin;
    }
}
