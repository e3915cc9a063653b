//! Machines with parameters that are found together with the motion.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::lift::MachinePoint;
use crate::machine::Machine;
use crate::machine_dynamics::MachineDynamics;
use crate::matrix::check_shape;
use crate::problem::Problem;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::{InvalidInput, Parameters};
use nalgebra::DMatrix;

/// A machine with some of its parameters: stiffnesses, lengths, masses, the length of a step.
///
/// They are part of the state, of which no step changes them, `[x; p]⁺ = [f(x, u, p); p]`, with the exact derivatives by p. What
/// they may be is said by [limits of the first state](Problem::parameter_limits).
#[derive(Debug, Clone)]
pub struct Design {
    machine: Machine,
    parameters: Vec<usize>,
    /// As set.
    values: Vec<f64>,
}

/// A state of a machine with parameters.
#[derive(Debug, PartialEq)]
pub struct DesignState {
    /// That of the machine.
    pub machine: State<f64>,
    /// The values of the parameters, in their units.
    pub parameters: Vec<f64>,
}

impl Clone for DesignState {
    fn clone(&self) -> Self {
        DesignState {
            machine: self.machine.clone(),
            parameters: self.parameters.clone(),
        }
    }

    // Into memory that is there.
    fn clone_from(&mut self, source: &Self) {
        self.machine.clone_from(&source.machine);
        self.parameters.clone_from(&source.parameters);
    }
}

impl DesignState {
    /// Where functions of the machine are evaluated, with the positions of the parameters.
    fn point<'a>(&'a self, parameters: &'a [usize], input: &'a [f64]) -> MachinePoint<'a> {
        MachinePoint {
            state: &self.machine,
            parameters,
            values: &self.parameters,
            input,
        }
    }
}

impl Design {
    /// Of a system, with the parameters of these names.
    ///
    /// # Errors
    /// For an unknown name, one that is there twice, and as [`Machine::new`].
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[&str],
    ) -> Result<Self, ControlError> {
        let positions = indices_of_different(system, parameters)?;
        let list = system.parameters();
        Ok(Design {
            machine: Machine::with_derivatives(system, parameters)?,
            values: positions.iter().map(|&i| list[i].value).collect(),
            parameters: positions,
        })
    }

    /// A state of the machine, with the parameters as they are set.
    pub fn state(&self, machine: State<f64>) -> DesignState {
        DesignState {
            machine,
            parameters: self.values.clone(),
        }
    }

    fn pairs(&self, values: &[f64]) -> Vec<(usize, f64)> {
        let values = values.iter().copied();
        self.parameters.iter().copied().zip(values).collect()
    }

    /// Gives the machine the parameters of a state.
    fn tune(&mut self, state: &DesignState) -> Result<(), ControlError> {
        let values = &state.parameters;
        InvalidInput::check_size("parameters", values.len(), self.parameters.len())?;
        if *values != self.values {
            self.machine.tune(&self.pairs(values))?;
            self.values.copy_from_slice(values);
        }
        Ok(())
    }

    /// Number of displacements of the machine alone.
    fn num_of_machine(&self) -> usize {
        self.machine.num_displacements()
    }
}

impl Dynamics for Design {
    type State = DesignState;

    fn num_displacements(&self) -> usize {
        self.num_of_machine() + self.parameters.len()
    }

    fn num_inputs(&self) -> usize {
        self.machine.num_inputs()
    }

    fn time_step(&self) -> f64 {
        self.machine.time_step()
    }

    fn displace(
        &self,
        state: &DesignState,
        displacement: &[f64],
        to: &mut DesignState,
    ) -> Result<(), ControlError> {
        let size = self.num_displacements();
        InvalidInput::check_size("displacement", displacement.len(), size)?;
        InvalidInput::check_finite("displacement", displacement)?;
        let (of_machine, of_parameters) = displacement.split_at(self.num_of_machine());
        (self.machine).displace(&state.machine, of_machine, &mut to.machine)?;
        to.parameters.clone_from(&state.parameters);
        for (value, d) in to.parameters.iter_mut().zip(of_parameters) {
            *value += d;
        }
        Ok(())
    }

    fn difference(
        &self,
        from: &DesignState,
        to: &DesignState,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        let size = self.num_displacements();
        InvalidInput::check_size("displacement", displacement.len(), size)?;
        for state in [from, to] {
            let count = self.parameters.len();
            InvalidInput::check_size("parameters", state.parameters.len(), count)?;
        }
        let (of_machine, of_parameters) = displacement.split_at_mut(self.num_of_machine());
        (self.machine).difference(&from.machine, &to.machine, of_machine)?;
        let values = to.parameters.iter().zip(&from.parameters);
        for (d, (after, before)) in of_parameters.iter_mut().zip(values) {
            *d = after - before;
        }
        let parameters = "difference of parameters";
        Ok(InvalidInput::check_finite(parameters, of_parameters)?)
    }

    fn difference_derivative(
        &self,
        from: &DesignState,
        to: &DesignState,
        derivative: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        // The identity, but for what turns.
        (self.machine).difference_derivative(&from.machine, &to.machine, derivative)
    }

    fn advance_clock(&self, state: &mut DesignState, time: f64) {
        self.machine.advance_clock(&mut state.machine, time);
    }

    fn set_clock(&self, state: &mut DesignState, before: &DesignState, time: f64) {
        (self.machine).set_clock(&mut state.machine, &before.machine, time);
    }

    fn step(
        &mut self,
        state: &DesignState,
        input: &[f64],
        next: &mut DesignState,
    ) -> Result<(), ControlError> {
        self.tune(state)?;
        next.parameters.clone_from(&state.parameters);
        (self.machine).step(&state.machine, input, &mut next.machine)
    }

    fn linearize(
        &mut self,
        state: &DesignState,
        input: &[f64],
        next: &mut DesignState,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.tune(state)?;
        next.parameters.clone_from(&state.parameters);
        let (n, p) = (self.num_of_machine(), self.parameters.len());
        check_shape("A", a, (n + p, n + p))?;
        check_shape("B", b, (n + p, input.len()))?;
        let jacobian = (self.machine).differentiate(&state.machine, input, &mut next.machine)?;
        a.fill_with_identity();
        a.view_mut((0, 0), (n, n)).copy_from(&jacobian.state);
        a.view_mut((0, n), (n, p)).copy_from(&jacobian.parameters);
        b.fill(0.0);
        b.rows_mut(0, n).copy_from(&jacobian.input);
        Ok(())
    }

    fn radius(
        &mut self,
        state: &DesignState,
        input: &[f64],
        radius: &mut [f64],
    ) -> Result<(), ControlError> {
        self.tune(state)?;
        let at = state.point(&self.parameters, input);
        self.machine.radius_at(&at, radius)
    }

    fn add_curvature(
        &mut self,
        state: &DesignState,
        input: &[f64],
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.tune(state)?;
        let at = state.point(&self.parameters, input);
        InvalidInput::check_size("covector", covector.len(), self.num_displacements())?;
        let covector = &covector[..self.machine.num_displacements()];
        self.machine.add_curvature_at(&at, covector, curvature)
    }
}

impl MachineDynamics for Design {
    fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.machine.system()
    }

    fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    fn parts<'a>(&self, state: &'a DesignState) -> (&'a State<f64>, &'a [f64]) {
        (&state.machine, &state.parameters)
    }
}

/// The positions of parameters, none of which is named twice.
pub(crate) fn indices_of_different(
    system: &TimeSteppingRigidBodySystem<f64>,
    parameters: &[&str],
) -> Result<Vec<usize>, ControlError> {
    let positions = system.parameter_indices(parameters)?;
    match (1..positions.len()).find(|&k| positions[..k].contains(&positions[k])) {
        None => Ok(positions),
        Some(k) => Err(ControlError::DuplicateName {
            name: parameters[k].to_owned(),
        }),
    }
}

impl<D: MachineDynamics> Problem<D> {
    /// Frees parameters of a [`Design`] by name, from a lower to an upper limit in their units; the others stay as they are in the
    /// initial state.
    ///
    /// # Errors
    /// For a name that is not one of the design, NaN, and limits that nothing satisfies.
    pub fn parameter_limits(mut self, limits: &[(&str, f64, f64)]) -> Result<Self, ControlError> {
        for &(name, lower, upper) in limits {
            let design = &self.dynamics;
            let position = design.system().parameter_index(name)?;
            let place = design.parameters().iter().position(|&i| i == position);
            let place = place.ok_or_else(|| ControlError::NotFree {
                name: name.to_owned(),
            })?;
            let values = design.parts(&self.initial).1;
            InvalidInput::check_size("parameters", values.len(), design.parameters().len())?;
            let value = values[place];
            let entry = design.num_displacements() - values.len() + place;
            (self.start_bounds).set(entry, name, lower - value, upper - value)?;
            if !self.absolute_starts.contains(&entry) {
                self.absolute_starts.push(entry);
            }
        }
        Ok(self)
    }
}
