//! Residuals by the names of their kinds.

use crate::array::{numbers, vector_or_zeros, wrong_shape};
use crate::control::planned::PlannedMachine;
use crate::error::{Failure, Outcome};
use crate::kinematics::Place;
use crate::system::{Stepper, state_of, state_size};
use dualbody::math::RigidTransform;
use dualbody::nalgebra::{Matrix3, Vector3};
use dualbody::tree::BodyIndex;
use dualbody_control::{
    BodyPosition, BodyTurn, BodyVelocity, ByDuals, CenterOfMass, ContactForce, DesignState,
    Dissipation, InputResidual, MachineDynamics, MechanicalEnergy, Outputs, Residual,
    StateResidual,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// By how much the product of a rotation and its transpose may differ from the identity.
const ORTHONORMAL: f64 = 1e-6;

/// What is asked of a motion.
pub struct Description<'a, 'py> {
    /// The name of the kind.
    pub kind: &'a str,
    /// What it is to be; zero, or what is neutral, if not given.
    pub target: Option<&'a Bound<'py, PyAny>>,
    /// The frame or body of which it is.
    pub frame: Option<&'a str>,
    /// The point in that frame; its origin if not given.
    pub point: Option<&'a Bound<'py, PyAny>>,
    /// The other body of contacts; all if not given.
    pub by: Option<&'a str>,
    /// Whether it counts in the stages, which have inputs and outputs.
    pub is_running: bool,
}

impl Description<'_, '_> {
    /// The residual for a machine that starts from a state.
    pub fn residual(
        &self,
        machine: &PlannedMachine,
        (start, horizon): (&DesignState, usize),
    ) -> Outcome<Box<dyn Residual<PlannedMachine>>> {
        let stepper = machine.system();
        let needs_frame = matches!(
            self.kind,
            "position" | "rotation" | "velocity" | "contact_force"
        );
        if self.frame.is_some() && !needs_frame {
            return Err(self.wrong("has no frame"));
        }
        if self.point.is_some() && self.kind != "position" {
            return Err(self.wrong("has no point"));
        }
        if self.by.is_some() && self.kind != "contact_force" {
            return Err(self.wrong("has no other body"));
        }
        let of_stages = ["input", "output", "contact_force", "dissipation"];
        if of_stages.contains(&self.kind) && !self.is_running {
            return Err(self.wrong("is that of a stage, and the last state is none"));
        }
        Ok(match self.kind {
            "state" => Box::new(self.states(machine, (start, horizon))?),
            "input" => {
                let target = vector_or_zeros(self.target, "target", stepper.num_inputs())?;
                Box::new(InputResidual::new(target))
            }
            "output" => Box::new(self.outputs(stepper)?),
            "position" => {
                let (body, pose) = self.place(stepper)?;
                let point = Vector3::from_vec(vector_or_zeros(self.point, "point", 3)?);
                let position = BodyPosition {
                    body,
                    point: pose.transform_point(&point),
                    target: self.target3()?,
                };
                Box::new(ByDuals::new(stepper, position))
            }
            "rotation" => {
                let (body, pose) = self.place(stepper)?;
                let target = self.rotation()? * pose.rotation.transpose();
                Box::new(ByDuals::new(stepper, BodyTurn { body, target }))
            }
            "velocity" => {
                let body = stepper.tree().body_by_name(self.frame_name()?)?;
                let mut target = [0.0; 6];
                target.copy_from_slice(&vector_or_zeros(self.target, "target", 6)?);
                Box::new(ByDuals::new(stepper, BodyVelocity { body, target }))
            }
            "center_of_mass" => {
                let target = self.target3()?;
                Box::new(ByDuals::new(stepper, CenterOfMass { target }))
            }
            "contact_force" => {
                let body = |name| stepper.tree().body_by_name(name);
                let force = ContactForce {
                    body: body(self.frame_name()?)?,
                    by: self.by.map(body).transpose()?,
                    target: self.target3()?,
                };
                Box::new(ByDuals::new(stepper, force))
            }
            "energy" => {
                let target = self
                    .target
                    .map_or(Ok(0.0), |value| value.extract::<f64>())?;
                if !target.is_finite() {
                    return Err(Failure::argument(format!("target: found {target}")));
                }
                Box::new(ByDuals::new(stepper, MechanicalEnergy { target }))
            }
            "dissipation" => match self.target {
                None => Box::new(ByDuals::new(stepper, Dissipation)),
                Some(_) => return Err(self.wrong("has no target")),
            },
            other => {
                let expected = "state, input, output, position, rotation, velocity, center_of_mass, \
                                contact_force, energy, dissipation";
                return Err(Failure::argument(format!(
                    "kind: found {other:?}, expected one of {expected}"
                )));
            }
        })
    }

    /// Towards one state, or one for each stage and the end.
    fn states(
        &self,
        machine: &PlannedMachine,
        (start, horizon): (&DesignState, usize),
    ) -> Outcome<StateResidual<DesignState>> {
        let stepper = machine.system();
        let Some(target) = self.target else {
            return Ok(StateResidual::new(start.clone()));
        };
        let nx = state_size(stepper);
        let read = numbers(target, "target")?;
        match read.shape[..] {
            [n] if n == nx => {}
            [rows, n] if n == nx && nx > 0 && self.is_running && rows >= horizon => {}
            _ => {
                let expected = match self.is_running {
                    true => format!("({nx},) or at least ({horizon}, {nx})"),
                    false => format!("({nx},)"),
                };
                return Err(wrong_shape("target", &read.shape, &expected));
            }
        }
        let is_one = read.shape.len() == 1;
        let values = read.finite("target")?;
        let design = machine.dynamics();
        let state = |entries: &[f64]| design.state(state_of(stepper, entries, start.machine.time));
        if is_one {
            return Ok(StateResidual::new(state(&values)));
        }
        let states = values.chunks_exact(nx).map(state);
        Ok(StateResidual::tracking(states.collect())?)
    }

    fn outputs(&self, stepper: &Stepper) -> Outcome<Outputs> {
        let expected = || self.wrong("needs a target, a dict of numbers by names of outputs");
        let target = self.target.ok_or_else(expected)?;
        let target = target.cast::<PyDict>().map_err(|_| expected())?;
        let mut targets = Vec::new();
        for (name, value) in target {
            let name = name.extract::<String>()?;
            let value: f64 = value.extract()?;
            if !value.is_finite() {
                let text = format!("target: {name} is {value}, expected a finite number");
                return Err(Failure::argument(text));
            }
            targets.push((name, value));
        }
        let targets: Vec<_> =
            (targets.iter().map(|(name, value)| (name.as_str(), *value))).collect();
        Ok(Outputs::new(stepper, &targets)?)
    }

    fn frame_name(&self) -> Outcome<&str> {
        self.frame
            .ok_or_else(|| self.wrong("needs a frame, by name"))
    }

    /// The body, and the pose of the frame on it.
    fn place(&self, stepper: &Stepper) -> Outcome<(BodyIndex, RigidTransform<f64>)> {
        let tree = stepper.tree();
        Place::find(tree, self.frame_name()?)?.on_body(tree)
    }

    fn target3(&self) -> Outcome<Vector3<f64>> {
        Ok(Vector3::from_vec(vector_or_zeros(
            self.target,
            "target",
            3,
        )?))
    }

    fn rotation(&self) -> Outcome<Matrix3<f64>> {
        let Some(target) = self.target else {
            return Ok(Matrix3::identity());
        };
        let read = numbers(target, "target")?;
        if read.shape != [3, 3] {
            return Err(wrong_shape("target", &read.shape, "(3, 3)"));
        }
        let rotation = Matrix3::from_row_slice(&read.finite("target")?);
        let error = (rotation.transpose() * rotation - Matrix3::identity()).amax();
        if error > ORTHONORMAL || rotation.determinant() < 0.0 {
            return Err(Failure::argument(format!(
                "target: not a rotation, {error:e} from orthonormal"
            )));
        }
        Ok(rotation)
    }

    fn wrong(&self, what: &str) -> Failure {
        Failure::argument(format!("kind: {:?} {what}", self.kind))
    }
}
