//! Velocity-dependent generalized forces, and their damping matrix `D = −∂τ/∂v`.
//!
//! The damping comes from dual numbers, some directions at a time, at the positions of the step.

use super::applied_forces::{Actuation, AppliedForces};
use super::rigid_body_system::RigidBodySystem;
use crate::autodiff::{CHUNK, slopes};
use crate::force::ForceError;
use crate::tree::TreeWorkspace;
use nalgebra::DMatrix;
use num_dual::DualSVec64;

/// The scalar that derivatives of a step are taken in.
pub(super) type Dual = DualSVec64<CHUNK>;

/// Generalized forces and their damping; a workspace.
#[derive(Debug, Clone)]
pub(super) struct Damping {
    kinematics: TreeWorkspace<Dual>,
    /// Whether bodies have been placed.
    is_placed: bool,
    applied: AppliedForces<Dual>,
    coordinates: Vec<Dual>,
    time: Dual,
    time_step: Dual,
    input: Vec<Dual>,
    state: Vec<Dual>,
    /// Forces τ at the velocities.
    pub forces: Vec<f64>,
    /// `D = −∂τ/∂v` there.
    pub matrix: DMatrix<f64>,
}

impl Damping {
    pub fn new(system: &RigidBodySystem<Dual>) -> Self {
        let nv = system.tree.num_velocities();
        Damping {
            kinematics: system.tree.workspace(),
            is_placed: false,
            applied: AppliedForces::new(&system.tree),
            coordinates: Vec::new(),
            time: Dual::from_re(0.0),
            time_step: Dual::from_re(0.0),
            input: Vec::new(),
            state: Vec::new(),
            forces: vec![0.0; nv],
            matrix: DMatrix::zeros(nv, nv),
        }
    }

    /// Places bodies and takes over what actuators act with.
    pub fn set_positions(
        &mut self,
        system: &RigidBodySystem<Dual>,
        q: &[f64],
        actuation: Actuation<'_, f64>,
    ) -> Result<(), ForceError> {
        self.time = Dual::from_re(actuation.time);
        self.time_step = Dual::from_re(actuation.time_step);
        for (target, values) in [
            (&mut self.coordinates, q),
            (&mut self.input, actuation.input),
            (&mut self.state, actuation.state),
        ] {
            target.clear();
            target.extend(values.iter().map(|&x| Dual::from_re(x)));
        }
        // Elements that say that they do not depend on positions read no pose.
        if system.forces_depend_on_position() || !self.is_placed {
            system.set_positions_of_forces(&mut self.kinematics, &self.coordinates)?;
            self.is_placed = true;
        }
        Ok(())
    }

    /// Evaluates forces and damping at the positions that have been set and the velocities `v`.
    pub fn evaluate(
        &mut self,
        system: &RigidBodySystem<Dual>,
        v: &[f64],
    ) -> Result<(), ForceError> {
        for start in (0..v.len()).step_by(CHUNK) {
            let seeds = v.iter().enumerate().map(|(j, &v)| {
                let v = Dual::from_re(v);
                match j.checked_sub(start) {
                    Some(direction) if direction < CHUNK => v.derivative(direction),
                    _ => v,
                }
            });
            self.coordinates.clear();
            self.coordinates.extend(seeds);
            let actuation = Actuation {
                time: self.time,
                time_step: self.time_step,
                input: &self.input,
                state: &self.state,
            };
            let (kinematics, v) = (&mut self.kinematics, &self.coordinates);
            let tau = self.applied.evaluate(system, kinematics, actuation, v)?;
            for (i, tau) in tau.iter().enumerate() {
                self.forces[i] = tau.re;
                for (j, slope) in (start..v.len()).zip(slopes(tau).iter()) {
                    self.matrix[(i, j)] = -slope;
                }
            }
        }
        Ok(())
    }
}
