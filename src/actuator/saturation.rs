//! Saturation: inputs held within ranges.

use super::actuators::AnyActuator;
use super::element::Actuator;
use crate::constants::{Constant, Domain};
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::kink::{unsigned, within};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, ElementKink, InvalidInput, Scalar};
use arrayvec::ArrayVec;
use std::fmt;

/// The most inputs whose ranges are held without memory of their own.
const MAX_INPUTS: usize = 8;

/// Holds each input of another actuator within a range, as an amplifier or a controller does:
///
/// ```text
/// y = min(max(u, lower), upper)
/// ```
///
/// Bounds are in the unit of their input, and infinite where there is none. At a bound the derivative with respect to u
/// is 1, as within the range, and beyond it 0. Parameters are `{name}/lower/{k}` and `{name}/upper/{k}` of
/// the k-th input. Its own name may be that of the actuator, unless that is a saturation as well.
#[derive(Debug, Clone)]
pub struct Saturation<T: Scalar> {
    pub(crate) name: String,
    pub(crate) lower: Vec<T>,
    pub(crate) upper: Vec<T>,
    pub(crate) actuator: AnyActuator<T>,
}

impl<T: Scalar> Saturation<T> {
    /// In front of an actuator, with the range `[lower, upper]` of each of its inputs.
    ///
    /// # Errors
    /// [`ForceError`] when there are not as many ranges as inputs, or more than eight, or when a range has no number in
    /// it.
    pub fn new(
        name: impl Into<String>,
        ranges: &[[T; 2]],
        actuator: impl Actuator<T> + Clone,
    ) -> Result<Self, ForceError> {
        let saturation = Saturation {
            name: name.into(),
            lower: ranges.iter().map(|range| range[0]).collect(),
            upper: ranges.iter().map(|range| range[1]).collect(),
            actuator: AnyActuator::new(actuator),
        };
        saturation.check_inputs()?;
        Ok(saturation)
    }

    fn check_inputs(&self) -> Result<(), ForceError> {
        let inputs = self.actuator.num_inputs();
        let check = || {
            InvalidInput::check_size("lower bounds of inputs", self.lower.len(), inputs)?;
            InvalidInput::check_size("upper bounds of inputs", self.upper.len(), inputs)?;
            let most = inputs.min(MAX_INPUTS);
            InvalidInput::check_size("inputs of a saturation, at most 8", inputs, most)?;
            let widths: Vec<T> = (self.lower.iter().zip(&self.upper))
                .map(|(&lower, &upper)| upper - lower)
                .collect();
            let expected = "an upper bound that is not below the lower";
            InvalidInput::check_range("upper minus lower bound", &widths, expected, |x| x >= 0.0)
        };
        check().map_err(ForceError::invalid(&self.name))
    }

    /// The inputs that the actuator sees.
    fn held(&self, input: &[T]) -> Result<ArrayVec<T, MAX_INPUTS>, ForceError> {
        InvalidInput::check_size("input", input.len(), self.lower.len())?;
        let ranges = self.lower.iter().zip(&self.upper);
        Ok((input.iter().zip(ranges))
            .map(|(&u, (&lower, &upper))| within(u, [lower, upper]))
            .collect())
    }
}

impl<T: Scalar> Actuator<T> for Saturation<T> {
    casts_by_list! {}

    type Cast<U: DefaultScalar> = Saturation<U>;

    fn cast<U: DefaultScalar>(&self) -> Saturation<U> {
        Saturation {
            name: self.name.clone(),
            lower: Constant::<T>::cast(&self.lower),
            upper: Constant::<T>::cast(&self.upper),
            actuator: self.actuator.cast(),
        }
    }

    /// Each bound is in the unit of its input.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let Saturation {
            name,
            lower,
            upper,
            actuator,
        } = self;
        for (side, bounds) in [("lower", lower), ("upper", upper)] {
            for (input, bound) in bounds.iter_mut().enumerate() {
                let unit = actuator.input_unit(input);
                let name = format_args!("{name}/{side}/{input}");
                bound.visit(name, unit, Domain::ANY, visit);
            }
        }
        actuator.visit_parameters(visit);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let expected = "a number, finite or not";
        for (quantity, bounds) in [("lower", &self.lower), ("upper", &self.upper)] {
            InvalidInput::check_range(quantity, bounds, expected, |x| !x.is_nan())
                .map_err(ForceError::invalid(&self.name))?;
        }
        self.check_inputs()?;
        self.actuator.validate(tree)
    }

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
        input: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let input = self.held(input)?;
        self.actuator.add_forces(context, &input, state, forces)
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

    fn check_states(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<(), ForceError> {
        let input = self.held(input)?;
        self.actuator.check_states(context, &input, state)
    }

    fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let input = self.held(input)?;
        self.actuator.potential_energy(context, &input, state)
    }

    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let input = self.held(input)?;
        self.actuator.conservative_power(context, &input, state)
    }

    fn num_states(&self) -> usize {
        self.actuator.num_states()
    }

    fn write_initial_state(&self, state: &mut [T]) {
        self.actuator.write_initial_state(state);
    }

    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let input = self.held(input)?;
        self.actuator.state_derivative(context, &input, state, rate)
    }

    fn advance(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        let input = self.held(input)?;
        self.actuator.advance(context, &input, dt, state)
    }

    fn update(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        let input = self.held(input)?;
        self.actuator.update(context, &input, dt, state)
    }

    fn is_sampled(&self) -> bool {
        self.actuator.is_sampled()
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let held = self.held(input)?;
        let ranges = self.lower.iter().zip(&self.upper);
        for (input, (u, (lower, upper))) in input.iter().zip(ranges).enumerate() {
            if lower.re() == upper.re() {
                continue;
            }
            for (bound, change) in [(lower, "lower bound"), (upper, "upper bound")] {
                if bound.re().is_finite() {
                    visit(ElementKink {
                        element: &self.name,
                        change,
                        distance: unsigned(*u - *bound),
                        unit: self.input_unit(input),
                        order: 1,
                    });
                }
            }
        }
        self.actuator.visit_kinks(context, &held, state, visit)
    }

    fn may_touch(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        self.actuator.may_touch(context)
    }
}
