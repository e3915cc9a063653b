//! Everything that makes a step: description, `f64` twin, scheme and step length.

use super::compliant::Interval;
use super::damping::Dual;
use super::rigid_body_system::RigidBodySystem;
use super::scheme::Scheme;
use super::state::State;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::Scalar;

/// A [`TimeSteppingRigidBodySystem`], or its [substeps](super::substeps).
#[derive(Debug, Clone, Copy)]
pub(super) struct Stepper<'a, T: Scalar> {
    pub system: &'a RigidBodySystem<T>,
    pub real: &'a RigidBodySystem<f64>,
    /// Where damping is taken, if a force depends on velocities.
    pub dual: Option<&'a RigidBodySystem<Dual>>,
    pub time_step: T,
    pub scheme: Scheme,
    /// Whether its steps are substeps of longer ones, which project the momentum of all bodies.
    pub is_substep: bool,
}

impl<'s, T: Scalar> Stepper<'s, T> {
    /// The step from a state.
    pub fn interval<'a>(&self, start: &'a State<T>, input: &'a [T]) -> Interval<'a, T>
    where
        's: 'a,
    {
        Interval {
            stepper: *self,
            start,
            input,
        }
    }

    /// The same in `f64`, where decisions are made.
    pub fn real(&self) -> Stepper<'s, f64> {
        Stepper {
            system: self.real,
            real: self.real,
            dual: self.dual,
            time_step: self.time_step.re(),
            scheme: self.scheme,
            is_substep: self.is_substep,
        }
    }
}

impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
    pub(super) fn stepper(&self) -> Stepper<'_, T> {
        Stepper {
            system: &self.system,
            real: &self.real,
            dual: self.dual.as_ref(),
            time_step: self.time_step,
            scheme: self.scheme,
            is_substep: false,
        }
    }
}
