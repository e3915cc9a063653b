//! The states that the motion which was simulated last went through: a Jacobian there need not solve its steps again.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// As many numbers are kept: 16 MB.
const MOST: usize = 1 << 21;

/// The states after the steps of a motion.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Trace {
    unknowns: Vec<f64>,
    segments: Vec<Range<usize>>,
    starts: Vec<f64>,
    /// Time and entries of each state; those that are too many are left out.
    numbers: Vec<f64>,
}

impl Trace {
    /// Of the motions from these states, before their first step.
    pub fn new(unknowns: &[f64], segments: &[Range<usize>], starts: &[f64]) -> Self {
        Trace {
            unknowns: unknowns.to_vec(),
            segments: segments.to_vec(),
            starts: starts.to_vec(),
            numbers: Vec::new(),
        }
    }

    /// Notes the state after the next step.
    pub fn push(&mut self, state: impl Iterator<Item = f64>) {
        if self.numbers.len() < MOST {
            self.numbers.extend(state);
        }
    }

    /// The states in their order, of so many numbers each.
    pub fn states(&self, size: usize) -> impl Iterator<Item = &[f64]> {
        self.numbers.chunks_exact(size.max(1))
    }

    /// Whether it is one of these motions.
    fn is_of(&self, other: &Trace) -> bool {
        (&self.unknowns, &self.segments, &self.starts)
            == (&other.unknowns, &other.segments, &other.starts)
    }
}

/// The last trace; a copy begins without one.
#[derive(Debug, Default)]
pub(super) struct LastTrace(Mutex<Option<Arc<Trace>>>);

impl Clone for LastTrace {
    fn clone(&self) -> Self {
        LastTrace::default()
    }
}

impl LastTrace {
    /// Keeps the trace of a whole motion.
    pub fn keep(&self, trace: Trace) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Arc::new(trace));
    }

    /// That of the same motions, if it is the last.
    pub fn find(&self, begun: &Trace) -> Option<Arc<Trace>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone().filter(|last| last.is_of(begun))
    }
}
