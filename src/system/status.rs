//! The status of a step: kinks, iterations, residuals, angles.

use crate::ElementKink;
use crate::constraint::{ConstraintKink, ConstraintKinkSource};
use crate::contact::{FoundContact, GeometryKink};
use crate::solver::implicit_stribeck::{Kink, KinkKind, Solution, Strategy};

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StepStatus {
    /// Iterations of the contact solver (none where nothing touches), or pivots of the complementarity solver;
    /// of all substeps.
    pub iterations: usize,
    /// How the contact solver found the solution, of the substep with the most iterations.
    pub strategy: Strategy,
    /// Relative residual of the momentum balance, or of the complementarity problem; the largest of all substeps.
    pub residual: f64,
    /// The kinks nearest to the solution at which first derivatives jump, one of each unit; in continuous time nearest
    /// to the states at both ends of the step, if the [workspace](super::StepWorkspace::set_kink_search) looks for them.
    pub nearest_kinks: NearestKinks,
    /// The pair of geometries nearest to a change of the features that touch, of those that a discrete
    /// step looked at; in continuous time as `nearest_kinks`.
    pub nearest_geometry_kink: Option<GeometryKink>,
    /// By how much in m/s the slip of a contact of a compliant step differs in another solution of the step; the smallest of all
    /// parts. Which of its solutions such a step comes to depends on the velocities from which they are looked for: it may jump
    /// from one to the other where no kink is near. Looked for along the direction in which friction that falls with the slip
    /// speed is weakest, where the difference is that to the unstable solution between the two; and without constraints and forces
    /// that depend on velocities, from velocities at which nothing slips and from those at which nothing touches, so that such a
    /// step is solved up to three times. `None` where none is found: always without static friction above dynamic, and in rigid steps.
    /// These may have several solutions where friction jams in a mechanism. The one that sticks ends at a kink; nothing says where
    /// the one that slips ends.
    #[doc(alias = "bistability")]
    pub other_solution: Option<f64>,
    /// The largest angle in rad that a body turns by in a discrete step, at the velocities of its start. Steps
    /// are of first order in it: at 1 the step is too long for what it moves. Free bodies, and mechanisms that they carry, keep
    /// their momentum at any turn; a free body that carries nothing keeps its energy at less than 2.
    #[doc(alias = "rotation per step")]
    pub turn: f64,
    /// Kinetic energy in J that nothing supplied, where a discrete step in which a body
    /// [turns](Self::turn) by more than 0.05 rad gained more than 1 % of what its forces leave, because masses of mechanisms move
    /// while forces are those of one instant; the sum over substeps. It is
    /// [`StepLoss::inertia`](super::StepLoss::inertia) with the other sign, with work at the mean of the velocities before
    /// and after the forces. Steps in which bodies turn less are not looked at: they gain some `2 ε²` of the energy of what
    /// moves along a joint across a turn by ε, in each step.
    #[doc(alias = "energy gain")]
    pub inertial_gain: Option<f64>,
    /// By how much in N m s the angular momentum of a mechanism on a floating joint about its centre of mass changed other than
    /// by impulses from outside, where a discrete step without [`SystemOptions::keep_momentum`](super::SystemOptions::keep_momentum)
    /// in which a body [turns](Self::turn) by more than 0.05 rad changed it by more than 1 % of the sum of those of its bodies;
    /// the largest of all mechanisms and substeps. With that option, as by default, such momentum is that of the impulses to
    /// round-off, at any turn, and nothing is said.
    #[doc(alias = "angular momentum")]
    pub momentum_gain: Option<f64>,
    /// Number of substeps that the step was made in, by [`SystemOptions::max_turn`](super::SystemOptions::max_turn).
    #[doc(alias = "substeps")]
    pub parts: usize,
    /// By which angle in rad `turn`, or that of a substep, would have to change for another number of substeps, at which
    /// the state after the step jumps; also because a pair would come within reach of a step that turns so far, or the last
    /// would leave it. `None` where nothing can touch, nor could if the step turned further. Where forces of actuators that
    /// touch begin not to be found in one part, so that a step is made in sixteen or more, is not known beforehand.
    pub division_margin: Option<f64>,
    /// Whether a rigid step left overlaps as they are, because no impulses push them out.
    #[doc(alias = "position correction")]
    pub without_push: bool,
    /// Which part of the rebounds of a rigid step there is, from 0 to 1: all but what would have added energy; none where
    /// they had no solution. Between 0 and 1 forces are a mean of those with and without rebounds: friction stays within its
    /// cones, but need not oppose the slip.
    #[doc(alias = "restitution")]
    pub rebound: f64,
}

/// Where first derivatives of a step jump, and how far the step is from there, in a unit of its own.
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
    /// In what a rigid contact or an inequality does.
    Constraint {
        /// What changes, with the contact or the row of an inequality by its position among them.
        kink: ConstraintKink,
        /// The SI unit of its distance.
        unit: &'static str,
    },
    /// In whether the force of a row of a [force law](crate::constraint::ConstraintForceLaw) is at a bound.
    ForceLaw {
        /// The law, by its position in [`RigidBodySystem::force_laws`](super::RigidBodySystem::force_laws).
        law: usize,
        /// Its row.
        row: usize,
        /// Whether the force is at a bound, and leaves it where `φ` passes zero; else it comes to the nearer one.
        at_bound: bool,
        /// How far `φ` is from zero where the force is at a bound, in the unit of `φ`, else the force from the nearer bound, in
        /// the unit of the force.
        distance: f64,
    },
    /// In how much of the [rebounds](StepStatus::rebound) of a rigid step there is.
    Rebound {
        /// What the step gains in energy with all rebounds, or would have to gain for less of them, in J; never negative.
        distance: f64,
    },
}

impl StepKink {
    /// The distance of the solution from the kink, in its [unit](Self::unit); at zero derivatives are one-sided.
    pub fn distance(&self) -> f64 {
        match self {
            StepKink::Contact(kink) => kink.distance,
            StepKink::ContactOfPair { distance, .. }
            | StepKink::Actuator { distance, .. }
            | StepKink::ForceLaw { distance, .. }
            | StepKink::Rebound { distance } => *distance,
            StepKink::Constraint { kink, .. } => kink.distance,
        }
    }

    /// The SI unit of the distance; of a force law, whose rows have units of their own, `"of φ"` or `"of the force"`.
    pub fn unit(&self) -> &'static str {
        match self {
            StepKink::Contact(_) | StepKink::ContactOfPair { .. } => "m/s",
            StepKink::Actuator { unit, .. } | StepKink::Constraint { unit, .. } => unit,
            StepKink::ForceLaw { at_bound: true, .. } => "of φ",
            StepKink::ForceLaw { .. } => "of the force",
            StepKink::Rebound { .. } => "J",
        }
    }
}

/// Kinks of no more units than these are kept; the library's own have fewer.
const UNITS: usize = 11;

/// The kinks nearest to a step, one of each unit: metres and newtons cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NearestKinks {
    kinks: [Option<StepKink>; UNITS],
}

impl NearestKinks {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &StepKink> {
        self.kinks.iter().flatten()
    }

    /// The one whose distance has this unit: `"m/s"`.
    pub fn in_unit(&self, unit: &str) -> Option<&StepKink> {
        self.iter().find(|kink| kink.unit() == unit)
    }

    /// Keeps a kink that is nearer than the nearest so far of its unit.
    fn offer(&mut self, kink: StepKink) {
        let mut places = self.kinks.iter_mut();
        let place = places.find(|place| place.is_none_or(|other| other.unit() == kink.unit()));
        if let Some(place) = place
            && place.is_none_or(|other| kink.distance() < other.distance())
        {
            *place = Some(kink);
        }
    }

    /// Names the pairs of contacts that are not listed.
    pub(super) fn name_pairs(&mut self, found: &[FoundContact]) {
        for kink in self.kinks.iter_mut().flatten() {
            if let StepKink::Contact(of_contact) = *kink {
                *kink = StepKink::ContactOfPair {
                    pair: found[of_contact.contact].pair,
                    kind: of_contact.kind,
                    distance: of_contact.distance,
                };
            }
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
            nearest_kinks: NearestKinks::default(),
            nearest_geometry_kink: None,
            other_solution: None,
            turn: 0.0,
            inertial_gain: None,
            momentum_gain: None,
            parts: 0,
            division_margin: None,
            without_push: false,
            rebound: 1.0,
        }
    }
}

impl StepStatus {
    pub(super) fn of(solution: &Solution<f64>) -> Self {
        let mut status = StepStatus {
            iterations: solution.statistics.iterations(),
            strategy: solution.statistics.strategy,
            residual: solution.statistics.residual,
            ..StepStatus::default()
        };
        let kink = solution.nearest_kink(1).copied();
        kink.into_iter()
            .for_each(|kink| status.offer(StepKink::Contact(kink)));
        status
    }

    /// Keeps a kink that is nearer than the nearest so far of its unit.
    pub(super) fn offer(&mut self, kink: StepKink) {
        self.nearest_kinks.offer(kink);
    }

    /// As [`Self::offer`], of a problem of velocities or of accelerations; some of its inequalities are of angles.
    pub(super) fn offer_constraints(
        &mut self,
        kinks: &[ConstraintKink],
        angular: &[bool],
        of_velocities: bool,
    ) {
        for &kink in kinks {
            let is_angular = match kink.source {
                ConstraintKinkSource::Contact(_) => false,
                ConstraintKinkSource::Unilateral(row) => angular[row],
            };
            let unit = kink.quantity.unit(is_angular, of_velocities);
            self.offer(StepKink::Constraint { kink, unit });
        }
    }

    /// As [`Self::offer`], of an actuator.
    pub(super) fn offer_actuator(&mut self, kink: ElementKink<'_>) {
        if kink.order <= 1 {
            self.offer(StepKink::Actuator {
                change: kink.change,
                distance: kink.distance,
                unit: kink.unit,
            });
        }
    }

    /// As [`Self::offer`].
    pub(super) fn offer_geometry(&mut self, kink: Option<GeometryKink>) {
        let kinks = [self.nearest_geometry_kink, kink].into_iter().flatten();
        self.nearest_geometry_kink = kinks.min_by(|a, b| a.distance.total_cmp(&b.distance));
    }
}
