//! The state of a system.

use crate::Scalar;
use crate::math::compare_fields;
use crate::remote::{read_sized, write_signal};
use nalgebra::DVector;
use std::io::{Error, Read, Write};

/// Time, positions and velocities of a tree, and the states of its actuators and sensors.
///
/// A joint's coordinates start at its [`position_start`](crate::tree::Joint::position_start) and
/// [`velocity_start`](crate::tree::Joint::velocity_start), with the order, frames and units of its
/// [`JointKind`](crate::tree::JointKind). Joints are in the order in which the tree goes outwards: a joint, then the joints on
/// its child. Bodies that no joint carries come last, as they were added, with those of a
/// [`Floating`](crate::tree::JointKind::Floating) joint; methods of a system such as
/// [`joint_position`](super::RigidBodySystem::joint_position) take names instead. Sizes, entries and quaternions are
/// checked where a state is used. [`RigidBodySystem::initial_state`](super::RigidBodySystem::initial_state) gives one of
/// the right sizes.
///
/// ```
/// use dualbody::contact::ContactModel;
/// use dualbody::prelude::*;
/// use dualbody::tree::{BodyIndex, JointKind};
///
/// let mut tree = RigidBodyTreeBuilder::<f64>::new();
/// let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
/// tree.add_body("ball", inertia)?; // first, and without a joint
/// let wheel = tree.add_body("wheel", inertia)?;
/// let (axle, here) = (JointKind::Revolute { axis: Vector3::y() }, RigidTransform::identity());
/// tree.add_joint("axle", axle, BodyIndex::WORLD, here, wheel)?;
/// let system = RigidBodySystem::new(tree.finish()?, ContactModel::none())?;
/// // q = [axle; quaternion (w, x, y, z) and position of the ball]
/// assert_eq!(system.initial_state().q.as_slice(), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct State<T: Scalar> {
    /// Time in s, which prescribed motions and forces may depend on.
    pub time: T,
    /// Position coordinates (nq), rad or m.
    pub q: DVector<T>,
    /// Velocity coordinates (nv), rad/s or m/s.
    pub v: DVector<T>,
    /// States of the actuators, in their order.
    pub actuators: DVector<T>,
    /// States of the sensors, in their order.
    pub sensors: DVector<T>,
}

compare_fields! { State { time; q, v, actuators, sensors } }

impl<T: Scalar> State<T> {
    /// The state at time zero of a system whose actuators and sensors have no state.
    pub fn new(q: DVector<T>, v: DVector<T>) -> Self {
        State {
            time: T::zero(),
            q,
            v,
            actuators: DVector::zeros(0),
            sensors: DVector::zeros(0),
        }
    }

    /// The same state in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> State<U> {
        let [q, v, actuators, sensors] = self.parts().map(|part| part.map(|x| U::from(x.re())));
        State {
            time: U::from(self.time.re()),
            q,
            v,
            actuators,
            sensors,
        }
    }

    /// The sizes of `q`, `v`, `actuators` and `sensors`.
    pub(super) fn sizes(&self) -> [usize; 4] {
        self.parts().map(|part| part.len())
    }

    /// The time, then all entries of `q`, `v` and the states of actuators and sensors, as
    /// [`compare_derivatives`](crate::autodiff::compare_derivatives) takes them, which does not see where one part ends and
    /// the next begins.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.time).chain(self.parts().into_iter().flatten())
    }

    /// All entries but the time.
    pub(super) fn entries(&self) -> impl Iterator<Item = T> {
        self.parts()
            .into_iter()
            .flat_map(|part| part.iter().copied())
    }

    /// All entries but the time.
    pub(super) fn entries_mut(&mut self) -> impl Iterator<Item = &mut T> {
        (self.q.iter_mut().chain(&mut self.v))
            .chain(&mut self.actuators)
            .chain(&mut self.sensors)
    }

    /// Takes the real parts of a state of the same sizes.
    pub(super) fn copy_real<U: Scalar>(&mut self, source: &State<U>) {
        self.time = T::from(source.time.re());
        for (part, source) in [
            (&mut self.q, &source.q),
            (&mut self.v, &source.v),
            (&mut self.actuators, &source.actuators),
            (&mut self.sensors, &source.sensors),
        ] {
            for (x, y) in part.as_mut_slice().iter_mut().zip(source.as_slice()) {
                *x = T::from(y.re());
            }
        }
    }

    fn parts(&self) -> [&DVector<T>; 4] {
        [&self.q, &self.v, &self.actuators, &self.sensors]
    }
}

impl<T: Scalar> Clone for State<T> {
    fn clone(&self) -> Self {
        let [q, v, actuators, sensors] = self.parts().map(DVector::clone);
        State {
            time: self.time,
            q,
            v,
            actuators,
            sensors,
        }
    }

    /// Reuses the memory of a state of the same sizes.
    fn clone_from(&mut self, source: &Self) {
        self.time = source.time;
        for (target, source) in [
            (&mut self.q, &source.q),
            (&mut self.v, &source.v),
            (&mut self.actuators, &source.actuators),
            (&mut self.sensors, &source.sensors),
        ] {
            if target.len() == source.len() {
                target.copy_from(source);
            } else {
                target.clone_from(source);
            }
        }
    }
}

impl State<f64> {
    /// Writes the state as five [signals](super::write_signal): a rollout that resumes from it
    /// continues with the same bits.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, writer: &mut impl Write) -> Result<(), Error> {
        write_signal(writer, &[self.time])?;
        (self.parts().into_iter()).try_for_each(|part| write_signal(writer, part.as_slice()))
    }

    /// Reads a state that [`Self::write`] has written into one of the same size; an error leaves it
    /// as it was.
    ///
    /// # Errors
    /// Those of the reader, and [`InvalidData`](std::io::ErrorKind::InvalidData) for another size.
    pub fn read(&mut self, reader: &mut impl Read) -> Result<(), Error> {
        let mut next = self.clone();
        next.time = read_sized(reader, "time", 1)?[0];
        for (quantity, part) in [
            ("q", &mut next.q),
            ("v", &mut next.v),
            ("states of actuators", &mut next.actuators),
            ("states of sensors", &mut next.sensors),
        ] {
            let read = read_sized(reader, quantity, part.len())?;
            part.copy_from_slice(&read);
        }
        *self = next;
        Ok(())
    }
}
