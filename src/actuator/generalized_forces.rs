//! Forces on all velocity coordinates.

use super::element::Actuator;
use crate::erased::casts_by_list;

use crate::force::{ForceContext, ForceError, Forces};
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, InvalidInput, Scalar};
use std::fmt;

/// Applies one input to each velocity coordinate: the vector `τ` (nv) of generalized forces, in N m or N.
///
/// Inputs are named `joint/{joint}/force`, with `/{k}` for the k-th coordinate of joints that have several.
/// [`with_generalized_forces`](crate::system::RigidBodySystem::with_generalized_forces) adds it to a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct GeneralizedForces {
    names: Vec<String>,
}

impl GeneralizedForces {
    /// For all velocity coordinates of a tree.
    pub fn of_tree<T: Scalar>(tree: &RigidBodyTree<T>) -> Self {
        let mut names = vec![String::new(); tree.num_velocities()];
        for joint in tree.joints().filter(|joint| joint.mimic().is_none()) {
            let (start, count) = (joint.velocity_start(), joint.num_velocities());
            for (k, name) in names[start..start + count].iter_mut().enumerate() {
                *name = match count {
                    1 => format!("joint/{}/force", joint.name()),
                    _ => format!("joint/{}/force/{k}", joint.name()),
                };
            }
        }
        GeneralizedForces { names }
    }
}

impl<T: Scalar> Actuator<T> for GeneralizedForces {
    casts_by_list! {}
    type Cast<U: DefaultScalar> = GeneralizedForces;

    fn cast<U: DefaultScalar>(&self) -> GeneralizedForces {
        self.clone()
    }

    fn num_inputs(&self) -> usize {
        self.names.len()
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        (self.names.iter()).for_each(|name| visit(format_args!("{name}")));
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
        forces.add_all_generalized(input)
    }

    fn forces_are_inputs(&self) -> bool {
        true
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

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        Ok(InvalidInput::check_size(
            "coordinates of the generalized forces",
            self.names.len(),
            tree.num_velocities(),
        )?)
    }
}
