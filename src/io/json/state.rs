//! States of machines as JSON.

use super::document::{from_value, load, parse, print, save, to_value};
use super::error::JsonError;
use crate::spelling::{Proposal, nearest_paths};
use crate::system::{RigidBodySystem, State};
use crate::tree::Joint;
use nalgebra::DVector;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

const FORMAT: &str = "dualbody state";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateDocument {
    time: f64,
    /// By the names of the joints.
    positions: BTreeMap<String, Vec<f64>>,
    velocities: BTreeMap<String, Vec<f64>>,
    actuators: Vec<f64>,
    sensors: Vec<f64>,
}

impl RigidBodySystem<f64> {
    /// A state of this machine as [JSON](crate::io::json), its coordinates by the names of the joints;
    /// [`Self::state_from_json`] brings back every bit.
    ///
    /// # Errors
    /// [`JsonError`] for a state of another machine, or one that is not finite.
    pub fn state_to_json(&self, state: &State<f64>) -> Result<String, JsonError> {
        let document = StateDocument {
            time: state.time,
            positions: self.by_joint(&state.q, in_q),
            velocities: self.by_joint(&state.v, in_v),
            actuators: state.actuators.as_slice().to_vec(),
            sensors: state.sensors.as_slice().to_vec(),
        };
        self.check_state(state)
            .map_err(JsonError::rejected("state"))?;
        Ok(print(to_value(&document)?, FORMAT))
    }

    /// Reads a state of this machine from [JSON](crate::io::json).
    ///
    /// # Errors
    /// [`JsonError`] with the place of whatever is not as it must be.
    pub fn state_from_json(&self, text: &str) -> Result<State<f64>, JsonError> {
        let document: StateDocument = from_value(&parse(text, FORMAT)?)?;
        let tree = self.tree();
        let (nq, nv) = (tree.num_positions(), tree.num_velocities());
        let state = State {
            time: document.time,
            q: self.of_joints("positions", document.positions, nq, in_q)?,
            v: self.of_joints("velocities", document.velocities, nv, in_v)?,
            actuators: document.actuators.into(),
            sensors: document.sensors.into(),
        };
        self.check_state(&state)
            .map_err(JsonError::rejected("state"))?;
        Ok(state)
    }

    /// Writes a state into a file, whole or not at all.
    ///
    /// # Errors
    /// As [`Self::state_to_json`], and those of the file system.
    pub fn save_state(&self, path: impl AsRef<Path>, state: &State<f64>) -> Result<(), JsonError> {
        save(path.as_ref(), &self.state_to_json(state)?)
    }

    /// Reads a state from a file.
    ///
    /// # Errors
    /// As [`Self::state_from_json`], and those of the file system.
    pub fn load_state(&self, path: impl AsRef<Path>) -> Result<State<f64>, JsonError> {
        let path = path.as_ref();
        (self.state_from_json(&load(path)?)).map_err(JsonError::in_file(path))
    }

    /// The joints that have coordinates of their own.
    fn moving_joints(&self) -> impl Iterator<Item = &Joint<f64>> {
        let joints = self.tree().joints();
        joints.filter(|joint| joint.num_velocities() > 0 && joint.mimic().is_none())
    }

    fn by_joint(
        &self,
        values: &DVector<f64>,
        range: fn(&Joint<f64>) -> Range<usize>,
    ) -> BTreeMap<String, Vec<f64>> {
        (self.moving_joints())
            .map(|joint| {
                let own = values.as_slice().get(range(joint)).unwrap_or_default();
                (joint.name().to_owned(), own.to_vec())
            })
            .collect()
    }

    fn of_joints(
        &self,
        part: &'static str,
        mut values: BTreeMap<String, Vec<f64>>,
        size: usize,
        range: fn(&Joint<f64>) -> Range<usize>,
    ) -> Result<DVector<f64>, JsonError> {
        let mut all = DVector::zeros(size);
        for joint in self.moving_joints() {
            let (name, range) = (joint.name(), range(joint));
            let own = values.remove(name).unwrap_or_default();
            if own.len() != range.len() {
                let (found, expected) = (own.len(), range.len());
                let reason = format!("found {found} numbers, expected {expected}");
                return Err(JsonError::value(format!("{part}/{name}"), reason));
            }
            all.as_mut_slice()[range].copy_from_slice(&own);
        }
        match values.keys().next() {
            None => Ok(all),
            Some(name) => {
                let nearest = nearest_paths(self.moving_joints().map(Joint::name), name);
                let reason = format!(
                    "there is no joint of this name with coordinates of its own{}",
                    Proposal(&nearest)
                );
                Err(JsonError::value(format!("{part}/{name}"), reason))
            }
        }
    }
}

fn in_q(joint: &Joint<f64>) -> Range<usize> {
    let start = joint.position_start();
    start..start + joint.num_positions()
}

fn in_v(joint: &Joint<f64>) -> Range<usize> {
    let start = joint.velocity_start();
    start..start + joint.num_velocities()
}
