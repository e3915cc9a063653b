//! Requests of an optimiser to the experiments, and the partial results that they return.

use super::error::EvaluationError;
use super::execution::Part;
use super::r_factor::RFactor;
use super::robust_cost::RobustCost;
use nalgebra::DMatrix;

/// What an optimiser asks of every experiment. It says all that an evaluation depends on, so that
/// anybody who has the problem can answer.
#[doc(alias = "request")]
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Question {
    /// Values of the unknowns in their units.
    pub(super) values: Vec<f64>,
    pub(super) quantity: Quantity,
    pub(super) cost: RobustCost,
    /// Experiments that are not asked, in order.
    pub(super) left_out: Vec<usize>,
}

impl Question {
    /// Values of the unknowns, in their units, at which the experiments are to be evaluated.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// What is wanted of the experiments.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Quantity {
    /// The cost, and how much less it is than at other values of the unknowns.
    Cost { before: Option<Vec<f64>> },
    /// The triangular factor of `[J r]`.
    Linearization,
    /// Sums over the scores of all blocks, in a basis (unknowns × directions); those of neighbours are added first, to parts of
    /// about so many residuals of an experiment, if that is asked for.
    Scores {
        basis: DMatrix<f64>,
        part: Option<usize>,
    },
    /// The residuals themselves.
    Residuals,
}

/// An experiment that cannot be evaluated, and why.
pub(super) type Failed = (usize, EvaluationError);

/// The answer of consecutive experiments to a [`Question`]: sums, a triangular factor, and lists.
#[doc(alias = "partial result")]
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Answer {
    /// What is added: for [`Quantity::Cost`] the numbers of [`Costs`], for [`Quantity::Linearization`]
    /// the squares of the residuals that respond and of the round-off, and the numbers of derivatives that are not 0
    /// and that may be squared, for [`Quantity::Scores`] the
    /// entries of both matrices.
    pub(super) sums: Vec<f64>,
    /// What is folded.
    #[cfg_attr(feature = "serde", serde(rename = "triangle"))]
    pub(super) r_factor: Option<RFactor>,
    /// Residuals by experiment.
    pub(super) residuals: Vec<(usize, Vec<f64>)>,
    /// Experiments that failed.
    pub(super) failed: Vec<Failed>,
}

impl Part for Answer {
    fn absorb(&mut self, mut next: Self) {
        if self.sums.is_empty() {
            self.sums = next.sums;
        } else {
            for (sum, x) in self.sums.iter_mut().zip(next.sums) {
                *sum += x;
            }
        }
        match (&mut self.r_factor, &mut next.r_factor) {
            (Some(r_factor), Some(next)) => r_factor.fold_factor(next),
            (None, _) => self.r_factor = next.r_factor,
            _ => {}
        }
        self.residuals.append(&mut next.residuals);
        self.failed.append(&mut next.failed);
    }
}

/// Sums over experiments at one point.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Costs {
    pub cost: f64,
    /// How much less the cost is than at the other values.
    pub reduction: f64,
    /// Sum of the squares of the residuals.
    pub squares: f64,
    pub residuals: usize,
    /// Number of quantities that the experiments have eliminated.
    pub eliminated: usize,
    /// Number of those that experiments of several blocks have eliminated.
    pub eliminated_across_blocks: usize,
    pub blocks: usize,
}

impl Costs {
    pub fn into_sums(self) -> Vec<f64> {
        let counts = [
            self.residuals,
            self.eliminated,
            self.eliminated_across_blocks,
            self.blocks,
        ];
        let mut sums = vec![self.cost, self.reduction, self.squares];
        sums.extend(counts.map(|n| n as f64));
        sums
    }

    /// Of an answer; the cost is infinite if an experiment failed.
    pub fn of(answer: &Answer) -> Self {
        match answer.sums[..] {
            [
                cost,
                reduction,
                squares,
                residuals,
                eliminated,
                across,
                blocks,
            ] if answer.failed.is_empty() => Costs {
                cost,
                reduction,
                squares,
                residuals: residuals as usize,
                eliminated: eliminated as usize,
                eliminated_across_blocks: across as usize,
                blocks: blocks as usize,
            },
            _ if answer.failed.is_empty() => Costs::default(),
            _ => Costs {
                cost: f64::INFINITY,
                reduction: f64::NEG_INFINITY,
                ..Costs::default()
            },
        }
    }
}
