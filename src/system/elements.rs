//! What a system has beside its bodies: force elements, actuators, sensors and constraints.

use crate::Scalar;
use crate::actuator::{Actuator, BuiltinActuator, GeneralizedForces};
use crate::constraint::{BuiltinConstraint, ConstraintSet};
use crate::force::{BuiltinForce, ForceElement};
use crate::sensor::{BuiltinSensor, Sensor};
use std::fmt::Debug;

/// The force elements, actuators, sensors and constraints of a system, as one type.
///
/// [`Parts`] is the implementation that systems are built with; generic code asks for `E: Elements<T>`.
pub trait Elements<T: Scalar>: Clone + Debug {
    /// The force elements.
    type Forces: ForceElement<T> + Clone;
    /// The actuators.
    type Actuators: Actuator<T> + Clone;
    /// The sensors.
    type Sensors: Sensor<T> + Clone;
    /// The constraints.
    type Constraints: ConstraintSet<T> + Clone;
    /// The same elements with constants in another scalar.
    type Cast<U: Scalar>: Elements<U>;

    /// The same elements in another scalar; only real parts are carried over.
    fn cast<U: Scalar>(&self) -> Self::Cast<U>;

    /// The elements by family.
    #[allow(clippy::type_complexity)] // four families, by their types
    fn parts(&self) -> &Parts<Self::Forces, Self::Actuators, Self::Sensors, Self::Constraints>;

    /// As [`Self::parts`], to change constants.
    #[allow(clippy::type_complexity)] // as above
    fn parts_mut(
        &mut self,
    ) -> &mut Parts<Self::Forces, Self::Actuators, Self::Sensors, Self::Constraints>;
}

/// The elements of a system by family; each is a set: `()`, one element, a tuple, a `Vec`.
///
/// Without actuators of its own a system takes a generalized force on each velocity coordinate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parts<F = (), A = GeneralizedForces, S = (), C = ()> {
    /// The force elements.
    pub forces: F,
    /// The actuators.
    pub actuators: A,
    /// The sensors.
    pub sensors: S,
    /// The constraints.
    pub constraints: C,
}

/// The elements of a machine that is known at run time only.
pub type BuiltinParts<T = f64> = Parts<
    Vec<BuiltinForce<T>>,
    Vec<BuiltinActuator<T>>,
    Vec<BuiltinSensor<T>>,
    Vec<BuiltinConstraint<T>>,
>;

impl<T, F, A, S, C> Elements<T> for Parts<F, A, S, C>
where
    T: Scalar,
    F: ForceElement<T> + Clone,
    A: Actuator<T> + Clone,
    S: Sensor<T> + Clone,
    C: ConstraintSet<T> + Clone,
{
    type Forces = F;
    type Actuators = A;
    type Sensors = S;
    type Constraints = C;
    type Cast<U: Scalar> = Parts<F::Cast<U>, A::Cast<U>, S::Cast<U>, C::Cast<U>>;

    fn cast<U: Scalar>(&self) -> Self::Cast<U> {
        Parts {
            forces: self.forces.cast(),
            actuators: self.actuators.cast(),
            sensors: self.sensors.cast(),
            constraints: self.constraints.cast(),
        }
    }

    fn parts(&self) -> &Parts<F, A, S, C> {
        self
    }

    fn parts_mut(&mut self) -> &mut Parts<F, A, S, C> {
        self
    }
}
