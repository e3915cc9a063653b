//! Decisions at an instant of continuous time, shown to an observer.

use super::dynamics::{DynamicsWorkspace, Instant};
use crate::Scalar;
use crate::constraint::ConstraintKinkSource;
use crate::decision::{Margin, Stage};
use crate::force::ForceContext;
use crate::system::error::SystemError;
use crate::system::observation::words;
use crate::system::rigid_body_system::RigidBodySystem;

impl<T: Scalar> RigidBodySystem<T> {
    /// Where decisions of an instant are shown from, if somebody observes.
    pub(super) fn stage_at(&self, time: f64) -> Option<Stage<'_, T>> {
        let observer = self.observer.as_ref()?;
        Some(Stage {
            observer,
            step: 0,
            time,
        })
    }

    /// Shows what has been decided in the last evaluation of the dynamics, unless events decide about contacts.
    pub(super) fn show_instant(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let Some(stage) = self.stage_at(instant.time.re()) else {
            return Ok(());
        };
        self.show_laws(workspace, instant.time, &stage)?;
        let DynamicsWorkspace {
            kinematics,
            contact,
            found,
            touching,
            problem,
            solution,
            ..
        } = workspace;
        let rigid = self.options.rigid_contact;
        let law = self.regularization.contact_law(T::zero());
        if !rigid && touching.is_none() {
            for (found, point) in found.iter().zip(&contact.points) {
                let motion = point.relative_motion_in(&self.tree, kinematics)?;
                let force = point.wrench(&law, &motion);
                let point = (found.pair, point);
                (self.contact).show_law(&stage, point, &law, (&motion, &force), T::zero());
            }
        }
        if rigid || !self.constraints.is_empty() {
            problem.visit_decisions(solution, &mut |source, kind, quantity, number| {
                let (change, margin) = (words(kind), Margin::Sign(number));
                match source {
                    ConstraintKinkSource::Contact(c) => {
                        let [a, b] = self.contact.names_of(problem.found[c].pair);
                        let unit = quantity.unit(false, false);
                        stage.show(format_args!("{a}|{b}"), change, unit, margin);
                    }
                    ConstraintKinkSource::Unilateral(k) => {
                        let name = self.name_of_constraint(problem.unilateral[k].0);
                        let unit = quantity.unit(problem.angular_inequalities()[k], false);
                        stage.show(format_args!("{name}"), change, unit, margin);
                    }
                }
            });
        }
        if touching.is_none() {
            let found = if rigid { &problem.found } else { &*found };
            self.show_gaps(&stage, kinematics, |pair| {
                found.iter().any(|found| found.pair == pair)
            })?;
        }
        let context = ForceContext::new(&self.tree, kinematics).at_time(instant.time);
        (self.forces).visit_kinks(&context, &mut |kink| stage.show_element(&kink))?;
        let mut show = |kink: crate::ElementKink<'_, T>| stage.show_element(&kink);
        Ok((self.actuators).visit_kinks(&context, input, instant.actuators, &mut show)?)
    }
}
