//! Parameters of the implicit Stribeck solver.

use crate::{InvalidInput, Scalar};

/// Regularisation of friction, and limits of the iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, default, bound = "T: crate::io::json::Number")
)]
#[non_exhaustive]
pub struct ImplicitStribeckSolverParameters<T> {
    /// Slip speed `v_s` below which a contact counts as sticking, in m/s. Friction there is a
    /// stiff viscous law, so a sticking contact creeps at some fraction of this speed. Against spinning and rolling it
    /// counts in rad/s.
    pub stiction_tolerance: T,
    /// Number of Newton iterations after which a strategy gives up.
    pub max_iterations: usize,
    /// Number of iterations of all strategies, of each part of a problem that nothing couples to others, after which the
    /// solve gives up: a bound of its time. All strategies make some 100,000 at most, so that by default they end by
    /// themselves; a step at the fold of static friction may need more than 20,000, others hardly more than some hundreds.
    pub max_total_iterations: usize,
    /// Relative to `v_s`: the change of the tangential velocities at which Newton's method has
    /// found the solution's neighbourhood, and the length `ε = relative_tolerance · v_s` that
    /// softens the norm of the slip velocity.
    pub relative_tolerance: f64,
    /// Largest residual of a solution, in the norm of [`IterationStatistics::residual`]. The
    /// iteration goes on to round-off, but gives up only above this.
    ///
    /// [`IterationStatistics::residual`]: super::IterationStatistics::residual
    pub residual_tolerance: f64,
    /// Largest angle by which an iteration may turn a tangential velocity, in radians.
    pub theta_max: f64,
}

impl<T: Scalar> Default for ImplicitStribeckSolverParameters<T> {
    /// `v_s` = 10⁻⁴ m/s, 100 iterations of a strategy and 1,000,000 of all, relative tolerance 10⁻², residual tolerance 10⁻⁹, π/3.
    fn default() -> Self {
        ImplicitStribeckSolverParameters {
            stiction_tolerance: T::from(1e-4),
            max_iterations: 100,
            max_total_iterations: 1_000_000,
            relative_tolerance: 1e-2,
            residual_tolerance: 1e-9,
            theta_max: std::f64::consts::FRAC_PI_3,
        }
    }
}

impl<T: Scalar> ImplicitStribeckSolverParameters<T> {
    /// Checks every parameter.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] for the first that is not in its range.
    #[inline(never)]
    pub fn validate(&self) -> Result<(), InvalidInput> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let fraction = |x: f64| x > 0.0 && x < 1.0;
        InvalidInput::check_range(
            "stiction tolerance",
            &[self.stiction_tolerance],
            "a positive speed",
            positive,
        )?;
        for (quantity, count) in [
            ("maximum number of iterations", self.max_iterations),
            (
                "maximum number of iterations of all strategies",
                self.max_total_iterations,
            ),
        ] {
            InvalidInput::check_range(quantity, &[count as f64], "at least 1", |n| n >= 1.0)?;
        }
        InvalidInput::check_range(
            "relative tolerance",
            &[self.relative_tolerance],
            "between 0 and 1",
            fraction,
        )?;
        InvalidInput::check_range(
            "residual tolerance",
            &[self.residual_tolerance],
            "between 0 and 1",
            fraction,
        )?;
        InvalidInput::check_range(
            "largest angle change",
            &[self.theta_max],
            "between 0 and π/2",
            |x| x > 0.0 && x < std::f64::consts::FRAC_PI_2,
        )
    }
}
