//! Distance of a state, or of a step in continuous time, from kinks.
//!
//! A method evaluates the rates at its stages only, and derivatives of the step jump where one of these is on a kink.
//! Looked at are the states at both ends of the step, each for contacts that may be made or broken within its length.

use super::dynamics::{DynamicsWorkspace, Instant};
use crate::constraint::{ConstraintKind, TreeConstraint};
use crate::contact::{Detection, GeometryKink};
use crate::solver::implicit_stribeck::KinkKind;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::system::status::{NearestKinks, StepKink, StepStatus};
use crate::system::step::StepEvaluation;
use crate::system::stepper::Stepper;
use crate::{InvalidInput, Scalar};

impl<T: Scalar> RigidBodySystem<T> {
    /// How near a state is to where its [accelerations](Self::accelerations) are not smooth: the nearest kink in contacts,
    /// constraints and force laws of each unit, and the pair of geometries nearest to a change of the features that touch.
    ///
    /// Contacts count that may be made or broken within `horizon` seconds; of a gap the distance is the velocity that
    /// would close it in that time. Force elements, actuators and sensors tell their kinks themselves, by
    /// [`visit_kinks`](crate::force::ForceElement::visit_kinks).
    ///
    /// ```
    /// use dualbody::prelude::*;
    ///
    /// let rubber = ContactMaterial::new(1e4, 0.0, 0.5)?;
    /// let system = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("ball", Shape::new_sphere(0.1)?, 1.0, rubber)
    ///     .build()?;
    /// let mut state = system.initial_state();
    /// system.set_body_position(&mut state, "ball", [0.0, 0.0, 0.099].into())?; // 1 mm deep
    /// let mut workspace = system.dynamics_workspace();
    /// let (kinks, _) = system.nearest_kinks(&mut workspace, &state, &[], 0.01)?;
    /// let touching = kinks.in_unit("m/s").ok_or("a contact")?;
    /// assert!((touching.distance() - 0.1).abs() < 1e-9); // 1 mm in 10 ms
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::accelerations`], and when the horizon is not a positive time.
    #[inline(never)]
    pub fn nearest_kinks(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        state: &State<T>,
        input: &[T],
        horizon: f64,
    ) -> Result<(NearestKinks, Option<GeometryKink>), SystemError> {
        InvalidInput::check_range("horizon", &[horizon], "a positive time", |t| {
            t > 0.0 && t.is_finite()
        })?;
        let (machine, mut status) = (self, StepStatus::default());
        machine.check_sizes(state, input)?;
        machine.find_kinks((workspace, input), state, horizon, &mut status)?;
        Ok((status.nearest_kinks, status.nearest_geometry_kink))
    }
}

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
            (self.real).find_kinks((&mut *workspace, input), real, self.time_step.re(), status)?;
        }
        Ok(())
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    #[inline(never)]
    fn find_kinks(
        &self,
        (workspace, input): (&mut DynamicsWorkspace<T>, &[T]),
        state: &State<T>,
        dt: f64,
        status: &mut StepStatus,
    ) -> Result<(), SystemError> {
        let rigid = self.options.rigid_contact;
        let mut limited = rigid;
        limited |= (self.constraints.iter()).any(|c| c.kind() == ConstraintKind::Unilateral);
        limited |= !self.force_laws.is_empty();
        if limited {
            self.evaluate_dynamics(workspace, Instant::of(state), input)?;
            let kinks = &workspace.solution.forces.kinks;
            let angular = workspace.problem.angular_inequalities();
            status.offer_constraints(kinks, angular, false);
            let of_laws = workspace.laws.iter();
            let of_laws = of_laws.flat_map(|memory| memory.kinks(&self.force_laws));
            of_laws.for_each(|kink| status.offer(kink));
        }
        let (kinematics, (contact, found)) = (&mut workspace.kinematics, &mut workspace.search);
        let v = state.v.as_slice();
        self.tree.set_state(kinematics, state.q.as_slice(), v)?;
        let step = (Detection::Anticipating, dt);
        (self.contact).detect(&self.tree, kinematics, step, &[v], contact, found)?;
        for (point, found) in contact.points.iter().zip(found) {
            let (x, dissipation) = (point.penetration.re(), point.material.dissipation.re());
            let mut offer = |kind, distance| {
                let pair = found.pair;
                status.offer(StepKink::ContactOfPair {
                    pair,
                    kind,
                    distance,
                });
            };
            let damping =
                1.0 - dissipation * point.relative_velocity_in(&self.tree, kinematics)?.z.re();
            if x <= 0.0 || (!rigid && damping >= 0.0) {
                offer(KinkKind::Touching, x.abs() / dt);
            }
            if x >= 0.0 && !rigid && dissipation > 0.0 {
                offer(KinkKind::Clamping, damping.abs() / dissipation);
            }
        }
        status.offer_geometry(contact.kink);
        Ok(())
    }
}
