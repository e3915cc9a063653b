//! How a step went.

use crate::ElementKink;
use crate::constraint::ConstraintKink;
use crate::contact::GeometryKink;
use crate::solver::implicit_stribeck::{Kink, KinkKind, Solution, Strategy};

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StepStatus {
    /// Iterations of the contact solver (none where nothing touches), or pivots of the complementarity solver;
    /// of all parts of the step.
    pub iterations: usize,
    /// How the contact solver found the solution, of the part with the most iterations.
    pub strategy: Strategy,
    /// Relative residual of the momentum balance, or of the complementarity problem; the largest of all parts.
    pub residual: f64,
    /// The kink nearest to the solution at which first derivatives jump; in continuous time nearest to the states at
    /// both ends of the step, if the [workspace](super::StepWorkspace::set_kink_search) looks for it.
    pub nearest_kink: Option<StepKink>,
    /// The pair of geometries nearest to a change of the features that touch, of those that a discrete
    /// step looked at; in continuous time as `nearest_kink`.
    pub nearest_geometry_kink: Option<GeometryKink>,
    /// The largest angle in rad that a body turns by in a discrete step, at the velocities of its start. Steps
    /// are of first order in it: at 1 the step is too long for what it moves.
    pub turn: f64,
    /// Number of parts that the step was made in, by [`SystemOptions::max_turn`](super::SystemOptions::max_turn).
    pub parts: usize,
    /// By which angle in rad `turn`, or that of a part, would have to change for another number of parts, at which
    /// the state after the step jumps; `None` where nothing can touch.
    pub division_margin: Option<f64>,
    /// Whether a rigid step left overlaps as they are, because no impulses push them out.
    pub without_push: bool,
    /// Which part of the rebounds of a rigid step there is, from 0 to 1: all but what would have added energy; none where
    /// they had no solution.
    pub rebound: f64,
}

/// Where first derivatives of a step jump, and how far the step is from there.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum StepKink {
    /// In the law of a compliant contact, by its position in [`Step::contacts`](super::Step::contacts).
    Contact(Kink),
    /// In the law of a compliant contact, or where rigid bodies meet: at one end of a step in continuous time, or in a
    /// part of a compliant step after the first, whose contacts [`Step::contacts`](super::Step::contacts) does not list.
    ContactOfPair {
        /// The pair of geometries, by its position in [`ContactModel::pairs`](crate::contact::ContactModel::pairs).
        pair: usize,
        /// What changes there.
        kind: KinkKind,
        /// By how much the mean normal velocity over a step, in m/s, would have to change for it; never negative.
        distance: f64,
    },
    /// In what an actuator does that can [touch](crate::actuator::Actuator::may_touch), or any beside it, in a compliant
    /// step; [`Step::visit_element_kinks`](super::Step::visit_element_kinks) names them.
    Actuator {
        /// What changes there, in words.
        change: &'static str,
        /// How far the quantity is from where that happens, in `unit`; never negative.
        distance: f64,
        /// The SI unit of the quantity.
        unit: &'static str,
    },
    /// In what a rigid contact or an inequality does, by its position among them.
    Constraint(ConstraintKink),
}

impl StepKink {
    /// The distance of the solution from the kink, in the unit that belongs to its kind; at zero
    /// derivatives are one-sided.
    pub fn distance(&self) -> f64 {
        match self {
            StepKink::Contact(kink) => kink.distance,
            StepKink::ContactOfPair { distance, .. } | StepKink::Actuator { distance, .. } => {
                *distance
            }
            StepKink::Constraint(kink) => kink.distance,
        }
    }
}

impl Default for StepStatus {
    /// Of a step in which nothing happens.
    fn default() -> Self {
        StepStatus {
            iterations: 0,
            strategy: Strategy::default(),
            residual: 0.0,
            nearest_kink: None,
            nearest_geometry_kink: None,
            turn: 0.0,
            parts: 0,
            division_margin: None,
            without_push: false,
            rebound: 1.0,
        }
    }
}

impl StepStatus {
    pub(super) fn of(solution: &Solution<f64>) -> Self {
        StepStatus {
            iterations: solution.statistics.iterations(),
            strategy: solution.statistics.strategy,
            residual: solution.statistics.residual,
            nearest_kink: solution.nearest_kink(1).copied().map(StepKink::Contact),
            ..StepStatus::default()
        }
    }

    /// Keeps a kink that is nearer than the nearest so far.
    pub(super) fn offer(&mut self, kink: Option<StepKink>) {
        let kinks = [self.nearest_kink, kink].into_iter().flatten();
        self.nearest_kink = kinks.min_by(|a, b| a.distance().total_cmp(&b.distance()));
    }

    /// As [`Self::offer`], of an actuator.
    pub(super) fn offer_actuator(&mut self, kink: ElementKink<'_>) {
        if kink.order <= 1 {
            self.offer(Some(StepKink::Actuator {
                change: kink.change,
                distance: kink.distance,
                unit: kink.unit,
            }));
        }
    }

    /// As [`Self::offer`].
    pub(super) fn offer_geometry(&mut self, kink: Option<GeometryKink>) {
        let kinks = [self.nearest_geometry_kink, kink].into_iter().flatten();
        self.nearest_geometry_kink = kinks.min_by(|a, b| a.distance.total_cmp(&b.distance));
    }
}
