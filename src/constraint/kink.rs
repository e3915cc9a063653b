//! Where the forces are not smooth functions of the data.

use super::variable::Places;
use super::view::View;
use crate::Scalar;
use crate::solver::lcp::LcpSolution;

/// A slip that is less than this part of the slip without forces is none.
const NO_SLIP: f64 = 1e-10;

/// What changes at a kink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// What has to vanish at a kink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConstraintKinkQuantity {
    /// A force (N; N m of angles), or an impulse (N s; N m s).
    Force,
    /// An acceleration (m/s²; rad/s² of angles), or a velocity (m/s; rad/s).
    Motion,
    /// A gap (m; rad of angles).
    Gap,
}

impl ConstraintKinkQuantity {
    /// The SI unit where a row is of angles or of lengths, in a problem of velocities or of accelerations.
    pub fn unit(self, is_angular: bool, of_velocities: bool) -> &'static str {
        use ConstraintKinkQuantity::{Force, Gap, Motion};
        match (self, is_angular, of_velocities) {
            (Force, false, false) => "N",
            (Force, true, false) => "N m",
            (Force, false, true) => "N s",
            (Force, true, true) => "N m s",
            (Motion, false, false) => "m/s²",
            (Motion, true, false) => "rad/s²",
            (Motion, false, true) => "m/s",
            (Motion, true, true) => "rad/s",
            (Gap, false, _) => "m",
            (Gap, true, _) => "rad",
        }
    }
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
    /// What has to vanish.
    pub quantity: ConstraintKinkQuantity,
    /// How much of it there is, in its [unit](ConstraintKinkQuantity::unit); never negative.
    pub distance: f64,
}

/// Writes the nearest kink of each kind and quantity at contacts and all of inequalities, of a solution whose variables are in these places. `vector` is `q`.
pub(super) fn nearest_kinks<T: Scalar>(
    view: &View<T>,
    places: Places,
    vector: &[T],
    solution: &LcpSolution<T>,
    nearest: &mut Vec<ConstraintKink>,
) {
    use ConstraintKinkQuantity::{Force, Gap, Motion};
    use ConstraintKinkSource::{Contact, Unilateral};
    nearest.clear();
    let mut offer = |kind, source, quantity, distance: f64| {
        let kink = ConstraintKink {
            kind,
            source,
            quantity,
            distance: distance.max(0.0),
        };
        if kink.distance == f64::INFINITY {
            return;
        }
        // Rows of inequalities have units of their own.
        let comparable = |k: &&mut ConstraintKink| {
            matches!(source, Contact(_))
                && (k.kind, k.quantity) == (kind, quantity)
                && matches!(k.source, Contact(_))
        };
        match nearest.iter_mut().find(comparable) {
            Some(other) if other.distance <= kink.distance => {}
            Some(other) => *other = kink,
            None => nearest.push(kink),
        }
    };
    let layout = view.layout;
    let is_active = |i: usize| solution.active.binary_search(&i).is_ok();
    let (z, w) = (|i: usize| solution.z[i].re(), |i: usize| solution.w[i].re());
    if places.free == solution.z.len() {
        return;
    }
    for contact in 0..layout.nc {
        let i = places.normal(contact);
        if is_active(i) {
            offer(ConstraintKinkKind::Parting, Contact(contact), Force, z(i));
            if let Some(gap) = view.gap_normal.get(contact) {
                offer(
                    ConstraintKinkKind::Touching,
                    Contact(contact),
                    Gap,
                    gap.abs(),
                );
            }
            if let Some(&margin) = view.rebound_margin.get(contact) {
                offer(
                    ConstraintKinkKind::Rebounding,
                    Contact(contact),
                    Motion,
                    margin,
                );
            }
        } else {
            offer(ConstraintKinkKind::Closing, Contact(contact), Motion, w(i));
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
            offer(
                ConstraintKinkKind::Slipping,
                Contact(cone.contact),
                Force,
                slack,
            );
            continue;
        }
        offer(
            ConstraintKinkKind::Sticking,
            Contact(cone.contact),
            Motion,
            rate,
        );
        let edges = || directions().flat_map(|k| places.edges(k));
        let pushing = edges().filter(|&e| is_active(e)).count();
        for e in edges() {
            if !is_active(e) {
                offer(
                    ConstraintKinkKind::Turning,
                    Contact(cone.contact),
                    Motion,
                    w(e),
                );
            } else if pushing > 1 {
                offer(
                    ConstraintKinkKind::Turning,
                    Contact(cone.contact),
                    Force,
                    z(e),
                );
            }
        }
    }
    for k in 0..layout.nu {
        let i = places.limit(k);
        if is_active(i) {
            offer(ConstraintKinkKind::Releasing, Unilateral(k), Force, z(i));
            if let Some(gap) = view.gap_limit.get(k) {
                offer(ConstraintKinkKind::Touching, Unilateral(k), Gap, gap.abs());
            }
        } else {
            offer(ConstraintKinkKind::Reaching, Unilateral(k), Motion, w(i));
        }
    }
}
