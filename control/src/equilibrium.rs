//! Regulators about an equilibrium.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::linear_quadratic::LinearQuadratic;
use crate::machine::Machine;
use crate::riccati::{Regulator, Wording};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::RigidBodyTree;
use nalgebra::DMatrix;

/// How far a step may move an equilibrium in any entry of the displacement, and how near to a limit a joint counts as
/// being at it.
const REST: f64 = 1e-6;

/// A machine at rest, and the regulator that holds it there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RestingRegulator {
    /// The equilibrium.
    pub state: State<f64>,
    /// How far it is from the guess: the displacement from the guess to it, n entries.
    pub moved: Vec<f64>,
    /// The inputs that hold it, m entries.
    pub input: Vec<f64>,
    /// What is added to these inputs away from the equilibrium, `−K (x ⊖ x₀)`: [`Self::input_for`] has both.
    pub regulator: Regulator,
    pub(crate) tree: RigidBodyTree<f64>,
}

impl RestingRegulator {
    /// The whole input `u₀ − K (x ⊖ x₀)` for a state of the machine, m entries.
    ///
    /// # Errors
    /// For a state of another machine, and entries that are not finite.
    pub fn input_for(&self, state: &State<f64>) -> Result<Vec<f64>, ControlError> {
        let mut away = vec![0.0; self.moved.len()];
        (self.state).difference(&self.tree, state, &mut away)?;
        let change = self.regulator.input(&away)?;
        Ok(self.input.iter().zip(change).map(|(u, c)| u + c).collect())
    }
}

/// The regulator of the steps of a machine about the equilibrium near a guess, under contact and constraints: minimises
/// `Σ δxᵀQ δx + δuᵀR δu`, with `Q`, n×n, and `R`, m×m.
///
/// The equilibrium is the one of [`equilibrium`](dualbody::system::RigidBodySystem::equilibrium), which may be far from the
/// guess: [`RestingRegulator::moved`] says how far.
///
/// # Errors
/// - With the m inputs given, no equilibrium is found.
/// - [`ControlError::NotAtRest`]: a step moves the machine away from it.
/// - [`ControlError::AtLimit`]: a joint is at a limit of the tree that it is not at in the guess. If you mean that
///   equilibrium, start at the limit.
/// - [`ControlError::NotStabilizable`], as for a body that lies on the ground and that no input moves.
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
    let moved = check_rest(&machine, guess, &state, &next)?;
    let problem = LinearQuadratic::new(a, b, q.clone(), r.clone())?;
    Ok(RestingRegulator {
        regulator: regulate(system, &state, input, problem)?,
        state,
        moved,
        input: input.to_vec(),
        tree: system.tree().clone(),
    })
}

/// The regulator of steps from a state, whose entries errors name.
pub(crate) fn regulate(
    system: &TimeSteppingRigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
    problem: LinearQuadratic,
) -> Result<Regulator, ControlError> {
    let name = |k: usize| match system.linearize(state, input) {
        Ok(model) => format!("{:?}", model.states[k]),
        Err(_) => format!("entry {k} of the displacement"),
    };
    let terms = Wording {
        name: &name,
        ..Wording::default()
    };
    Regulator::solve(problem, true, &terms)
}

/// Checks that a step from an equilibrium ends there, and that the way from the guess has not led to a limit. Returns the
/// displacement from the guess.
pub(crate) fn check_rest(
    machine: &Machine,
    guess: &State<f64>,
    state: &State<f64>,
    next: &State<f64>,
) -> Result<Vec<f64>, ControlError> {
    let mut displacement = vec![0.0; machine.num_displacements()];
    machine.difference(state, next, &mut displacement)?;
    let moved = displacement
        .iter()
        .enumerate()
        .find(|(_, d)| d.abs() > REST);
    if let Some((index, &value)) = moved {
        return Err(ControlError::NotAtRest { index, value });
    }
    for joint in machine.system().tree().joints() {
        let (first, limits) = (joint.position_start(), joint.limits());
        for (k, (&lower, &upper)) in (first..).zip(limits.lower.iter().zip(&limits.upper)) {
            let is_inside = |q: f64| q > lower + REST && q < upper - REST;
            let (from, to) = (guess.q[k], state.q[k]);
            if is_inside(from) && !is_inside(to) {
                return Err(ControlError::AtLimit {
                    joint: joint.name().to_owned(),
                    limit: if to < from { lower } else { upper },
                    guess: from,
                });
            }
        }
    }
    machine.difference(guess, state, &mut displacement)?;
    Ok(displacement)
}
