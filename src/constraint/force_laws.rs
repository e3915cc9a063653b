//! The constraint force laws of a machine, in order.

use super::error::ConstraintError;
use super::force_law::{ConstraintForceLaw, ForceLawRow, InstantMotion, StepMotion};
use crate::Scalar;
use crate::default_scalar::ScalarName;
use crate::erased::{delegate, element_list, erase};
use crate::error::check_element;
use crate::force::ForceContext;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use arrayvec::ArrayVec;
use nalgebra::DMatrix;
use std::any::Any;

erase! {
    /// A constraint force law of any type.
    AnyForceLaw, ErasedForceLaw, ConstraintForceLaw, listed:
}

delegate! { AnyForceLaw: ConstraintForceLaw {
    get fn name() -> &str;
    get fn num_rows() -> usize;
    get fn over_step(motion: &StepMotion<'_, T>, forces: &[T], rows: &mut [ForceLawRow<T>]) -> Result<(), ConstraintError>;
    get fn at_instant(motion: &InstantMotion<'_, T>, forces: &[T], rows: &mut [ForceLawRow<T>]) -> Result<(), ConstraintError>;
    get fn force_directions(state: &ForceContext<'_, T>, directions: &mut DMatrix<T>) -> Result<bool, ConstraintError>;
    set fn visit_parameters(visit: &mut dyn FnMut(Parameter<'_, T>));
    get fn validate(tree: &RigidBodyTree<T>) -> Result<(), ConstraintError>;
} }

element_list! {
    /// The force laws of a machine, in the order in which they were added; so are their rows.
    ForceLaws of AnyForceLaw
}

/// The motion by which rows are evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Motion<'a, T> {
    Step(StepMotion<'a, T>),
    Instant(InstantMotion<'a, T>),
}

impl<T: Scalar> AnyForceLaw<T> {
    /// What errors call it.
    pub(crate) fn label(&self) -> String {
        format!("force law {:?}", self.name())
    }

    /// Writes the rows, and checks them.
    pub(crate) fn evaluate(
        &self,
        motion: &Motion<'_, T>,
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        rows.fill(ForceLawRow::unwritten());
        match motion {
            Motion::Step(motion) => self.over_step(motion, forces, rows),
            Motion::Instant(motion) => self.at_instant(motion, forces, rows),
        }
        .map_err(|error| error.in_law(self.name()))?;
        for (row, written) in rows.iter().enumerate() {
            written.check_written(self.name(), row)?;
            let ForceLawRow { phi, lower, upper } = written;
            let mut values = ArrayVec::<T, 3>::from_iter([*phi]);
            values.extend([*lower, *upper].into_iter().filter(|x| x.re().is_finite()));
            check_element(&values, || self.label(), |_| format!("row {row}"))?;
            let bounds = [lower.re(), upper.re()];
            let [lower, upper] = bounds;
            // NaN is in no order.
            if !(lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY) {
                return Err(ConstraintError::crossed_bounds(self.name(), row, bounds));
            }
        }
        Ok(())
    }
}

impl<T: Scalar> ForceLaws<T> {
    pub fn num_rows(&self) -> usize {
        self.iter().map(|law| law.num_rows()).sum()
    }

    /// The law and its row by the number of the row.
    pub fn row(&self, mut number: usize) -> Option<(&AnyForceLaw<T>, usize)> {
        for law in self.iter() {
            match number.checked_sub(law.num_rows()) {
                None => return Some((law, number)),
                Some(rest) => number = rest,
            }
        }
        None
    }

    /// Writes the rows of all laws.
    pub fn evaluate(
        &self,
        motion: &Motion<'_, T>,
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let mut first = 0;
        for law in self.iter() {
            let range = first..first + law.num_rows();
            first = range.end;
            law.evaluate(motion, &forces[range.clone()], &mut rows[range])?;
        }
        Ok(())
    }

    pub fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|law| law.visit_parameters(visit));
    }

    pub fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        self.iter()
            .try_for_each(|law| law.validate(tree).map_err(|error| error.in_law(law.name())))
    }
}
