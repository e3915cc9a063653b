//! Regulators about an equilibrium.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::linear_quadratic::LinearQuadratic;
use crate::machine::Machine;
use crate::riccati::Regulator;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use nalgebra::DMatrix;

/// Entries by which a step may move an equilibrium, in the units of displacements.
const REST: f64 = 1e-6;

/// A machine at rest, and the regulator that holds it there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RestingRegulator {
    /// The equilibrium.
    pub state: State<f64>,
    /// The inputs that hold it, m entries.
    pub input: Vec<f64>,
    /// `u = u₀ − K (x ⊖ x₀)`.
    pub regulator: Regulator,
}

/// The regulator of the steps of a machine about the equilibrium near a guess, under contact and constraints: minimises
/// `Σ δxᵀQ δx + δuᵀR δu`, with `Q`, n×n, and `R`, m×m.
///
/// # Errors
/// Where no equilibrium is found with these inputs, m entries, or a step moves it; [`ControlError::NotStabilizable`], as for
/// a body that lies on the ground and that no input moves.
pub fn regulator_at_rest(
    system: &TimeSteppingRigidBodySystem<f64>,
    guess: &State<f64>,
    input: &[f64],
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
) -> Result<RestingRegulator, ControlError> {
    let state = system.equilibrium(guess, input, 1e-10)?;
    let mut machine = Machine::new(system)?;
    let (n, m) = (machine.num_displacements(), machine.num_inputs());
    let (mut a, mut b) = (DMatrix::zeros(n, n), DMatrix::zeros(n, m));
    let mut next = state.clone();
    machine.linearize(&state, input, &mut next, &mut a, &mut b)?;
    check_rest(&machine, &state, &next)?;
    let problem = LinearQuadratic::new(a, b, q.clone(), r.clone())?;
    Ok(RestingRegulator {
        regulator: Regulator::discrete(problem)?,
        state,
        input: input.to_vec(),
    })
}

/// Checks that a step from an equilibrium ends there.
pub(crate) fn check_rest(
    machine: &Machine,
    state: &State<f64>,
    next: &State<f64>,
) -> Result<(), ControlError> {
    let mut displacement = vec![0.0; machine.num_displacements()];
    machine.difference(state, next, &mut displacement)?;
    let moved = displacement
        .iter()
        .enumerate()
        .find(|(_, d)| d.abs() > REST);
    match moved {
        None => Ok(()),
        Some((index, &value)) => Err(ControlError::NotAtRest { index, value }),
    }
}
