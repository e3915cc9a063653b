//! The contact wrench between two bodies, and its first derivatives.
//!
//! Points, normals and overlaps follow from the pose of body A relative to B, so that six directions
//! are all that geometry has to be differentiated along: a small motion `δ = [α; β]` of A about a point O,
//! with B held. The force on A at C, without choosing tangents (`u` the velocity of A relative to B at C,
//! `n` the normal, `uₙ = n·u`, `uₜ = u − uₙ n`, the [law](super::PointContact::force) with
//! `h(σ) = μ(s)/σ`), is
//!
//! ```text
//! F = fₙ (n − h uₜ)
//! dF = dfₙ (n − h uₜ) + fₙ (dn − dh uₜ − h duₜ)
//! dfₙ = f′ (n·du + u·dn) + ∂fₙ/∂x₀ dx₀ + ∂fₙ/∂k dk,    dh = h′/σ uₜ·duₜ
//! duₜ = du − n (n·du) − uₙ dn − n (u·dn)
//! ```
//!
//! which is linear in `du`, `dn`, `dx₀` and `dk`; with velocities `V = [w; v]` of the bodies about O that
//! turn with A, and `r = p_OC`,
//!
//! ```text
//! du = (δ × V_A)(r) + (w_A − w_B) × dr,    (X)(r) = X.v + X.w × r
//! ```
//!
//! Friction against the relative angular velocity `ω = w_A − w_B` adds the torque
//! `−fₙ m(ω, n)` ([derived there](super::rotational_friction)), which changes by `−dfₙ m − fₙ dm` with `dω = α × w_A`.
//!
//! The wrenches `W = [r × F − fₙ m; F]` of all points between two bodies add up, and so do their derivatives.

use super::error::ContactError;
use super::force_law::ContactForceLaw;
use super::material::ContactMaterial;
use super::model::ContactModel;
use super::point_contact::FoundContact;
use crate::autodiff::ChunkDual;
use crate::math::rotation::skew;
use crate::math::{RigidTransform, SpatialForce, SpatialVelocity};
use crate::tree::BodyIndex;
use nalgebra::{Matrix3, Matrix3x6, Matrix6, RowVector6, Vector3};

/// The wrench `[torque; force]` on body A about a point O that is fixed in W, expressed in W.
#[derive(Debug, Clone)]
pub(crate) struct PairWrench {
    /// Bodies A and B.
    pub bodies: [BodyIndex; 2],
    /// `p_WO`.
    pub origin: Vector3<f64>,
    /// W.
    pub wrench: SpatialForce<f64>,
    /// `∂W/∂δ`: A and its velocity are moved, B held.
    pub by_motion: Matrix6<f64>,
    /// `∂W/∂V_A`.
    pub by_velocity: Matrix6<f64>,
}

/// The first derivatives of a contact point with respect to the motion `δ` of body A.
struct MovedPoint {
    position: Matrix3x6<f64>,
    normal: Matrix3x6<f64>,
    penetration: RowVector6<f64>,
    stiffness: RowVector6<f64>,
}

impl PairWrench {
    /// No contact yet between two bodies, about a point.
    pub fn new(bodies: [BodyIndex; 2], origin: Vector3<f64>) -> Self {
        PairWrench {
            bodies,
            origin,
            wrench: SpatialForce::zero(),
            by_motion: Matrix6::zeros(),
            by_velocity: Matrix6::zeros(),
        }
    }
}

impl ContactModel<ChunkDual> {
    /// Adds the wrench of a contact between the bodies of `pair` with the poses `X_WA`, `X_WB` and the
    /// velocities `V_A`, `V_B` about O.
    pub(crate) fn add_to_pair_wrench(
        &self,
        contact: &FoundContact,
        poses: [&RigidTransform<f64>; 2],
        [v_a, v_b]: [&SpatialVelocity<f64>; 2],
        law: &ContactForceLaw<f64>,
        pair: &mut PairWrench,
    ) -> Result<(), ContactError> {
        let [x_wa, x_wb] = poses;
        let geometries = self.pair(contact.pair);
        let pose_in = |geometry: usize| self.geometries()[geometry].pose_in_body.cast();
        let a = moved(&(*x_wa * pose_in(geometries.first)), &pair.origin);
        let b = (*x_wb * pose_in(geometries.second)).cast();
        let point = self.evaluate_between(contact, &a, &b)?;
        let slopes = MovedPoint {
            position: rows(point.position.as_slice()),
            normal: rows(point.normal().as_slice()),
            penetration: row(&point.penetration),
            stiffness: row(&point.material.stiffness),
        };
        let n = point.normal().map(|x| x.re);
        let r = point.position.map(|x| x.re) - pair.origin;
        let u = v_a.shift(&r).linear - v_b.shift(&r).linear;
        let un = n.dot(&u);
        let ut = u - n * un;

        let material: ContactMaterial<f64> = point.material.cast();
        let normal = material.normal_law(point.penetration.re);
        let (damping, overlap) = normal.factors(law.time_step, un);
        if !(damping > 0.0 && overlap > 0.0) {
            return Ok(());
        }
        let (f_n, f_slope) = normal.force_and_slope(law.time_step, un);
        let frame = point.rotation.map(|x| x.re);
        let friction = material.friction_law(law.stiction_tolerance, law.softening);
        let along = |axis: usize| frame.column(axis).dot(&u);
        let (h, h_slope) = friction.coefficient_and_slope([along(0), along(1)]);

        let direction = n - ut * h;
        let projector = Matrix3::identity() - n * n.transpose();
        let of_slip = ut * (ut.transpose() * h_slope);
        let by_velocity = direction * n.transpose() * f_slope - (of_slip + projector * h) * f_n;
        let by_normal = direction * u.transpose() * f_slope
            + (Matrix3::from_diagonal_element(1.0 + h * un) + of_slip * un + n * u.transpose() * h)
                * f_n;
        let by_load = slopes.penetration * (normal.stiffness * damping)
            + slopes.stiffness * (damping * overlap);

        let (r_cross, w_cross) = (skew(&r), skew(&v_a.angular));
        let mut velocity = skew(&(v_a.angular - v_b.angular)) * slopes.position;
        add_block(&mut velocity, 0, &(r_cross * w_cross - skew(&v_a.linear)));
        add_block(&mut velocity, 3, &-w_cross);

        let force = direction * f_n;
        let force_by_motion =
            by_velocity * velocity + by_normal * slopes.normal + direction * by_load;
        let mut force_by_velocity = Matrix3x6::zeros();
        add_block(&mut force_by_velocity, 0, &(-by_velocity * r_cross));
        add_block(&mut force_by_velocity, 3, &by_velocity);
        let mut torque = r.cross(&force);
        let mut torque_by_motion = r_cross * force_by_motion - skew(&force) * slopes.position;
        let mut torque_by_velocity = r_cross * force_by_velocity;
        if let Some(friction) = &material.rotational {
            let against = friction.resistance(law, &(v_a.angular - v_b.angular), &n);
            let by_angular = against.by_angular * f_n;
            torque -= against.torque * f_n;
            let load_by_motion =
                (n.transpose() * velocity + u.transpose() * slopes.normal) * f_slope + by_load;
            torque_by_motion -= against.torque * load_by_motion;
            torque_by_motion -= against.by_normal * slopes.normal * f_n;
            add_block(&mut torque_by_motion, 0, &(by_angular * w_cross));
            let load_by_velocity = n.transpose() * f_slope;
            let load_by_turning = -load_by_velocity * r_cross;
            add_block(
                &mut torque_by_velocity,
                0,
                &-(against.torque * load_by_turning + by_angular),
            );
            add_block(
                &mut torque_by_velocity,
                3,
                &-(against.torque * load_by_velocity),
            );
        }
        pair.wrench += SpatialForce::new(torque, force);
        add_rows(&mut pair.by_motion, [torque_by_motion, force_by_motion]);
        add_rows(
            &mut pair.by_velocity,
            [torque_by_velocity, force_by_velocity],
        );
        Ok(())
    }
}

fn add_block(matrix: &mut Matrix3x6<f64>, column: usize, block: &Matrix3<f64>) {
    let mut target = matrix.fixed_columns_mut::<3>(column);
    target += block;
}

fn add_rows(matrix: &mut Matrix6<f64>, [torque, force]: [Matrix3x6<f64>; 2]) {
    let mut upper = matrix.fixed_rows_mut::<3>(0);
    upper += torque;
    let mut lower = matrix.fixed_rows_mut::<3>(3);
    lower += force;
}

/// The pose that the motion `δ` about `p_WO` gives to a body, with `δ` as variables.
fn moved(pose: &RigidTransform<f64>, origin: &Vector3<f64>) -> RigidTransform<ChunkDual> {
    let mut moved = pose.cast();
    let set_slopes = |value: &mut ChunkDual, turned: [f64; 3], pushed: Option<usize>| {
        let slopes = value.eps.0.get_or_insert_default();
        slopes.as_mut_slice()[..3].copy_from_slice(&turned);
        if let Some(axis) = pushed {
            slopes[3 + axis] = 1.0;
        }
    };
    // α × x has the rows of −[x]×.
    let rows = |x: &Vector3<f64>| [[0.0, x.z, -x.y], [-x.z, 0.0, x.x], [x.y, -x.x, 0.0]];
    for column in 0..3 {
        let turned = rows(&pose.rotation.column(column).into());
        for (axis, turned) in turned.into_iter().enumerate() {
            set_slopes(&mut moved.rotation[(axis, column)], turned, None);
        }
    }
    let turned = rows(&(pose.translation - origin));
    for (axis, turned) in turned.into_iter().enumerate() {
        set_slopes(&mut moved.translation[axis], turned, Some(axis));
    }
    moved
}

/// The derivatives of a number with respect to the six variables.
fn row(x: &ChunkDual) -> RowVector6<f64> {
    x.eps.0.map_or_else(RowVector6::zeros, |slopes| {
        RowVector6::from_row_slice(&slopes.as_slice()[..6])
    })
}

fn rows(x: &[ChunkDual]) -> Matrix3x6<f64> {
    Matrix3x6::from_rows(&[row(&x[0]), row(&x[1]), row(&x[2])])
}
