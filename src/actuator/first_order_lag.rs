//! A first-order lag: inputs that follow with a time constant.

use super::actuators::AnyActuator;
use super::element::Actuator;
use crate::constants::Domain;
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::{ElementKink, InvalidInput, Scalar, constants};
use std::fmt;

/// Lets the inputs of another actuator follow with a first-order lag, as a motor follows its command:
///
/// ```text
/// ẏ = (u − y)/T,      over a step at constant u:  y⁺ = u + (y − u) exp(−δt/T)
/// ```
///
/// The state holds the y, initially zero, then the state of the actuator. The time constant T is the
/// parameter `{name}/time_constant`, in s.
#[derive(Debug, Clone)]
pub struct FirstOrderLag<T: Scalar> {
    pub(crate) name: String,
    pub(crate) time_constant: T,
    pub(crate) actuator: AnyActuator<T>,
}

impl<T: Scalar> FirstOrderLag<T> {
    /// In front of an actuator, with a time constant in seconds.
    ///
    /// # Errors
    /// [`ForceError`] when the time constant is not positive and finite.
    pub fn new(
        name: impl Into<String>,
        time_constant: T,
        actuator: impl Actuator<T> + Clone,
    ) -> Result<Self, ForceError> {
        let name = name.into();
        (Domain::POSITIVE.check("time_constant", &[time_constant]))
            .map_err(ForceError::invalid(&name))?;
        Ok(FirstOrderLag {
            name,
            time_constant,
            actuator: AnyActuator::new(actuator),
        })
    }

    /// What the input has been followed to, and the actuator's own state.
    fn split<'s>(&self, state: &'s [T]) -> Result<(&'s [T], &'s [T]), ForceError> {
        InvalidInput::check_size("state", state.len(), self.num_states())?;
        Ok(state.split_at(self.actuator.num_inputs()))
    }
}

impl<T: Scalar> Actuator<T> for FirstOrderLag<T> {
    casts_by_list! {}
    constants! { Actuator for FirstOrderLag {
        name;
        time_constant: positive("s");
        actuator: element;
    } }

    fn num_inputs(&self) -> usize {
        self.actuator.num_inputs()
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        self.actuator.visit_input_names(visit);
    }

    fn input_unit(&self, input: usize) -> &'static str {
        self.actuator.input_unit(input)
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (followed, own) = self.split(state)?;
        self.actuator.add_forces(context, followed, own, forces)
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
        let (followed, own) = self.split(state)?;
        self.actuator.potential_energy(context, followed, own)
    }

    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let (followed, own) = self.split(state)?;
        self.actuator.conservative_power(context, followed, own)
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
        let (followed, own) = self.split(state)?;
        self.actuator.check_states(context, followed, own)
    }

    fn write_initial_state(&self, state: &mut [T]) {
        let (followed, own) = state.split_at_mut(self.actuator.num_inputs().min(state.len()));
        followed.fill(T::zero());
        self.actuator.write_initial_state(own);
    }

    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let (followed, own) = self.split(state)?;
        InvalidInput::check_size("rate", rate.len(), self.num_states())?;
        let (rate, own_rate) = rate.split_at_mut(followed.len());
        for ((rate, &u), &y) in rate.iter_mut().zip(input).zip(followed) {
            *rate = (u - y).div_lifted(self.time_constant);
        }
        self.actuator
            .state_derivative(context, followed, own, own_rate)
    }

    fn advance(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        InvalidInput::check_size("state", state.len(), self.num_states())?;
        let (followed, own) = state.split_at_mut(self.actuator.num_inputs());
        self.actuator.advance(context, followed, dt, own)?;
        let ratio = dt.div_lifted(self.time_constant);
        let decay = ratio.lift(std::array::from_fn(|order| {
            (-ratio.re()).exp() * if order % 2 == 0 { 1.0 } else { -1.0 }
        }));
        for (y, &u) in followed.iter_mut().zip(input) {
            *y = u + (*y - u) * decay;
        }
        Ok(())
    }

    fn update(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        InvalidInput::check_size("state", state.len(), self.num_states())?;
        let (followed, own) = state.split_at_mut(self.actuator.num_inputs());
        self.actuator.update(context, followed, dt, own)
    }

    fn is_sampled(&self) -> bool {
        self.actuator.is_sampled()
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let (followed, own) = self.split(state)?;
        self.actuator.visit_kinks(context, followed, own, visit)
    }

    fn may_touch(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        self.actuator.may_touch(context)
    }
}
