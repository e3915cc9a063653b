//! A force on one velocity coordinate.

use super::element::Actuator;
use super::entries;
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar, constants};
use std::fmt;

/// Applies its input, `{name}/force` in N m or N, to one velocity coordinate.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct GeneralizedForce {
    name: String,
    coordinate: usize,
}

impl GeneralizedForce {
    /// For a velocity coordinate, by its position in v.
    pub fn new(name: impl Into<String>, coordinate: usize) -> Self {
        let name = name.into();
        GeneralizedForce { name, coordinate }
    }

    fn check_coordinate<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let (last, index) = (tree.num_velocities() as f64, self.coordinate as f64);
        let expected = "one that the tree has";
        InvalidInput::check_range("velocity coordinate", &[index], expected, |k| k < last)
            .map_err(ForceError::invalid(&self.name))
    }
}

impl<T: Scalar> Actuator<T> for GeneralizedForce {
    casts_by_list! {}
    constants! { Actuator for GeneralizedForce as GeneralizedForce, checked by check_coordinate {
        name;
        coordinate;
    } }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/force", self.name));
    }

    fn input_unit(&self, _: usize) -> &'static str {
        "N m or N"
    }

    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let [force] = entries("input", input)?;
        forces.add_generalized(self.coordinate, force)
    }

    fn depends_on_position(&self) -> bool {
        false
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn depends_on_bodies(&self) -> bool {
        false
    }
}
