//! An actuator whose controller is in another process.

use super::actuators::AnyActuator;
use super::element::Actuator;
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::remote::{RemoteChannel, RemoteError};
use crate::tree::RigidBodyTree;
use crate::{ElementKink, InvalidInput, Scalar, constants};
use std::fmt;

/// Lets another process command an actuator: at each sample it receives the coordinates of the machine, `q/0`, …, then
/// `v/0`, …, and answers the inputs, which act from the next step on.
///
/// The machine has no inputs for it. The state holds the inputs, zero at first, without derivatives, then the state of the
/// actuator.
#[derive(Debug, Clone)]
pub struct RemoteActuator<T: Scalar> {
    name: String,
    channel: RemoteChannel,
    /// Its number at both ends.
    element: usize,
    actuator: AnyActuator<T>,
    coordinates: [usize; 2],
}

impl<T: Scalar> RemoteActuator<T> {
    /// Announces the controller to the other process, with the inputs of `actuator` as what it answers.
    ///
    /// # Errors
    /// [`ForceError::Remote`], when that process does not know a controller with these signals.
    pub fn new(
        name: impl Into<String>,
        channel: &RemoteChannel,
        tree: &RigidBodyTree<T>,
        actuator: impl Actuator<T> + Clone,
    ) -> Result<Self, ForceError> {
        let (name, actuator) = (name.into(), AnyActuator::new(actuator));
        let coordinates = [tree.num_positions(), tree.num_velocities()];
        let mut sent = Vec::new();
        for (letter, count) in ["q", "v"].iter().zip(coordinates) {
            sent.extend((0..count).map(|i| format!("{letter}/{i}")));
        }
        let mut inputs = Vec::new();
        actuator.visit_input_names(&mut |input| inputs.push(input.to_string()));
        let announced = channel.announce(&name, &sent, &inputs);
        RemoteActuator {
            element: announced.map_err(|source| failed(&name, source))?,
            channel: channel.clone(),
            name,
            actuator,
            coordinates,
        }
        .validated(tree)
    }

    fn check_coordinates(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let [nq, nv] = self.coordinates;
        InvalidInput::check_size("positions that are sent", nq, tree.num_positions())?;
        InvalidInput::check_size("velocities that are sent", nv, tree.num_velocities())?;
        Ok(())
    }

    /// The inputs of the actuator, and its own state.
    fn split<'s>(&self, state: &'s [T]) -> Result<(&'s [T], &'s [T]), ForceError> {
        InvalidInput::check_size("state", state.len(), self.num_states())?;
        Ok(state.split_at(self.actuator.num_inputs()))
    }
}

fn failed(name: &str, source: RemoteError) -> ForceError {
    ForceError::Remote {
        name: name.to_owned(),
        source,
    }
}

impl<T: Scalar> Actuator<T> for RemoteActuator<T> {
    casts_by_list! {}
    constants! { Actuator for RemoteActuator, checked by check_coordinates {
        name;
        channel;
        element;
        actuator: element;
        coordinates;
    } }

    fn num_inputs(&self) -> usize {
        0
    }

    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (input, own) = self.split(state)?;
        self.actuator.add_forces(context, input, own, forces)
    }

    fn depends_on_position(&self) -> bool {
        self.actuator.depends_on_position()
    }

    fn depends_on_velocity(&self) -> bool {
        self.actuator.depends_on_velocity()
    }

    fn depends_on_bodies(&self) -> bool {
        self.actuator.depends_on_bodies()
    }

    fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let (input, own) = self.split(state)?;
        self.actuator.potential_energy(context, input, own)
    }

    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let (input, own) = self.split(state)?;
        self.actuator.conservative_power(context, input, own)
    }

    fn num_states(&self) -> usize {
        self.actuator.num_inputs() + self.actuator.num_states()
    }

    fn check_states(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
    ) -> Result<(), ForceError> {
        let (input, own) = self.split(state)?;
        self.actuator.check_states(context, input, own)
    }

    fn write_initial_state(&self, state: &mut [T]) {
        let (input, own) = state.split_at_mut(self.actuator.num_inputs().min(state.len()));
        input.fill(T::zero());
        self.actuator.write_initial_state(own);
    }

    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let (input, own) = self.split(state)?;
        InvalidInput::check_size("rate", rate.len(), self.num_states())?;
        let (held, own_rate) = rate.split_at_mut(input.len());
        held.fill(T::zero());
        self.actuator
            .state_derivative(context, input, own, own_rate)
    }

    fn advance(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        self.split(state)?;
        let (input, own) = state.split_at_mut(self.actuator.num_inputs());
        self.actuator.advance(context, input, dt, own)
    }

    /// # Errors
    /// [`ForceError::Remote`], also for another time step than that of the channel, and those of the actuator.
    fn update(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        self.split(state)?;
        let (input, own) = state.split_at_mut(self.actuator.num_inputs());
        if self.actuator.is_sampled() {
            self.actuator.update(context, input, dt, own)?;
        }
        let sent = (context.time(), context.q().iter().chain(context.v()));
        (self.channel.check_step(dt.re()))
            .and_then(|()| self.channel.exchange(self.element, sent, input))
            .map_err(|error| failed(&self.name, error))
    }

    fn is_sampled(&self) -> bool {
        true
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let (input, own) = self.split(state)?;
        self.actuator.visit_kinks(context, input, own, visit)
    }

    fn may_touch(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        self.actuator.may_touch(context)
    }
}
