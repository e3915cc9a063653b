//! The state of a system with actuators and sensors.

use super::signal::{read_sized, write_signal};
use super::state::State;
use crate::Scalar;
use nalgebra::DVector;
use std::io::{Error, Read, Write};

/// The state of the tree, of its actuators and of its sensors.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantState<T: Scalar> {
    /// Positions and velocities.
    pub tree: State<T>,
    /// States of the actuators.
    pub actuators: DVector<T>,
    /// States of the sensors.
    pub sensors: DVector<T>,
}

impl<T: Scalar> PlantState<T> {
    /// The same state in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> PlantState<U> {
        PlantState {
            tree: self.tree.cast(),
            actuators: self.actuators.map(|x| U::from(x.re())),
            sensors: self.sensors.map(|x| U::from(x.re())),
        }
    }
}

impl PlantState<f64> {
    fn parts(&mut self) -> [(&'static str, &mut DVector<f64>); 4] {
        [
            ("q", &mut self.tree.q),
            ("v", &mut self.tree.v),
            ("states of actuators", &mut self.actuators),
            ("states of sensors", &mut self.sensors),
        ]
    }

    /// Writes the state as four [signals](super::write_signal): a rollout that resumes from it
    /// continues with the same bits.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, writer: &mut impl Write) -> Result<(), Error> {
        for values in [&self.tree.q, &self.tree.v, &self.actuators, &self.sensors] {
            write_signal(writer, values.as_slice())?;
        }
        Ok(())
    }

    /// Reads a state that [`Self::write`] has written into one of the same size; an error leaves it
    /// as it was.
    ///
    /// # Errors
    /// Those of the reader, and [`InvalidData`](std::io::ErrorKind::InvalidData) for another size.
    pub fn read(&mut self, reader: &mut impl Read) -> Result<(), Error> {
        let mut next = self.clone();
        for (quantity, values) in next.parts() {
            let read = read_sized(reader, quantity, values.len())?;
            values.copy_from_slice(&read);
        }
        *self = next;
        Ok(())
    }
}
