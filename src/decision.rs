//! Decisions of a computation (branches on real parts), and their margins.
//!
//! Real parts decide, and derivatives take for granted what they have decided. A machine that is
//! [observed](Observable::observe) shows every decision as it is taken, with the number that decides in the scalar of the
//! machine: in duals its derivatives say which change of an input takes the decision otherwise. Nothing is looked at
//! where nobody observes.

use crate::{ElementKink, Scalar};
use std::fmt;
use std::sync::Arc;

/// A decision by the real part of a number, at which first derivatives jump, or the result itself.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a, T> {
    /// The number of the step in its rollout, from 0; of steps that are made one by one, how many the workspace has made
    /// before. Zero in continuous time.
    pub step: usize,
    /// The time at the start of the step, or that of the instant.
    pub time: f64,
    /// Where it is taken: a pair of geometries as `ball|floor`, the name of an element, a constraint or a body.
    pub place: fmt::Arguments<'a>,
    /// What changes where it is taken otherwise, in words.
    pub change: &'a str,
    /// The SI unit of the number that decides.
    pub unit: &'static str,
    /// The number.
    pub margin: Margin<'a, T>,
}

/// How far a decision is from being taken otherwise.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Margin<'a, T> {
    /// A number that has another sign then. Which sign means what is up to the decision.
    Sign(T),
    /// The same of a number that is a result like others: a slope that is round-off beside theirs is none.
    SignAmong {
        /// The number.
        number: T,
        /// The others, with the number itself or without.
        results: &'a [T],
    },
    /// A vector whose length passes a bound.
    Length {
        /// The vector.
        vector: &'a [T],
        /// The bound.
        bound: T,
    },
    /// Something that has no number, but can be looked for.
    Search(Search<'a, T>),
}

/// Looks for the change along a direction, given by the slopes of numbers along it, at which a decision is taken
/// otherwise, if that is of no more than a size: `(slopes, size)`.
pub type FindChange<'a, T> = &'a dyn Fn(&dyn Fn(&T) -> f64, f64) -> Option<f64>;

/// A decision that stands as long as something does not move far, and is looked for beyond.
#[derive(Clone, Copy)]
pub struct Search<'a, T> {
    /// How far that may move at least.
    pub at_least: f64,
    /// What moves: as long as the length of its change is below `at_least`, the decision stands.
    pub moving: &'a [T],
    /// Looks for the change.
    pub find: FindChange<'a, T>,
}

impl<T> fmt::Debug for Search<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f.debug_struct("Search"))
            .field("at_least", &self.at_least)
            .finish_non_exhaustive()
    }
}

/// Who is shown decisions. Clones are one.
pub struct Observer<T>(Arc<See<T>>);

type See<T> = dyn Fn(&Decision<'_, T>) + Send + Sync;

impl<T> Observer<T> {
    /// One that is told of each decision.
    pub fn new(see: impl Fn(&Decision<'_, T>) + Send + Sync + 'static) -> Self {
        Observer(Arc::new(see))
    }

    /// Shows a decision: also one that a program takes itself.
    pub fn show(&self, decision: &Decision<'_, T>) {
        (self.0)(decision);
    }
}

impl<T> Clone for Observer<T> {
    fn clone(&self) -> Self {
        Observer(self.0.clone())
    }
}

impl<T> fmt::Debug for Observer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// A model that can show its decisions.
pub trait Observable<T> {
    /// Has an observer see the decisions that are taken from now on, by the model and its clones; or nobody.
    fn observe(&mut self, observer: Option<Observer<T>>);
}

/// Where decisions are shown from: a step, or an instant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stage<'a, T> {
    pub observer: &'a Observer<T>,
    pub step: usize,
    pub time: f64,
}

impl<T: Scalar> Stage<'_, T> {
    /// Shows a decision.
    pub fn show(
        &self,
        place: fmt::Arguments<'_>,
        change: &str,
        unit: &'static str,
        margin: Margin<'_, T>,
    ) {
        self.observer.show(&Decision {
            step: self.step,
            time: self.time,
            place,
            change,
            unit,
            margin,
        });
    }

    /// Shows the kink of an element, unless its first derivatives do not jump.
    pub fn show_element(&self, kink: &ElementKink<'_, T>) {
        if kink.order <= 1 {
            let margin = Margin::Sign(kink.distance);
            self.show(
                format_args!("{}", kink.element),
                kink.change,
                kink.unit,
                margin,
            );
        }
    }
}
