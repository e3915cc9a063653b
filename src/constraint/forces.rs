//! Constraint forces.

use super::kink::{ConstraintKink, ConstraintKinkQuantity};
use super::view::{Cone, Layout};
use crate::math::compare_fields;
use crate::{InvalidInput, Scalar};
use nalgebra::{DVector, Vector2, Vector3};

/// The forces of all constraints (N or N m; impulses, N s or N m s, in a velocity problem), with
/// their derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintForces<T: Scalar> {
    /// Packed: normal forces, friction forces along the spanning directions, forces of unilateral
    /// constraints, forces of bilateral constraints.
    pub packed: DVector<T>,
    /// Generalized forces (nv) of all constraints.
    pub generalized: DVector<T>,
    /// Equations that follow from the others, by their position in `packed`: their forces and those
    /// that they depend on are the ones of least squares. Derivatives suppose that they go on
    /// agreeing.
    pub redundant: Vec<usize>,
    /// The nearest kink of each kind and quantity at the contacts, then those of the inequalities.
    pub kinks: Vec<ConstraintKink>,
    /// The [residual](crate::solver::lcp::LcpSolution::residual) of the complementarity problem.
    pub residual: f64,
    /// Number of pivots.
    pub pivots: usize,
    pub(super) layout: Layout,
    pub(super) cones: Vec<Cone<T>>,
    pub(super) mu_sliding: Vec<T>,
}

compare_fields! { ConstraintForces {; packed, generalized } }

impl<T: Scalar> ConstraintForces<T> {
    /// Of no constraints.
    pub(super) fn none() -> Self {
        ConstraintForces {
            packed: DVector::zeros(0),
            generalized: DVector::zeros(0),
            redundant: Vec::new(),
            kinks: Vec::new(),
            residual: 0.0,
            pivots: 0,
            layout: Layout::default(),
            cones: Vec::new(),
            mu_sliding: Vec::new(),
        }
    }

    /// Normal forces of the contacts (nc), not negative.
    pub fn normal(&self) -> &[T] {
        &self.packed.as_slice()[self.layout.normal()]
    }

    /// Friction forces along the spanning directions of the contacts that do not slide (nnr).
    pub fn friction(&self) -> &[T] {
        &self.packed.as_slice()[self.layout.friction()]
    }

    /// Forces of the unilateral constraints (nu), not negative.
    pub fn limit(&self) -> &[T] {
        &self.packed.as_slice()[self.layout.limit()]
    }

    /// Forces of the bilateral constraints (nb).
    pub fn bilateral(&self) -> &[T] {
        &self.packed.as_slice()[self.layout.bilateral()]
    }

    /// The nearest kink of a quantity; rows of inequalities are compared as numbers.
    pub fn nearest_kink(&self, quantity: ConstraintKinkQuantity) -> Option<&ConstraintKink> {
        let kinks = self.kinks.iter().filter(|kink| kink.quantity == quantity);
        kinks.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// The force (or impulse) at each contact in its contact frame, whose axes are two tangents and
    /// the normal: `(f_t1, f_t2, f_n)`.
    ///
    /// At a contact that slides the first tangent must be the direction of sliding; with friction μ
    /// the force is `(−μ f_n, 0, f_n)`. At the others, the spanning directions are those at the
    /// angles `k π/r`, k = 0…r−1, from the first tangent towards the second.
    pub fn in_contact_frames(&self) -> Vec<Vector3<T>> {
        let mut forces = Vec::new();
        self.write_in_contact_frames(&mut forces);
        forces
    }

    /// As [`Self::in_contact_frames`], in memory that there is.
    pub(crate) fn write_in_contact_frames(&self, forces: &mut Vec<Vector3<T>>) {
        let zero = T::zero();
        forces.clear();
        forces.extend((self.normal().iter()).map(|&f| Vector3::new(zero, zero, f)));
        for (force, &mu) in forces.iter_mut().zip(&self.mu_sliding) {
            let pressed = force.z;
            force.x -= mu * pressed;
        }
        for cone in &self.cones {
            let r = cone.directions.len();
            for (k, &f) in self.friction()[cone.directions.clone()].iter().enumerate() {
                let (sin, cos) = direction(k, r);
                forces[cone.contact].x += f * cos;
                forces[cone.contact].y += f * sin;
            }
        }
    }

    /// The same for problems in the plane: `(f_t, f_n)`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when a contact that does not slide has more than one spanning
    /// direction.
    #[inline(never)]
    pub fn in_planar_contact_frames(&self) -> Result<Vec<Vector2<T>>, InvalidInput> {
        for cone in &self.cones {
            let r = cone.directions.len();
            if r > 1 {
                InvalidInput::check_size("spanning directions of a contact in the plane", r, 1)?;
            }
        }
        let forces = self.in_contact_frames();
        Ok(forces.iter().map(|f| Vector2::new(f.x, f.z)).collect())
    }
}

/// Sine and cosine of `k π/r`; exact for the tangents themselves.
pub(super) fn direction(k: usize, r: usize) -> (f64, f64) {
    match (k, r) {
        (0, _) => (0.0, 1.0),
        (1, 2) => (1.0, 0.0),
        _ => (std::f64::consts::PI * k as f64 / r as f64).sin_cos(),
    }
}
