//! A compliant step: kinematics, contacts, problem, solve, differentiate, integrate, measure.

use super::solve::CompliantSolve;
use crate::Scalar;
use crate::constraint::ConstraintForce;
use crate::contact::ContactResult;
use crate::system::error::SystemError;
use crate::system::step::StepEvaluation;
use crate::system::stepper::Stepper;

impl<T: Scalar> Stepper<'_, T> {
    /// Makes a compliant step, in substeps where bodies in contact rotate far.
    pub(in crate::system) fn make_compliant_step(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        solve.begin(self.real(), &evaluation.start, &evaluation.input)?;
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
        let real = self.real();
        solve.assemble(real)?;
        evaluation.status = solve.solve(real)?;
        let StepEvaluation {
            kinematics,
            compliant,
            start,
            input,
            next,
            ..
        } = &mut *evaluation;
        let rows = solve.constraints.active_rows();
        compliant.take(solve.solution(), &solve.start.found, rows);
        if T::NDERIV > 0 {
            let interval = self.interval(start, input);
            compliant.differentiate(&interval, kinematics, &solve.factor(real)?)?;
        }
        next.v.copy_from_slice(compliant.velocities());
        solve.find_momenta(real, &mut evaluation.real_flights);
        self.move_bodies(evaluation, true)?;
        self.tell_gain(evaluation)?;
        let ends = solve.warm_start.end_v.iter_mut().zip(&evaluation.next.v);
        ends.for_each(|(end, v)| *end = v.re());
        self.show_compliant(evaluation)?;
        self.show_folds(evaluation, solve)
    }

    /// Writes contacts and constraint forces.
    pub(in crate::system) fn write_compliant_results(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics,
            compliant,
            start,
            input,
            v_after_forces,
            contacts,
            constraint_forces,
            ..
        } = evaluation;
        let interval = self.interval(start, input);
        let (balance, found) = (&mut compliant.balance, &compliant.found);
        if T::NDERIV == 0 {
            balance.place(&interval, kinematics, found)?;
        }
        let at_end = balance.contacts(&interval, &kinematics.bodies, v_after_forces)?;
        for (found, (point, motion, force)) in found.iter().zip(at_end) {
            contacts.push(ContactResult::of_motion(*found, point, &motion, &force));
        }
        for (&(constraint, row), impulse) in compliant.active.iter().zip(compliant.impulses()) {
            constraint_forces.push(ConstraintForce {
                constraint,
                row,
                force: impulse.div_lifted(self.time_step),
            });
        }
        Ok(())
    }
}
