//! The memory of a thread: machines with the parameters of a member.

use super::rollouts::Roller;
use super::tangents::TangentRoller;
use crate::parameter::Parameters;
use crate::system::adjoint::Adjoint;
use crate::system::derivative::StepJacobian;
use crate::system::error::SystemError;
use crate::system::jacobian::StepDifferentiator;
use crate::system::state::State;
use crate::system::time_stepping::TimeSteppingRigidBodySystem;

/// The machine of a batch and its parameters.
#[derive(Debug)]
pub(super) struct Described {
    pub system: TimeSteppingRigidBodySystem<f64>,
    /// The parameters of the batch, as positions among those of the system; first those that derivatives are taken by.
    pub parameters: Vec<usize>,
    num_by: usize,
    /// The names by which they were chosen.
    names: Vec<String>,
    /// Their values in the system.
    pub values: Vec<f64>,
    pub num_states: usize,
}

impl Described {
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Self {
        Described {
            system: system.clone(),
            parameters: Vec::new(),
            num_by: 0,
            names: Vec::new(),
            values: Vec::new(),
            num_states: system.initial_state().sizes().iter().sum(),
        }
    }

    /// Whether the parameters of the batch were chosen by these names.
    pub fn is_chosen(&self, names: &[&str], num_by: usize) -> bool {
        self.names == names && self.num_by == num_by
    }

    /// Takes other parameters of the batch, of which derivatives are taken by the first so many; whether they are others.
    pub fn select(&mut self, names: &[&str], parameters: Vec<usize>, num_by: usize) -> bool {
        self.names = names.iter().map(ToString::to_string).collect();
        if (&self.parameters, self.num_by) == (&parameters, num_by) {
            return false;
        }
        let list = self.system.parameters();
        self.values = parameters.iter().map(|&index| list[index].value).collect();
        (self.parameters, self.num_by) = (parameters, num_by);
        true
    }

    /// The parameters that derivatives are taken by.
    pub fn by(&self) -> &[usize] {
        &self.parameters[..self.num_by]
    }
}

/// The memory of a thread.
#[derive(Debug, Default)]
pub(super) struct Worker {
    pub roller: Tuned<Roller>,
    pub adjoint: Tuned<Adjoint>,
    pub differentiator: Tuned<StepDifferentiator>,
    pub jacobian: StepJacobian,
    pub tangents: Option<Box<TangentRoller>>,
    pub start: Option<State<f64>>,
}

/// What works with a machine of its own.
pub(super) trait Tunable: Sized {
    fn of(described: &Described) -> Result<Self, SystemError>;

    fn set_parameters(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError>;
}

impl Tunable for Adjoint {
    fn of(described: &Described) -> Result<Self, SystemError> {
        Adjoint::by(&described.system, described.by())
    }

    fn set_parameters(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError> {
        self.set_parameters(values)
    }
}

impl Tunable for StepDifferentiator {
    fn of(described: &Described) -> Result<Self, SystemError> {
        StepDifferentiator::by(&described.system, described.by())
    }

    fn set_parameters(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError> {
        self.set_parameters(values)
    }
}

/// What works with a machine, and the values of the parameters of the batch in it.
#[derive(Debug)]
pub(super) struct Tuned<M> {
    made: Option<Box<M>>,
    values: Vec<f64>,
}

impl<M> Default for Tuned<M> {
    fn default() -> Self {
        Tuned {
            made: None,
            values: Vec::new(),
        }
    }
}

impl<M: Tunable> Tuned<M> {
    /// With these values. What refuses them is made anew for the next.
    pub fn at(&mut self, described: &Described, values: &[f64]) -> Result<&mut M, SystemError> {
        let mut made = match self.made.take() {
            Some(made) => made,
            None => {
                self.values.clone_from(&described.values);
                Box::new(M::of(described)?)
            }
        };
        if differ(&self.values, values) {
            let settings = described
                .parameters
                .iter()
                .copied()
                .zip(values.iter().copied());
            made.set_parameters(&settings.collect::<Vec<_>>())?;
            self.values.copy_from_slice(values);
        }
        Ok(self.made.insert(made))
    }
}

/// Whether any bits differ.
pub(super) fn differ(a: &[f64], b: &[f64]) -> bool {
    a.len() != b.len() || (a.iter().zip(b)).any(|(a, b)| a.to_bits() != b.to_bits())
}
