//! Machines in steps, with a force at a distance for planning.

use crate::outcome::Failure;
use dualbody::system::{RigidBodySystem, TimeSteppingRigidBodySystem};
use dualbody_control::{ForceAtDistance, Machine};

/// A machine in compliant steps of `time_step` seconds, with a force at a distance over a `length` in m, if that is
/// positive.
pub fn in_steps(
    system: RigidBodySystem<f64>,
    time_step: f64,
    length: f64,
) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut system = TimeSteppingRigidBodySystem::compliant(system, time_step)?;
    if length > 0.0 {
        let force = ForceAtDistance::of_system("distance", system.system(), length)?;
        system.add_force(force)?;
    }
    Ok(system)
}

/// A machine to plan with.
pub fn dynamics(system: &TimeSteppingRigidBodySystem<f64>) -> Result<Machine, Failure> {
    Ok(Machine::new(system)?)
}
