//! How near a step in continuous time came to a kink.
//!
//! A method evaluates the rates at its stages only, and derivatives of the step jump where one of these is on a kink.
//! Looked at are the states at both ends of the step, each for contacts that may be made or broken within its length.

use super::dynamics::{DynamicsWorkspace, Instant};
use crate::Scalar;
use crate::constraint::ConstraintKind;
use crate::contact::Detection;
use crate::solver::implicit_stribeck::KinkKind;
use crate::system::error::SystemError;
use crate::system::machine::{Machine, Stepper};
use crate::system::state::State;
use crate::system::status::{StepKink, StepStatus};
use crate::system::step::StepEvaluation;

impl<T: Scalar> Stepper<'_, T> {
    /// Writes the kinks that are nearest to the ends of the step.
    pub(super) fn find_kinks_at_ends(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            integration,
            start,
            next,
            real,
            status,
            ..
        } = evaluation;
        let Some((workspace, input)) = integration.real_dynamics() else {
            return Ok(());
        };
        for state in [&*start, &*next] {
            real.copy_real(state);
            self.real
                .find_kinks((&mut *workspace, input), real, self.time_step.re(), status)?;
        }
        Ok(())
    }
}

impl Machine<'_, f64> {
    fn find_kinks(
        &self,
        (workspace, input): (&mut DynamicsWorkspace<f64>, &[f64]),
        state: &State<f64>,
        dt: f64,
        status: &mut StepStatus,
    ) -> Result<(), SystemError> {
        let rigid = self.options.rigid_contact;
        let mut limited = rigid;
        (self.constraints).visit(&mut |c| limited |= c.kind() == ConstraintKind::Unilateral);
        if limited {
            self.evaluate_dynamics(workspace, Instant::of(state), input)?;
            let (kinks, rows) = &workspace.kinks;
            status.offer_constraints(self.constraints, kinks, (rows, false));
        }
        let (placed, (contact, found)) = (&mut workspace.placed, &mut workspace.search);
        let v = state.v.as_slice();
        self.tree.set_state(placed, state.q.as_slice(), v)?;
        let step = (Detection::Anticipating, dt);
        (self.contact).detect(self.tree, placed, step, &[v], contact, found)?;
        for (point, found) in contact.points.iter().zip(found) {
            let (x, material) = (point.penetration, &point.material);
            let mut offer = |kind, distance| {
                let pair = found.pair;
                status.offer(StepKink::ContactOfPair {
                    pair,
                    kind,
                    distance,
                });
            };
            let damping = 1.0 - material.dissipation * self.relative_velocity(placed, point)?.z;
            if x <= 0.0 || (!rigid && damping >= 0.0) {
                offer(KinkKind::Touching, x.abs() / dt);
            }
            if x >= 0.0 && !rigid && material.dissipation > 0.0 {
                offer(KinkKind::Clamping, damping.abs() / material.dissipation);
            }
        }
        status.offer_geometry(contact.kink);
        Ok(())
    }
}
