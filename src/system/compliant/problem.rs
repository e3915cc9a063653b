//! The contact problem of a compliant step, in `f64`.

use super::start::StepStart;
use crate::contact::{ContactForceLaw, ContactMaterial, PointContact};
use crate::force::ForceError;
use crate::math::reset_matrix;
use crate::solver::implicit_stribeck::{FrictionLaw, NormalForce, SparseContact, SparseProblem};
use crate::system::applied_forces::{Actuation, AppliedForces};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::kinematics::StepKinematics;
use crate::system::linearized_forces::LinearizedForces;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::stepper::Stepper;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use nalgebra::DMatrix;

/// The momentum balance `A v = p + δt Jᵀ f(v)` of a step: that of the tree, and what has been added to it; a
/// workspace.
#[derive(Debug, Clone)]
pub(super) struct StepProblem {
    pub sparse: SparseProblem,
    vdot: Vec<f64>,
    /// Generalized forces by which bodies that rotate fast carry their momentum over.
    carrying: Vec<f64>,
    /// δt D of the joints.
    pub joint_damping: Vec<f64>,
    /// Whether A has been written for this step.
    pub has_matrix: bool,
    /// Where the terms of the mass matrix of the tree end, and p of the tree.
    tree_terms: usize,
    tree_momentum: Vec<f64>,
    /// p of motion and gravity alone, `M v − δt (C − τ_g)`, with the momentum that is carried over.
    pub motion_momentum: Vec<f64>,
    /// The same with constraints, without forces that have been linearised.
    base_terms: usize,
    base_momentum: Vec<f64>,
    /// The diagonal of A of the tree.
    pub diagonal: Vec<f64>,
    /// The position among the columns at which each velocity was last used.
    last_use: Vec<usize>,
    scratch: Vec<f64>,
    /// Coordinates, gradients and directions of a row of constraints; scratch.
    pub entries: Vec<(usize, (f64, f64))>,
}

/// What friction at a contact point acts against.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rows {
    /// The velocity across the normal.
    Slip,
    /// The angular velocity about the normal.
    Spin,
    /// The angular velocity about the tangents.
    Roll,
}

impl StepProblem {
    /// For systems with `nv` velocities.
    pub fn new(nv: usize) -> Self {
        StepProblem {
            sparse: SparseProblem::default(),
            vdot: vec![0.0; nv],
            carrying: vec![0.0; nv],
            joint_damping: vec![0.0; nv],
            has_matrix: false,
            tree_terms: 0,
            tree_momentum: Vec::new(),
            motion_momentum: Vec::new(),
            base_terms: 0,
            base_momentum: Vec::new(),
            diagonal: Vec::new(),
            last_use: Vec::new(),
            scratch: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Writes p of the tree, with the forces of elements unless these depend on velocities, and the contacts.
    pub fn assemble(
        &mut self,
        stepper: Stepper<'_, f64>,
        start: &mut StepStart,
        applied: &mut AppliedForces<f64>,
    ) -> Result<(), SystemError> {
        let (real, dt) = (stepper.system, stepper.time_step);
        let (tree, state) = (&real.tree, &start.state);
        let StepKinematics {
            bodies,
            fast_rotation,
            free,
        } = &mut start.kinematics;
        // With v̇ = −v/δt inverse dynamics gives −M v/δt + C v − τ_g in one recursion.
        for (a, v) in self.vdot.iter_mut().zip(&state.v) {
            *a = -v / dt;
        }
        let p = &mut self.sparse.momentum;
        p.resize(state.v.len(), 0.0);
        tree.inverse_dynamics(bodies, &self.vdot, None, p)?;
        p.iter_mut().for_each(|p| *p *= -dt);
        tree.add_gyroscopic_forces(free, bodies, dt, p);
        if let Some(forces) = fast_rotation.forces() {
            tree.generalized_forces(bodies, forces, &mut self.carrying)?;
            (p.iter_mut().zip(&self.carrying)).for_each(|(p, f)| *p += dt * f);
        }
        self.motion_momentum.clone_from(p);
        if stepper.dual.is_none() {
            let actuation = Actuation::of(state, &start.input, dt);
            let tau = applied.evaluate_at_state(real, bodies, actuation)?;
            (p.iter_mut().zip(tau)).for_each(|(p, tau)| *p += dt * tau);
        }
        self.tree_momentum.clone_from(p);
        tree.joint_damping(&mut self.joint_damping)?;
        self.joint_damping.iter_mut().for_each(|d| *d *= dt);
        self.has_matrix = false;
        self.write_contacts(tree, start)
    }

    /// Takes the mass matrix of the tree at the positions of `kinematics` and `δt D` of its joints for A.
    pub fn write_matrix(
        &mut self,
        tree: &RigidBodyTree<f64>,
        kinematics: &mut TreeWorkspace<f64>,
    ) -> Result<(), SystemError> {
        let problem = &mut self.sparse;
        problem.truncate_terms(self.tree_terms);
        if self.tree_terms == 0 {
            tree.for_each_mass_entry(kinematics, |i, j, _| problem.push_term(i, j, 0.0));
            (0..tree.num_velocities()).for_each(|i| problem.push_term(i, i, 0.0));
            self.tree_terms = problem.terms.len();
            problem.symmetric = self.tree_terms;
        }
        let mut terms = problem.terms.iter_mut();
        tree.for_each_mass_entry(kinematics, |_, _, entry| {
            if let Some(term) = terms.next() {
                *term = entry;
            }
        });
        (terms.zip(&self.joint_damping)).for_each(|(term, &d)| *term = d);
        problem.write_diagonal(&mut self.diagonal);
        tree.check_diagonal(&self.diagonal)?;
        self.has_matrix = true;
        Ok(())
    }

    /// Takes away everything that has been added to the balance of the tree.
    pub fn reset(&mut self) {
        self.sparse.truncate_terms(self.tree_terms);
        self.sparse.momentum.clone_from(&self.tree_momentum);
        self.sparse.has_stiff_terms = false;
    }

    /// Says that what is added from now on are forces.
    pub fn start_forces(&mut self) {
        self.base_terms = self.sparse.terms.len();
        self.base_momentum.clone_from(&self.sparse.momentum);
    }

    /// Takes away the forces.
    fn remove_forces(&mut self) {
        self.sparse.truncate_terms(self.base_terms);
        self.sparse.momentum.clone_from(&self.base_momentum);
    }

    /// Linearises forces that depend on velocities at the velocity of `linearized`, in place of the last time.
    pub fn linearize_forces(
        &mut self,
        system: &RigidBodySystem<Dual>,
        dt: f64,
        linearized: &mut LinearizedForces,
    ) -> Result<(), ForceError> {
        linearized.evaluate(system)?;
        self.remove_forces();
        let problem = &mut self.sparse;
        for (j, column) in linearized.damping().column_iter().enumerate() {
            for (i, &d) in column.iter().enumerate().filter(|(_, d)| **d != 0.0) {
                problem.push_term(i, j, dt * d);
            }
        }
        problem.write_diagonal(&mut linearized.diagonal);
        linearized.add_impulse(dt, |i, impulse| {
            let p = &mut problem.momentum[i];
            std::mem::replace(p, *p + impulse)
        });
        Ok(())
    }

    /// Pairs of coordinates that forces which have been linearised couple.
    pub fn coupled(&self) -> &[[usize; 2]] {
        let first = self.base_terms.max(self.tree_terms);
        self.sparse.places.get(first..).unwrap_or_default()
    }

    /// Checks the balance.
    pub fn validate(&mut self) -> Result<(), SystemError> {
        if self.sparse.terms.len() == self.tree_terms {
            return Ok(self.sparse.validate(&self.diagonal)?);
        }
        self.sparse.write_diagonal(&mut self.scratch);
        Ok(self.sparse.validate(&self.scratch)?)
    }

    /// `d·(A v − p − δt (τ + Jᵀ f(v)))` without forces that have been linearised, but with the forces τ.
    pub fn slope(
        &mut self,
        law: &ContactForceLaw<f64>,
        tau: &[f64],
        (v, d): (&[f64], &[f64]),
    ) -> f64 {
        let (out, dt) = (&mut self.scratch, law.time_step);
        out.clear();
        out.extend((self.base_momentum.iter().zip(tau)).map(|(p, tau)| -p - dt * tau));
        self.sparse.add_momentum(self.base_terms, v, out);
        let slope: f64 = out.iter().zip(d).map(|(r, d)| r * d).sum();
        slope - dt * self.power(law, v, d)
    }

    /// Writes A of the tree as a dense matrix.
    pub fn write_dense(&self, a: &mut DMatrix<f64>) {
        let n = self.diagonal.len();
        reset_matrix(a, n, n);
        let terms = self.sparse.places.iter().zip(&self.sparse.terms);
        for (&[i, j], term) in terms.take(self.tree_terms) {
            a[(i, j)] += term;
            if i != j {
                a[(j, i)] += term;
            }
        }
    }

    /// Writes the Jacobians and constants of the contacts.
    pub fn write_contacts(
        &mut self,
        tree: &RigidBodyTree<f64>,
        start: &StepStart,
    ) -> Result<(), SystemError> {
        let (kinematics, points) = (&start.kinematics.bodies, &start.contact.points);
        let StepProblem {
            sparse, last_use, ..
        } = self;
        sparse.clear_contacts();
        last_use.resize(tree.num_velocities(), 0);
        let mut write = |point: &PointContact<f64>, rows: Rows, (mu, stribeck)| {
            let first = sparse.columns.len();
            let mut add = |body: BodyIndex, sign: f64| {
                tree.for_each_point_column(kinematics, body, &point.position, |j, column| {
                    let v = point.rotation.tr_mul(&column.linear) * sign;
                    let w = || point.rotation.tr_mul(&column.angular) * sign;
                    let value = match rows {
                        Rows::Slip => [v.z, v.x, v.y],
                        Rows::Spin => [v.z, w().z, 0.0],
                        Rows::Roll => [v.z, w().x, w().y],
                    };
                    let used = last_use[j];
                    if used >= first && sparse.columns.get(used) == Some(&j) {
                        let sum = &mut sparse.values[used];
                        *sum = [0, 1, 2].map(|k| sum[k] + value[k]);
                        // A joint that both bodies hang on moves neither relative to the other.
                        if *sum == [0.0; 3] {
                            sparse.columns[used] = usize::MAX;
                        }
                    } else {
                        last_use[j] = sparse.columns.len();
                        sparse.columns.push(j);
                        sparse.values.push(value);
                    }
                })
            };
            add(point.body_a, 1.0)?;
            add(point.body_b, -1.0)?;
            let mut end = first;
            for k in first..sparse.columns.len() {
                if sparse.columns[k] != usize::MAX {
                    sparse.columns[end] = sparse.columns[k];
                    sparse.values[end] = sparse.values[k];
                    last_use[sparse.columns[end]] = end;
                    end += 1;
                }
            }
            sparse.columns.truncate(end);
            sparse.values.truncate(end);
            sparse.contacts.push(SparseContact {
                normal: NormalForce::Compliant(point.material.normal_law(point.penetration)),
                mu,
                stribeck,
                friction_only: rows != Rows::Slip,
                end: sparse.columns.len(),
            });
            Ok::<(), SystemError>(())
        };
        for point in points {
            let ContactMaterial {
                friction, stribeck, ..
            } = point.material;
            write(point, Rows::Slip, (friction, stribeck))?;
        }
        // After all points, whose numbers are those of the contacts of the step.
        for point in points {
            let Some(friction) = point.material.rotational else {
                continue;
            };
            for (rows, mu) in [
                (Rows::Spin, friction.torsional),
                (Rows::Roll, friction.rolling),
            ] {
                if mu > 0.0 {
                    write(point, rows, (mu, None))?;
                }
            }
        }
        Ok(())
    }

    /// Power along `d` of the contact forces at the velocity `v`.
    fn power(&self, law: &ContactForceLaw<f64>, v: &[f64], d: &[f64]) -> f64 {
        let mut power = 0.0;
        for (c, contact) in self.sparse.contacts.iter().enumerate() {
            let [vn, vt0, vt1] = self.sparse.contact_velocity(c, v);
            let normal = match contact.normal {
                NormalForce::Given(force) => force,
                NormalForce::Compliant(normal) => normal.force(law.time_step, vn),
            };
            let [f0, f1] = FrictionLaw {
                mu: contact.mu,
                stribeck: contact.stribeck,
                stiction_tolerance: law.stiction_tolerance,
                softening: law.softening,
            }
            .force(normal, [vt0, vt1]);
            let change = self.sparse.contact_velocity(c, d);
            let along = match contact.friction_only {
                true => 0.0,
                false => normal * change[0],
            };
            power += along + f0 * change[1] + f1 * change[2];
        }
        power
    }
}
