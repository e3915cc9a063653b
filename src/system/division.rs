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
use super::measurement::Sample;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use super::status::StepStatus;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::Scalar;
use crate::constraint::ConstraintForce;
use crate::contact::ContactResult;

/// The largest number of parts.
const MAX_PARTS: usize = 64;

/// The longest part of a step whose forces are not found in one, relative to it.
const REFINED: f64 = 1.0 / 16.0;

/// How a step, or what is left of it, is divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    /// The number of equal parts.
    pub parts: usize,
    /// By which angle the turn would have to change for another number.
    pub margin: Option<f64>,
    /// The turns at which there is another number, if that depends on the turn.
    pub turns: [Option<f64>; 2],
    /// The longest part that there may be, relative to the step.
    longest: f64,
}

impl Division {
    /// No division, wherever something can touch or not.
    fn none() -> Self {
        Division {
            parts: 1,
            margin: None,
            turns: [None; 2],
            longest: 1.0,
        }
    }

    /// Divides what has been found to need parts.
    pub fn refine(&mut self) {
        self.longest = REFINED;
        self.cover(1.0);
    }

    /// Makes parts of what is left of a step no longer than they may be.
    fn cover(&mut self, left: f64) {
        self.parts = self.parts.max((left / self.longest).ceil() as usize);
    }
}

/// A step in parts: where it starts, how long its parts are, relative to its length, and what the first of them
/// was; a workspace.
#[derive(Debug, Clone)]
pub(super) struct Parts<T: Scalar> {
    start: State<T>,
    pub lengths: Vec<f64>,
    /// The noise that has been drawn.
    drawn: Vec<f64>,
    contacts: Vec<ContactResult<T>>,
    constraint_forces: Vec<ConstraintForce<T>>,
}

impl<T: Scalar> Parts<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        Parts {
            start: system.initial_state(),
            lengths: Vec::new(),
            drawn: Vec::new(),
            contacts: Vec::new(),
            constraint_forces: Vec::new(),
        }
    }

    /// Exchanges the results of the first part for those of the last.
    fn exchange(evaluation: &mut StepEvaluation<T>) {
        let StepEvaluation {
            parts,
            contacts,
            constraint_forces,
            ..
        } = evaluation;
        std::mem::swap(&mut parts.contacts, contacts);
        std::mem::swap(&mut parts.constraint_forces, constraint_forces);
    }
}

impl<T: Scalar> Stepper<'_, T> {
    /// How a compliant step that has been assembled is divided.
    pub(super) fn division(&self, solve: &mut CompliantSolve) -> Result<Division, SystemError> {
        let (turn, max) = (solve.fast_rotation.turn, self.real.options.max_turn);
        let touches = !solve.found.is_empty() || solve.actuators_touch;
        if self.is_part || (turn <= max && !touches) {
            return Ok(Division::none());
        }
        if turn <= max {
            return Ok(Division {
                margin: Some(max - turn),
                turns: [Some(max), None],
                ..Division::none()
            });
        }
        // Where parts are made, all pairs would have to be out of reach; where none are, one within.
        let reach = match solve.actuators_touch {
            true => None,
            false => solve.turn_to_reach(self.real, self.time_step.re())?,
        };
        if !touches {
            return Ok(Division {
                margin: reach,
                ..Division::none()
            });
        }
        let division = divide(turn, max, MAX_PARTS);
        let margins = [division.margin, Some(turn - max), reach];
        Ok(Division {
            margin: margins.into_iter().flatten().reduce(f64::min),
            ..division
        })
    }

    /// Whether a step that fails is made in parts.
    pub(super) fn is_divided_for(&self, error: &SystemError, solve: &CompliantSolve) -> bool {
        let is_unsolved = matches!(error, SystemError::ForcesNotConverged { .. });
        is_unsolved && solve.actuators_touch && !self.is_part
    }

    /// Makes a step in parts, in shorter ones where forces are not found. Noise is that of one step.
    pub(super) fn make_parts(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
        mut division: Division,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        let turn = solve.fast_rotation.turn;
        evaluation.parts.start.clone_from(&evaluation.start);
        let mut drawn = std::mem::take(&mut evaluation.parts.drawn);
        drawn.clear();
        let mut draw = || {
            drawn.push(normal());
            drawn[drawn.len() - 1]
        };
        let mut result = self.make_these_parts(solve, evaluation, division, &mut draw);
        if let Err(error) = &result
            && division.longest == 1.0
            && self.is_divided_for(error, solve)
        {
            evaluation.start.clone_from(&evaluation.parts.start);
            division.refine();
            let mut before = drawn.iter().copied();
            let mut draw = || before.next().unwrap_or_else(&mut *normal);
            result = self.make_these_parts(solve, evaluation, division, &mut draw);
        }
        evaluation.parts.drawn = drawn;
        evaluation.status.turn = turn;
        result
    }

    fn make_these_parts(
        &self,
        solve: &mut CompliantSolve,
        evaluation: &mut StepEvaluation<T>,
        mut division: Division,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        let max_turn = self.real.options.max_turn;
        let mut whole = StepStatus::default();
        evaluation.parts.lengths.clear();
        let (mut left, mut hardest) = (1.0, 0);
        loop {
            let length = left / division.parts as f64;
            let part = Stepper {
                time_step: self.time_step * length,
                is_part: true,
                ..*self
            };
            if !evaluation.parts.lengths.is_empty() {
                self.show_division(evaluation, division.turns, left)?;
            }
            evaluation.next.time = evaluation.start.time + part.time_step;
            evaluation.has_results = false;
            solve.assemble(part.real_context(), &evaluation.start, &evaluation.input)?;
            part.make_compliant_step(solve, evaluation)?;
            let is_first = evaluation.parts.lengths.is_empty();
            let interval = self.time_step;
            part.measure(evaluation, normal, is_first.then_some(Sample { interval }))?;
            let mut status = evaluation.status;
            if is_first {
                part.write_results(evaluation)?;
                Parts::exchange(evaluation);
            } else {
                status.nearest_kinks.name_pairs(&solve.found);
            }
            if status.iterations >= hardest {
                (hardest, whole.strategy) = (status.iterations, status.strategy);
            }
            whole.add(&status, division.margin);
            evaluation.parts.lengths.push(length);
            if division.parts == 1 {
                break;
            }
            left -= length;
            std::mem::swap(&mut evaluation.start, &mut evaluation.next);
            let rate = solve.fastest_rotation(self.real, &evaluation.start)?;
            let turn = rate * (self.time_step.re() * left);
            let most = MAX_PARTS - evaluation.parts.lengths.len();
            division = Division {
                longest: division.longest,
                ..divide(turn, max_turn, most)
            };
            division.cover(left);
        }
        Parts::exchange(evaluation);
        evaluation.has_results = true;
        evaluation.start.clone_from(&evaluation.parts.start);
        evaluation.next.time = evaluation.start.time + self.time_step;
        self.sample_actuators_of_parts(evaluation)?;
        whole.parts = evaluation.parts.lengths.len();
        evaluation.status = whole;
        Ok(())
    }
}

/// Into how many parts, in each of which a body turns by half of `max` at most.
fn divide(turn: f64, max: f64, most: usize) -> Division {
    let share = turn / (0.5 * max);
    let jump = |last: usize| share.round().clamp(1.0, last as f64);
    let parts = (share.ceil() as usize).clamp(1, most);
    let turn = |parts: usize| 0.5 * max * parts as f64;
    Division {
        parts,
        margin: (most > 1).then(|| 0.5 * max * (share - jump(most - 1)).abs()),
        turns: [
            (parts > 1).then(|| turn(parts - 1)),
            (parts < most).then(|| turn(parts)),
        ],
        longest: 1.0,
    }
}

impl StepStatus {
    /// Takes in how a part went.
    fn add(&mut self, part: &StepStatus, margin: Option<f64>) {
        self.iterations += part.iterations;
        self.residual = self.residual.max(part.residual);
        part.nearest_kinks.iter().for_each(|kink| self.offer(*kink));
        self.offer_geometry(part.nearest_geometry_kink);
        self.division_margin = match (self.division_margin, margin) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}
