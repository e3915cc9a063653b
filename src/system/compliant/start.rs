//! The start of a compliant step in `f64`: bodies, and the contacts that the step may make.

use crate::Scalar;
use crate::contact::{ContactWorkspace, FoundContact};
use crate::force::ForceContext;
use crate::system::error::SystemError;
use crate::system::kinematics::StepKinematics;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::system::stepper::Stepper;
use crate::tree::RigidBodyTree;

/// Bodies and contacts at the start of a step; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct StepStart {
    pub kinematics: StepKinematics<f64>,
    pub state: State<f64>,
    pub input: Vec<f64>,
    /// Whether an actuator can touch in the step.
    pub actuators_touch: bool,
    pub contact: ContactWorkspace<f64>,
    /// The contacts of the step.
    pub found: Vec<FoundContact>,
    /// Pairs further away.
    further: Vec<usize>,
}

impl StepStart {
    pub fn new(system: &RigidBodySystem<f64>) -> Self {
        StepStart {
            kinematics: StepKinematics::new(&system.tree),
            state: system.initial_state(),
            input: Vec::new(),
            actuators_touch: false,
            contact: ContactWorkspace::new(),
            found: Vec::new(),
            further: Vec::new(),
        }
    }

    /// Places bodies.
    pub fn place<T: Scalar>(
        &mut self,
        stepper: Stepper<'_, f64>,
        state: &State<T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let (real, dt) = (stepper.system, stepper.time_step);
        self.state.copy_real(state);
        self.input.clear();
        self.input.extend(input.iter().map(|u| u.re()));
        let (kinematics, State { time, q, v, .. }) = (&mut self.kinematics, &self.state);
        let state = (q.as_slice(), v.as_slice());
        kinematics.place(&real.tree, state, dt, stepper.is_substep)?;
        let context = ForceContext::new(&real.tree, &kinematics.bodies)
            .at_time(*time)
            .over_step(dt);
        self.actuators_touch = real.actuators.may_touch(&context)?;
        Ok(())
    }

    /// Finds the contacts that the step may make, along the velocities of its start.
    pub fn find_contacts(&mut self, stepper: Stepper<'_, f64>) -> Result<(), SystemError> {
        let (real, dt) = (stepper.system, stepper.time_step);
        let step = (real.options.detection, dt);
        let (tree, kinematics) = (&real.tree, &self.kinematics.bodies);
        let (contact, found) = (&mut self.contact, &mut self.found);
        Ok((real.contact).detect(
            tree,
            kinematics,
            step,
            &[self.state.v.as_slice()],
            contact,
            found,
        )?)
    }

    /// Looks for contacts again where the velocities `v` that the step has come to lead further than was anticipated.
    /// Returns whether their number has changed.
    pub fn find_more_contacts(
        &mut self,
        stepper: Stepper<'_, f64>,
        v: &[f64],
    ) -> Result<bool, SystemError> {
        let (real, dt) = (stepper.system, stepper.time_step);
        let before = self.found.len();
        let (tree, kinematics) = (&real.tree, &self.kinematics.bodies);
        let (contact, found) = (&mut self.contact, &mut self.found);
        (real.contact).detect_again(tree, kinematics, dt, v, contact, found)?;
        Ok(found.len() != before)
    }

    /// The largest angular speed of a body in another state, in rad/s.
    pub fn fastest_rotation<T: Scalar>(
        &mut self,
        tree: &RigidBodyTree<f64>,
        state: &State<T>,
    ) -> Result<f64, SystemError> {
        self.state.copy_real(state);
        let (bodies, State { q, v, .. }) = (&mut self.kinematics.bodies, &self.state);
        tree.set_state(bodies, q.as_slice(), v.as_slice())?;
        let mut fastest = 0.0f64;
        for body in tree.bodies() {
            let velocity = tree.body_velocity(bodies, body.index())?;
            fastest = fastest.max(velocity.angular.norm());
        }
        Ok(fastest)
    }

    /// By which angle the rotation of a step would have to change for the first pair to come within reach, if none is, and
    /// of those within twice the reach; for the last to leave it, if some are.
    pub fn rotation_to_reach(
        &mut self,
        real: &RigidBodySystem<f64>,
        dt: f64,
    ) -> Result<Option<f64>, SystemError> {
        let (model, is_out) = (&real.contact, self.found.is_empty());
        let pairs = &mut self.further;
        if is_out {
            model.find_further(dt, &mut self.contact, pairs);
        } else {
            pairs.clear();
            pairs.extend(self.found.iter().map(|found| found.pair));
            pairs.dedup();
        }
        let mut nearest: Option<f64> = None;
        let kinematics = (&real.tree, &self.kinematics.bodies);
        let step = (real.options.detection, dt);
        let pairs = pairs.iter().copied();
        model.visit_excess(kinematics, step, pairs, |_, excess, by_rotation| {
            let rotation = excess.abs() / by_rotation;
            nearest = Some(match nearest {
                Some(other) if is_out => other.min(rotation),
                Some(other) => other.max(rotation),
                None => rotation,
            });
        })?;
        Ok(nearest)
    }
}
