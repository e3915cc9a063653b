//! A compliant step: kinematics, contacts, problem, solve, differentiate, integrate, measure.

use super::solve::CompliantSolve;
use crate::Scalar;
use crate::autodiff::implicit_step;
use crate::constraint::ConstraintForce;
use crate::contact::{ContactResult, FoundContact};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::step::StepEvaluation;
use crate::system::stepper::Stepper;

/// A system in `f64`, the same where damping is taken if a force depends on velocities, and the length of a
/// step.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct RealContext<'a> {
    pub real: &'a RigidBodySystem<f64>,
    pub damping: Option<&'a RigidBodySystem<Dual>>,
    pub dt: f64,
    /// Whether the momentum of all bodies is projected, as in [`fast_rotation`](super::super::fast_rotation).
    pub projects_momentum: bool,
}

impl<T: Scalar> Stepper<'_, T> {
    /// Makes a compliant step, in substeps where bodies in contact rotate far.
    pub(in crate::system) fn make_compliant_step(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        solve.begin(self.real_context(), &evaluation.start, &evaluation.input)?;
        let mut subdivision = self.subdivision(solve)?;
        self.show_subdivision(evaluation, subdivision.rotations, 1.0)?;
        self.show_reach(evaluation, solve)?;
        if subdivision.count == 1 {
            match self.make_undivided_step(solve, evaluation) {
                Err(error) if self.is_divided_for(&error, solve) => subdivision.refine(),
                result => result?,
            }
        }
        if subdivision.count > 1 {
            return self.make_substeps(solve, evaluation, subdivision, normal);
        }
        evaluation.status.parts = 1;
        evaluation.status.division_margin = subdivision.margin;
        self.measure(evaluation, normal, self.sample())
    }

    /// Moves bodies over a step, or a substep, whose contacts have been found.
    pub(in crate::system) fn make_undivided_step(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let context = self.real_context();
        solve.assemble(context)?;
        evaluation.status = solve.solve(context)?;
        self.differentiate(solve, evaluation)?;
        self.move_bodies(evaluation)?;
        let ends = solve.warm_start.end_v.iter_mut().zip(&evaluation.next.v);
        ends.for_each(|(end, v)| *end = v.re());
        self.show_compliant(evaluation)
    }

    /// The system where decisions are made.
    pub(in crate::system) fn real_context(&self) -> RealContext<'_> {
        RealContext {
            real: self.real,
            damping: self.dual,
            dt: self.time_step.re(),
            projects_momentum: self.is_substep,
        }
    }

    /// Gives the velocities that `f64` has found their derivatives.
    fn differentiate(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let rows = solve.constraints.active_rows();
        evaluation.take(solve.solution(), &solve.start.found, rows);
        if T::NDERIV == 0 {
            return Ok(());
        }
        let jacobian = solve.factor(self.real_context())?;
        let StepEvaluation {
            kinematics,
            balance,
            found,
            unknowns,
            residual,
            start,
            input,
            next,
            ..
        } = evaluation;
        let interval = self.interval(start, input);
        balance.place(&interval, kinematics, found)?;
        residual.clear();
        residual.resize(unknowns.len(), T::zero());
        implicit_step(&jacobian, unknowns, residual, |x, r| {
            balance.residual(&interval, kinematics, jacobian.active, x, r)
        })?;
        next.v.copy_from_slice(&unknowns[..start.v.len()]);
        Ok(())
    }

    /// Writes contacts and constraint forces.
    pub(in crate::system) fn write_compliant_results(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics,
            balance,
            found,
            unknowns,
            active,
            start,
            input,
            v_after_forces,
            contacts,
            constraint_forces,
            ..
        } = evaluation;
        let interval = self.interval(start, input);
        if T::NDERIV == 0 {
            balance.place(&interval, kinematics, found)?;
        }
        let v = v_after_forces.as_slice();
        let at_end = balance.contacts(&interval, &kinematics.bodies, v)?;
        contacts.extend(
            found
                .iter()
                .zip(at_end)
                .map(|(found, (point, motion, force))| {
                    ContactResult::of_motion(*found, point, &motion, &force)
                }),
        );
        let forces = unknowns[v.len()..]
            .iter()
            .map(|&impulse| impulse.div_lifted(self.time_step));
        constraint_forces.extend(
            active
                .iter()
                .zip(forces)
                .map(|(&(constraint, row), force)| ConstraintForce {
                    constraint,
                    row,
                    force,
                }),
        );
        Ok(())
    }
}

impl<T: Scalar> StepEvaluation<T> {
    /// Takes over what `f64` has found: velocities and impulses, contacts, and the rows that act.
    pub(in crate::system) fn take(
        &mut self,
        solution: impl Iterator<Item = f64>,
        found: &[FoundContact],
        active: impl Iterator<Item = (usize, usize)>,
    ) {
        self.unknowns.clear();
        self.unknowns.extend(solution.map(T::from));
        self.next
            .v
            .copy_from_slice(&self.unknowns[..self.start.v.len()]);
        self.found.clear();
        self.found.extend_from_slice(found);
        self.active.clear();
        self.active.extend(active);
    }
}
