//! Substeps of compliant steps in which bodies rotate far.
//!
//! A step knows the penetration that `v⁺` leads to along straight lines, `x₀ − δt vₙ`. A point at the distance r
//! from the axis about which a body rotates by ε is `r ε²/2` away from there, and contact stores the energy of the
//! difference, which nothing has supplied. So where something can touch and a body rotates by more than
//! [`SystemOptions::max_turn`](super::SystemOptions::max_turn), the step is divided into substeps in which bodies rotate by
//! at most half of that. The length of the next substep follows from the velocities at its start and the remaining
//! time, in `f64`: the final state is a composition of steps of fixed lengths, and is differentiated as one.
//! A step whose forces are not found because actuators [touch](crate::actuator::Actuator::may_touch) is divided
//! as well: the shorter a substep, the more the mass dominates. Substeps [project all momentum](super::fast_rotation),
//! because Coriolis forces would feed energy into what rotates so fast.

use super::compliant::CompliantSolve;
use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use super::status::StepStatus;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::Scalar;
use crate::constraint::ConstraintForce;
use crate::contact::ContactResult;

/// The largest number of substeps.
const MAX_SUBSTEPS: usize = 64;

/// The longest substep of a step whose forces are not found in one, relative to it.
const REFINED: f64 = 1.0 / 16.0;

/// How a step, or what is left of it, is divided into substeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subdivision {
    /// The number of equal substeps.
    pub count: usize,
    /// By which angle the rotation of a body would have to change for another number.
    pub margin: Option<f64>,
    /// The rotations at which there is another number, if that depends on the rotation.
    pub rotations: [Option<f64>; 2],
    /// The longest substep that there may be, relative to the step.
    longest: f64,
}

impl Subdivision {
    /// A single substep, wherever something can touch or not.
    fn none() -> Self {
        Subdivision {
            count: 1,
            margin: None,
            rotations: [None; 2],
            longest: 1.0,
        }
    }

    /// Divides a step that has been found to need substeps.
    pub fn refine(&mut self) {
        self.longest = REFINED;
        self.cover(1.0);
    }

    /// Makes substeps of what is left of a step no longer than they may be.
    fn cover(&mut self, left: f64) {
        self.count = self.count.max((left / self.longest).ceil() as usize);
    }
}

/// A step in substeps: where it starts, how long they are, relative to its length, and the results of the first; a
/// workspace.
#[derive(Debug, Clone)]
pub(super) struct Substeps<T: Scalar> {
    start: State<T>,
    pub lengths: Vec<f64>,
    /// The noise that has been drawn.
    drawn: Vec<f64>,
    contacts: Vec<ContactResult<T>>,
    constraint_forces: Vec<ConstraintForce<T>>,
}

impl<T: Scalar> Substeps<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        Substeps {
            start: system.initial_state(),
            lengths: Vec::new(),
            drawn: Vec::new(),
            contacts: Vec::new(),
            constraint_forces: Vec::new(),
        }
    }

    /// Exchanges the results of the first substep for those of the last.
    fn exchange(evaluation: &mut StepEvaluation<T>) {
        let StepEvaluation {
            substeps,
            contacts,
            constraint_forces,
            ..
        } = evaluation;
        std::mem::swap(&mut substeps.contacts, contacts);
        std::mem::swap(&mut substeps.constraint_forces, constraint_forces);
    }
}

impl<T: Scalar> Stepper<'_, T> {
    /// How a compliant step whose contacts have been found is divided.
    pub(super) fn subdivision(
        &self,
        solve: &mut CompliantSolve,
    ) -> Result<Subdivision, SystemError> {
        let (rotation, max) = (
            solve.start.kinematics.fast_rotation.rotation,
            self.real.options.max_turn,
        );
        let touches = !solve.start.found.is_empty() || solve.start.actuators_touch;
        if self.is_substep || (rotation <= max && !touches) {
            return Ok(Subdivision::none());
        }
        if rotation <= max {
            return Ok(Subdivision {
                margin: Some(max - rotation),
                rotations: [Some(max), None],
                ..Subdivision::none()
            });
        }
        // Where substeps are made, all pairs would have to be out of reach; where none are, one within.
        let reach = match solve.start.actuators_touch {
            true => None,
            false => solve
                .start
                .rotation_to_reach(self.real, self.time_step.re())?,
        };
        if !touches {
            return Ok(Subdivision {
                margin: reach,
                ..Subdivision::none()
            });
        }
        let subdivision = divide(rotation, max, MAX_SUBSTEPS);
        let margins = [subdivision.margin, Some(rotation - max), reach];
        Ok(Subdivision {
            margin: margins.into_iter().flatten().reduce(f64::min),
            ..subdivision
        })
    }

    /// Whether a step that fails is made in substeps.
    pub(super) fn is_divided_for(&self, error: &SystemError, solve: &CompliantSolve) -> bool {
        let is_unsolved = matches!(error, SystemError::ForcesNotConverged { .. });
        is_unsolved && solve.start.actuators_touch && !self.is_substep
    }

    /// Makes a step in substeps, in shorter ones where forces are not found. Noise is that of one step.
    pub(super) fn make_substeps(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
        mut subdivision: Subdivision,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        let rotation = solve.start.kinematics.fast_rotation.rotation;
        evaluation.substeps.start.clone_from(&evaluation.start);
        let mut drawn = std::mem::take(&mut evaluation.substeps.drawn);
        drawn.clear();
        let mut draw = || {
            drawn.push(normal());
            drawn[drawn.len() - 1]
        };
        let mut result = self.make_these_substeps(solve, evaluation, subdivision, &mut draw);
        if let Err(error) = &result
            && subdivision.longest == 1.0
            && self.is_divided_for(error, solve)
        {
            evaluation.start.clone_from(&evaluation.substeps.start);
            subdivision.refine();
            let mut before = drawn.iter().copied();
            let mut draw = || before.next().unwrap_or_else(&mut *normal);
            result = self.make_these_substeps(solve, evaluation, subdivision, &mut draw);
        }
        evaluation.substeps.drawn = drawn;
        evaluation.status.turn = rotation;
        result
    }

    fn make_these_substeps(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
        mut subdivision: Subdivision,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        let max_turn = self.real.options.max_turn;
        let mut whole = StepStatus::default();
        evaluation.substeps.lengths.clear();
        let (mut left, mut hardest) = (1.0, 0);
        loop {
            let length = left / subdivision.count as f64;
            let substep = Stepper {
                time_step: self.time_step * length,
                is_substep: true,
                ..*self
            };
            if !evaluation.substeps.lengths.is_empty() {
                self.show_subdivision(evaluation, subdivision.rotations, left)?;
            }
            evaluation.next.time = evaluation.start.time + substep.time_step;
            evaluation.has_results = false;
            solve.begin(substep.real(), &evaluation.start, &evaluation.input)?;
            substep.make_undivided_step(solve, evaluation)?;
            let is_first = evaluation.substeps.lengths.is_empty();
            substep.measure(evaluation, normal, is_first.then_some(self.time_step))?;
            let mut status = evaluation.status;
            if is_first {
                substep.write_results(evaluation)?;
                Substeps::exchange(evaluation);
            } else {
                status.nearest_kinks.name_pairs(&solve.start.found);
            }
            if status.iterations >= hardest {
                (hardest, whole.strategy) = (status.iterations, status.strategy);
            }
            whole.add(&status, subdivision.margin);
            evaluation.substeps.lengths.push(length);
            if subdivision.count == 1 {
                break;
            }
            left -= length;
            std::mem::swap(&mut evaluation.start, &mut evaluation.next);
            let rate = solve
                .start
                .fastest_rotation(&self.real.tree, &evaluation.start)?;
            let rotation = rate * (self.time_step.re() * left);
            let most = MAX_SUBSTEPS - evaluation.substeps.lengths.len();
            subdivision = Subdivision {
                longest: subdivision.longest,
                ..divide(rotation, max_turn, most)
            };
            subdivision.cover(left);
        }
        Substeps::exchange(evaluation);
        evaluation.has_results = true;
        evaluation.start.clone_from(&evaluation.substeps.start);
        evaluation.next.time = evaluation.start.time + self.time_step;
        self.sample_actuators(evaluation)?;
        whole.parts = evaluation.substeps.lengths.len();
        evaluation.status = whole;
        Ok(())
    }
}

/// Into how many substeps, in each of which a body rotates by half of `max` at most.
fn divide(rotation: f64, max: f64, most: usize) -> Subdivision {
    let share = rotation / (0.5 * max);
    let jump = |last: usize| share.round().clamp(1.0, last as f64);
    let count = (share.ceil() as usize).clamp(1, most);
    let rotation_of = |count: usize| 0.5 * max * count as f64;
    Subdivision {
        count,
        margin: (most > 1).then(|| 0.5 * max * (share - jump(most - 1)).abs()),
        rotations: [
            (count > 1).then(|| rotation_of(count - 1)),
            (count < most).then(|| rotation_of(count)),
        ],
        longest: 1.0,
    }
}

impl StepStatus {
    /// Takes in how a substep went.
    fn add(&mut self, substep: &StepStatus, margin: Option<f64>) {
        self.iterations += substep.iterations;
        self.residual = self.residual.max(substep.residual);
        self.inertial_gain = match (self.inertial_gain, substep.inertial_gain) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        self.other_solution = [self.other_solution, substep.other_solution]
            .into_iter()
            .flatten()
            .reduce(f64::min);
        self.momentum_gain = [self.momentum_gain, substep.momentum_gain]
            .into_iter()
            .flatten()
            .reduce(f64::max);
        substep
            .nearest_kinks
            .iter()
            .for_each(|kink| self.offer(*kink));
        self.offer_geometry(substep.nearest_geometry_kink);
        self.division_margin = match (self.division_margin, margin) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}
