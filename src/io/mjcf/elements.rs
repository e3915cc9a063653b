//! MJCF: springs, actuators, sensors and constraints of a model.

use crate::actuator::{Actuator, AnyActuator};
use crate::constraint::{AnyConstraint, TreeConstraint};
use crate::force::{AnyForce, ForceElement};
use crate::parameter::Parameter;
use crate::sensor::{AnySensor, Sensor};
use crate::system::RigidBodySystem;
use crate::{DefaultScalar, Scalar};

/// Springs, actuators, sensors and constraints.
#[derive(Debug, Clone)]
pub struct MjcfElements<T: Scalar> {
    /// Springs of joints.
    pub forces: Vec<AnyForce<T>>,
    /// Actuators.
    pub actuators: Vec<AnyActuator<T>>,
    /// Sensors.
    pub sensors: Vec<AnySensor<T>>,
    /// Equality constraints; limits of joints are in the tree.
    pub constraints: Vec<AnyConstraint<T>>,
}

impl<T: Scalar> Default for MjcfElements<T> {
    fn default() -> Self {
        MjcfElements {
            forces: Vec::new(),
            actuators: Vec::new(),
            sensors: Vec::new(),
            constraints: Vec::new(),
        }
    }
}

impl<T: Scalar> MjcfElements<T> {
    /// All elements of a machine, for [`MjcfReader::updated`](super::MjcfReader::updated).
    pub fn of_system(system: &RigidBodySystem<T>) -> Self {
        MjcfElements {
            forces: system.forces().to_vec(),
            actuators: system.actuators().to_vec(),
            sensors: system.sensors().to_vec(),
            constraints: system.constraints().to_vec(),
        }
    }

    /// The same in another scalar; only real parts are carried over.
    pub fn cast<U: DefaultScalar>(&self) -> MjcfElements<U> {
        MjcfElements {
            forces: self.forces.iter().map(|e| e.cast()).collect(),
            actuators: self.actuators.iter().map(|e| e.cast()).collect(),
            sensors: self.sensors.iter().map(|e| e.cast()).collect(),
            constraints: self.constraints.iter().map(|e| e.cast()).collect(),
        }
    }

    /// Calls `visit` with every constant of every element.
    pub fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.forces
            .iter_mut()
            .for_each(|e| e.visit_parameters(visit));
        (self.actuators.iter_mut()).for_each(|e| e.visit_parameters(visit));
        self.sensors
            .iter_mut()
            .for_each(|e| e.visit_parameters(visit));
        (self.constraints.iter_mut()).for_each(|e| e.visit_parameters(visit));
    }
}
