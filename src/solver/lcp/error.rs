//! Errors of a solve.

use crate::InvalidInput;
use crate::math::Singular;

/// A linear complementarity problem has no solution, or none was found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LcpError {
    /// The data cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The equations do not determine the free variables.
    #[error("the rows of the free variables are dependent: {0}")]
    SingularEquations(Singular),
    /// No `z ≥ 0` satisfies `M z + q ≥ 0`.
    #[error(
        "no z ≥ 0 satisfies M z + q ≥ 0: the inequalities are violated by at least {violation:e}, \
         relative to the largest entry of q"
    )]
    Infeasible {
        /// The smallest number that, added to every scaled row of the inequalities, makes them
        /// solvable; relative to the largest entry of the scaled `q`.
        violation: f64,
    },
    /// The inequalities can be satisfied, but the path to a complementary solution goes off to
    /// infinity. There may be none.
    #[error("after {pivots} pivots the path goes off to infinity along a ray")]
    Ray {
        /// Number of pivots of all paths.
        pivots: usize,
    },
    /// No path ended within the limit of pivots.
    #[error("no solution after {pivots} pivots")]
    PivotLimit {
        /// Number of pivots of all paths.
        pivots: usize,
    },
    /// The only solutions that were found are so large that `q` is lost in the round-off of `M z`: there
    /// may be none, or one at infinity.
    #[error(
        "after {pivots} pivots M z is {growth:e} times as large as q, which is lost in its round-off"
    )]
    IllConditioned {
        /// Number of pivots of all paths.
        pivots: usize,
        /// The largest term of the scaled rows `M z`, relative to the largest entry of the scaled `q`; the
        /// least that was found.
        growth: f64,
    },
    /// Round-off has spoilt every path: what they ended at is not a solution.
    #[error("after {pivots} pivots the residual is {residual:e}")]
    Inaccurate {
        /// Number of pivots of all paths.
        pivots: usize,
        /// The smallest [residual](super::LcpSolution::residual) that was reached.
        residual: f64,
    },
}
