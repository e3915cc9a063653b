//! Generalized forces, accelerations and velocity changes that follow from given constraint forces.

use super::accel_problem_data::ConstraintAccelProblemData;
use super::delassus::generalized_force;
use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use super::vel_problem_data::ConstraintVelProblemData;
use super::view::View;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

impl<T: Scalar, O: ConstraintOperators<T>> ConstraintAccelProblemData<T, O> {
    /// Generalized forces `(Nᵀ − μQᵀ) f_N + Fᵀ f_F + Lᵀ f_L + Gᵀ f_G` (nv) of packed forces.
    ///
    /// # Errors
    /// [`ConstraintError`] when sizes do not fit, and what the operators return.
    pub fn generalized_force(&mut self, packed: &[T]) -> Result<DVector<T>, ConstraintError> {
        self.validate()?;
        let mut view = View::new();
        view.set_accel(self);
        force_of(&mut self.operators, &view, packed)
    }

    /// Accelerations that packed forces cause by themselves, `M⁻¹` of their generalized forces.
    ///
    /// # Errors
    /// As [`Self::generalized_force`].
    pub fn generalized_acceleration_from_constraint_forces(
        &mut self,
        packed: &[T],
    ) -> Result<DVector<T>, ConstraintError> {
        let mut force = self.generalized_force(packed)?;
        self.operators.solve_inertia(force.as_mut_slice())?;
        Ok(force)
    }

    /// Accelerations under the external forces `τ` and packed constraint forces.
    ///
    /// # Errors
    /// As [`Self::generalized_force`].
    pub fn generalized_acceleration(
        &mut self,
        packed: &[T],
    ) -> Result<DVector<T>, ConstraintError> {
        let mut force = self.generalized_force(packed)?;
        force += &self.tau;
        self.operators.solve_inertia(force.as_mut_slice())?;
        Ok(force)
    }
}

impl<T: Scalar, O: ConstraintOperators<T>> ConstraintVelProblemData<T, O> {
    /// Generalized impulses `Nᵀ f_N + Fᵀ f_F + Lᵀ f_L + Gᵀ f_G` (nv) of packed impulses.
    ///
    /// # Errors
    /// [`ConstraintError`] when sizes do not fit, and what the operators return.
    pub fn generalized_impulse(&mut self, packed: &[T]) -> Result<DVector<T>, ConstraintError> {
        self.validate()?;
        let mut view = View::new();
        view.set_vel(self);
        force_of(&mut self.operators, &view, packed)
    }

    /// The change of the velocities by packed impulses.
    ///
    /// # Errors
    /// As [`Self::generalized_impulse`].
    pub fn generalized_velocity_change(
        &mut self,
        packed: &[T],
    ) -> Result<DVector<T>, ConstraintError> {
        let mut impulse = self.generalized_impulse(packed)?;
        self.operators.solve_inertia(impulse.as_mut_slice())?;
        Ok(impulse)
    }
}

fn force_of<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    packed: &[T],
) -> Result<DVector<T>, ConstraintError> {
    InvalidInput::check_size("packed forces", packed.len(), view.layout.size())?;
    InvalidInput::check_finite("packed forces", packed)?;
    let mut out = DVector::zeros(operators.num_velocities());
    generalized_force(operators, view, packed, out.as_mut_slice(), &mut Vec::new())?;
    Ok(out)
}
