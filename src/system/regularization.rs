//! Numbers that regularise contact and stabilise constraints, as constants of a machine.

use super::options::SystemOptions;
use crate::constraint::Baumgarte;
use crate::contact::ContactForceLaw;
use crate::parameter::Parameter;
use crate::{InvalidInput, Scalar};

/// The numbers of [`SystemOptions`] that a motion depends on smoothly, with derivatives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Regularization<T> {
    /// The slip speed at which friction reaches its full value, in m/s.
    pub stiction_tolerance: T,
    /// What softens the norm of slip velocities, as a part of the stiction tolerance.
    friction_softening: T,
    /// Speed up to which rigid bodies that meet stay together, in m/s.
    pub rebound_speed: T,
    /// Time constants of overlaps and of errors of constraints, in s.
    overlap_decay: T,
    constraint_decay: T,
}

/// A number with the option that holds its value.
type WithOption<'a, T> = (&'a mut T, &'a mut f64);

impl<T: Scalar> Regularization<T> {
    pub fn of(options: &SystemOptions) -> Self {
        Regularization {
            stiction_tolerance: T::from(options.contact_solver.stiction_tolerance),
            friction_softening: T::from(options.contact_solver.relative_tolerance),
            rebound_speed: T::from(options.rebound_speed),
            overlap_decay: T::from(options.overlap_decay),
            constraint_decay: T::from(options.constraint_decay),
        }
    }

    pub fn cast<U: Scalar>(&self) -> Regularization<U> {
        let cast = |x: T| U::from(x.re());
        Regularization {
            stiction_tolerance: cast(self.stiction_tolerance),
            friction_softening: cast(self.friction_softening),
            rebound_speed: cast(self.rebound_speed),
            overlap_decay: cast(self.overlap_decay),
            constraint_decay: cast(self.constraint_decay),
        }
    }

    fn with_options<'a>(&'a mut self, options: &'a mut SystemOptions) -> [WithOption<'a, T>; 5] {
        let solver = &mut options.contact_solver;
        [
            (&mut self.stiction_tolerance, &mut solver.stiction_tolerance),
            (&mut self.friction_softening, &mut solver.relative_tolerance),
            (&mut self.rebound_speed, &mut options.rebound_speed),
            (&mut self.overlap_decay, &mut options.overlap_decay),
            (&mut self.constraint_decay, &mut options.constraint_decay),
        ]
    }

    /// Takes the values of options; those that are as before keep their derivatives.
    pub fn take(&mut self, mut options: SystemOptions) {
        for (number, option) in self.with_options(&mut options) {
            if number.re() != *option {
                *number = T::from(*option);
            }
        }
    }

    /// Writes the values into options.
    pub fn write(&mut self, options: &mut SystemOptions) {
        for (number, option) in self.with_options(options) {
            *option = number.re();
        }
    }

    /// The law of compliant contact over a step of length `dt`, zero in continuous time.
    pub fn contact_law(&self, dt: T) -> ContactForceLaw<T> {
        ContactForceLaw {
            time_step: dt,
            stiction_tolerance: self.stiction_tolerance,
            softening: self.stiction_tolerance * self.friction_softening,
        }
    }

    /// How overlaps of rigid contacts decay.
    pub fn of_overlaps(&self) -> Baumgarte<T> {
        decaying(self.overlap_decay)
    }

    /// How errors of constraints decay in continuous time.
    pub fn of_constraints(&self) -> Baumgarte<T> {
        decaying(self.constraint_decay)
    }

    pub fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let (least, any) = (f64::MIN_POSITIVE, f64::INFINITY);
        // Of times the rates of which have finite squares.
        let times = [1e-100, any];
        for (name, unit, [lower, upper], value) in [
            (
                "stiction_tolerance",
                "m/s",
                [least, any],
                &mut self.stiction_tolerance,
            ),
            (
                "friction_softening",
                "1",
                [least, 1.0 - f64::EPSILON],
                &mut self.friction_softening,
            ),
            ("rebound_speed", "m/s", [0.0, any], &mut self.rebound_speed),
            ("overlap_decay", "s", times, &mut self.overlap_decay),
            ("constraint_decay", "s", times, &mut self.constraint_decay),
        ] {
            visit(Parameter {
                name: format_args!("{name}"),
                unit,
                lower,
                upper,
                value,
            });
        }
    }

    pub fn validate(&self) -> Result<(), InvalidInput> {
        let speed = [self.stiction_tolerance];
        InvalidInput::check_range("stiction tolerance", &speed, "a positive speed", |x| {
            x > 0.0 && x.is_finite()
        })
    }
}

/// Critically damped decay with a time constant.
fn decaying<T: Scalar>(time: T) -> Baumgarte<T> {
    let rate = time.recip();
    Baumgarte {
        alpha: rate,
        beta: rate,
    }
}
