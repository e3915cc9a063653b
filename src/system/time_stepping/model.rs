//! Everything a system is made of, in one scalar.

use crate::contact::ContactModel;
use crate::force::ForceElement;
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::system::error::SystemError;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use std::collections::HashSet;

/// Tree, contact model, force elements, time step and regularisation of friction.
#[derive(Debug, Clone)]
pub(super) struct Model<T, F> {
    pub tree: RigidBodyTree<T>,
    pub contact: ContactModel<T>,
    pub forces: F,
    pub time_step: T,
    pub stiction_tolerance: T,
}

impl<T: Scalar, F: ForceElement<T>> Model<T, F> {
    pub fn cast<U: Scalar>(&self) -> Model<U, F::Cast<U>> {
        Model {
            tree: self.tree.cast(),
            contact: self.contact.cast(),
            forces: self.forces.cast(),
            time_step: U::from(self.time_step.re()),
            stiction_tolerance: U::from(self.stiction_tolerance.re()),
        }
    }

    pub fn validate(&self) -> Result<(), SystemError> {
        self.forces.validate(&self.tree)?;
        Ok(self.check_times()?)
    }

    /// Checks that every parameter of a force element has a name of its own.
    pub fn check_names_of_forces(&self) -> Result<(), SystemError> {
        let mut names = HashSet::new();
        self.tree.clone().visit_parameters(&mut |p| {
            names.insert(p.name.to_string());
        });
        self.contact.clone().visit_parameters(&mut |p| {
            names.insert(p.name.to_string());
        });
        let mut duplicate = None;
        self.forces.clone().visit_parameters(&mut |p| {
            let name = p.name.to_string();
            if !names.insert(name.clone()) {
                duplicate.get_or_insert(name);
            }
        });
        match duplicate {
            None => Ok(()),
            Some(name) => Err(SystemError::DuplicateParameter { name }),
        }
    }

    fn check_times(&self) -> Result<(), InvalidInput> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        InvalidInput::check_range("time step", &[self.time_step], "a positive time", positive)?;
        InvalidInput::check_range(
            "stiction tolerance",
            &[self.stiction_tolerance],
            "a positive speed",
            positive,
        )
    }
}

impl<T: Scalar, F: ForceElement<T>> Parameters<T> for Model<T, F> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.tree.visit_parameters(visit);
        self.contact.visit_parameters(visit);
        self.forces.visit_parameters(visit);
        for (name, unit, value) in [
            (format_args!("time_step"), "s", &mut self.time_step),
            (
                format_args!("stiction_tolerance"),
                "m/s",
                &mut self.stiction_tolerance,
            ),
        ] {
            visit(Parameter {
                name,
                unit,
                lower: f64::MIN_POSITIVE,
                upper: f64::INFINITY,
                value,
            });
        }
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.tree.parameters_changed()?;
        self.contact.parameters_changed()?;
        self.forces.set_time_step(self.time_step);
        self.forces.validate(&self.tree)?;
        self.check_times()?;
        Ok(())
    }
}
