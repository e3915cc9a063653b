//! Robust loss functions of residuals.

use super::error::LARGEST;
use crate::InvalidInput;

/// The loss `ρ(s)` of a squared residual `s`.
///
/// With blocks `b` of `N_b` residuals `r_b` each (see [`Blocks`]) the cost of a fit is
///
/// ```text
/// F = Σ_b ½ N_b ρ(s_b),        s_b = ‖r_b‖² / N_b.
/// ```
///
/// Every loss starts as `ρ(s) = s + …`, so that small residuals count as in least squares, and
/// `√s_b` is the root mean square of the block: a threshold has the same meaning whatever the size
/// of the blocks, namely the number of standard deviations beyond which a block is suspect.
///
/// # How it is minimised
/// With the weight `w_b = ρ′(s_b)` the gradient is `∇F = Σ_b w_b J_bᵀ r_b`. All losses here are
/// concave in `s`, so with weights of the current point
///
/// ```text
/// F(p + δ) ≤ F(p) + Σ_b ½ w_b (‖r_b(p + δ)‖² − ‖r_b(p)‖²),
/// ```
///
/// with equality at `δ = 0`: a step that reduces the weighted sum of squares reduces `F` at least
/// as much (iteratively reweighted least squares; Holland & Welsch 1977, *Communications in
/// Statistics* A6(9), 813–827). The optimiser takes Gauss–Newton steps of that weighted sum and
/// judges them by `F`. The curvature that the weights leave out, `2ρ″ r rᵀ/N`, is not positive; a
/// correction for it (Triggs et al. 2000, §4.3) would have to be cut off exactly for the outliers,
/// where `ρ′ + 2sρ″ ≤ 0`. The covariance does account for it, see [`Fit`](super::Fit).
///
/// ```
/// use dualbody::identification::Loss;
/// let huber = Loss::huber(1.5)?;
/// assert_eq!(huber.evaluate(1.0)[0], 1.0);
/// assert_eq!(huber.evaluate(9.0), [6.75, 0.5, -1.0 / 36.0]); // linear in √s from 1.5 on
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Loss {
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Shape {
    #[default]
    LeastSquares,
    Huber(f64),
    SoftL1(f64),
    Cauchy(f64),
}

impl Loss {
    /// `ρ = s`: the maximum-likelihood estimate for normal noise.
    pub fn least_squares() -> Self {
        Loss::default()
    }

    /// Huber's loss, `ρ = s` up to the threshold `c` (of `√s`) and `2c√s − c²` beyond (Huber 1964,
    /// *Annals of Mathematical Statistics* 35(1), 73–101). The influence of an outlier is bounded.
    ///
    /// `c = 1.345` keeps 95 % of the efficiency for single residuals with normal noise.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless the threshold is from 10⁻¹⁴⁰ to 10¹⁴⁰, so that its square is a number.
    pub fn huber(threshold: f64) -> Result<Self, InvalidInput> {
        Loss::with(Shape::Huber(threshold), threshold)
    }

    /// `ρ = 2c² (√(1 + s/c²) − 1)`, a smooth version of Huber's loss.
    ///
    /// # Errors
    /// As [`Loss::huber`].
    pub fn soft_l1(threshold: f64) -> Result<Self, InvalidInput> {
        Loss::with(Shape::SoftL1(threshold), threshold)
    }

    /// `ρ = c² ln(1 + s/c²)`: the influence of an outlier falls to zero. Not convex, so there may be
    /// several minima.
    ///
    /// `c = 2.385` keeps 95 % of the efficiency for single residuals with normal noise.
    ///
    /// # Errors
    /// As [`Loss::huber`].
    pub fn cauchy(threshold: f64) -> Result<Self, InvalidInput> {
        Loss::with(Shape::Cauchy(threshold), threshold)
    }

    fn with(shape: Shape, threshold: f64) -> Result<Self, InvalidInput> {
        InvalidInput::check_range(
            "threshold of the loss",
            &[threshold],
            "from 1e-140 to 1e140",
            |c| (LARGEST.recip()..=LARGEST).contains(&c),
        )?;
        Ok(Loss { shape })
    }

    /// `[ρ, ρ′, ρ″]` at `s ≥ 0`.
    pub fn evaluate(&self, s: f64) -> [f64; 3] {
        match self.shape {
            Shape::LeastSquares => [s, 1.0, 0.0],
            Shape::Huber(c) if s <= c * c => [s, 1.0, 0.0],
            Shape::Huber(c) => {
                let norm = s.sqrt();
                [c * (2.0 * norm - c), c / norm, -0.5 * c / norm / s]
            }
            Shape::SoftL1(c) => {
                // √s/c, whose square may overflow.
                let root = (s.sqrt() / c).hypot(1.0);
                // √(1 + x) − 1 = x / (√(1 + x) + 1) without cancellation
                let slope = 1.0 / root;
                let second = -0.5 * (slope / c).powi(2) * slope;
                [s / (0.5 * (root + 1.0)), slope, second]
            }
            Shape::Cauchy(c) => {
                let scaled = s.sqrt() / c;
                let logarithm = match scaled > 1.0 {
                    true => 2.0 * scaled.ln() + scaled.powi(-2).ln_1p(),
                    false => (scaled * scaled).ln_1p(),
                };
                let weight = scaled.hypot(1.0).recip().powi(2);
                [c * c * logarithm, weight, -(weight / c).powi(2)]
            }
        }
    }

    /// The loss of residuals that are so many times as large.
    pub(super) fn scaled(self, factor: f64) -> Self {
        let of = |c: f64| (factor * c).clamp(LARGEST.recip(), LARGEST);
        let shape = match self.shape {
            Shape::LeastSquares => Shape::LeastSquares,
            Shape::Huber(c) => Shape::Huber(of(c)),
            Shape::SoftL1(c) => Shape::SoftL1(of(c)),
            Shape::Cauchy(c) => Shape::Cauchy(of(c)),
        };
        Loss { shape }
    }

    /// Whether this is [`Loss::least_squares`].
    pub fn is_least_squares(&self) -> bool {
        self.shape == Shape::LeastSquares
    }
}

/// Which residuals are good or bad together.
///
/// A loss weights the norm of a block, and the residuals of a block share the weight. A trajectory
/// that goes wrong at one impact is wrong from there on: its residuals are one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Blocks {
    /// Every residual on its own.
    #[default]
    Residual,
    /// This many consecutive residuals, for example those of one sample in time.
    Consecutive(usize),
    /// All residuals of an experiment.
    Experiment,
}

impl Blocks {
    /// Size of the blocks of an experiment with `residuals` residuals, at least 1.
    pub(super) fn size(self, residuals: usize) -> usize {
        match self {
            Blocks::Residual => 1,
            Blocks::Consecutive(size) => size,
            Blocks::Experiment => residuals,
        }
        .max(1)
    }
}
