//! Derivatives of the momentum balance with respect to the state at the start of a step.
//!
//! Where body A of a contact moves relative to B along column k (`s_k = 1` for a column of A, −1 for one of
//! B; columns that move both leave the contact as it is), its [wrench](PairWrench) W changes by
//! `s_k (∂W/∂δ S_k + ∂W/∂V_A ψ̇_k)`, and turns with B where k moves B. The generalized force
//! `τ_l = s_l S_l·W` of column l changes with S_l besides, where k carries l:
//!
//! ```text
//! ∂τ_l/∂q_k = s_l S_l·(s_k (∂W/∂δ S_k + ∂W/∂V_A ψ̇_k) + ([k moves B] − [k carries l]) S_k ×* W)
//! ```
//!
//! with ψ̇ at the velocity `v⁺` at which contacts exert their forces.

use super::islands::Islands;
use crate::autodiff::ChunkDual;
use crate::contact::{ContactForceLaw, ContactModel, FoundContact, PairWrench};
use crate::math::{SpatialForce, SpatialVelocity, resize_matrix};
use crate::system::compliant::SaddlePoint;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::tree::{FreeBody, InverseDynamicsDerivatives, PathColumn, RigidBodyTree, TreeWorkspace};

/// Where a step is differentiated.
#[derive(Debug)]
pub(in crate::system) struct StepPoint<'a> {
    pub tree: &'a RigidBodyTree<f64>,
    /// The contact model, for derivatives with respect to poses.
    pub contact: &'a ContactModel<ChunkDual>,
    /// How contacts exert their forces; its time step is that of the step.
    pub law: ContactForceLaw<f64>,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Velocities after the forces of the step.
    pub next_v: &'a [f64],
    /// The contacts.
    pub found: &'a [FoundContact],
    /// Where the step leads.
    end: &'a SaddlePoint<'a>,
}

impl<'a> StepPoint<'a> {
    /// Of a step from `state` to velocities over a time, which ends as `end` says.
    pub fn new(
        (real, contact): (&'a RigidBodySystem<f64>, &'a ContactModel<ChunkDual>),
        (state, next_v, dt): (&'a State<f64>, &'a [f64], f64),
        end: &'a SaddlePoint<'a>,
    ) -> Self {
        StepPoint {
            tree: &real.tree,
            contact,
            law: real.regularization.contact_law(dt),
            q: state.q.as_slice(),
            v: state.v.as_slice(),
            next_v,
            found: end.found,
            end,
        }
    }
}

/// `∂r/∂q` along the velocity coordinates and `∂r/∂v`, by islands; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct BalanceSlopes {
    pub islands: Islands,
    pub by_position: Vec<f64>,
    pub by_velocity: Vec<f64>,
    pub kinematics: TreeWorkspace<f64>,
    pub dynamics: InverseDynamicsDerivatives<f64>,
    pub free: Vec<FreeBody>,
    /// Velocities at the start, without those of free bodies, which no Coriolis force acts on.
    v: Vec<f64>,
    pub vdot: Vec<f64>,
    /// Of the bodies, at the end of the step.
    pub velocities: Vec<SpatialVelocity<f64>>,
    pairs: Vec<PairWrench>,
    columns: Vec<PathColumn<f64>>,
}

impl BalanceSlopes {
    pub fn new(tree: &RigidBodyTree<f64>) -> Self {
        BalanceSlopes {
            islands: Islands::new(tree),
            by_position: Vec::new(),
            by_velocity: Vec::new(),
            kinematics: tree.workspace(),
            dynamics: tree.new_derivatives_without_matrices(),
            free: tree.free_bodies(),
            v: Vec::new(),
            vdot: Vec::new(),
            velocities: vec![SpatialVelocity::zero(); tree.num_bodies()],
            pairs: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Evaluates the derivatives of inertia, gravity and contacts, and takes those of other forces, by the coordinates of
    /// the force and of the position. Islands know what rows and their errors couple.
    pub fn evaluate(
        &mut self,
        point: &StepPoint<'_>,
        applied: &[([usize; 2], f64)],
        errors: &[([usize; 2], f64)],
    ) -> Result<(), SystemError> {
        let (tree, dt) = (point.tree, point.law.time_step);
        self.v.clear();
        self.v.extend_from_slice(point.v);
        for free in &self.free {
            self.v[free.v..free.v + 6].fill(0.0);
        }
        tree.set_state(&mut self.kinematics, point.q, &self.v)?;
        tree.body_velocities(&self.kinematics, point.next_v, &mut self.velocities)?;
        self.vdot.clear();
        let ends = point.next_v.iter().zip(point.v);
        self.vdot.extend(ends.map(|(next, v)| (next - v) / dt));
        self.find_wrenches(point)?;
        let (end, islands) = (point.end, &mut self.islands);
        let by_position = applied.iter().map(|(coordinates, _)| *coordinates);
        by_position.for_each(|pair| islands.join_coordinates(pair));
        end.for_each_coupling(|pair| islands.join_coordinates(pair));
        for of_row in errors.chunk_by(|([a, _], _), ([b, _], _)| a == b) {
            if let Some(coordinate) = end.coordinate_of(of_row[0].0[0]) {
                let columns = of_row.iter().map(|([_, column], _)| *column);
                columns.for_each(|column| islands.join_coordinates([coordinate, column]));
            }
        }
        self.islands.finish();
        self.write_dynamics(point)?;
        for &([row, column], slope) in applied {
            self.by_position[self.islands.entry(row, column)] -= dt * slope;
        }
        self.add_contacts(point)
    }

    /// The wrenches between bodies, which join islands.
    fn find_wrenches(&mut self, point: &StepPoint<'_>) -> Result<(), SystemError> {
        self.pairs.clear();
        self.islands.separate();
        for contact in point.found {
            let bodies = point.contact.bodies(contact);
            let poses = [
                point.tree.body_pose(&self.kinematics, bodies[0])?,
                point.tree.body_pose(&self.kinematics, bodies[1])?,
            ];
            if self.pairs.last().is_none_or(|pair| pair.bodies != bodies) {
                // About a point of the body that is less likely to be a large and distant one.
                let origin = poses[0].translation;
                self.pairs.push(PairWrench::new(bodies, origin));
                self.islands.join(bodies);
            }
            let Some(pair) = self.pairs.last_mut() else {
                continue;
            };
            let velocity = |i: usize| {
                let offset = pair.origin - poses[i].translation;
                self.velocities[bodies[i].get()].shift(&offset)
            };
            let velocities = [&velocity(0), &velocity(1)];
            let poses = [&poses[0], &poses[1]];
            (point.contact).add_to_pair_wrench(contact, poses, velocities, &point.law, pair)?;
        }
        Ok(())
    }

    /// `−(∂r/∂q)ᵀ μ` along the velocity coordinates, and `−(∂r/∂v)ᵀ μ`.
    pub fn pull_back(&self, mu: &[f64], on_position: &mut [f64], on_velocity: &mut [f64]) {
        for i in 0..self.islands.count() {
            let coordinates = self.islands.coordinates(i);
            for &k in coordinates {
                let column = self.islands.column(k);
                let against = |slopes: &[f64]| {
                    let terms = slopes[column.clone()].iter().zip(coordinates);
                    terms.fold(0.0, |sum, (slope, &l)| sum - slope * mu[l])
                };
                on_position[k] = against(&self.by_position);
                on_velocity[k] = against(&self.by_velocity);
            }
        }
    }

    fn write_dynamics(&mut self, point: &StepPoint<'_>) -> Result<(), SystemError> {
        let (islands, dynamics, dt) = (&self.islands, &mut self.dynamics, point.law.time_step);
        for matrix in [
            &mut dynamics.dtau_dq,
            &mut dynamics.dtau_dv,
            &mut dynamics.mass_matrix,
        ] {
            resize_matrix(matrix, islands.num_entries(), 1);
        }
        let (kinematics, entry) = (&mut self.kinematics, |row, column| {
            islands.entry(row, column)
        });
        (point.tree)
            .write_inverse_dynamics_derivatives(kinematics, &self.vdot, None, dynamics, entry)?;
        self.by_position.clear();
        (self.by_position).extend(dynamics.dtau_dq.as_slice().iter().map(|x| dt * x));
        let rates = dynamics.dtau_dv.as_slice().iter();
        let by_velocity = rates.zip(dynamics.mass_matrix.as_slice());
        self.by_velocity.clear();
        (self.by_velocity).extend(by_velocity.map(|(x, m)| dt * x - m));
        Ok(())
    }

    fn add_contacts(&mut self, point: &StepPoint<'_>) -> Result<(), SystemError> {
        let BalanceSlopes {
            islands,
            by_position,
            kinematics,
            velocities,
            pairs,
            columns,
            ..
        } = self;
        for pair in pairs {
            (point.tree).path_columns(
                kinematics,
                velocities,
                pair.bodies,
                &pair.origin,
                columns,
            )?;
            for k in &*columns {
                let relative =
                    pair.by_motion * k.motion.to_vector() + pair.by_velocity * k.rate.to_vector();
                let part = |first: usize| relative.fixed_rows::<3>(first).into_owned();
                let relative = SpatialForce::new(part(0), part(3));
                let turned = k.motion.cross_force(&pair.wrench);
                let (carried, free) = if k.moves_first {
                    (relative - turned, relative)
                } else {
                    (-relative, turned - relative)
                };
                let column = &mut by_position[islands.column(k.coordinate)];
                for l in &*columns {
                    let change = if k.carries(l) { &carried } else { &free };
                    let power = change.power(&l.motion);
                    let signed = if l.moves_first { power } else { -power };
                    column[islands.place(l.coordinate)] -= point.law.time_step * signed;
                }
            }
        }
        Ok(())
    }
}
