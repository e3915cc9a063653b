//! The actuators of a machine, in order, with their inputs and states.

use super::element::Actuator;
use super::{
    BristleContact, FirstOrderLag, GeneralizedForce, GeneralizedForces, PdServo, Propeller,
    RemoteActuator, Saturation, SpatialForceSource, SpringDamper, TorqueSource,
};
use crate::default_scalar::ScalarName;
use crate::erased::{delegate, element_list, erase, take, take_mut};
use crate::error::{check_element, element_label};
use crate::force::{ForceContext, ForceError, Forces, check_alone};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, InvalidInput, Scalar};
use std::any::Any;
use std::fmt;

erase! {
    /// An actuator of any type.
    AnyActuator, ErasedActuator, Actuator,
    listed: BristleContact<f64>, FirstOrderLag<f64>, GeneralizedForce, GeneralizedForces, PdServo<f64>, Propeller<f64>, RemoteActuator<f64>, Saturation<f64>, SpatialForceSource, SpringDamper<f64>, TorqueSource<f64>,
}

delegate! { AnyActuator: Actuator {
    get fn num_inputs() -> usize;
    get fn visit_input_names(visit: &mut dyn FnMut(fmt::Arguments<'_>));
    get fn input_unit(input: usize) -> &'static str;
    get fn add_forces(context: &ForceContext<'_, T>, input: &[T], state: &[T], forces: &mut Forces<T>) -> Result<(), ForceError>;
    get fn forces_are_inputs() -> bool;
    get fn depends_on_position() -> bool;
    get fn depends_on_velocity() -> bool;
    get fn depends_on_bodies() -> bool;
    get fn potential_energy(context: &ForceContext<'_, T>, input: &[T], state: &[T]) -> Result<T, ForceError>;
    get fn conservative_power(context: &ForceContext<'_, T>, input: &[T], state: &[T]) -> Result<T, ForceError>;
    get fn num_states() -> usize;
    get fn write_initial_state(state: &mut [T]);
    get fn state_derivative(context: &ForceContext<'_, T>, input: &[T], state: &[T], rate: &mut [T]) -> Result<(), ForceError>;
    get fn advance(context: &ForceContext<'_, T>, input: &[T], dt: T, state: &mut [T]) -> Result<(), ForceError>;
    get fn update(context: &ForceContext<'_, T>, input: &[T], dt: T, state: &mut [T]) -> Result<(), ForceError>;
    get fn is_sampled() -> bool;
    get fn check_states(context: &ForceContext<'_, T>, input: &[T], state: &[T]) -> Result<(), ForceError>;
    lend fn visit_kinks(context: &ForceContext<'_, T>, input: &[T], state: &[T]) -> Result<(), ForceError>;
    get fn may_touch(context: &ForceContext<'_, T>) -> Result<bool, ForceError>;
    set fn visit_parameters(visit: &mut dyn FnMut(Parameter<'_, T>));
    get fn validate(tree: &RigidBodyTree<T>) -> Result<(), ForceError>;
} }

element_list! {
    /// The actuators of a machine, in the order in which they were added; so are their inputs and states.
    Actuators of AnyActuator
}

const INPUTS: &str = "inputs of the actuators";
const STATES: &str = "states of the actuators";

/// An actuator with its inputs and states.
type Driven<'a, T> = (&'a AnyActuator<T>, &'a [T], &'a [T]);
type DrivenMut<'a, T> = (&'a AnyActuator<T>, &'a [T], &'a mut [T]);

impl<T: Scalar> Actuators<T> {
    fn each<'a>(
        &'a self,
        mut input: &'a [T],
        mut state: &'a [T],
    ) -> impl Iterator<Item = Result<Driven<'a, T>, InvalidInput>> {
        self.iter().map(move |a| {
            let u = take(&mut input, a.num_inputs(), INPUTS)?;
            Ok((a, u, take(&mut state, a.num_states(), STATES)?))
        })
    }

    fn each_mut<'a>(
        &'a self,
        mut input: &'a [T],
        mut state: &'a mut [T],
    ) -> impl Iterator<Item = Result<DrivenMut<'a, T>, InvalidInput>> {
        self.iter().map(move |a| {
            let u = take(&mut input, a.num_inputs(), INPUTS)?;
            Ok((a, u, take_mut(&mut state, a.num_states(), STATES)?))
        })
    }

    pub fn num_inputs(&self) -> usize {
        self.iter().map(|a| a.num_inputs()).sum()
    }

    pub fn num_states(&self) -> usize {
        self.iter().map(|a| a.num_states()).sum()
    }

    pub fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        self.iter().for_each(|a| a.visit_input_names(visit));
    }

    /// Whether there is one actuator, whose forces are its inputs.
    pub fn forces_are_inputs(&self) -> bool {
        matches!(self.as_slice(), [only] if only.forces_are_inputs())
    }

    pub fn depends_on_position(&self) -> bool {
        self.iter().any(|a| a.depends_on_position())
    }

    pub fn depends_on_velocity(&self) -> bool {
        self.iter().any(|a| a.depends_on_velocity())
    }

    pub fn depends_on_bodies(&self) -> bool {
        self.iter().any(|a| a.depends_on_bodies())
    }

    pub fn is_sampled(&self) -> bool {
        self.iter().any(|a| a.is_sampled())
    }

    pub fn may_touch(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        (self.iter()).try_fold(false, |any, a| Ok(any || a.may_touch(context)?))
    }

    pub fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        for driven in self.each(input, state) {
            let (a, u, x) = driven?;
            a.add_forces(context, u, x, forces)?;
        }
        if self.is_empty() || forces.are_finite() {
            return Ok(());
        }
        for driven in self.each(input, state) {
            let (a, u, x) = driven?;
            let add = |forces: &mut Forces<T>| a.add_forces(context, u, x, forces);
            check_alone(context, || label(a), &add)?;
        }
        Ok(())
    }

    pub fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        self.each(input, state).try_fold(T::zero(), |sum, driven| {
            let (a, u, x) = driven?;
            let energy = a.potential_energy(context, u, x)?;
            check_element(&[energy], || label(a), |_| "the stored energy".to_owned())?;
            Ok(sum + energy)
        })
    }

    pub fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        self.each(input, state).try_fold(T::zero(), |sum, driven| {
            let (a, u, x) = driven?;
            let power = a.conservative_power(context, u, x)?;
            let quantity = |_| "the power of the store".to_owned();
            check_element(&[power], || label(a), quantity)?;
            Ok(sum + power)
        })
    }

    pub fn write_initial_state(&self, mut state: &mut [T]) {
        for a in self.iter() {
            let size = a.num_states().min(state.len());
            if let Ok(x) = take_mut(&mut state, size, STATES) {
                a.write_initial_state(x);
            }
        }
    }

    pub fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        mut rate: &mut [T],
    ) -> Result<(), ForceError> {
        for driven in self.each(input, state) {
            let (a, u, x) = driven?;
            let rate = take_mut(&mut rate, x.len(), STATES)?;
            a.state_derivative(context, u, x, rate)?;
            check_states(a, "the rate of state", rate)?;
        }
        Ok(())
    }

    pub fn advance(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        for driven in self.each_mut(input, state) {
            let (a, u, x) = driven?;
            a.advance(context, u, dt, x)?;
            check_states(a, "state", x)?;
        }
        Ok(())
    }

    /// Takes the samples of those that do.
    pub fn update(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        for driven in self.each_mut(input, state) {
            let (a, u, x) = driven?;
            if a.is_sampled() {
                a.update(context, u, dt, x)?;
                check_states(a, "state", x)?;
            }
        }
        Ok(())
    }

    pub fn check_states(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<(), ForceError> {
        for driven in self.each(input, state) {
            let (a, u, x) = driven?;
            a.check_states(context, u, x)?;
        }
        Ok(())
    }

    pub fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        mut input: &[T],
        mut state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        for a in self.iter() {
            let u = take(&mut input, a.num_inputs(), INPUTS)?;
            let x = take(&mut state, a.num_states(), STATES)?;
            a.visit_kinks(context, u, x, visit)?;
        }
        Ok(())
    }

    pub fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|a| a.visit_parameters(visit));
    }

    pub fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        self.iter().try_for_each(|a| a.validate(tree))
    }
}

/// What an actuator is called in errors: by the name of its first input.
fn label<T: Scalar>(actuator: &AnyActuator<T>) -> String {
    let mut name = None;
    actuator.visit_input_names(&mut |input| {
        name.get_or_insert_with(|| input.to_string());
    });
    element_label("actuator", &name.unwrap_or_default(), actuator.short_type())
}

fn check_states<T: Scalar>(
    actuator: &AnyActuator<T>,
    what: &str,
    values: &[T],
) -> Result<(), ForceError> {
    let quantity = |i| format!("{what} {i}");
    Ok(check_element(values, || label(actuator), quantity)?)
}
