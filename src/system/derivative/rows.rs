//! Derivatives of the constraint rows that act, with respect to positions: of the generalized forces `Gᵀ λ/δt` of their
//! impulses λ, and of their errors `e = G v⁺ + k`.

use crate::system::compliant::{SaddlePoint, StepRows};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::tree::TreeWorkspace;

/// Evaluates rows in duals; a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct ActingRows {
    rows: StepRows<Dual>,
    /// The rows that act, with their impulses.
    acting: Vec<(usize, f64)>,
    forces: Vec<Dual>,
    errors: Vec<Dual>,
}

impl ActingRows {
    /// Takes over which rows act at the end of a step.
    pub fn start(&mut self, end: &SaddlePoint<'_>) {
        let impulses = end.solution().skip(end.num_velocities());
        self.acting.clear();
        (self.acting).extend(end.active.iter().copied().zip(impulses));
    }

    pub fn are_none(&self) -> bool {
        self.acting.is_empty()
    }

    /// Forces and errors at the state of the workspace, of a step of the length `dt` that comes to `v` at the time `end`.
    pub fn evaluate(
        &mut self,
        (system, kinematics): (&RigidBodySystem<Dual>, &TreeWorkspace<Dual>),
        (end, dt): (f64, f64),
        v: &[Dual],
    ) -> Result<[&[Dual]; 2], SystemError> {
        let rows = &mut self.rows;
        rows.evaluate(system, kinematics, (Dual::from_re(end), Dual::from_re(dt)))?;
        self.forces.clear();
        self.forces.resize(v.len(), Dual::from_re(0.0));
        self.errors.clear();
        for &(i, impulse) in &self.acting {
            for (force, direction) in self.forces.iter_mut().zip(rows.direction(i)) {
                *force += direction * (impulse / dt);
            }
            self.errors.push(rows.rate(i, v) + rows.get(i).k);
        }
        Ok([&self.forces, &self.errors])
    }
}
