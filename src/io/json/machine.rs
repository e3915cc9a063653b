//! Machines and their steps as JSON.

use super::document::{from_value, load, parse, print, save, to_value};
use super::element_types::ElementTypes;
use super::error::JsonError;
use super::names::{put_indices, put_names};
use crate::contact::ContactModel;
use crate::parameter::Parameters;
use crate::spelling::{Proposal, nearest_paths};
use crate::system::{RigidBodySystem, Scheme, SystemOptions, TimeSteppingRigidBodySystem};
use crate::tree::RigidBodyTree;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

type Machine = RigidBodySystem<f64>;

const FORMAT: &str = "dualbody machine";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineDocument {
    tree: RigidBodyTree<f64>,
    contact: ContactModel<f64>,
    forces: Vec<Value>,
    actuators: Vec<Value>,
    sensors: Vec<Value>,
    constraints: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    force_laws: Vec<Value>,
    options: SystemOptions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<Steps>,
    #[serde(default)]
    units: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Steps {
    /// In s.
    time_step: f64,
    scheme: Scheme,
}

fn write(
    machine: &Machine,
    steps: Option<Steps>,
    types: &ElementTypes,
) -> Result<String, JsonError> {
    let parameters = machine.parameters().into_iter();
    let mut value = to_value(&MachineDocument {
        tree: machine.tree().clone(),
        contact: machine.contact().clone(),
        forces: types.write_forces(machine.forces())?,
        actuators: types.write_actuators(machine.actuators())?,
        sensors: types.write_sensors(machine.sensors())?,
        constraints: types.write_constraints(machine.constraints())?,
        force_laws: types.write_force_laws(machine.force_laws())?,
        options: *machine.options(),
        steps,
        units: parameters.map(|p| (p.name, p.unit.to_owned())).collect(),
    })?;
    put_names(&mut value)?;
    let text = print(value, FORMAT);
    read(&text, types)?; // What cannot be read must not be written.
    Ok(text)
}

fn read(text: &str, types: &ElementTypes) -> Result<(Machine, Option<Steps>), JsonError> {
    let mut value = parse(text, FORMAT)?;
    put_indices(&mut value)?;
    let document: MachineDocument = from_value(&value)?;
    let (tree, contact) = (document.tree, document.contact);
    (contact.validate(&tree)).map_err(JsonError::rejected("contact"))?;
    let machine = RigidBodySystem::new(tree, contact)
        .map_err(JsonError::rejected("tree"))?
        .with_forces(types.read_forces(&document.forces)?)
        .map_err(JsonError::rejected("forces"))?
        .with_actuators(types.read_actuators(&document.actuators)?)
        .map_err(JsonError::rejected("actuators"))?
        .with_sensors(types.read_sensors(&document.sensors)?)
        .map_err(JsonError::rejected("sensors"))?
        .with_constraints(types.read_constraints(&document.constraints)?)
        .map_err(JsonError::rejected("constraints"))?
        .with_force_laws(types.read_force_laws(&document.force_laws)?)
        .map_err(JsonError::rejected("force_laws"))?
        .with_options(document.options)
        .map_err(JsonError::rejected("options"))?;
    check_units(&machine, &document.units)?;
    Ok((machine, document.steps))
}

fn check_units(machine: &Machine, units: &BTreeMap<String, String>) -> Result<(), JsonError> {
    if units.is_empty() {
        return Ok(());
    }
    let known = machine.parameters().into_iter().map(|p| (p.name, p.unit));
    let known: BTreeMap<String, &str> = known.collect();
    for (name, unit) in units {
        let reason = match known.get(name) {
            // As files of before say of bounds of inputs.
            Some(known) if known == unit || unit == "SI" => continue,
            Some(known) => format!("found {unit:?}, expected {known:?}"),
            None => {
                let nearest = nearest_paths(known.keys().map(String::as_str), name);
                format!("the machine has no such parameter{}", Proposal(&nearest))
            }
        };
        return Err(JsonError::value(format!("units/{name}"), reason));
    }
    Ok(())
}

impl RigidBodySystem<f64> {
    /// The machine as [JSON](crate::io::json); [`Self::from_json`] brings back every bit.
    ///
    /// # Errors
    /// [`JsonError`] for an element of a type that is not this crate's, and for what could not be read: delays or lags
    /// in each other by the dozen.
    pub fn to_json(&self) -> Result<String, JsonError> {
        self.to_json_with(&ElementTypes::default())
    }

    /// As [`Self::to_json`], with elements of other types, too.
    ///
    /// # Errors
    /// As there, for types that are not among `types`.
    pub fn to_json_with(&self, types: &ElementTypes) -> Result<String, JsonError> {
        write(self, None, types)
    }

    /// Reads a machine from [JSON](crate::io::json), and leaves out how it steps.
    ///
    /// # Errors
    /// [`JsonError`] with the place of whatever is not as it must be.
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        Self::from_json_with(text, &ElementTypes::default())
    }

    /// As [`Self::from_json`], with elements of other types, too.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(text: &str, types: &ElementTypes) -> Result<Self, JsonError> {
        Ok(read(text, types)?.0)
    }

    /// Writes the machine into a file, whole or not at all.
    ///
    /// # Errors
    /// As [`Self::to_json`], and those of the file system; a file that was there before is then as it was.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), JsonError> {
        save(path.as_ref(), &self.to_json()?)
    }

    /// Reads a machine from a file.
    ///
    /// # Errors
    /// As [`Self::from_json`], and those of the file system.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, JsonError> {
        let path = path.as_ref();
        Self::from_json(&load(path)?).map_err(JsonError::in_file(path))
    }
}

impl TimeSteppingRigidBodySystem<f64> {
    /// As [`RigidBodySystem::to_json`], with scheme and time step.
    ///
    /// # Errors
    /// As there.
    pub fn to_json(&self) -> Result<String, JsonError> {
        self.to_json_with(&ElementTypes::default())
    }

    /// As [`RigidBodySystem::to_json_with`], with scheme and time step.
    ///
    /// # Errors
    /// As there.
    pub fn to_json_with(&self, types: &ElementTypes) -> Result<String, JsonError> {
        let steps = Steps {
            time_step: self.time_step(),
            scheme: self.scheme(),
        };
        write(self, Some(steps), types)
    }

    /// As [`RigidBodySystem::from_json`], of a text that says scheme and time step.
    ///
    /// # Errors
    /// As there.
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        Self::from_json_with(text, &ElementTypes::default())
    }

    /// As [`RigidBodySystem::from_json_with`], of a text that says scheme and time step.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(text: &str, types: &ElementTypes) -> Result<Self, JsonError> {
        let (machine, steps) = read(text, types)?;
        let Some(Steps { time_step, scheme }) = steps else {
            let reason = "expected scheme and time step";
            return Err(JsonError::value("steps", reason));
        };
        Self::with_scheme(machine, time_step, scheme).map_err(JsonError::rejected("steps"))
    }

    /// As [`RigidBodySystem::save`].
    ///
    /// # Errors
    /// As there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), JsonError> {
        save(path.as_ref(), &self.to_json()?)
    }

    /// As [`RigidBodySystem::load`].
    ///
    /// # Errors
    /// As there.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, JsonError> {
        let path = path.as_ref();
        Self::from_json(&load(path)?).map_err(JsonError::in_file(path))
    }
}
