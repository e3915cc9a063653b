//! Errors of an integration.

use crate::InvalidInput;
use crate::error::Short;

/// An integration cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IntegrationError<E: std::error::Error + 'static> {
    /// A tolerance, a time or a state is not acceptable.
    #[error(transparent)]
    Invalid(InvalidInput),
    /// The system could not be evaluated.
    #[error("at t = {} s: {source}", Short(*time))]
    System {
        /// Time at the start of the step, in seconds.
        time: f64,
        /// Why.
        source: E,
    },
    /// The tolerances ask for steps that the clock cannot resolve.
    #[error("at t = {} s the tolerances need a step of {} s, too small for the clock: loosen them, or find what jumps there", Short(*time), Short(*step))]
    StepTooSmall {
        /// Time at the start of the step, in seconds.
        time: f64,
        /// The step, in seconds.
        step: f64,
    },
    /// More steps than allowed.
    #[error("{steps} steps lead no further than t = {} s: allow more, or loosen the tolerances", Short(*time))]
    TooManySteps {
        /// The number that is allowed.
        steps: usize,
        /// The time that was reached, in seconds.
        time: f64,
    },
    /// More events than allowed.
    #[error("{events} events lead no further than t = {} s: allow more, or let what bounces come to rest", Short(*time))]
    TooManyEvents {
        /// The number that is allowed.
        events: usize,
        /// The time that was reached, in seconds.
        time: f64,
    },
    /// After an event the state goes on crossing the same surface, instead of leaving it.
    ///
    /// Events that accumulate (a ball that comes to rest by bouncing) end so.
    #[error("after event {event} at t = {} s the state still crosses the surface of the event: its handler must leave it on the other side", Short(*time))]
    EventNotLeft {
        /// The event.
        event: usize,
        /// Its time, in seconds.
        time: f64,
    },
    /// The state touches the surface of an event without crossing it, so that the time of the event
    /// has no derivative.
    #[error("event {event} at t = {} s grazes: its time has no derivative; differentiate another motion, or without the event", Short(*time))]
    Grazing {
        /// The event.
        event: usize,
        /// Its time, in seconds.
        time: f64,
    },
    /// The equations of an implicit step have not been solved.
    #[error(
        "the step of {} s from t = {} s was not solved, take shorter ones: the last correction is {}", Short(*step), Short(*time), Short(*correction)
    )]
    NotConverged {
        /// Time at the start of the step, in seconds.
        time: f64,
        /// Length of the step, in seconds.
        step: f64,
        /// Largest entry of the last correction of Newton's method.
        correction: f64,
    },
}

impl<E: std::error::Error + 'static> From<InvalidInput> for IntegrationError<E> {
    fn from(source: InvalidInput) -> Self {
        IntegrationError::Invalid(source)
    }
}

impl<E: std::error::Error + 'static> IntegrationError<E> {
    /// For `map_err`: what the system says, with the time.
    pub(super) fn at(time: f64) -> impl Fn(E) -> Self {
        move |source| IntegrationError::System { time, source }
    }
}
