//! The decisions of a solved constraint problem, each with its margin in the scalar of the caller.

use super::forces::ConstraintForces;
use super::kink::{ConstraintKinkKind, ConstraintKinkQuantity, ConstraintKinkSource};
use super::matrices::ConstraintMatrices;
use super::solver::{AccelerationSolution, VelocitySolution};
use super::tree_problem::{AccelMemory, VelMemory};
use crate::Scalar;
use crate::kink::unsigned;
use nalgebra::{DMatrix, DVector};

/// Friction that lacks less than this part of its limit is at the limit: the contact slides.
pub(super) const AT_LIMIT: f64 = 1e-9;

/// Sees what a number decides, and where.
type Visit<'a, T> =
    &'a mut dyn FnMut(ConstraintKinkSource, ConstraintKinkKind, ConstraintKinkQuantity, T);

/// The rates of rows, `J v + k`, at a solution.
struct Rates<'a, T: Scalar> {
    rows: &'a ConstraintMatrices<T, ()>,
    /// Of normals, spanning directions and inequalities.
    k: [&'a DVector<T>; 3],
    motion: &'a [T],
}

impl<T: Scalar> Rates<'_, T> {
    fn normal(&self, contact: usize) -> T {
        along(&self.rows.n, contact, self.motion) + self.k[0][contact]
    }

    fn slip(&self, direction: usize) -> T {
        along(&self.rows.f, direction, self.motion) + self.k[1][direction]
    }

    fn limit(&self, row: usize) -> T {
        along(&self.rows.l, row, self.motion) + self.k[2][row]
    }
}

impl<T: Scalar> VelMemory<T> {
    /// Calls `visit` with the numbers that decide which constraints act in a step of length `dt`, and how: each is zero
    /// where that changes.
    pub(crate) fn visit_decisions(
        &self,
        solution: &VelocitySolution<T>,
        (dt, rebound_speed): (T, T),
        visit: Visit<'_, T>,
    ) {
        let data = &self.data;
        let rates = Rates {
            rows: &data.operators,
            k: [&data.kN, &data.kF, &data.kL],
            motion: solution.generalized_velocity.as_slice(),
        };
        rates.visit_decisions(&solution.impulses, visit);
        for (c, impulse) in solution.impulses.normal().iter().enumerate() {
            let (presses, has_gap) = (impulse.re() > 0.0, data.gapN[c].is_finite());
            if presses && has_gap {
                let penetration = self.contacts[c].penetration;
                visit(
                    ConstraintKinkSource::Contact(c),
                    ConstraintKinkKind::Touching,
                    ConstraintKinkQuantity::Gap,
                    penetration,
                );
            }
            if presses || has_gap {
                self.visit_rebound(c, (dt, rebound_speed), visit);
            }
        }
    }

    /// Whether a contact rebounds that presses, or may press once it rebounds; what rebounds has no gap.
    fn visit_rebound(&self, c: usize, (dt, rebound_speed): (T, T), visit: Visit<'_, T>) {
        if self.contacts[c].material.restitution.is_none() {
            return;
        }
        let mut show = |number| {
            visit(
                ConstraintKinkSource::Contact(c),
                ConstraintKinkKind::Rebounding,
                ConstraintKinkQuantity::Motion,
                number,
            );
        };
        let approach = along(&self.data.operators.n, c, self.initial.velocity.as_slice());
        let closing = self.contacts[c].penetration / dt - approach;
        let fast = -approach - rebound_speed;
        match (closing.re() > 0.0, fast.re() > 0.0) {
            (true, true) => {
                show(closing);
                show(fast);
                let mut changes = self.rebounds.iter().chain(&self.withheld);
                if let Some(&(_, change)) = changes.find(|(i, _)| *i == c) {
                    show(change);
                }
            }
            (false, true) => show(closing),
            (true, false) => show(fast),
            (false, false) => {}
        }
    }
}

impl<T: Scalar> AccelMemory<T> {
    /// As [`VelMemory::visit_decisions`], of an instant.
    pub(crate) fn visit_decisions(&self, solution: &AccelerationSolution<T>, visit: Visit<'_, T>) {
        let data = &self.data;
        let rates = Rates {
            rows: &data.operators,
            k: [&data.kN, &data.kF, &data.kL],
            motion: solution.generalized_acceleration.as_slice(),
        };
        rates.visit_decisions(&solution.forces, visit);
    }
}

impl<T: Scalar> Rates<'_, T> {
    fn visit_decisions(&self, forces: &ConstraintForces<T>, visit: Visit<'_, T>) {
        use ConstraintKinkKind::{Closing, Parting, Reaching, Releasing};
        use ConstraintKinkQuantity::{Force, Motion};
        use ConstraintKinkSource::{Contact, Unilateral};
        for (c, &force) in forces.normal().iter().enumerate() {
            if force.re() > 0.0 {
                visit(Contact(c), Parting, Force, force);
            } else {
                visit(Contact(c), Closing, Motion, self.normal(c));
            }
        }
        for cone in &forces.cones {
            let pressed = forces.normal()[cone.contact];
            if pressed.re() <= 0.0 || cone.directions.is_empty() {
                continue;
            }
            let friction = &forces.friction()[cone.directions.clone()];
            let slip: Vec<T> = cone.directions.clone().map(|k| self.slip(k)).collect();
            let limit = cone.mu * pressed;
            match cone.is_round {
                true => visit_round_friction((cone.contact, limit), friction, &slip, visit),
                false => visit_friction((cone.contact, limit), friction, &slip, visit),
            }
        }
        for (k, &force) in forces.limit().iter().enumerate() {
            if force.re() > 0.0 {
                visit(Unilateral(k), Releasing, Force, force);
            } else {
                visit(Unilateral(k), Reaching, Motion, self.limit(k));
            }
        }
    }
}

/// Whether a contact slides, and along which edges of its cone.
fn visit_friction<T: Scalar>(
    (contact, limit): (usize, T),
    friction: &[T],
    slip: &[T],
    visit: Visit<'_, T>,
) {
    use ConstraintKinkKind::{Slipping, Sticking, Turning};
    use ConstraintKinkQuantity::{Force, Motion};
    let mut show = |kind, quantity, number| {
        visit(
            ConstraintKinkSource::Contact(contact),
            kind,
            quantity,
            number,
        );
    };
    let slack = slack(limit, friction, false);
    if slack.re() > AT_LIMIT * limit.re() {
        show(Slipping, Force, slack);
        return;
    }
    let fastest = (0..slip.len())
        .max_by(|&a, &b| slip[a].re().abs().total_cmp(&slip[b].re().abs()))
        .unwrap_or_default();
    show(Sticking, Motion, slip[fastest]);
    let acting = friction.iter().filter(|f| f.re() != 0.0).count();
    for k in 0..slip.len() {
        if friction[k].re() == 0.0 {
            let rate = unsigned(slip[fastest]);
            show(Turning, Motion, rate - slip[k]);
            show(Turning, Motion, rate + slip[k]);
        } else if acting > 1 {
            show(Turning, Force, friction[k]);
        }
    }
}

/// Whether a contact with a round cone slides.
fn visit_round_friction<T: Scalar>(
    (contact, limit): (usize, T),
    friction: &[T],
    slip: &[T],
    visit: Visit<'_, T>,
) {
    use ConstraintKinkKind::{Slipping, Sticking};
    use ConstraintKinkQuantity::{Force, Motion};
    let source = ConstraintKinkSource::Contact(contact);
    let slack = slack(limit, friction, true);
    match slack.re() > AT_LIMIT * limit.re() {
        true => visit(source, Slipping, Force, slack),
        false => visit(source, Sticking, Motion, T::norm_lifted(slip)),
    }
}

/// What friction lacks to its limit: by its length in a round cone, by its entries in a pyramid.
pub(super) fn slack<T: Scalar>(limit: T, friction: &[T], is_round: bool) -> T {
    match is_round {
        true => limit - T::norm_lifted(friction),
        false => friction.iter().fold(limit, |sum, &f| sum - unsigned(f)),
    }
}

/// The product of a row.
pub(super) fn along<T: Scalar>(rows: &DMatrix<T>, row: usize, v: &[T]) -> T {
    (rows.row(row).iter().zip(v)).fold(T::zero(), |sum, (&g, &v)| sum + g * v)
}
