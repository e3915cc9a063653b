//! Evaluation of functions of a machine in any scalar, and their derivatives by dual numbers.

use crate::ControlError;
use crate::by_duals::{Configuration, MachineFunction};
use crate::machine::lift_state;
use crate::matrix::check_matrix;
use dualbody::autodiff::{CHUNK, ChunkDual, HessianDual, jacobian_with_radius_of};
use dualbody::system::{State, StepWorkspace, TimeSteppingRigidBodySystem};
use dualbody::tree::TreeWorkspace;
use dualbody::{DefaultScalar, InvalidInput, Observable, Parameters};
use nalgebra::{DMatrix, DVector};
use std::cell::RefCell;

/// Directions of each side of a `HessianDual`.
const HESSIAN_CHUNK: usize = 4;

/// Where a function of a machine is evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MachinePoint<'a> {
    pub state: &'a State<f64>,
    /// Parameters by their positions, and their values.
    pub parameters: &'a [usize],
    pub values: &'a [f64],
    pub input: &'a [f64],
}

impl<'a> MachinePoint<'a> {
    /// Without parameters.
    pub fn new(state: &'a State<f64>, input: &'a [f64]) -> Self {
        MachinePoint {
            state,
            parameters: &[],
            values: &[],
            input,
        }
    }
}

/// A machine in a scalar, with the memory of functions of its state.
#[derive(Debug, Clone)]
pub(crate) struct Lift<T: DefaultScalar> {
    system: TimeSteppingRigidBodySystem<T>,
    placed: TreeWorkspace<T>,
    workspace: Option<Box<StepWorkspace<T>>>,
    base: State<T>,
    displaced: State<T>,
    displacement: Vec<T>,
    /// Values of parameters by their positions, as set.
    values: Vec<(usize, T)>,
    input: Vec<T>,
    out: Vec<T>,
}

impl<T: DefaultScalar> Lift<T> {
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Self {
        let system = system.cast::<T>();
        let base = system.neutral_state();
        Lift {
            placed: system.tree().workspace(),
            workspace: None,
            displaced: base.clone(),
            base,
            displacement: Vec::new(),
            values: Vec::new(),
            input: Vec::new(),
            out: Vec::new(),
            system,
        }
    }

    /// Writes the function at a point whose displacement, parameters and inputs have been moved by numbers whose real
    /// part is zero, of these in this order.
    fn evaluate_along(
        &mut self,
        function: &impl MachineFunction,
        at: &MachinePoint<'_>,
        along: impl Fn(usize) -> T,
    ) -> Result<&[T], ControlError> {
        let (n, p) = (self.num_displacements(), at.values.len());
        lift_state(at.state, &mut self.base)?;
        self.displacement.clear();
        self.displacement.extend((0..n).map(&along));
        let Lift {
            system,
            placed,
            workspace,
            base,
            displaced,
            displacement,
            values,
            input,
            out,
        } = self;
        base.displace(system.tree(), displacement, displaced)?;
        if p > 0 {
            let moved = at.values.iter().zip(at.parameters).enumerate();
            values.clear();
            values.extend(moved.map(|(k, (&value, &i))| (i, along(n + k) + value)));
            system.set_parameters(values)?;
        }
        input.clear();
        input.extend((at.input.iter().enumerate()).map(|(j, &u)| along(n + p + j) + u));
        out.clear();
        out.resize(function.size(), T::zero());
        let (q, v) = (displaced.q.as_slice(), displaced.v.as_slice());
        system.tree().set_state(placed, q, v)?;
        let mut configuration = Configuration::new(system, placed, workspace, displaced, input);
        function.evaluate(&mut configuration, out)?;
        Ok(out)
    }

    /// Number of displacements of the machine.
    fn num_displacements(&self) -> usize {
        self.base.num_displacements()
    }
}

impl Lift<HessianDual> {
    /// Adds `Σ λᵢ ∂²rᵢ` of a function with respect to displacements, parameters and inputs.
    pub fn add_curvature(
        &mut self,
        function: &impl MachineFunction,
        at: &MachinePoint<'_>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let size = self.num_displacements() + at.values.len() + at.input.len();
        InvalidInput::check_size("covector", covector.len(), function.size())?;
        check_matrix("curvature", curvature, size, size)?;
        for row in (0..size).step_by(HESSIAN_CHUNK) {
            for column in (row..size).step_by(HESSIAN_CHUNK) {
                let out = self.evaluate_along(function, at, |entry| {
                    let mut along = HessianDual::from_re(0.0);
                    if (row..row + HESSIAN_CHUNK).contains(&entry) {
                        along = along.derivative1(entry - row);
                    }
                    if (column..column + HESSIAN_CHUNK).contains(&entry) {
                        along = along.derivative2(entry - column);
                    }
                    along
                })?;
                for (y, &weight) in out.iter().zip(covector) {
                    let second = y.eps1eps2.0.unwrap_or_default();
                    for j in column..size.min(column + HESSIAN_CHUNK) {
                        for i in row..size.min(row + HESSIAN_CHUNK) {
                            let term = weight * second[(i - row, j - column)];
                            curvature[(i, j)] += term;
                            if row < column {
                                curvature[(j, i)] += term;
                            }
                        }
                    }
                }
            }
        }
        Ok(InvalidInput::check_finite(
            "second derivatives",
            curvature.as_slice(),
        )?)
    }
}

impl Lift<f64> {
    /// Writes the values of a function.
    pub fn evaluate(
        &mut self,
        function: &impl MachineFunction,
        at: &MachinePoint<'_>,
        value: &mut [f64],
    ) -> Result<(), ControlError> {
        InvalidInput::check_size("value of the function", value.len(), function.size())?;
        value.copy_from_slice(self.evaluate_along(function, at, |_| 0.0)?);
        Ok(())
    }
}

impl Lift<ChunkDual> {
    /// Writes how far the derivatives of a function hold, by each displacement, parameter and input.
    pub fn radius(
        &mut self,
        function: &impl MachineFunction,
        at: &MachinePoint<'_>,
        radius: &mut [f64],
    ) -> Result<(), ControlError> {
        let size = self.num_displacements() + at.values.len() + at.input.len();
        InvalidInput::check_size("radius", radius.len(), size)?;
        let lift = RefCell::new(self);
        let found = jacobian_with_radius_of(
            |observer, along: &[ChunkDual]| {
                let mut lift = lift.borrow_mut();
                lift.system.observe(Some(observer.clone()));
                let values = lift.evaluate_along(function, at, |entry| along[entry])?;
                Ok::<_, ControlError>(DVector::from_column_slice(values))
            },
            &vec![0.0; size],
        )?;
        radius.copy_from_slice(found.radius.as_slice());
        Ok(())
    }

    /// Writes the values of a function, and its derivatives with respect to displacements and parameters, and to the inputs.
    pub fn differentiate(
        &mut self,
        function: &impl MachineFunction,
        at: &MachinePoint<'_>,
        value: &mut [f64],
        [by_state, by_input]: [&mut DMatrix<f64>; 2],
    ) -> Result<(), ControlError> {
        let n = self.num_displacements() + at.values.len();
        let m = at.input.len();
        let size = function.size();
        InvalidInput::check_size("value of the function", value.len(), size)?;
        check_matrix("derivative by the state", by_state, size, n)?;
        if m > 0 {
            check_matrix("derivative by the inputs", by_input, size, m)?;
        }
        for first in (0..(n + m).max(1)).step_by(CHUNK) {
            let out = self.evaluate_along(function, at, |entry| {
                let zero = ChunkDual::from_re(0.0);
                match entry.checked_sub(first) {
                    Some(k) if k < CHUNK => zero.derivative(k),
                    _ => zero,
                }
            })?;
            for (i, y) in out.iter().enumerate() {
                value[i] = y.re;
                let slopes = y.eps.0.unwrap_or_default();
                for (k, &slope) in slopes.iter().enumerate() {
                    match first + k {
                        j if j < n => by_state[(i, j)] = slope,
                        j if j < n + m => by_input[(i, j - n)] = slope,
                        _ => {}
                    }
                }
            }
        }
        InvalidInput::check_finite("derivatives", by_state.as_slice())?;
        Ok(InvalidInput::check_finite(
            "derivatives",
            by_input.as_slice(),
        )?)
    }
}
