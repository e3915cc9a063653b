//! A force on one velocity coordinate.

use super::element::Actuator;
use super::{entries, invalid};
use crate::force::{ForceContext, ForceError, Forces};
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use std::fmt;

/// Applies its input, `{name}/force` in N m or N, to one velocity coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralizedForce {
    name: String,
    coordinate: usize,
}

impl GeneralizedForce {
    /// For a velocity coordinate, by its position in v.
    pub fn new(name: &str, coordinate: usize) -> Self {
        GeneralizedForce {
            name: name.to_owned(),
            coordinate,
        }
    }
}

impl<T: Scalar> Actuator<T> for GeneralizedForce {
    type Cast<U: Scalar> = GeneralizedForce;

    fn cast<U: Scalar>(&self) -> GeneralizedForce {
        self.clone()
    }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/force", self.name));
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

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let last = tree.num_velocities() as f64;
        InvalidInput::check_range(
            "velocity coordinate",
            &[self.coordinate as f64],
            "one that the tree has",
            |k| k < last,
        )
        .map_err(invalid(&self.name))
    }
}
