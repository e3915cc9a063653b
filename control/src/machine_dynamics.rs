//! What the dynamics of machines have in common, so that residuals of machines serve all of them.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::machine::Machine;
use dualbody::Parameters;
use dualbody::system::{State, TimeSteppingRigidBodySystem};

/// Dynamics whose states are those of a machine, perhaps with some of its parameters.
///
/// Displacements are those of the machine, `[δq; δv; δa; δs]`, followed by those of the parameters.
pub trait MachineDynamics: Dynamics {
    /// The machine.
    fn system(&self) -> &TimeSteppingRigidBodySystem<f64>;

    /// The parameters that belong to a state, as positions in those of the machine.
    fn parameters(&self) -> &[usize] {
        &[]
    }

    /// The state of the machine, and the values of these parameters.
    fn parts<'a>(&self, state: &'a Self::State) -> (&'a State<f64>, &'a [f64]);

    /// The machine with the parameters of a state.
    ///
    /// # Errors
    /// For values that it rejects.
    fn system_at(
        &self,
        state: &Self::State,
    ) -> Result<TimeSteppingRigidBodySystem<f64>, ControlError> {
        let mut system = self.system().clone();
        let values = self.parts(state).1.iter().copied();
        let pairs: Vec<_> = self.parameters().iter().copied().zip(values).collect();
        system.set_parameters(&pairs)?;
        Ok(system)
    }
}

impl MachineDynamics for Machine {
    fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.system()
    }

    fn parts<'a>(&self, state: &'a State<f64>) -> (&'a State<f64>, &'a [f64]) {
        (state, &[])
    }
}
