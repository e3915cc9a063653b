//! The solution of a complementarity problem.

use crate::Scalar;
use crate::math::compare_fields;
use nalgebra::DVector;

/// A solution of a linear complementarity problem.
///
/// `z` and `w` carry the derivatives with respect to `M` and `q`; real parts are those that `f64`
/// has decided.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LcpSolution<T: Scalar> {
    /// The variables `z` (n), not negative except for free ones. Exactly 0, without derivatives,
    /// at indices that are not active.
    pub z: DVector<T>,
    /// `w = M z + q` (n), not negative. Exactly 0, without derivatives, at active and free indices.
    pub w: DVector<T>,
    /// The indices of the active set, ascending: where `w` is zero and `z` determined by that.
    pub active: Vec<usize>,
    /// The indices where `z` and `w` both vanish to the tolerance: derivatives are one-sided there,
    /// those of the side on which the index happens to be.
    pub weakly_active: Vec<usize>,
    /// The nearest kink of each kind; at most two.
    pub kinks: Vec<LcpKink>,
    /// How far `z` is from a solution: the largest of `−wᵢ` where `zᵢ` is not active and of `|wᵢ|` where
    /// it is, or free, with `w = M z + q` computed from `z`. Each is relative to the size of its own row:
    /// the largest of `|qᵢ|`, `|Mᵢᵢ zᵢ|` and the entries `|Mᵢⱼ|` of other active variables times the
    /// largest scaled variable, but at most 10³ times the largest entry of the scaled `q`; where no solution is found
    /// otherwise, at least 10⁻² times that, beside which small rows are round-off.
    pub residual: f64,
    /// Number of pivots.
    pub pivots: usize,
}

/// What changes at a kink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LcpKinkKind {
    /// An active `z` reaches zero: a contact is about to part.
    Release,
    /// An inactive `w` reaches zero: a contact is about to be made.
    Activation,
}

/// The distance of a solution from a change of the active set, where first derivatives jump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LcpKink {
    /// What changes there.
    pub kind: LcpKinkKind,
    /// The index that changes sides.
    pub index: usize,
    /// The entry that must vanish, `zᵢ` for a release and `wᵢ` for an activation, in its own unit.
    pub distance: f64,
}

compare_fields! { LcpSolution {; z, w } }

impl<T: Scalar> LcpSolution<T> {
    pub(super) fn empty() -> Self {
        LcpSolution {
            z: DVector::zeros(0),
            w: DVector::zeros(0),
            active: Vec::new(),
            weakly_active: Vec::new(),
            kinks: Vec::new(),
            residual: 0.0,
            pivots: 0,
        }
    }
}
