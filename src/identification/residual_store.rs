//! A cache of residuals at the last points of a fit.

use std::collections::HashMap;
use std::sync::Arc;

/// Most numbers that are kept for a point (128 MB).
const LARGEST: usize = 1 << 24;
/// What the bookkeeping of an experiment takes, in numbers.
const ENTRY: usize = 16;

/// Residuals of experiments at the two points that were used last: where a fit is, and where it
/// tries to go; and at one from which several fits start. What does not fit is evaluated again, with the same bits.
#[derive(Debug, Default)]
pub(super) struct ResidualStore {
    start: Point,
    /// The one that was used last is the second.
    points: [Point; 2],
}

#[derive(Debug, Default)]
struct Point {
    values: Vec<f64>,
    residuals: HashMap<usize, Arc<Vec<f64>>>,
    numbers: usize,
}

impl Point {
    fn keep(&mut self, experiment: usize, residuals: &Arc<Vec<f64>>) {
        self.numbers += residuals.len() + ENTRY;
        if self.numbers <= LARGEST {
            self.residuals.insert(experiment, residuals.clone());
        }
    }
}

impl ResidualStore {
    /// Of fits that start from these values of the unknowns.
    pub fn from(start: &[f64]) -> Self {
        ResidualStore {
            start: Point {
                values: start.to_vec(),
                ..Point::default()
            },
            ..ResidualStore::default()
        }
    }

    /// The residuals of an experiment at these values of the unknowns.
    pub fn find(&mut self, values: &[f64], experiment: usize) -> Option<Arc<Vec<f64>>> {
        if self.start.values == values {
            return self.start.residuals.get(&experiment).cloned();
        }
        if self.points[0].values == values {
            self.points.swap(0, 1);
        }
        let point = &self.points[1];
        let found = (point.values == values).then(|| point.residuals.get(&experiment))?;
        found.cloned()
    }

    /// Keeps residuals, in place of those at the point that was not used for longest.
    pub fn keep(&mut self, values: &[f64], experiment: usize, residuals: &Arc<Vec<f64>>) {
        if self.start.values == values {
            return self.start.keep(experiment, residuals);
        }
        if !self.points.iter().any(|point| point.values == values) {
            self.points[0] = Point {
                values: values.to_vec(),
                ..Point::default()
            };
        }
        if self.points[0].values == values {
            self.points.swap(0, 1);
        }
        self.points[1].keep(experiment, residuals);
    }
}
