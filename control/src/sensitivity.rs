//! Sensitivity of a regulator to parameters of its machine.

use crate::ControlError;
use crate::equilibrium::{RestingRegulator, check_rest, regulate};
use crate::linear_quadratic::LinearQuadratic;
use crate::machine::Machine;
use crate::riccati::RegulatorChange;
use dualbody::Parameters;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use nalgebra::DMatrix;
use num_dual::HyperDual64;

/// A regulator at rest and its derivative with respect to a parameter.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RegulatorSensitivity {
    /// The regulator.
    pub resting: RestingRegulator,
    /// The derivatives of `X` and `K`.
    pub change: RegulatorChange,
    /// Those of `A` and `B`.
    pub dynamics: [DMatrix<f64>; 2],
}

/// As [`regulator_at_rest`](crate::regulator_at_rest), with the derivative of the solution with respect to a parameter by its
/// name.
///
/// Hyper-dual numbers carry the parameter through the equilibrium and the step beside each direction of state and input,
/// so that `dA/dp` and `dB/dp` are exact, with what moves the equilibrium; the Riccati solution follows by
/// [`Regulator::derivative`](crate::Regulator::derivative). Weights do not depend on the parameter, nor do the inputs that
/// hold the machine.
///
/// # Errors
/// As there, for an unknown name, and where the equilibrium has no derivative.
// Compiled where it is used, as machines in hyper-dual numbers are.
#[inline]
pub fn regulator_sensitivity(
    system: &TimeSteppingRigidBodySystem<f64>,
    guess: &State<f64>,
    input: &[f64],
    (q, r): (&DMatrix<f64>, &DMatrix<f64>),
    parameter: &str,
) -> Result<RegulatorSensitivity, ControlError> {
    type Hyper = HyperDual64;
    let mut dual = system.cast::<Hyper>();
    let value = system.parameter(parameter)?;
    dual.set_parameter(parameter, Hyper::from_re(value).derivative2())?;
    let inputs: Vec<Hyper> = input.iter().map(|&u| Hyper::from_re(u)).collect();
    let rest = dual.equilibrium(&guess.cast(), &inputs, 1e-10)?;
    let model = dual.linearize_along(&rest, &inputs)?;
    let [[a, b, ..], [da, db, ..]] = [model.matrices, model.slopes];
    let (n, m) = b.shape();
    let machine = Machine::new(system)?;
    let state = rest.cast::<f64>();
    let mut real_workspace = system.workspace()?;
    let next = system
        .step(&mut real_workspace, &state, input)?
        .state()
        .clone();
    let moved = check_rest(&machine, guess, &state, &next)?;
    let problem = LinearQuadratic::new(a, b, q.clone(), r.clone())?;
    let regulator = regulate(system, &state, input, problem)?;
    let still = [DMatrix::zeros(n, n), DMatrix::zeros(m, m)];
    let [dq, dr] = still;
    let change = regulator.derivative(&[da.clone(), db.clone(), dq, dr])?;
    Ok(RegulatorSensitivity {
        resting: RestingRegulator {
            state,
            moved,
            input: input.to_vec(),
            tree: system.tree().clone(),
            regulator,
        },
        change,
        dynamics: [da, db],
    })
}
