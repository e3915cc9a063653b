//! Kinks of constraint forces: where their derivatives jump.

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
    /// A contact that exerts an impulse, or would if it rebounded, begins or ceases to rebound (m/s).
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

/// Whether the force of a row acts, the force, and the motion along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowState {
    pub is_active: bool,
    pub force: f64,
    pub rate: f64,
}

/// The nearest kink of each kind and quantity at contacts, and all of inequalities.
pub(super) struct NearestKinks<'a>(pub &'a mut Vec<ConstraintKink>);

impl NearestKinks<'_> {
    pub fn offer(
        &mut self,
        kind: ConstraintKinkKind,
        source: ConstraintKinkSource,
        quantity: ConstraintKinkQuantity,
        distance: f64,
    ) {
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
        let is_contact = |source| matches!(source, ConstraintKinkSource::Contact(_));
        let comparable = |k: &&mut ConstraintKink| {
            is_contact(source) && (k.kind, k.quantity) == (kind, quantity) && is_contact(k.source)
        };
        match self.0.iter_mut().find(comparable) {
            Some(other) if other.distance <= kink.distance => {}
            Some(other) => *other = kink,
            None => self.0.push(kink),
        }
    }

    /// Whether a contact presses.
    pub fn offer_normal<T>(&mut self, view: &View<T>, contact: usize, row: RowState) {
        let source = ConstraintKinkSource::Contact(contact);
        let kinds = [ConstraintKinkKind::Closing, ConstraintKinkKind::Parting];
        self.offer_row(kinds, source, view.gap_normal.get(contact), row);
        // What does not press, as others throw it off, may press once it rebounds; what rebounds has no gap.
        let may_press = |gap: &f64| row.is_active || gap.is_finite();
        if let Some(&margin) = view.rebound_margin.get(contact)
            && view.gap_normal.get(contact).is_some_and(may_press)
        {
            let motion = ConstraintKinkQuantity::Motion;
            self.offer(ConstraintKinkKind::Rebounding, source, motion, margin);
        }
    }

    /// Whether an inequality acts.
    pub fn offer_limit<T>(&mut self, view: &View<T>, limit: usize, row: RowState) {
        let source = ConstraintKinkSource::Unilateral(limit);
        let kinds = [ConstraintKinkKind::Reaching, ConstraintKinkKind::Releasing];
        self.offer_row(kinds, source, view.gap_limit.get(limit), row);
    }

    /// Whether a force begins or ceases to act, and where the gap of one that acts is zero.
    fn offer_row(
        &mut self,
        [begins, ends]: [ConstraintKinkKind; 2],
        source: ConstraintKinkSource,
        gap: Option<&f64>,
        row: RowState,
    ) {
        use ConstraintKinkQuantity::{Force, Gap, Motion};
        if !row.is_active {
            return self.offer(begins, source, Motion, row.rate);
        }
        self.offer(ends, source, Force, row.force);
        if let Some(gap) = gap {
            self.offer(ConstraintKinkKind::Touching, source, Gap, gap.abs());
        }
    }
}

/// Writes the nearest kinks of a solution whose variables are in these places. `vector` is `q`.
pub(super) fn nearest_kinks<T: Scalar>(
    view: &View<T>,
    places: Places,
    vector: &[T],
    solution: &LcpSolution<T>,
    nearest: &mut Vec<ConstraintKink>,
) {
    use ConstraintKinkQuantity::{Force, Motion};
    nearest.clear();
    let mut nearest = NearestKinks(nearest);
    let layout = view.layout;
    let is_active = |i: usize| solution.active.binary_search(&i).is_ok();
    let (z, w) = (|i: usize| solution.z[i].re(), |i: usize| solution.w[i].re());
    if places.free == solution.z.len() {
        return;
    }
    let row = |i: usize| RowState {
        is_active: is_active(i),
        force: z(i),
        rate: w(i),
    };
    for contact in 0..layout.nc {
        nearest.offer_normal(view, contact, row(places.normal(contact)));
    }
    for (c, cone) in view.cones.iter().enumerate() {
        let normal = places.normal(cone.contact);
        if !is_active(normal) || cone.directions.is_empty() {
            continue;
        }
        let source = ConstraintKinkSource::Contact(cone.contact);
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
            nearest.offer(ConstraintKinkKind::Slipping, source, Force, slack);
            continue;
        }
        nearest.offer(ConstraintKinkKind::Sticking, source, Motion, rate);
        let edges = || directions().flat_map(|k| places.edges(k));
        let pushing = edges().filter(|&e| is_active(e)).count();
        for e in edges() {
            if !is_active(e) {
                nearest.offer(ConstraintKinkKind::Turning, source, Motion, w(e));
            } else if pushing > 1 {
                nearest.offer(ConstraintKinkKind::Turning, source, Force, z(e));
            }
        }
    }
    for k in 0..layout.nu {
        nearest.offer_limit(view, k, row(places.limit(k)));
    }
}
