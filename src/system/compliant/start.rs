//! The start of a compliant step in `f64`: bodies, and the contacts that the step may make.

use super::step::RealContext;
use crate::Scalar;
use crate::contact::{ContactWorkspace, FoundContact};
use crate::force::ForceContext;
use crate::system::applied_forces::Actuation;
use crate::system::error::SystemError;
use crate::system::kinematics::StepKinematics;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::tree::RigidBodyTree;

/// Bodies and contacts at the start of a step; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct StepStart {
    pub kinematics: StepKinematics<f64>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub(super) drive: Drive,
    /// Whether an actuator can touch in the step.
    pub actuators_touch: bool,
    pub contact: ContactWorkspace<f64>,
    /// The contacts of the step.
    pub found: Vec<FoundContact>,
    /// Pairs further away.
    further: Vec<usize>,
}

/// What drives a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Drive {
    time: f64,
    time_step: f64,
    input: Vec<f64>,
    actuators: Vec<f64>,
}

impl Drive {
    pub fn actuation(&self) -> Actuation<'_, f64> {
        Actuation {
            time: self.time,
            time_step: self.time_step,
            input: &self.input,
            state: &self.actuators,
        }
    }

    /// The time at the end of the step.
    pub fn end(&self) -> f64 {
        self.time + self.time_step
    }
}

impl StepStart {
    pub fn new(tree: &RigidBodyTree<f64>) -> Self {
        StepStart {
            kinematics: StepKinematics::new(tree),
            q: vec![0.0; tree.num_positions()],
            v: vec![0.0; tree.num_velocities()],
            drive: Drive::default(),
            actuators_touch: false,
            contact: ContactWorkspace::new(),
            found: Vec::new(),
            further: Vec::new(),
        }
    }

    /// Places bodies.
    pub fn place<T: Scalar>(
        &mut self,
        context: RealContext<'_>,
        state: &State<T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let RealContext { real, dt, .. } = context;
        self.copy_state(state);
        let drive = &mut self.drive;
        (drive.time, drive.time_step) = (state.time.re(), dt);
        copy_real(&mut drive.input, input);
        copy_real(&mut drive.actuators, state.actuators.as_slice());
        let (kinematics, at) = (&mut self.kinematics, (&*self.q, &*self.v));
        kinematics.place(&real.tree, at, dt, context.projects_momentum)?;
        let context = ForceContext::new(&real.tree, &kinematics.bodies)
            .at_time(drive.time)
            .over_step(dt);
        self.actuators_touch = real.actuators.may_touch(&context)?;
        Ok(())
    }

    /// Finds the contacts that the step may make, along the velocities of its start.
    pub fn find_contacts(&mut self, context: RealContext<'_>) -> Result<(), SystemError> {
        let RealContext { real, dt, .. } = context;
        let step = (real.options.detection, dt);
        let (tree, kinematics) = (&real.tree, &self.kinematics.bodies);
        let (contact, found) = (&mut self.contact, &mut self.found);
        Ok((real.contact).detect(tree, kinematics, step, &[&self.v], contact, found)?)
    }

    /// Looks for contacts again where the velocities `v` that the step has come to lead further than was anticipated.
    /// Returns whether their number has changed.
    pub fn find_more_contacts(
        &mut self,
        context: RealContext<'_>,
        v: &[f64],
    ) -> Result<bool, SystemError> {
        let RealContext { real, dt, .. } = context;
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
        self.copy_state(state);
        let bodies = &mut self.kinematics.bodies;
        tree.set_state(bodies, &self.q, &self.v)?;
        let mut fastest = 0.0f64;
        for (body, _) in tree.bodies() {
            let velocity = tree.body_velocity(bodies, body)?;
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

    fn copy_state<T: Scalar>(&mut self, state: &State<T>) {
        copy_real(&mut self.q, state.q.as_slice());
        copy_real(&mut self.v, state.v.as_slice());
    }
}

/// Copies real parts.
fn copy_real<T: Scalar>(target: &mut Vec<f64>, source: &[T]) {
    target.clear();
    target.extend(source.iter().map(|x| x.re()));
}
