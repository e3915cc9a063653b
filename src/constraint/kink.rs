//! Where the forces are not smooth functions of the data.

use super::decision::Places;
use super::view::View;
use crate::Scalar;
use crate::solver::lcp::LcpSolution;

/// A slip that is less than this part of the slip without forces is none.
const NO_SLIP: f64 = 1e-10;

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
    /// The data of a contact or unilateral constraint that exerts a force have a kink of their own: the
    /// gap at the start of a time step is zero (m or rad).
    Touching,
    /// A contact that exerts an impulse begins or ceases to rebound (m/s).
    Rebounding,
}

/// What a kink belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintKinkSource {
    /// A contact, by its index in the problem.
    Contact(usize),
    /// A unilateral constraint, by its index in the problem.
    Unilateral(usize),
}

/// How far the solution is from a change of what is active. At zero, derivatives are one-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintKink {
    /// What changes there.
    pub kind: ConstraintKinkKind,
    /// Where it changes.
    pub source: ConstraintKinkSource,
    /// The force or motion that has to vanish, in its unit; never negative.
    pub distance: f64,
}

/// The nearest kink of each kind, of a solution whose variables are in these places. `vector` is `q`.
pub(super) fn nearest_kinks<T: Scalar>(
    view: &View<T>,
    places: Places,
    vector: &[T],
    solution: &LcpSolution<T>,
) -> Vec<ConstraintKink> {
    use ConstraintKinkSource::{Contact, Unilateral};
    let mut nearest: Vec<ConstraintKink> = Vec::new();
    let mut offer = |kind: ConstraintKinkKind, source: ConstraintKinkSource, distance: f64| {
        let distance = distance.max(0.0);
        if distance == f64::INFINITY {
            return;
        }
        match nearest.iter_mut().find(|k| k.kind == kind) {
            Some(kink) if kink.distance <= distance => {}
            Some(kink) => (kink.source, kink.distance) = (source, distance),
            None => nearest.push(ConstraintKink {
                kind,
                source,
                distance,
            }),
        }
    };
    let layout = view.layout;
    let is_active = |i: usize| solution.active.binary_search(&i).is_ok();
    let (z, w) = (|i: usize| solution.z[i].re(), |i: usize| solution.w[i].re());
    if places.free == solution.z.len() {
        return nearest;
    }
    for contact in 0..layout.nc {
        let i = places.normal(contact);
        if is_active(i) {
            offer(ConstraintKinkKind::Parting, Contact(contact), z(i));
            if let Some(gap) = view.gap_normal.get(contact) {
                offer(ConstraintKinkKind::Touching, Contact(contact), gap.abs());
            }
            if let Some(&margin) = view.rebound_margin.get(contact) {
                offer(ConstraintKinkKind::Rebounding, Contact(contact), margin);
            }
        } else {
            offer(ConstraintKinkKind::Closing, Contact(contact), w(i));
        }
    }
    for (c, cone) in view.cones.iter().enumerate() {
        let normal = places.normal(cone.contact);
        if !is_active(normal) || cone.directions.is_empty() {
            continue;
        }
        let directions = || cone.directions.clone();
        let without_forces = directions()
            .map(|k| vector[places.edges(k)[0]].re().abs())
            .fold(0.0, f64::max);
        let slip = places.slip(c);
        let rate = z(slip);
        if !is_active(slip) || rate <= NO_SLIP * without_forces {
            let friction = directions().map(|k| {
                let [along, against] = places.edges(k);
                (z(along) - z(against)).abs()
            });
            let slack = cone.mu.re() * z(normal) - friction.sum::<f64>();
            offer(ConstraintKinkKind::Slipping, Contact(cone.contact), slack);
            continue;
        }
        offer(ConstraintKinkKind::Sticking, Contact(cone.contact), rate);
        let edges = || directions().flat_map(|k| places.edges(k));
        let pushing = edges().filter(|&e| is_active(e)).count();
        for e in edges() {
            if !is_active(e) {
                offer(ConstraintKinkKind::Turning, Contact(cone.contact), w(e));
            } else if pushing > 1 {
                offer(ConstraintKinkKind::Turning, Contact(cone.contact), z(e));
            }
        }
    }
    for k in 0..layout.nu {
        let i = places.limit(k);
        if is_active(i) {
            offer(ConstraintKinkKind::Releasing, Unilateral(k), z(i));
            if let Some(gap) = view.gap_limit.get(k) {
                offer(ConstraintKinkKind::Touching, Unilateral(k), gap.abs());
            }
        } else {
            offer(ConstraintKinkKind::Reaching, Unilateral(k), w(i));
        }
    }
    nearest
}
