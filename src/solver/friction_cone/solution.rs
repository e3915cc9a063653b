//! The solution of a problem with friction cones.

/// What a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConeState {
    /// It parts, or touches without force.
    Open,
    /// It presses, and does not slip.
    Sticking,
    /// It presses and slips; friction is at its limit, against the slip.
    Sliding,
}

/// Forces within cones, and the motions that they lead to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FrictionConeSolution<T> {
    /// The forces `f`, in the order of the rows, with their derivatives.
    pub forces: Vec<T>,
    /// The motions `w` along the rows.
    pub rates: Vec<T>,
    /// What each contact does.
    pub contacts: Vec<ConeState>,
    /// Whether the force of each inequality acts.
    pub active: Vec<bool>,
    /// The largest difference between a force and its projection, in forces that are scaled so that the matrix has ones
    /// on its diagonal, relative to the largest scaled motion without forces, or 10⁻⁴ of the largest force if that is more;
    /// at most 10⁻⁸, as a rule round-off.
    pub residual: f64,
    /// Iterations of Newton's method.
    pub iterations: usize,
}
