//! The full state: all positions and velocities.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::erased::casts_by_list;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar, constants};
use std::fmt;

/// Measures all coordinates: outputs `state/q/0`, …, then `state/v/0`, ….
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FullState {
    positions: usize,
    velocities: usize,
}

impl FullState {
    /// For the coordinates of a tree.
    pub fn new<T: Scalar>(tree: &RigidBodyTree<T>) -> Self {
        FullState {
            positions: tree.num_positions(),
            velocities: tree.num_velocities(),
        }
    }

    fn check_sizes<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        let (nq, nv) = (tree.num_positions(), tree.num_velocities());
        InvalidInput::check_size("positions that the sensor measures", self.positions, nq)?;
        InvalidInput::check_size("velocities that the sensor measures", self.velocities, nv)?;
        Ok(())
    }
}

impl<T: Scalar> Sensor<T> for FullState {
    casts_by_list! {}
    constants! { Sensor for FullState as FullState, named "state", checked by check_sizes {
        positions;
        velocities;
    } }

    fn num_outputs(&self) -> usize {
        self.positions + self.velocities
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        (0..self.positions).for_each(|i| visit(format_args!("state/q/{i}")));
        (0..self.velocities).for_each(|i| visit(format_args!("state/v/{i}")));
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), context.q().len() + context.v().len())?;
        let (q, v) = out.split_at_mut(context.q().len());
        q.copy_from_slice(context.q());
        v.copy_from_slice(context.v());
        Ok(())
    }
}
