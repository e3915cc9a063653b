//! Derivatives of the forces of actuators with respect to their inputs.

use crate::autodiff::CHUNK;
use crate::force::{ForceContext, Forces};
use crate::math::SpatialVelocity;
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::tree::TreeWorkspace;

/// `∂τ/∂u`, by its entries that are not zero; a workspace.
///
/// Bodies stay where they are, so that only actuators are evaluated with duals, some inputs at a time.
#[derive(Debug, Clone)]
pub(in crate::system) struct ActuationSlopes {
    kinematics: TreeWorkspace<Dual>,
    velocities: Vec<SpatialVelocity<Dual>>,
    forces: Forces<Dual>,
    generalized: Vec<Dual>,
    q: Vec<Dual>,
    v: Vec<Dual>,
    input: Vec<Dual>,
    states: Vec<Dual>,
    /// Where the entries of each input start, and the end.
    starts: Vec<usize>,
    /// Velocity coordinates and slopes.
    entries: Vec<(usize, f64)>,
}

impl ActuationSlopes {
    pub fn new(system: &RigidBodySystem<Dual>) -> Self {
        let tree = &system.tree;
        ActuationSlopes {
            kinematics: tree.workspace(),
            velocities: vec![SpatialVelocity::zero(); tree.num_bodies()],
            forces: Forces::new(tree),
            generalized: vec![Dual::from_re(0.0); tree.num_velocities()],
            q: Vec::new(),
            v: Vec::new(),
            input: Vec::new(),
            states: Vec::new(),
            starts: vec![0],
            entries: Vec::new(),
        }
    }

    /// Evaluates at the positions of a state, velocities `v` and inputs, of a step of the length `dt`.
    pub fn evaluate(
        &mut self,
        system: &RigidBodySystem<Dual>,
        start: &State<f64>,
        v: &[f64],
        (input, dt): (&[f64], f64),
    ) -> Result<(), SystemError> {
        let ActuationSlopes {
            kinematics,
            velocities,
            forces,
            generalized,
            q,
            v: dual_v,
            input: dual_input,
            states,
            starts,
            entries,
        } = self;
        let (tree, actuators) = (&system.tree, &system.actuators);
        starts.truncate(1);
        entries.clear();
        if actuators.forces_are_inputs() {
            entries.extend((0..input.len()).map(|i| (i, 1.0)));
            starts.extend(1..=input.len());
            return Ok(());
        }
        let constants = |target: &mut Vec<Dual>, values: &[f64]| {
            target.clear();
            target.extend(values.iter().map(|&x| Dual::from_re(x)));
        };
        constants(dual_input, input);
        constants(states, start.actuators.as_slice());
        constants(dual_v, v);
        if actuators.depends_on_position() || actuators.depends_on_velocity() {
            constants(q, start.q.as_slice());
            tree.set_positions(kinematics, q)?;
            tree.body_velocities(kinematics, dual_v, velocities)?;
        }
        let [time, dt] = [start.time, dt].map(Dual::from_re);
        for first in (0..input.len()).step_by(CHUNK) {
            let chunk = first..input.len().min(first + CHUNK);
            for (k, u) in dual_input[chunk.clone()].iter_mut().enumerate() {
                *u = u.derivative(k);
            }
            forces.clear();
            let context = ForceContext::with_velocities(tree, kinematics, dual_v, velocities)?
                .at_time(time)
                .over_step(dt);
            actuators.add_forces(&context, dual_input, states, forces)?;
            forces.project(tree, kinematics, generalized)?;
            for k in 0..chunk.len() {
                let slope = |(row, tau): (usize, &Dual)| Some((row, tau.eps.0.as_ref()?[k]));
                let slopes = generalized.iter().enumerate().filter_map(slope);
                entries.extend(slopes.filter(|(_, slope)| *slope != 0.0));
                starts.push(entries.len());
            }
            for u in &mut dual_input[chunk] {
                *u = Dual::from_re(u.re);
            }
        }
        Ok(())
    }

    /// The velocity coordinates that an input drives, and `∂τ/∂u` there.
    pub fn of_input(&self, input: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[input]..self.starts[input + 1]]
    }
}
