//! The solution of a compliant step in the scalar of the caller.

use super::balance::{Interval, MomentumBalance};
use super::saddle_point::SaddlePoint;
use crate::Scalar;
use crate::autodiff::{CHUNK, implicit_step};
use crate::contact::FoundContact;
use crate::system::error::SystemError;
use crate::system::kinematics::StepKinematics;
use crate::system::rigid_body_system::RigidBodySystem;
use nalgebra::SVector;

/// Velocities and impulses with their derivatives; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct CompliantSolution<T: Scalar> {
    pub balance: MomentumBalance<T>,
    /// The contacts of the step.
    pub found: Vec<FoundContact>,
    /// The constraint and the row of each constraint row that acts in it.
    pub active: Vec<(usize, usize)>,
    /// Velocities after its forces, then impulses of these rows; and the residual of their equations.
    pub unknowns: Vec<T>,
    pub residual: Vec<T>,
    /// The derivatives of the residual, then of the unknowns.
    pub slopes: Vec<SVector<f64, CHUNK>>,
}

impl<T: Scalar> CompliantSolution<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        CompliantSolution {
            balance: MomentumBalance::new(system),
            found: Vec::new(),
            active: Vec::new(),
            unknowns: Vec::new(),
            residual: Vec::new(),
            slopes: Vec::new(),
        }
    }

    /// Takes over what `f64` has found: velocities and impulses, contacts, and the rows that act.
    pub fn take(
        &mut self,
        solution: impl Iterator<Item = f64>,
        found: &[FoundContact],
        active: impl Iterator<Item = (usize, usize)>,
    ) {
        self.unknowns.clear();
        self.unknowns.extend(solution.map(T::from));
        self.residual.clear();
        self.residual.resize(self.unknowns.len(), T::zero());
        self.found.clear();
        self.found.extend_from_slice(found);
        self.active.clear();
        self.active.extend(active);
    }

    /// Gives it derivatives.
    pub fn differentiate(
        &mut self,
        interval: &Interval<'_, T>,
        kinematics: &mut StepKinematics<T>,
        jacobian: &SaddlePoint<'_>,
    ) -> Result<(), SystemError> {
        let (balance, x) = (&mut self.balance, &mut self.unknowns);
        balance.place(interval, kinematics, &self.found)?;
        implicit_step(jacobian, x, &mut self.residual, |x, r| {
            balance.residual(interval, kinematics, jacobian.active, x, r)
        })
    }

    /// Velocities after the forces of the step.
    pub fn velocities(&self) -> &[T] {
        &self.unknowns[..self.unknowns.len() - self.active.len()]
    }

    /// The impulses of the rows that act.
    pub fn impulses(&self) -> &[T] {
        &self.unknowns[self.velocities().len()..]
    }
}
