//! Where the forces are not smooth functions of the data.

/// What changes at a kink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintKinkKind {
    /// The normal force of the contact vanishes (N, or N s for impulses).
    Parting,
    /// The separation of a contact without force vanishes (m/s², or m/s).
    Closing,
    /// Friction reaches the limit of its cone: the contact begins to slip (N, or N s).
    Slipping,
    /// Slip at the contact stops (m/s², or m/s).
    Sticking,
    /// Slip turns to another edge of the friction cone (force or motion, as the case may be).
    Turning,
    /// The force of the unilateral constraint vanishes.
    Releasing,
    /// A unilateral constraint without force becomes active.
    Reaching,
}

/// How far the solution is from a change of what is active. At zero, derivatives are one-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintKink {
    /// What changes there.
    pub kind: ConstraintKinkKind,
    /// The contact; for releasing and reaching, the unilateral constraint.
    pub index: usize,
    /// The force or motion that has to vanish, in its unit; never negative.
    pub distance: f64,
}
