//! Kinks of the contact law, and the distance of a solution from them.

use super::contact_law::{FrictionLaw, NormalLaw};

/// What changes at a kink of the contact law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KinkKind {
    /// The bodies come into contact or part: `x₀ − δt vₙ` changes sign. The first derivative of
    /// the solution jumps.
    Touching,
    /// The dissipation term cuts off the force of a contact that opens fast: `1 − d vₙ` changes
    /// sign. The first derivative of the solution jumps.
    Clamping,
    /// Friction that falls with the slip speed has two solutions meet and cease: the solution jumps to another one. The
    /// distance is that of the slip speed, along the direction in which the Jacobian is weakest, in which it is singular
    /// there. It is named where that direction slips, as it does near the fold.
    Folding,
    /// The slip speed passes the stiction tolerance. First derivatives are continuous there, second
    /// ones jump.
    Sticking,
}

/// The distance of a solution from a kink.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kink {
    /// What changes there.
    pub kind: KinkKind,
    /// The contact point.
    pub contact: usize,
    /// Change of the normal velocity (of the slip speed, for [`KinkKind::Sticking`]) of that
    /// contact that reaches the kink, in m/s (of a contact that resists turning, the slip at 1 m); never negative. At zero the derivative of the
    /// solution is one-sided.
    pub distance: f64,
}

/// Kinks of the normal law at the separation velocity `vn`.
pub(super) fn normal_kinks(
    law: &NormalLaw<f64>,
    dt: f64,
    vn: f64,
) -> impl Iterator<Item = (KinkKind, f64)> {
    let (damping, penetration) = law.factors(dt, vn);
    // Each factor matters only while the other one is positive, and the force not zero anyway.
    let touching = (damping >= 0.0 && law.stiffness > 0.0)
        .then(|| (KinkKind::Touching, penetration.abs() / dt));
    let clamping = (penetration >= 0.0 && law.stiffness > 0.0 && law.dissipation > 0.0)
        .then(|| (KinkKind::Clamping, damping.abs() / law.dissipation));
    touching.into_iter().chain(clamping)
}

/// The kink of the friction law at the tangential velocity `vt` under the normal force.
pub(super) fn friction_kink(
    law: &FrictionLaw<f64>,
    normal_force: f64,
    vt: [f64; 2],
) -> Option<(KinkKind, f64)> {
    let distance = (law.slip_speed(vt) - law.stiction_tolerance).abs();
    let static_friction = law.stribeck.map_or(0.0, |curve| curve.static_friction);
    (normal_force > 0.0 && law.mu.max(static_friction) > 0.0)
        .then_some((KinkKind::Sticking, distance))
}
