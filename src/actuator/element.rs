//! The trait of actuators.

use crate::erased::casts_of_its_own;
use crate::force::{ForceContext, ForceError, Forces};
use crate::integrator::{classical_step, moves_at_rest};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, ElementKink, Scalar};
use std::fmt;

/// Forces that follow from the state of a tree, inputs and a state of their own.
///
/// See the [module](super) for an actuator written outside this crate. `input` and `state` have the
/// sizes that the actuator says, wherever a system calls it.
///
/// # States
/// A state is continuous, with a rate, or discrete, and then changes at samples only. An actuator with
/// continuous states says their rate in [`state_derivative`](Self::state_derivative), which continuous
/// time integrates and discrete time brings over its steps by [`advance`](Self::advance). One with
/// discrete states says in [`update`](Self::update) what a sample does to them, and
/// [is sampled](Self::is_sampled). A state with neither would stand still in one kind of time or the other, so a system
/// refuses it.
pub trait Actuator<T: Scalar>: fmt::Debug + Send + Sync + 'static {
    /// The same actuator with constants in another scalar.
    type Cast<U: DefaultScalar>: Actuator<U> + Clone
    where
        Self: Sized;

    /// The same actuator in another scalar; only real parts are carried over.
    fn cast<U: DefaultScalar>(&self) -> Self::Cast<U>
    where
        Self: Sized;

    casts_of_its_own! { AnyActuator }

    /// Number of inputs.
    fn num_inputs(&self) -> usize;

    /// Calls `visit` with the name of each input, a path that starts with the actuator's own.
    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>));

    /// The SI unit of an input, in which [kinks](Self::visit_kinks) are named that inputs have; `"SI"` unless the actuator
    /// says otherwise.
    fn input_unit(&self, input: usize) -> &'static str {
        let _ = input;
        "SI"
    }

    /// Adds the forces at the state of `context`.
    ///
    /// # Errors
    /// As the actuator says.
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError>;

    /// Whether the forces are the inputs themselves, one on each velocity coordinate in their order, and
    /// nothing else; derivatives with respect to inputs then need not be looked for.
    fn forces_are_inputs(&self) -> bool {
        false
    }

    /// Whether the generalized forces depend on positions, also by where forces on bodies act; an actuator
    /// that says no must mean it, and must not take mass properties, damping or armature of the tree into account either.
    fn depends_on_position(&self) -> bool {
        true
    }

    /// Whether the forces depend on velocities; an actuator that says no must mean it.
    fn depends_on_velocity(&self) -> bool {
        true
    }

    /// Whether the actuator asks for poses or velocities of bodies, or acts on bodies; otherwise it lives by the coordinates of
    /// joints alone. As [`ForceElement::depends_on_bodies`](crate::force::ForceElement::depends_on_bodies).
    fn depends_on_bodies(&self) -> bool {
        true
    }

    /// The energy that the actuator stores as a spring does, in J; zero unless it says otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let _ = (context, input, state);
        Ok(T::zero())
    }

    /// The rate at which the actuator gives stored energy away at constant input and state, in W; zero
    /// unless it says otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let _ = (context, input, state);
        Ok(T::zero())
    }

    /// Number of entries of the actuator's own state.
    fn num_states(&self) -> usize {
        0
    }

    /// Writes the state to start from; zero unless the actuator says otherwise.
    fn write_initial_state(&self, state: &mut [T]) {
        state.fill(T::zero());
    }

    /// Writes the rate of the state; zero for discrete states, which all are unless the actuator says otherwise.
    ///
    /// # Errors
    /// As the actuator says; by default [`ForceError::StateWithoutRate`] for a state that is not
    /// [sampled](Self::is_sampled).
    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let _ = (context, input, state);
        if !rate.is_empty() && !self.is_sampled() {
            let actuator = std::any::type_name::<Self>();
            return Err(ForceError::StateWithoutRate { actuator });
        }
        rate.fill(T::zero());
        Ok(())
    }

    /// Brings the continuous states over a step of `dt` seconds at constant input and in a constant
    /// context: positions and time at the start of the step, velocities at its end, as positions are brought over it.
    ///
    /// One step of the classical Runge–Kutta method with [`Self::state_derivative`], unless the actuator
    /// knows better.
    ///
    /// # Errors
    /// As the actuator says.
    fn advance(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        classical_step(dt, state, &mut |state, rate| {
            self.state_derivative(context, input, state, rate)
        })
    }

    /// Brings the discrete states to what they are after a sample, with the context and the input at
    /// the sample; the next one is `dt` seconds later. Called if the actuator [is sampled](Self::is_sampled).
    ///
    /// Forces over the step that begins with the sample are those of the states before it, so that what a sample does is
    /// felt a step later; continuous entries of `state` have been brought to the end of that step.
    ///
    /// # Errors
    /// As the actuator says.
    fn update(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        let _ = (context, input, dt, state);
        Ok(())
    }

    /// Whether [`Self::update`] does something, so that in continuous time samples have to be taken; it does not depend on
    /// parameters.
    fn is_sampled(&self) -> bool {
        false
    }

    /// Checks that every state moves in continuous time as in steps: by a rate, or at samples. Nothing to write oneself.
    ///
    /// An actuator that is sampled and has no rate at this state must not [advance](Self::advance) it. What else cannot be
    /// done at this state may be possible at others.
    ///
    /// # Errors
    /// [`ForceError::StateWithoutRate`].
    fn check_states(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<(), ForceError> {
        let mut rate = vec![T::zero(); state.len()];
        match self.state_derivative(context, input, state, &mut rate) {
            Err(error @ ForceError::StateWithoutRate { .. }) => Err(error),
            Ok(())
                if moves_at_rest(state, &rate, &mut |end| {
                    self.advance(context, input, T::one(), end)
                }) =>
            {
                let actuator = std::any::type_name::<Self>();
                Err(ForceError::StateWithoutRate { actuator })
            }
            _ => Ok(()),
        }
    }

    /// Calls `visit` with every state near the given one, and every input near `input`, at which the
    /// force is not smooth; with none unless the actuator says otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let _ = (context, input, state, visit);
        Ok(())
    }

    /// Whether this is a contact that can touch within a step from the state of `context`; no unless it says
    /// otherwise.
    ///
    /// Such a step is made in [substeps](crate::system#substeps) if bodies turn far in it, and its
    /// [status](crate::system::StepStatus::nearest_kinks) knows of the kinks of the actuators.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn may_touch(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        let _ = context;
        Ok(false)
    }

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values; names start with that of the actuator.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

    /// Checks the constants, and that the tree has what the actuator acts on.
    ///
    /// # Errors
    /// What does not fit.
    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let _ = tree;
        Ok(())
    }

    /// The actuator itself, if it is [valid](Self::validate); the last line of a constructor.
    ///
    /// # Errors
    /// What does not fit.
    fn validated(self, tree: &RigidBodyTree<T>) -> Result<Self, ForceError>
    where
        Self: Sized,
    {
        self.validate(tree)?;
        Ok(self)
    }
}
