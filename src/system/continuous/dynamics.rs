//! The accelerations of a system in continuous time.

use super::rigid_body_system::RigidBodySystem;
use crate::actuator::Actuator;
use crate::constraint::{
    ConstraintKind, ConstraintLevel, ConstraintRows, ConstraintSolver, TreeConstraints,
};
use crate::contact::ContactResult;
use crate::contact::{ContactWorkspace, Detection, FoundContact, PointContact};
use crate::force::{ForceContext, Forces};
use crate::math::SpatialAcceleration;
use crate::sensor::Sensor;
use crate::solver::implicit_stribeck::{FrictionLaw, NormalLaw};
use crate::system::constraint_set::{ConstraintForce, ConstraintSet};
use crate::system::error::PlantError;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// Memory of the evaluations of a [`RigidBodySystem`].
#[derive(Debug, Clone)]
pub struct DynamicsWorkspace<T: Scalar> {
    pub(super) tree: TreeWorkspace<T>,
    pub(super) accelerations: Vec<SpatialAcceleration<T>>,
    pub(in crate::system) vdot: Vec<T>,
    pub(super) contacts: Vec<ContactResult<T>>,
    forces: Forces<T>,
    tau: Vec<T>,
    damping: Vec<T>,
    contact: ContactWorkspace<T>,
    found: Vec<FoundContact>,
    solver: ConstraintSolver<T>,
    constraint_forces: Vec<ConstraintForce<T>>,
}

impl<T: Scalar> DynamicsWorkspace<T> {
    /// The contacts of the last evaluation: of compliant ones also those that exert no force, of rigid
    /// ones those that touch and do not part.
    pub fn contacts(&self) -> &[ContactResult<T>] {
        &self.contacts
    }

    /// The forces of the constraints that were active in the last evaluation: equations, then
    /// inequalities.
    pub fn constraint_forces(&self) -> &[ConstraintForce<T>] {
        &self.constraint_forces
    }
}

/// Softens the norm of slip velocities, relative to the stiction tolerance.
const SOFTENING: f64 = 1e-6;

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> RigidBodySystem<T, A, S, C> {
    /// Memory for evaluations of this system.
    pub fn workspace(&self) -> DynamicsWorkspace<T> {
        let nv = self.tree.num_velocities();
        DynamicsWorkspace {
            tree: self.tree.workspace(),
            forces: Forces::new(&self.tree),
            tau: vec![T::zero(); nv],
            damping: vec![T::zero(); nv],
            vdot: vec![T::zero(); nv],
            contact: ContactWorkspace::new(),
            found: Vec::new(),
            contacts: Vec::new(),
            accelerations: vec![SpatialAcceleration::zero(); self.tree.num_bodies()],
            solver: ConstraintSolver::default(),
            constraint_forces: Vec::new(),
        }
    }

    /// The accelerations `v̇` (nv) at the state `(q, v, a)` with the input `u`.
    ///
    /// # Errors
    /// [`PlantError`] when a size is wrong or an entry not finite, a quaternion is not of unit length,
    /// an actuator cannot compute its force, or the constraints cannot be satisfied.
    pub fn accelerations<'w>(
        &self,
        workspace: &'w mut DynamicsWorkspace<T>,
        (q, v, a): (&[T], &[T], &[T]),
        input: &[T],
    ) -> Result<&'w [T], PlantError> {
        self.write_forces(workspace, (q, v, a), input)?;
        if self.constraints.is_empty() && self.rigid_contact.is_none() {
            let DynamicsWorkspace {
                tree,
                forces,
                tau,
                damping,
                vdot,
                constraint_forces,
                ..
            } = workspace;
            constraint_forces.clear();
            self.tree.joint_damping_forces(tree, damping)?;
            for ((tau, &force), &d) in tau.iter_mut().zip(forces.generalized()).zip(&*damping) {
                *tau = force + d;
            }
            self.tree
                .forward_dynamics(tree, tau, Some(forces.on_bodies()), vdot)?;
        } else {
            self.solve_constraints(workspace)?;
        }
        Ok(&workspace.vdot)
    }

    /// Finds accelerations and the forces of constraints and rigid contacts.
    fn solve_constraints(&self, workspace: &mut DynamicsWorkspace<T>) -> Result<(), PlantError> {
        let DynamicsWorkspace {
            tree,
            forces,
            tau,
            vdot,
            solver,
            contacts,
            constraint_forces,
            ..
        } = workspace;
        forces.project(&self.tree, tree, tau)?;
        let mut constraints = TreeConstraints::new();
        (self.constraints).visit(&mut |c, stabilization| constraints.add(c, stabilization));
        if let Some(stabilization) = self.rigid_contact {
            constraints.set_contact(&self.contact, stabilization);
        }
        let mut problem = constraints.acceleration_problem(&self.tree, tree, tau)?;
        let solution = solver.solve_accelerations(&mut problem.data)?;
        vdot.copy_from_slice(solution.generalized_acceleration.as_slice());
        let rows = problem.bilateral.iter().chain(&problem.unilateral);
        let values = (solution.forces.bilateral().iter()).chain(solution.forces.limit());
        constraint_forces.clear();
        constraint_forces.extend(rows.zip(values).map(|(&(constraint, row), &force)| {
            ConstraintForce {
                constraint,
                row,
                force,
            }
        }));
        let in_frames = solution.forces.in_contact_frames();
        let (points, found) = (problem.contacts, problem.found);
        for ((point, found), force) in points.iter().zip(found).zip(in_frames) {
            let velocity = relative_velocity(&self.tree, tree, point)?;
            contacts.push(ContactResult::new(found, point, velocity, force));
        }
        Ok(())
    }

    /// What must vanish at an equilibrium: the generalized forces that are left at rest, gravity and
    /// the forces `multipliers` of the constraints' rows included, then the errors `φ` of these rows.
    ///
    /// # Errors
    /// [`PlantError::EquilibriumUndefined`] for rigid contacts and for constraints that are not
    /// equations of positions.
    pub(super) fn write_rest_residual(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        (q, a): (&[T], &[T]),
        input: &[T],
        multipliers: &[T],
        out: &mut [T],
    ) -> Result<(), PlantError> {
        let nv = self.tree.num_velocities();
        InvalidInput::check_size("residual", out.len(), nv + multipliers.len())?;
        let rest = vec![T::zero(); nv];
        self.write_forces(workspace, (q, &rest, a), input)?;
        let (tree, forces) = (&mut workspace.tree, &workspace.forces);
        let (balance, errors) = out.split_at_mut(nv);
        (self.tree).inverse_dynamics(tree, &rest, Some(forces.on_bodies()), balance)?;
        for (out, &force) in balance.iter_mut().zip(forces.generalized()) {
            *out = force - *out;
        }
        for (rows, first) in self.position_rows(tree)? {
            for i in 0..rows.phi.len() {
                errors[first + i] = rows.phi[i];
                for (out, &j) in balance.iter_mut().zip(rows.jacobian.row(i).iter()) {
                    *out += j * multipliers[first + i];
                }
            }
        }
        Ok(InvalidInput::check_finite("forces at rest", out)?)
    }

    /// The constraints' rows, each with the number of its first; all must be equations of positions.
    fn position_rows(
        &self,
        tree: &TreeWorkspace<T>,
    ) -> Result<Vec<(ConstraintRows<T>, usize)>, PlantError> {
        let undefined = |what| PlantError::EquilibriumUndefined { what };
        if self.rigid_contact.is_some() {
            return Err(undefined("rigid contacts"));
        }
        let (mut all, mut first) = (Vec::new(), 0);
        let mut result = Ok(());
        (self.constraints).visit(&mut |constraint, _| {
            if result.is_err() {
                return;
            }
            result = match (constraint.kind(), constraint.level()) {
                (ConstraintKind::Bilateral, ConstraintLevel::Position) => {
                    let count = constraint.num_rows();
                    let mut rows = ConstraintRows::zeros(count, self.tree.num_velocities());
                    let evaluated = constraint.evaluate(&self.tree, tree, &mut rows);
                    all.push((rows, first));
                    first += count;
                    evaluated.map_err(PlantError::from)
                }
                (ConstraintKind::Unilateral, _) => Err(undefined("inequality constraints")),
                _ => Err(undefined("constraints of velocities or accelerations")),
            };
        });
        result.map(|()| all)
    }

    /// Computes the forces of actuators and contacts.
    fn write_forces(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        (q, v, a): (&[T], &[T], &[T]),
        input: &[T],
    ) -> Result<(), PlantError> {
        InvalidInput::check_size("inputs", input.len(), self.actuators.num_inputs())?;
        InvalidInput::check_finite("inputs", input)?;
        let states = self.actuators.num_states();
        InvalidInput::check_size("states of actuators", a.len(), states)?;
        InvalidInput::check_finite("states of actuators", a)?;
        let DynamicsWorkspace {
            tree,
            forces,
            contact,
            found,
            contacts,
            ..
        } = workspace;
        self.tree.set_state(tree, q, v)?;
        forces.clear();
        let context = ForceContext::new(&self.tree, tree);
        self.actuators.add_forces(&context, input, a, forces)?;
        contacts.clear();
        if self.rigid_contact.is_some() {
            return Ok(());
        }
        let overlapping = (Detection::Overlapping, 0.0);
        (self.contact).detect(&self.tree, tree, overlapping, &[], contact, found)?;
        for (found, point) in found.iter().zip(&contact.points) {
            let velocity = relative_velocity(&self.tree, tree, point)?;
            let normal = NormalLaw {
                x0: point.penetration,
                stiffness: point.material.stiffness,
                dissipation: point.material.dissipation,
            }
            .force(T::zero(), velocity.z);
            let [t1, t2] = FrictionLaw {
                mu: point.material.friction,
                stiction_tolerance: self.stiction_tolerance,
                softening: self.stiction_tolerance * SOFTENING,
            }
            .force(normal, [velocity.x, velocity.y]);
            let force = Vector3::new(t1, t2, normal);
            for (body, force) in [(point.body_a, force), (point.body_b, -force)] {
                let origin = self.tree.body_pose(tree, body)?.translation;
                forces.add_on_body(body, &point.force_about(&force, &origin))?;
            }
            contacts.push(ContactResult::new(*found, point, velocity, force));
        }
        Ok(())
    }

    /// The rates of the actuators' states, at the state of the last evaluation.
    pub(in crate::system) fn actuator_rates(
        &self,
        workspace: &DynamicsWorkspace<T>,
        a: &[T],
        input: &[T],
        rates: &mut [T],
    ) -> Result<(), PlantError> {
        let context = ForceContext::new(&self.tree, &workspace.tree);
        Ok(self.actuators.state_derivative(&context, input, a, rates)?)
    }
}

/// The velocity of A relative to B at a contact, in the contact frame.
fn relative_velocity<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &TreeWorkspace<T>,
    point: &PointContact<T>,
) -> Result<Vector3<T>, PlantError> {
    let motion = |body| {
        let origin = tree.body_pose(workspace, body)?.translation;
        Ok::<_, PlantError>((tree.body_velocity(workspace, body)?, origin))
    };
    let ((va, pa), (vb, pb)) = (motion(point.body_a)?, motion(point.body_b)?);
    Ok(point.relative_velocity((&va, &pa), (&vb, &pb)))
}
