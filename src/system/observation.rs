//! Decisions of a step, shown to an [`Observer`] with their margins in the scalar of the system, at the solution.
//!
//! It is evaluated once more where somebody observes, and not at all where nobody does.

use super::compliant::{CompliantSolve, PointForce, Row};
use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::Scalar;
use crate::constraint::{
    ConstraintKinkKind, ConstraintKinkQuantity, ConstraintKinkSource, TreeConstraint,
};
use crate::contact::Detection;
use crate::decision::{Margin, Observable, Observer, Search, Stage};
use crate::tree::TreeWorkspace;
use nalgebra::Vector3;

impl<T: Scalar> Observable<T> for RigidBodySystem<T> {
    fn observe(&mut self, observer: Option<Observer<T>>) {
        self.observer = observer;
    }
}

impl<T: Scalar> Observable<T> for TimeSteppingRigidBodySystem<T> {
    fn observe(&mut self, observer: Option<Observer<T>>) {
        if let Some(driven) = &mut self.driven {
            driven.observe(observer.clone());
        }
        self.system.observe(observer);
    }
}

impl<'s, T: Scalar> Stepper<'s, T> {
    fn stage(&self, evaluation: &StepEvaluation<T>) -> Option<Stage<'s, T>> {
        let (step, time) = (evaluation.index, evaluation.start.time.re());
        let observer = self.system.observer.as_ref()?;
        Some(Stage {
            observer,
            step,
            time,
        })
    }

    /// Shows what a compliant step, or a part of one, has decided.
    pub(super) fn show_compliant(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let Some(stage) = self.stage(evaluation) else {
            return Ok(());
        };
        let StepEvaluation {
            kinematics,
            compliant,
            start,
            input,
            v_after_forces,
            ..
        } = &mut *evaluation;
        let (system, dt) = (self.system, self.time_step);
        let interval = self.interval(start, input);
        let (balance, found) = (&mut compliant.balance, &compliant.found);
        if T::NDERIV == 0 {
            balance.place(&interval, kinematics, found)?;
        }
        let law = system.regularization.contact_law(dt);
        let overlaps = system.options.detection == Detection::Overlapping;
        // The pairs that press, and how much nearer their points come in the step.
        let mut pressing: Vec<(usize, f64)> = Vec::new();
        let at_end =
            (balance.contacts(&interval, &kinematics.bodies, v_after_forces)?).collect::<Vec<_>>();
        let slowed = self.slowed_by_friction(&mut kinematics.bodies, &at_end)?;
        for ((found, (point, motion, force)), slowed) in found.iter().zip(at_end).zip(slowed) {
            let pair = found.pair;
            let moved = (&motion, &force);
            (system.contact).show_law(&stage, (pair, point), &law, moved, slowed);
            if overlaps {
                let [a, b] = system.contact.names_of(pair);
                let margin = Margin::Sign(point.penetration);
                stage.show(format_args!("{a}|{b}"), "overlap", "m", margin);
            }
            if force.force.z.re() > 0.0 {
                let closing = (-motion.linear.z.re() * dt.re()).max(0.0);
                match pressing.last_mut().filter(|last| last.0 == pair) {
                    Some(last) => last.1 = last.1.max(closing),
                    None => pressing.push((pair, closing)),
                }
            }
        }
        for (pair, closing) in pressing {
            let [a, b] = compliant.balance.poses_of(system, pair);
            system
                .contact
                .show_features(&stage, pair, [&a, &b], closing);
        }
        let acting = compliant.impulses();
        compliant
            .balance
            .for_each_inequality(v_after_forces, |row, rate| {
                let place = (row.constraint, row.row);
                let acts = compliant.active.iter().position(|active| *active == place);
                self.show_inequality(&stage, row, acts.map(|i| acting[i]), rate);
            });
        self.show_surroundings(&stage, evaluation)?;
        self.show_elements(&stage, evaluation)
    }

    /// By how much the friction of a step has slowed the slip at each of its contacts, at the positions of `bodies`, if all
    /// else were as it is: zero for those that hold, or are pushed on.
    fn slowed_by_friction(
        &self,
        bodies: &mut TreeWorkspace<T>,
        contacts: &[PointForce<'_, T>],
    ) -> Result<Vec<T>, SystemError> {
        let (tree, zero) = (&self.system.tree, T::zero());
        let tolerance = self
            .system
            .regularization
            .contact_law(self.time_step)
            .stiction_tolerance;
        let speeds: Vec<T> = (contacts.iter())
            .map(|(_, motion, _)| T::norm_lifted(&[motion.linear.x, motion.linear.y]))
            .collect();
        let mut slowed = vec![zero; contacts.len()];
        let slides = |c: usize| speeds[c].re() > tolerance.re() && contacts[c].2.force.z.re() > 0.0;
        if !(0..contacts.len()).any(slides) {
            return Ok(slowed);
        }
        let mut change = vec![zero; tree.num_velocities()];
        for c in (0..contacts.len()).filter(|&c| slides(c)) {
            let (point, _, force) = &contacts[c];
            let friction = Vector3::new(force.force.x, force.force.y, zero);
            let impulse = point.rotation * friction * self.time_step;
            for (body, sign) in [(point.body_a, 1.0), (point.body_b, -1.0)] {
                tree.for_each_point_column(bodies, body, &point.position, |j, column| {
                    change[j] += column.linear.dot(&impulse) * sign;
                })?;
            }
        }
        tree.solve_mass_matrix(bodies, &mut change)?;
        for c in (0..contacts.len()).filter(|&c| slides(c)) {
            let (point, motion, _) = &contacts[c];
            let slip = Vector3::new(motion.linear.x, motion.linear.y, zero);
            let along = point.rotation * slip.map(|v| v.div_lifted(speeds[c]));
            for (body, sign) in [(point.body_a, -1.0), (point.body_b, 1.0)] {
                tree.for_each_point_column(bodies, body, &point.position, |j, column| {
                    slowed[c] += column.linear.dot(&along) * change[j] * sign;
                })?;
            }
            slowed[c] = slowed[c].max_lifted(zero);
        }
        Ok(slowed)
    }

    /// Shows how much momentum friction that falls with the slip speed lacks until a compliant step has another solution: with
    /// the derivatives of the balance along the direction in which it is weakest, at the velocities that have been found.
    pub(super) fn show_folds(
        &self,
        evaluation: &mut StepEvaluation<T>,
        solve: &mut CompliantSolve,
    ) -> Result<(), SystemError> {
        let Some(stage) = self.stage(evaluation) else {
            return Ok(());
        };
        let folds = solve.folds(self.real())?;
        if folds.is_empty() {
            return Ok(());
        }
        let StepEvaluation {
            kinematics,
            compliant,
            start,
            input,
            ..
        } = &mut *evaluation;
        let v: Vec<T> = (compliant.velocities().iter())
            .map(|v| T::from(v.re()))
            .collect();
        let (interval, mut residual) = (self.interval(start, input), vec![T::zero(); v.len()]);
        (compliant.balance).place(&interval, kinematics, &compliant.found)?;
        (compliant.balance).residual(&interval, kinematics, &[], &v, &mut residual)?;
        for fold in folds {
            let terms = (fold.direction.iter()).map(|&(i, d)| residual[i].infinitesimal() * d);
            let lacking = terms.fold(T::from(fold.lacking), |sum, term| sum + term);
            let [a, b] = (self.system.contact).names_of(compliant.found[fold.contact].pair);
            let margin = Margin::Sign(lacking);
            stage.show(format_args!("{a}|{b}"), "folding", "N s", margin);
        }
        Ok(())
    }

    /// Shows what a rigid step has decided.
    pub(super) fn show_rigid(&self, evaluation: &mut StepEvaluation<T>) -> Result<(), SystemError> {
        let Some(stage) = self.stage(evaluation) else {
            return Ok(());
        };
        let (system, dt) = (self.system, self.time_step);
        let solved = &evaluation.rigid.solved;
        let problem = &solved.problem;
        let angular = problem.angular_inequalities();
        let law = (dt, system.regularization.rebound_speed);
        problem.visit_decisions(
            &solved.solution,
            law,
            &mut |source, kind, quantity, number| {
                let change = words(kind);
                let results = match quantity {
                    ConstraintKinkQuantity::Gap => evaluation.start.q.as_slice(),
                    ConstraintKinkQuantity::Motion => {
                        solved.solution.generalized_velocity.as_slice()
                    }
                    ConstraintKinkQuantity::Force => solved.solution.impulses.packed.as_slice(),
                };
                let margin = Margin::SignAmong { number, results };
                match source {
                    ConstraintKinkSource::Contact(c) => {
                        let [a, b] = system.contact.names_of(problem.found[c].pair);
                        let unit = quantity.unit(false, true);
                        stage.show(format_args!("{a}|{b}"), change, unit, margin);
                    }
                    ConstraintKinkSource::Unilateral(k) => {
                        let name = system.name_of_constraint(problem.unilateral[k].0);
                        let unit = quantity.unit(angular[k], true);
                        stage.show(format_args!("{name}"), change, unit, margin);
                    }
                }
            },
        );
        if let Some(gain) = solved.limit {
            stage.show(
                format_args!("contacts"),
                "energy of rebounds",
                "J",
                Margin::Sign(gain),
            );
        }
        let mut pressing: Vec<usize> = (problem.found.iter())
            .zip(solved.solution.impulses.normal())
            .filter(|(_, impulse)| impulse.re() > 0.0)
            .map(|(found, _)| found.pair)
            .collect();
        pressing.dedup();
        let (start, kinematics) = (&evaluation.start, &mut evaluation.kinematics.bodies);
        (system.tree).set_state(kinematics, start.q.as_slice(), start.v.as_slice())?;
        let mut column = Vec::new();
        let shared = problem.shared_load(&solved.solution, |x| {
            column.clear();
            column.extend(x.iter().map(|&x| T::from(x)));
            (system.tree).solve_mass_matrix(kinematics, &mut column)?;
            x.iter_mut().zip(&column).for_each(|(x, y)| *x = y.re());
            Ok::<_, SystemError>(())
        })?;
        if let Some(contact) = shared {
            let [a, b] = system.contact.names_of(problem.found[contact].pair);
            let margin = Margin::Search(Search {
                at_least: 0.0,
                moving: solved.solution.generalized_velocity.as_slice(),
                find: &|_, _| Some(0.0),
            });
            stage.show(format_args!("{a}|{b}"), "sharing a load", "N s", margin);
        }
        let poses = system.contact.poses(&system.tree, kinematics)?;
        let pairs: Vec<_> = system.contact.pairs().collect();
        for pair in pressing {
            let (a, b) = pairs[pair];
            let closing = (problem.found.iter().zip(&problem.contacts))
                .filter(|(found, _)| found.pair == pair)
                .map(|(_, point)| (-point.penetration.re()).max(0.0))
                .fold(0.0, f64::max);
            (system.contact).show_features(&stage, pair, [&poses[a], &poses[b]], closing);
        }
        self.show_surroundings(&stage, evaluation)?;
        self.show_elements(&stage, evaluation)
    }

    /// Shows by what an inequality of a compliant step acts, its impulse, or does not, its rate. Where its gap closes nothing
    /// changes: errors are taken back as gaps are closed, with the same derivatives.
    fn show_inequality(&self, stage: &Stage<'_, T>, row: &Row<T>, impulse: Option<T>, rate: T) {
        let constraint = self.system.constraints.get(row.constraint);
        let name = constraint.map_or("", |c| c.name());
        let unit = |of_lengths, of_angles| {
            if row.is_angular {
                of_angles
            } else {
                of_lengths
            }
        };
        let show = |change, unit, number| {
            stage.show(format_args!("{name}"), change, unit, Margin::Sign(number));
        };
        match impulse {
            Some(impulse) => show("releasing", unit("N s", "N m s"), impulse),
            None => show("reaching", unit("m/s", "rad/s"), rate),
        }
    }

    /// Shows which pairs that were not found do not touch at the end of the step: at its start, if that decides.
    fn show_surroundings(
        &self,
        stage: &Stage<'_, T>,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let system = self.system;
        let StepEvaluation {
            kinematics,
            compliant,
            rigid,
            start,
            next,
            ..
        } = evaluation;
        let found = match self.scheme {
            super::Scheme::Rigid => &rigid.solved.problem.found,
            _ => &compliant.found,
        };
        let state = match system.options.detection {
            Detection::Overlapping => &*start,
            _ => &*next,
        };
        let kinematics = &mut kinematics.bodies;
        (system.tree).set_state(kinematics, state.q.as_slice(), state.v.as_slice())?;
        system.show_gaps(stage, kinematics, |pair| {
            found.iter().any(|found| found.pair == pair)
        })?;
        self.place_start(evaluation)
    }

    /// Shows the decisions of elements.
    fn show_elements(
        &self,
        stage: &Stage<'_, T>,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        self.visit_element_kinks(evaluation, &mut |kink| stage.show_element(&kink))
    }

    /// Shows which pairs are within reach of a step that turns so far that it is made in substeps if some are.
    pub(super) fn show_reach(
        &self,
        evaluation: &mut StepEvaluation<T>,
        solve: &CompliantSolve,
    ) -> Result<(), SystemError> {
        let Some(stage) = self.stage(evaluation) else {
            return Ok(());
        };
        let (system, rotation) = (self.system, solve.start.kinematics.fast_rotation.rotation);
        if self.is_substep || solve.start.actuators_touch || rotation <= self.real.options.max_turn
        {
            return Ok(());
        }
        self.place_start(evaluation)?;
        let (tree, kinematics) = (&system.tree, &evaluation.kinematics.bodies);
        // One pair makes the difference: the one that is within reach furthest, or the nearest out of it.
        let is_found = |pair| solve.start.found.iter().any(|found| found.pair == pair);
        let mut last: Option<(usize, T)> = None;
        let step = (system.options.detection, self.time_step);
        let pairs = (0..system.contact.pairs().len())
            .filter(|&pair| solve.start.found.is_empty() != is_found(pair));
        (system.contact).visit_excess((tree, kinematics), step, pairs, |pair, excess, _| {
            if last.is_none_or(|(_, other)| excess.re() < other.re()) {
                last = Some((pair, excess));
            }
        })?;
        if let Some((pair, excess)) = last {
            let [a, b] = system.contact.names_of(pair);
            let margin = Margin::Sign(excess);
            stage.show(
                format_args!("{a}|{b}"),
                "reach of a step in parts",
                "m",
                margin,
            );
        }
        Ok(())
    }

    /// Shows into how many substeps a step, of which a share is `left`, is divided: by the turn at which it would be
    /// another number.
    pub(super) fn show_subdivision(
        &self,
        evaluation: &mut StepEvaluation<T>,
        rotations: [Option<f64>; 2],
        left: f64,
    ) -> Result<(), SystemError> {
        let Some(stage) = self.stage(evaluation) else {
            return Ok(());
        };
        self.place_start(evaluation)?;
        let (tree, kinematics) = (&self.system.tree, &evaluation.kinematics.bodies);
        let mut fastest = (T::zero(), "");
        for (body, w) in tree.bodies().zip(tree.angular_velocities(kinematics)?) {
            let rate = T::norm_lifted(w.as_slice());
            if rate.re() > fastest.0.re() {
                fastest = (rate, body.name());
            }
        }
        let rotation = fastest.0 * self.time_step * left;
        for at in rotations.into_iter().flatten() {
            let margin = Margin::Sign(rotation - at);
            stage.show(
                format_args!("{}", fastest.1),
                "number of parts",
                "rad",
                margin,
            );
        }
        Ok(())
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    /// Shows which pairs do not touch at the positions of a workspace, but for those that have been found.
    pub(super) fn show_gaps(
        &self,
        stage: &Stage<'_, T>,
        kinematics: &TreeWorkspace<T>,
        is_found: impl Fn(usize) -> bool,
    ) -> Result<(), SystemError> {
        let poses = self.contact.poses(&self.tree, kinematics)?;
        for (pair, (a, b)) in self.contact.pairs().enumerate() {
            if !is_found(pair) {
                (self.contact).show_gap(stage, pair, [&poses[a], &poses[b]]);
            }
        }
        Ok(())
    }
}

pub(super) fn words(kind: ConstraintKinkKind) -> &'static str {
    match kind {
        ConstraintKinkKind::Parting => "parting",
        ConstraintKinkKind::Closing => "closing",
        ConstraintKinkKind::Slipping => "slipping",
        ConstraintKinkKind::Sticking => "sticking",
        ConstraintKinkKind::Turning => "turning",
        ConstraintKinkKind::Releasing => "releasing",
        ConstraintKinkKind::Reaching => "reaching",
        ConstraintKinkKind::Touching => "touching",
        ConstraintKinkKind::Rebounding => "rebounding",
    }
}
