//! The configuration: `q̇ = N(q) v`, steps along the configuration manifold, differences.
//!
//! All coordinates but quaternions have `q̇ = v`. A quaternion Q of `R_FB` with `w = w_FB_F` has
//!
//! ```text
//! Q̇ = ½ (0, w) ⊗ Q,    w = 2 vec(Q̇ ⊗ Q*)/‖Q‖²
//! ```
//!
//! which leaves its norm unchanged. A rotation that lasts for a time `dt` at constant `w` takes `Q`
//! to `exp(w dt) ⊗ Q`.

use super::error::TreeError;
use super::mobilized_body::vector_at;
use super::rigid_body_tree::RigidBodyTree;
use crate::math::rotation;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, Quaternion, Vector3};

impl<T: Scalar> RigidBodyTree<T> {
    /// `q̇ = N(q) v`.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when a size is wrong or an entry not finite,
    /// [`TreeError::NotUnitQuaternion`].
    #[inline(never)]
    pub fn map_velocity_to_qdot(&self, q: &[T], v: &[T], qdot: &mut [T]) -> Result<(), TreeError> {
        self.check_positions(q)?;
        self.check_velocity_vector("v", v)?;
        InvalidInput::check_size("qdot", qdot.len(), self.num_positions)?;
        self.for_each_coordinate_block(|block| match block {
            Block::Linear { q: i, v: k, len } => {
                qdot[i..i + len].copy_from_slice(&v[k..k + len]);
            }
            Block::Quaternion { q: i, v: k } => {
                store(
                    qdot,
                    i,
                    &quaternion_rate(&quaternion_at(q, i), &vector_at(v, k)),
                );
            }
        });
        Ok(InvalidInput::check_finite("qdot", qdot)?)
    }

    /// `v = N⁺(q) q̇`: the velocity of `q̇`, or of the part of `q̇` that is tangential to the unit
    /// quaternions.
    ///
    /// # Errors
    /// As [`Self::map_velocity_to_qdot`].
    #[inline(never)]
    pub fn map_qdot_to_velocity(&self, q: &[T], qdot: &[T], v: &mut [T]) -> Result<(), TreeError> {
        self.check_positions(q)?;
        InvalidInput::check_size("qdot", qdot.len(), self.num_positions)?;
        InvalidInput::check_finite("qdot", qdot)?;
        self.check_velocity_size("v", v)?;
        self.for_each_coordinate_block(|block| match block {
            Block::Linear { q: i, v: k, len } => {
                v[k..k + len].copy_from_slice(&qdot[i..i + len]);
            }
            Block::Quaternion { q: i, v: k } => {
                let q = quaternion_at(q, i);
                let product = quaternion_at(qdot, i) * q.conjugate();
                let w = product.imag() * (T::from(2.0) / q.coords.dot(&q.coords));
                v[k..k + 3].copy_from_slice(w.as_slice());
            }
        });
        Ok(InvalidInput::check_finite("velocity of qdot", v)?)
    }

    /// Writes the first columns of `to`: derivatives `D N(q)` along velocities, of derivatives `D` with respect to positions, the
    /// first columns of `from`.
    pub(crate) fn map_derivatives_to_velocity(
        &self,
        q: &[T],
        from: &DMatrix<T>,
        to: &mut DMatrix<T>,
    ) {
        self.for_each_coordinate_block(|block| match block {
            Block::Linear { q: i, v: k, len } => {
                to.columns_mut(k, len).copy_from(&from.columns(i, len));
            }
            Block::Quaternion { q: i, v: k } => {
                for axis in 0..3 {
                    let unit = Vector3::ith(axis, T::one());
                    let mut rate = [T::zero(); 4];
                    store(&mut rate, 0, &quaternion_rate(&quaternion_at(q, i), &unit));
                    let mut column = to.column_mut(k + axis);
                    column.fill(T::zero());
                    for (component, rate) in rate.into_iter().enumerate() {
                        column.axpy(rate, &from.column(i + component), T::one());
                    }
                }
            }
        });
    }

    /// One explicit step of the time `dt` at the velocity `v`: `q + dt N(q) v`, with quaternions
    /// normalised.
    ///
    /// # Errors
    /// As [`Self::map_velocity_to_qdot`], when `dt` is not finite, and when the step overflows.
    #[inline(never)]
    pub fn integrate(&self, q: &[T], v: &[T], dt: T, out: &mut [T]) -> Result<(), TreeError> {
        self.step(q, v, dt, out, |q, w, dt| {
            Quaternion::from(q.coords + quaternion_rate(q, w).coords * dt)
        })
    }

    /// The configuration after moving for the time `dt` at the constant velocity `v`, the
    /// exponential map: quaternions turn to `exp(w dt) ⊗ Q`, normalised.
    ///
    /// # Errors
    /// As [`Self::integrate`].
    #[inline(never)]
    pub fn integrate_exponential(
        &self,
        q: &[T],
        v: &[T],
        dt: T,
        out: &mut [T],
    ) -> Result<(), TreeError> {
        self.step(q, v, dt, out, |q, w, dt| {
            rotation::quaternion_exp(&(w * dt)) * q
        })
    }

    /// The velocity `v` that leads from `from` to `to` in unit time, the inverse of
    /// [`Self::integrate_exponential`]. Rotations take the short way, by at most π.
    ///
    /// # Errors
    /// As [`Self::map_velocity_to_qdot`].
    #[inline(never)]
    pub fn difference(&self, from: &[T], to: &[T], v: &mut [T]) -> Result<(), TreeError> {
        self.check_positions(from)?;
        self.check_positions(to)?;
        self.check_velocity_size("v", v)?;
        self.for_each_coordinate_block(|block| match block {
            Block::Linear { q: i, v: k, len } => {
                for j in 0..len {
                    v[k + j] = to[i + j] - from[i + j];
                }
            }
            Block::Quaternion { q: i, v: k } => {
                let turn = quaternion_at(to, i) * quaternion_at(from, i).conjugate();
                v[k..k + 3].copy_from_slice(rotation::log(&turn).as_slice());
            }
        });
        Ok(InvalidInput::check_finite("difference", v)?)
    }

    fn step(
        &self,
        q: &[T],
        v: &[T],
        dt: T,
        out: &mut [T],
        turn: impl Fn(&Quaternion<T>, &Vector3<T>, T) -> Quaternion<T>,
    ) -> Result<(), TreeError> {
        self.check_positions(q)?;
        self.check_velocity_vector("v", v)?;
        InvalidInput::check_finite("dt", &[dt])?;
        InvalidInput::check_size("output", out.len(), self.num_positions)?;
        self.for_each_coordinate_block(|block| match block {
            Block::Linear { q: i, v: k, len } => {
                let from = q[i..i + len].iter().zip(&v[k..k + len]);
                (out[i..i + len].iter_mut().zip(from))
                    .for_each(|(out, (&q, &v))| *out = q + v * dt);
            }
            Block::Quaternion { q: i, v: k } => {
                let turned = turn(&quaternion_at(q, i), &vector_at(v, k), dt).coords;
                let scale = T::one() / turned.dot(&turned).sqrt_lifted();
                store(out, i, &Quaternion::from(turned * scale));
            }
        });
        self.check_positions(out)
    }

    /// Calls `visit` for every run of coordinates, in their order: those with `q̇ = v`, and quaternions.
    pub(super) fn for_each_coordinate_block(&self, mut visit: impl FnMut(Block)) {
        let moving = self.mobilized.iter().filter_map(|m| m.joint);
        let joints = moving.map(|joint| &self.joints[joint.get()]);
        for joint in joints.filter(|j| j.mimic.is_none()) {
            let (mut q, mut v) = (joint.position_start, joint.velocity_start);
            if joint.kind.has_quaternion() {
                visit(Block::Quaternion { q, v });
                (q, v) = (q + 4, v + 3);
            }
            let len = joint.velocity_start + joint.kind.num_velocities() - v;
            visit(Block::Linear { q, v, len });
        }
    }
}

/// A run of coordinates and where it starts in `q` and in `v`.
pub(super) enum Block {
    Linear { q: usize, v: usize, len: usize },
    Quaternion { q: usize, v: usize },
}

/// `½ (0, w) ⊗ Q`.
pub(super) fn quaternion_rate<T: Scalar>(q: &Quaternion<T>, w: &Vector3<T>) -> Quaternion<T> {
    Quaternion::from_imag(w * T::from(0.5)) * q
}

fn quaternion_at<T: Scalar>(values: &[T], start: usize) -> Quaternion<T> {
    let q = &values[start..start + 4];
    Quaternion::new(q[0], q[1], q[2], q[3])
}

fn store<T: Scalar>(values: &mut [T], start: usize, q: &Quaternion<T>) {
    values[start..start + 4].copy_from_slice(&[q.w, q.i, q.j, q.k]);
}
