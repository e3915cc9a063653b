//! The force elements of a machine, in order, and their sums.

use super::context::ForceContext;
use super::element::{ElementEnergy, ForceElement};
use super::error::ForceError;
use super::forces::{Forces, check_alone};
use super::{
    AerodynamicDrag, AppliedForce, ConservativeBushing, DirectContact, FlatPlateWing,
    JointFriction, JointSpring, JointStops, LinearBushingRollPitchYaw, LinearSpringDamper,
    UniformGravity,
};
use crate::default_scalar::ScalarName;
use crate::erased::{delegate, element_list, erase};
use crate::error::{check_element, element_label};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, Scalar};
use std::any::Any;

erase! {
    /// A force element of any type.
    AnyForce, ErasedForce, ForceElement,
    listed: AerodynamicDrag<f64>, AppliedForce<f64>, ConservativeBushing<f64>, DirectContact<f64>, FlatPlateWing<f64>, JointFriction<f64>, JointSpring<f64>, JointStops<f64>, LinearBushingRollPitchYaw<f64>, LinearSpringDamper<f64>, UniformGravity<f64>,
}

delegate! { AnyForce: ForceElement {
    get fn add_forces(context: &ForceContext<'_, T>, forces: &mut Forces<T>) -> Result<(), ForceError>;
    get fn name() -> &str;
    get fn depends_on_position() -> bool;
    get fn depends_on_velocity() -> bool;
    get fn depends_on_bodies() -> bool;
    get fn potential_energy(context: &ForceContext<'_, T>) -> Result<T, ForceError>;
    get fn conservative_power(context: &ForceContext<'_, T>) -> Result<T, ForceError>;
    lend fn visit_kinks(context: &ForceContext<'_, T>) -> Result<(), ForceError>;
    set fn visit_parameters(visit: &mut dyn FnMut(Parameter<'_, T>));
    get fn validate(tree: &RigidBodyTree<T>) -> Result<(), ForceError>;
} }

element_list! {
    /// The force elements of a machine, in the order in which they were added.
    ForceElements of AnyForce
}

impl<T: Scalar> ForceElements<T> {
    /// Adds the forces of all.
    pub fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        (self.iter()).try_for_each(|f| f.add_forces(context, forces))?;
        if self.is_empty() || forces.are_finite() {
            return Ok(());
        }
        for element in self.iter() {
            let label = || element_label("force element", element.name(), element.short_type());
            check_alone(context, label, &|forces| {
                element.add_forces(context, forces)
            })?;
        }
        Ok(())
    }

    pub fn depends_on_position(&self) -> bool {
        self.iter().any(|f| f.depends_on_position())
    }

    pub fn depends_on_velocity(&self) -> bool {
        self.iter().any(|f| f.depends_on_velocity())
    }

    pub fn depends_on_bodies(&self) -> bool {
        self.iter().any(|f| f.depends_on_bodies())
    }

    /// Their stored energy in J.
    pub fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        (self.iter()).try_fold(T::zero(), |sum, f| {
            let energy = f.potential_energy(context)?;
            let label = || element_label("force element", f.name(), f.short_type());
            check_element(&[energy], label, |_| "the stored energy".to_owned())?;
            Ok(sum + energy)
        })
    }

    /// Calls `visit` with name, energy and powers of each.
    pub fn visit_energies(
        &self,
        context: &ForceContext<'_, T>,
        scratch: &mut Forces<T>,
        visit: &mut dyn FnMut(&str, ElementEnergy<T>),
    ) -> Result<(), ForceError> {
        for element in self.iter() {
            scratch.clear();
            element.add_forces(context, scratch)?;
            let energy = ElementEnergy {
                stored: element.potential_energy(context)?,
                conservative_power: element.conservative_power(context)?,
                power: scratch.power(context)?,
            };
            let label = || element_label("force element", element.name(), element.short_type());
            let values = [energy.stored, energy.conservative_power, energy.power];
            let quantities = ["the stored energy", "the power of the store", "the power"];
            check_element(&values, label, |i| quantities[i].to_owned())?;
            visit(element.name(), energy);
        }
        Ok(())
    }

    pub fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        self.iter().try_for_each(|f| f.visit_kinks(context, visit))
    }

    pub fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|f| f.visit_parameters(visit));
    }

    pub fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        self.iter().try_for_each(|f| f.validate(tree))
    }
}
