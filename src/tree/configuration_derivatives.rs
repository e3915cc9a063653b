//! Derivatives of a step along the [configuration](super::configuration) manifold.
//!
//! A quaternion Q steps to `Q⁺ = T/‖T‖` with `T = (1 + ½ dt w) ⊗ Q`. With `L` and `R` the matrices of the
//! products from the left and from the right,
//!
//! ```text
//! dQ⁺ = (1 − Q⁺ Q⁺ᵀ)/‖T‖ (L(1 + ½ dt w) dQ + ½ dt R(Q) (0, dw)),    φ = 2 vec(R(Q*) dQ)/‖Q‖²
//! ```
//!
//! where φ is the turn along the velocity coordinates that `dQ` stands for.

use super::configuration::Block;
use super::error::TreeError;
use super::free_bodies::{FlightSlopes, FreeBody};
use super::free_mechanisms::FreeMechanism;
use super::mobilized_body::vector_at;
use super::rigid_body_tree::RigidBodyTree;
use crate::InvalidInput;
use nalgebra::{Matrix3x4, Matrix4, Matrix4x3, Vector3, Vector4};
use std::ops::Range;

/// How a run of coordinates is stepped by [`RigidBodyTree::integrate`], to first order.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::large_enum_variant)] // one a floating body, and lists of them are reused
pub(crate) enum CoordinateStep {
    /// `q⁺ = q + dt v⁺`, for so many coordinates from these positions in `q` and `v` on.
    Linear {
        q: usize,
        v: usize,
        len: usize,
        dt: f64,
    },
    /// A quaternion at this position in `q`, and its angular velocity at this one in `v`.
    Quaternion {
        q: usize,
        v: usize,
        /// `∂φ/∂Q`.
        turn: Matrix3x4<f64>,
        /// `∂Q⁺/∂Q` at fixed velocity.
        by_start: Matrix4<f64>,
        /// `∂Q⁺/∂w`.
        by_velocity: Matrix4x3<f64>,
    },
    /// A free body from these positions on, which comes to other velocities at its end.
    Free {
        q: usize,
        v: usize,
        dt: f64,
        /// `∂φ/∂Q`.
        turn: Matrix3x4<f64>,
        /// How it flies.
        flight: FlightSlopes,
    },
    /// The first body of the free mechanism of this number, from these positions on.
    Mechanism {
        q: usize,
        v: usize,
        number: usize,
        /// `∂φ/∂Q`.
        turn: Matrix3x4<f64>,
        /// The change of the quaternion at the end with the turn of the body there.
        turned: Matrix4x3<f64>,
    },
}

impl CoordinateStep {
    /// The positions in `q`.
    pub fn positions(&self) -> Range<usize> {
        match *self {
            CoordinateStep::Linear { q, len, .. } => q..q + len,
            CoordinateStep::Quaternion { q, .. } => q..q + 4,
            CoordinateStep::Free { q, .. } | CoordinateStep::Mechanism { q, .. } => q..q + 7,
        }
    }

    /// The positions in `v`.
    pub fn velocities(&self) -> Range<usize> {
        match *self {
            CoordinateStep::Linear { v, len, .. } => v..v + len,
            CoordinateStep::Quaternion { v, .. } => v..v + 3,
            CoordinateStep::Free { v, .. } | CoordinateStep::Mechanism { v, .. } => v..v + 6,
        }
    }
}

impl RigidBodyTree<f64> {
    /// Writes how the step from `q` over the time `dt` at the velocity `v` depends on both, by runs of
    /// coordinates in their order; bodies of `free` fly, and mechanisms have flown to `next_q`.
    pub(crate) fn integrate_derivatives(
        &self,
        (q, next_q): (&[f64], &[f64]),
        v: &[f64],
        (dt, free, mechanisms): (f64, &[FreeBody], &[FreeMechanism]),
        out: &mut Vec<CoordinateStep>,
    ) -> Result<(), TreeError> {
        InvalidInput::check_size("q", q.len(), self.num_positions)?;
        self.check_velocity_size("v", v)?;
        out.clear();
        self.for_each_coordinate_block(|block| {
            let of_free = |q: usize| free.iter().find(|free| free.q == q);
            let of_mechanism = |q: usize| mechanisms.iter().position(|m| m.q == q);
            let flies = |q: usize| of_free(q).is_some() || of_mechanism(q).is_some();
            out.push(match block {
                Block::Linear { q, .. } if q >= 4 && flies(q - 4) => return,
                Block::Linear { q, v, len } => CoordinateStep::Linear { q, v, len, dt },
                Block::Quaternion { q: i, v: k } => {
                    let quaternion = Vector4::from_column_slice(&q[i..i + 4]);
                    match (of_free(i), of_mechanism(i)) {
                        (None, None) => quaternion_step((i, k), quaternion, vector_at(v, k), dt),
                        (None, Some(number)) => {
                            let end = Vector4::from_column_slice(&next_q[i..i + 4]);
                            CoordinateStep::Mechanism {
                                q: i,
                                v: k,
                                number,
                                turn: turn(&quaternion),
                                turned: product_from_right(&end).fixed_columns::<3>(1) * 0.5,
                            }
                        }
                        (Some(free), _) => CoordinateStep::Free {
                            q: i,
                            v: k,
                            dt,
                            turn: turn(&quaternion),
                            flight: self.flight_slopes(free, (q, v), dt),
                        },
                    }
                }
            });
        });
        Ok(())
    }
}

fn quaternion_step(
    (q, v): (usize, usize),
    start: Vector4<f64>,
    w: Vector3<f64>,
    dt: f64,
) -> CoordinateStep {
    let half = 0.5 * dt;
    let factor = Vector4::new(1.0, half * w.x, half * w.y, half * w.z);
    let from_left = product_from_left(&factor);
    let turned = from_left * start;
    let scale = 1.0 / turned.norm();
    let end = turned * scale;
    let tangential = (Matrix4::identity() - end * end.transpose()) * scale;
    let from_right = product_from_right(&start);
    CoordinateStep::Quaternion {
        q,
        v,
        turn: turn(&start),
        by_start: tangential * from_left,
        by_velocity: tangential * from_right.fixed_columns::<3>(1) * half,
    }
}

/// `∂φ/∂Q`.
fn turn(start: &Vector4<f64>) -> Matrix3x4<f64> {
    let conjugate = Vector4::new(start[0], -start[1], -start[2], -start[3]);
    product_from_right(&conjugate).fixed_rows::<3>(1) * (2.0 / start.norm_squared())
}

/// The matrix of `x ↦ a ⊗ x`, components w, x, y, z.
fn product_from_left(a: &Vector4<f64>) -> Matrix4<f64> {
    let [w, x, y, z] = [a[0], a[1], a[2], a[3]];
    Matrix4::new(
        w, -x, -y, -z, //
        x, w, -z, y, //
        y, z, w, -x, //
        z, -y, x, w,
    )
}

/// The matrix of `x ↦ x ⊗ a`.
fn product_from_right(a: &Vector4<f64>) -> Matrix4<f64> {
    let [w, x, y, z] = [a[0], a[1], a[2], a[3]];
    Matrix4::new(
        w, -x, -y, -z, //
        x, w, z, -y, //
        y, -z, w, x, //
        z, y, -x, w,
    )
}
