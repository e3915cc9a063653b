//! The extended Kalman filter of a machine.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::kalman::kalman_gain;
use crate::machine::Machine;
use crate::matrix::{check_covariance, positive_definite, symmetrize};
use crate::outputs::OutputModel;
use dualbody::InvalidInput;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use nalgebra::{DMatrix, DVector};

/// Estimates the state of a machine from its outputs, with the exact derivatives of its steps.
///
/// The error is a displacement in the tangent space with the covariance `P`, n×n (Jazwinski 1970, *Stochastic Processes and
/// Filtering Theory*, §8.3; the update in Joseph's form). Outputs with derivatives of accelerations in them count, too:
/// `y = h(x, u)`.
#[derive(Debug, Clone)]
pub struct ExtendedKalmanFilter {
    machine: Machine,
    outputs: OutputModel,
    /// The estimate.
    state: State<f64>,
    covariance: DMatrix<f64>,
    process: DMatrix<f64>,
    measurement: DMatrix<f64>,
    next: State<f64>,
    jacobians: [DMatrix<f64>; 4],
}

impl ExtendedKalmanFilter {
    /// From a first estimate with the covariance of its error, n×n, the covariance that a step adds, n×n, and that of the
    /// outputs, p×p and positive definite.
    ///
    /// # Errors
    /// For matrices that do not fit the machine or are no covariances.
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64>,
        state: State<f64>,
        covariance: DMatrix<f64>,
        process: DMatrix<f64>,
        measurement: DMatrix<f64>,
    ) -> Result<Self, ControlError> {
        let machine = Machine::new(system)?;
        let outputs = OutputModel::new(system);
        let (n, m, p) = (
            machine.num_displacements(),
            machine.num_inputs(),
            system.num_outputs(),
        );
        check_covariance("covariance", &covariance, n)?;
        check_covariance("process noise", &process, n)?;
        check_covariance("measurement noise", &measurement, p)?;
        positive_definite("measurement noise", &measurement)?;
        let jacobians = [(n, n), (n, m), (p, n), (p, m)].map(|(i, j)| DMatrix::zeros(i, j));
        Ok(ExtendedKalmanFilter {
            machine,
            outputs,
            next: state.clone(),
            state,
            covariance,
            process,
            measurement,
            jacobians,
        })
    }

    /// The estimate.
    pub fn state(&self) -> &State<f64> {
        &self.state
    }

    /// The covariance of its error, n×n.
    pub fn covariance(&self) -> &DMatrix<f64> {
        &self.covariance
    }

    /// Corrects the estimate by the outputs of the step from it with the inputs `u`, p and m entries.
    ///
    /// # Errors
    /// For sizes that do not fit, an output that is not finite, and as a step of the machine.
    pub fn update(&mut self, input: &[f64], output: &[f64]) -> Result<(), ControlError> {
        let p = self.measurement.nrows();
        InvalidInput::check_size("output", output.len(), p)?;
        InvalidInput::check_finite("output", output)?;
        let [_, _, c, d] = &mut self.jacobians;
        let mut predicted = DVector::zeros(p);
        (self.outputs).linearize(&self.state, input, predicted.as_mut_slice(), c, d)?;
        let innovation = DVector::from_column_slice(output) - predicted;
        let gain = kalman_gain(&self.covariance, c, &self.measurement)?;
        let correction = &gain * innovation;
        let left = DMatrix::identity(c.ncols(), c.ncols()) - &gain * &*c;
        (self.machine).displace(&self.state, correction.as_slice(), &mut self.next)?;
        let after = &left * &self.covariance * left.transpose()
            + &gain * &self.measurement * gain.transpose();
        self.accept(after)
    }

    /// Brings the estimate over a step with the inputs `u`, m entries.
    ///
    /// # Errors
    /// As a step of the machine, and where the covariance is too large for a number.
    pub fn predict(&mut self, input: &[f64]) -> Result<(), ControlError> {
        let [a, b, _, _] = &mut self.jacobians;
        self.machine
            .linearize(&self.state, input, &mut self.next, a, b)?;
        let after = &*a * &self.covariance * a.transpose() + &self.process;
        self.accept(after)
    }

    /// Makes the next state the estimate, with a covariance.
    fn accept(&mut self, mut covariance: DMatrix<f64>) -> Result<(), ControlError> {
        symmetrize(&mut covariance);
        InvalidInput::check_finite("covariance", covariance.as_slice())?;
        self.covariance = covariance;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }
}
