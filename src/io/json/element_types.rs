//! The registry of element types in JSON machines.

use super::document::{from_value, to_value};
use super::error::JsonError;
use super::number::extended_list;
use crate::actuator::{
    Actuator, AnyActuator, BristleContact, FirstOrderLag, GeneralizedForce, GeneralizedForces,
    PdServo, Propeller, Saturation, SpatialForceSource, SpringDamper, TorqueSource,
};
use crate::constraint::{
    AccelerationLimit, AnyConstraint, AnyForceLaw, BallConstraint, BallLimitConstraint,
    ConstraintForceLaw, DistanceConstraint, GearConstraint, HingeConstraint, JointLimitConstraint,
    PrescribedMotion, TreeConstraint, WeldConstraint,
};
use crate::force::{
    AerodynamicDrag, AnyForce, AppliedForce, ConservativeBushing, DirectContact, FlatPlateWing,
    ForceElement, JointFriction, JointSpring, JointStops, LinearBushingRollPitchYaw,
    LinearSpringDamper, UniformGravity,
};
use crate::sensor::{
    AnySensor, ContactForce, Delayed, Encoder, ForceTorque, FramePose, FullState, Imu, Lidar,
    Sensor, Touch,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The types of elements that are written and read by name: those of this crate, and others that are registered.
///
/// ```
/// use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
/// use dualbody::io::json::ElementTypes;
/// use dualbody::prelude::*;
/// use dualbody::constants;
/// use serde::{Deserialize, Serialize};
///
/// /// −c v on the first coordinate.
/// #[derive(Debug, Clone, Serialize, Deserialize)]
/// struct Oil<T> {
///     viscosity: T,
/// }
///
/// impl<T: Scalar> ForceElement<T> for Oil<T> {
///     constants! { ForceElement for Oil, named "oil" { viscosity: not_negative("N s/m"); } }
///     fn add_forces(&self, at: &ForceContext<'_, T>, forces: &mut Forces<T>) -> Result<(), ForceError> {
///         forces.add_generalized(0, -self.viscosity * at.v()[0])
///     }
/// }
///
/// let mut types = ElementTypes::default();
/// types.register_force::<Oil<f64>>("Oil")?;
///
/// let steel = ContactMaterial::new(1e6, 0.1, 0.5)?;
/// let machine = SystemBuilder::new().free_body("ball", Shape::new_sphere(0.1)?, 2.0, steel).build()?;
/// let machine = machine.with_forces([Oil { viscosity: 3.0 }])?;
/// let text = machine.to_json_with(&types)?;
/// assert_eq!(RigidBodySystem::from_json_with(&text, &types)?.parameter("oil/viscosity")?, 3.0);
///
/// let error = machine.to_json().unwrap_err().to_string();
/// assert_eq!(error, "forces/0: the type of \"oil\" is not registered: register it in the \
///     `ElementTypes` of `to_json_with`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ElementTypes {
    forces: Types<AnyForce<f64>>,
    actuators: Types<AnyActuator<f64>>,
    sensors: Types<AnySensor<f64>>,
    constraints: Types<AnyConstraint<f64>>,
    force_laws: Types<AnyForceLaw<f64>>,
}

/// What a type of element is called, how it is written if it is this type, and how it is read.
#[derive(Debug, Clone)]
struct Type<A> {
    name: String,
    write: fn(&A, &ElementTypes) -> Option<Result<Value, JsonError>>,
    read: fn(&Value, &ElementTypes) -> Result<A, JsonError>,
}

#[derive(Debug, Clone)]
struct Types<A>(Vec<Type<A>>);

impl<A> Types<A> {
    fn add(&mut self, new: Type<A>) -> Result<(), JsonError> {
        if self.0.iter().any(|known| known.name == new.name) {
            return Err(JsonError::value(new.name, "there is such a type already"));
        }
        self.0.push(new);
        Ok(())
    }

    /// An object with the name of the type as its only key.
    fn write(&self, element: &A, types: &ElementTypes, name: &str) -> Result<Value, JsonError> {
        for known in &self.0 {
            if let Some(value) = (known.write)(element, types) {
                let value = value.map_err(JsonError::within(&known.name))?;
                return Ok(Value::from_iter([(known.name.as_str(), value)]));
            }
        }
        let reason = format!(
            "the type of {name:?} is not registered: register it in the `ElementTypes` of `to_json_with`"
        );
        Err(JsonError::value("", reason))
    }

    fn read(&self, value: &Value, types: &ElementTypes) -> Result<A, JsonError> {
        let object = value.as_object().filter(|object| object.len() == 1);
        let Some((name, value)) = object.and_then(|object| object.iter().next()) else {
            let reason = format!("found {value}, expected an object with one key, a type");
            return Err(JsonError::value("", reason));
        };
        let Some(known) = self.0.iter().find(|known| known.name == *name) else {
            let names: Vec<String> = self.0.iter().map(|t| format!("`{}`", t.name)).collect();
            let expected = names.join(", ");
            let reason = format!("unknown type `{name}`, expected one of {expected}");
            return Err(JsonError::value("", reason));
        };
        (known.read)(value, types).map_err(JsonError::within(name))
    }
}

/// What names an element in an error: its own name, or what starts with it.
fn first_name(visit: impl FnOnce(&mut dyn FnMut(String))) -> String {
    let mut first = None;
    visit(&mut |name| {
        first.get_or_insert(name);
    });
    first.unwrap_or_default()
}

macro_rules! family {
    ($what:literal, $types:ident: $any:ident of $family:ident, $type_of:ident, $register:ident, $write:ident, $read:ident,
        |$element:ident| $name:expr) => {
        fn $type_of<E>(name: String) -> Type<$any<f64>>
        where
            E: $family<f64> + Clone + Serialize + DeserializeOwned,
        {
            Type {
                name,
                write: |element, _| element.downcast_ref::<E>().map(to_value),
                read: |value, _| Ok($any::new(from_value::<E>(value)?)),
            }
        }

        impl ElementTypes {
            #[doc = concat!("Has ", $what, "s of the type `E` written and read under a name.")]
            ///
            /// # Errors
            /// [`JsonError::Value`] when the name is taken.
            pub fn $register<E>(&mut self, name: impl Into<String>) -> Result<(), JsonError>
            where
                E: $family<f64> + Clone + Serialize + DeserializeOwned,
            {
                self.$types.add($type_of::<E>(name.into()))
            }

            pub(super) fn $write(&self, elements: &[$any<f64>]) -> Result<Vec<Value>, JsonError> {
                let each = elements.iter().enumerate().map(|(i, $element)| {
                    let value = self.$types.write($element, self, &$name);
                    value.map_err(JsonError::within(&format!(
                        concat!(stringify!($types), "/{}"),
                        i
                    )))
                });
                each.collect()
            }

            pub(super) fn $read(&self, values: &[Value]) -> Result<Vec<$any<f64>>, JsonError> {
                let each = values.iter().enumerate().map(|(i, value)| {
                    let element = self.$types.read(value, self);
                    element.map_err(JsonError::within(&format!(
                        concat!(stringify!($types), "/{}"),
                        i
                    )))
                });
                each.collect()
            }
        }
    };
}

family! { "force element", forces: AnyForce of ForceElement, force_type, register_force, write_forces, read_forces,
|element| element.name() }
family! { "actuator", actuators: AnyActuator of Actuator, actuator_type, register_actuator, write_actuators, read_actuators,
|element| first_name(|visit| element.visit_input_names(&mut |name| visit(name.to_string()))) }
family! { "sensor", sensors: AnySensor of Sensor, sensor_type, register_sensor, write_sensors, read_sensors,
|element| first_name(|visit| element.visit_output_names(&mut |name| visit(name.to_string()))) }
family! { "constraint", constraints: AnyConstraint of TreeConstraint, constraint_type, register_constraint, write_constraints,
read_constraints, |element| element.name() }
family! { "force law", force_laws: AnyForceLaw of ConstraintForceLaw, force_law_type, register_force_law, write_force_laws,
read_force_laws, |element| element.name() }

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LagDocument {
    name: String,
    time_constant: f64,
    actuator: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaturationDocument {
    name: String,
    #[serde(with = "extended_list")]
    lower: Vec<f64>,
    #[serde(with = "extended_list")]
    upper: Vec<f64>,
    actuator: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DelayedDocument {
    sensor: Value,
    samples: usize,
}

impl ElementTypes {
    fn write_actuator(&self, actuator: &AnyActuator<f64>) -> Result<Value, JsonError> {
        (self.actuators.write(actuator, self, "actuator")).map_err(JsonError::within("actuator"))
    }

    fn read_actuator(&self, value: &Value) -> Result<AnyActuator<f64>, JsonError> {
        (self.actuators.read(value, self)).map_err(JsonError::within("actuator"))
    }
}

fn lag() -> Type<AnyActuator<f64>> {
    Type {
        name: "FirstOrderLag".to_owned(),
        write: |element, types| {
            let lag = element.downcast_ref::<FirstOrderLag<f64>>()?;
            Some(types.write_actuator(&lag.actuator).and_then(|actuator| {
                to_value(&LagDocument {
                    name: lag.name.clone(),
                    time_constant: lag.time_constant,
                    actuator,
                })
            }))
        },
        read: |value, types| {
            let document: LagDocument = from_value(value)?;
            Ok(AnyActuator::new(FirstOrderLag {
                name: document.name,
                time_constant: document.time_constant,
                actuator: types.read_actuator(&document.actuator)?,
            }))
        },
    }
}

fn saturation() -> Type<AnyActuator<f64>> {
    Type {
        name: "Saturation".to_owned(),
        write: |element, types| {
            let saturation = element.downcast_ref::<Saturation<f64>>()?;
            Some(
                (types.write_actuator(&saturation.actuator)).and_then(|actuator| {
                    to_value(&SaturationDocument {
                        name: saturation.name.clone(),
                        lower: saturation.lower.clone(),
                        upper: saturation.upper.clone(),
                        actuator,
                    })
                }),
            )
        },
        read: |value, types| {
            let document: SaturationDocument = from_value(value)?;
            Ok(AnyActuator::new(Saturation {
                name: document.name,
                lower: document.lower,
                upper: document.upper,
                actuator: types.read_actuator(&document.actuator)?,
            }))
        },
    }
}

fn delayed() -> Type<AnySensor<f64>> {
    Type {
        name: "Delayed".to_owned(),
        write: |element, types| {
            let delayed = element.downcast_ref::<Delayed<f64>>()?;
            let sensor = types.sensors.write(&delayed.sensor, types, "sensor");
            Some(
                (sensor.map_err(JsonError::within("sensor"))).and_then(|sensor| {
                    to_value(&DelayedDocument {
                        sensor,
                        samples: delayed.samples,
                    })
                }),
            )
        },
        read: |value, types| {
            let document: DelayedDocument = from_value(value)?;
            let sensor = types.sensors.read(&document.sensor, types);
            let sensor = sensor.map_err(JsonError::within("sensor"))?;
            Ok(AnySensor::new(Delayed {
                sensor,
                samples: document.samples,
            }))
        },
    }
}

impl Default for ElementTypes {
    /// The types of this crate.
    fn default() -> Self {
        let mut types = ElementTypes {
            forces: Types(Vec::new()),
            actuators: Types(vec![lag(), saturation()]),
            sensors: Types(vec![delayed()]),
            constraints: Types(Vec::new()),
            force_laws: Types(Vec::new()),
        };
        macro_rules! builtin {
            ($list:ident by $type_of:ident: $($name:ident = $type:ty),+ $(,)?) => {
                types.$list.0.extend([$($type_of::<$type>(stringify!($name).to_owned())),+]);
            };
        }
        builtin! { forces by force_type:
            LinearBushingRollPitchYaw = LinearBushingRollPitchYaw<f64>,
            ConservativeBushing = ConservativeBushing<f64>,
            LinearSpringDamper = LinearSpringDamper<f64>,
            JointSpring = JointSpring<f64>,
            JointStops = JointStops<f64>,
            JointFriction = JointFriction<f64>,
            AppliedForce = AppliedForce<f64>,
            UniformGravity = UniformGravity<f64>,
            AerodynamicDrag = AerodynamicDrag<f64>,
            FlatPlateWing = FlatPlateWing<f64>,
            DirectContact = DirectContact<f64>,
        }
        builtin! { actuators by actuator_type:
            GeneralizedForce = GeneralizedForce,
            GeneralizedForces = GeneralizedForces,
            TorqueSource = TorqueSource<f64>,
            PdServo = PdServo<f64>,
            SpatialForceSource = SpatialForceSource,
            SpringDamper = SpringDamper<f64>,
            Propeller = Propeller<f64>,
            BristleContact = BristleContact<f64>,
        }
        builtin! { sensors by sensor_type:
            FullState = FullState,
            Encoder = Encoder<f64>,
            Imu = Imu<f64>,
            Lidar = Lidar<f64>,
            ContactForce = ContactForce,
            ForceTorque = ForceTorque,
            FramePose = FramePose,
            Touch = Touch,
        }
        builtin! { constraints by constraint_type:
            Ball = BallConstraint<f64>,
            Hinge = HingeConstraint<f64>,
            Weld = WeldConstraint<f64>,
            Distance = DistanceConstraint<f64>,
            Gear = GearConstraint<f64>,
            PrescribedMotion = PrescribedMotion<f64>,
            JointLimit = JointLimitConstraint<f64>,
            BallLimit = BallLimitConstraint<f64>,
            AccelerationLimit = AccelerationLimit<f64>,
        }
        types
    }
}
