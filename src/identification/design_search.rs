//! The search for an optimal design.

use super::experiment_design::{DesignScore, Optimality, PlannedExperiment};
use nalgebra::{DMatrix, DVector};

/// Part of the predicted decrease that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// A step of the score below this is none.
const TOLERANCE: f64 = 1e-9;
/// How often a step is halved.
const HALVINGS: usize = 30;

/// A design that has been improved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ImprovedDesign {
    /// The design.
    pub design: Vec<f64>,
    /// What it is worth.
    pub score: DesignScore,
    /// The score of the design that the search began with.
    pub initial_score: f64,
    /// Number of steps.
    pub steps: usize,
}

impl Optimality {
    /// Improves a design by up to so many steps of a quasi-Newton method (Broyden, Fletcher, Goldfarb and Shanno; Nocedal &
    /// Wright 2006, *Numerical Optimization*, algorithm 6.1, with steps that are halved until they suffice). It ends in a local
    /// minimum of the [score](Self::score); designs that cannot be evaluated are not stepped to.
    ///
    /// # Errors
    /// As [`Self::score`] of the first design.
    pub fn improve<X: PlannedExperiment>(
        self,
        experiment: &X,
        unknowns: &[f64],
        scales: &[f64],
        prior: Option<&DMatrix<f64>>,
        design: &[f64],
        steps: usize,
    ) -> Result<ImprovedDesign, X::Error> {
        let score =
            |u: &DVector<f64>| self.score(experiment, unknowns, scales, prior, u.as_slice());
        let mut at = DVector::from_column_slice(design);
        let mut here = score(&at)?;
        let initial_score = here.score;
        let n = design.len();
        // The first step changes the design by its own size at most.
        let size = at.norm().max(f64::MIN_POSITIVE) / here.gradient.norm().max(f64::MIN_POSITIVE);
        let mut inverse = DMatrix::identity(n, n) * (0.1 * size);
        let mut made = 0;
        while made < steps {
            let mut step = -(&inverse * &here.gradient);
            let mut slope = step.dot(&here.gradient);
            if slope >= 0.0 || !slope.is_finite() {
                break;
            }
            let mut next = None;
            for _ in 0..HALVINGS {
                let there = &at + &step;
                match score(&there) {
                    Ok(value) if value.score <= here.score + SUFFICIENT * slope => {
                        next = Some((there, value));
                        break;
                    }
                    _ => {
                        step *= 0.5;
                        slope *= 0.5;
                    }
                }
            }
            let Some((there, value)) = next else { break };
            made += 1;
            let change = &value.gradient - &here.gradient;
            let curvature = change.dot(&step);
            if curvature > 0.0 {
                if made == 1 {
                    inverse = DMatrix::identity(n, n) * (curvature / change.norm_squared());
                }
                let answer = &inverse * &change;
                let along = (1.0 + change.dot(&answer) / curvature) / curvature;
                inverse += &step * step.transpose() * along;
                let mixed = &answer * step.transpose();
                inverse -= (&mixed + mixed.transpose()) / curvature;
            }
            let gain = here.score - value.score;
            (at, here) = (there, value);
            if gain <= TOLERANCE * (1.0 + here.score.abs()) {
                break;
            }
        }
        Ok(ImprovedDesign {
            design: at.as_slice().to_vec(),
            score: here,
            initial_score,
            steps: made,
        })
    }
}
