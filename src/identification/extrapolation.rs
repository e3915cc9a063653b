//! Anderson's extrapolation of a fixed-point iteration.

use nalgebra::{DMatrix, DVector};

/// Steps that are remembered.
const DEPTH: usize = 6;
/// Singular values of changes of steps, relative to the largest, that are none.
const RANK_TOLERANCE: f64 = 1e-6;

/// The last changes of an iteration `x ← x + f(x)`.
#[derive(Debug, Clone, Default)]
pub(super) struct Extrapolation {
    last: Option<[DVector<f64>; 2]>,
    /// Of points and of steps.
    changes: Vec<[DVector<f64>; 2]>,
}

impl Extrapolation {
    /// Notes the step `f` from a point `x` and, if that is wanted and there are steps before, replaces it by
    /// `f − (ΔX + ΔF) γ` with the γ that minimises `‖f − ΔF γ‖`, ΔX and ΔF being the last changes of points and steps
    /// (Anderson 1965, *J. ACM* 12(4), 547–560; Walker & Ni 2011, *SIAM J. Numer. Anal.* 49(4), 1715–1735); whether it did.
    pub fn extend(&mut self, point: &[f64], step: &mut [f64], is_wanted: bool) -> bool {
        let here = [point, &*step].map(DVector::from_column_slice);
        if let Some([point, step]) = &self.last {
            let change = [&here[0] - point, &here[1] - step];
            let size = change[1].norm();
            if size > 0.0 && size.is_finite() {
                self.changes.push(change.map(|change| change / size));
            }
            if self.changes.len() > DEPTH {
                self.changes.remove(0);
            }
        }
        let [_, own] = &here;
        let found = match is_wanted && !self.changes.is_empty() {
            true => {
                let columns: Vec<_> = self.changes.iter().map(|[_, step]| step.clone()).collect();
                let svd = DMatrix::from_columns(&columns).svd(true, true);
                let least = RANK_TOLERANCE * svd.singular_values.max();
                svd.solve(own, least).ok()
            }
            false => None,
        };
        if let Some(parts) = &found {
            for ([of_point, of_step], part) in self.changes.iter().zip(parts) {
                for (s, (a, b)) in step.iter_mut().zip(of_point.iter().zip(of_step)) {
                    *s -= part * (a + b);
                }
            }
        }
        self.last = Some(here);
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An iteration that swings about its fixed point, and one that hardly converges at all.
    #[test]
    fn linear_iterations_end_after_as_many_steps_as_they_have_coordinates() {
        let rates = [-0.95, 0.9, 0.99];
        let mut extrapolation = Extrapolation::default();
        let mut x = [1.0, -2.0, 3.0];
        for _ in 0..6 {
            let mut step: Vec<f64> = x
                .iter()
                .zip(rates)
                .map(|(x, rate)| (rate - 1.0) * x)
                .collect();
            extrapolation.extend(&x, &mut step, true);
            x.iter_mut().zip(step).for_each(|(x, step)| *x += step);
        }
        assert!(x.iter().all(|x| x.abs() < 1e-6), "{x:?}");
    }
}
