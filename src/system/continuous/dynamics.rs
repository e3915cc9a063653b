//! Forward dynamics of a system in continuous time.

use super::contact_events::continued_contact_force;
use crate::constraint::{
    AccelMemory, AccelerationSolution, ConstraintForce, ConstraintKind, ConstraintLevel,
    ConstraintRows, ConstraintSolver, Stabilizations, TouchingContact, TreeConstraint,
    TreeConstraints, evaluate_rows,
};
use crate::contact::{ContactResult, ContactWorkspace, Detection, FoundContact, PointContact};
use crate::force::{ForceContext, Forces};
use crate::math::{SpatialAcceleration, SpatialForce};
use crate::sensor::SensorContext;
use crate::system::applied_forces::Actuation;
use crate::system::error::SystemError;
use crate::system::force_laws::InstantMemory;
use crate::system::joint_reactions::JointReactions;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::tree::TreeWorkspace;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// Memory of the evaluations of a [`RigidBodySystem`] in continuous time.
#[derive(Debug, Clone)]
pub struct DynamicsWorkspace<T: Scalar> {
    pub(in crate::system) kinematics: TreeWorkspace<T>,
    accelerations: Vec<SpatialAcceleration<T>>,
    pub(in crate::system) vdot: Vec<T>,
    pub(in crate::system) contacts: Vec<ContactResult<T>>,
    forces: Forces<T>,
    tau: Vec<T>,
    damping: Vec<T>,
    pub(super) contact: ContactWorkspace<T>,
    pub(super) found: Vec<FoundContact>,
    /// The contacts that act, where events decide.
    pub(in crate::system) touching: Option<Vec<TouchingContact>>,
    /// Of a search for contacts that may come to act.
    pub(super) search: (ContactWorkspace<T>, Vec<FoundContact>),
    pub(super) solver: ConstraintSolver<T>,
    pub(in crate::system) constraint_forces: Vec<ConstraintForce<T>>,
    /// Of constraints and rigid contacts.
    pub(super) problem: AccelMemory<T>,
    pub(super) solution: AccelerationSolution<T>,
    in_frames: Vec<Vector3<T>>,
    /// Where they are needed.
    reactions: Option<Box<JointReactions<T>>>,
    /// Of forces of laws.
    pub(in crate::system) laws: Option<Box<InstantMemory<T>>>,
}

impl<T: Scalar> DynamicsWorkspace<T> {
    /// The contacts of the last evaluation: of compliant ones also those that exert no force, of rigid
    /// ones those that touch and do not part.
    pub fn contacts(&self) -> &[ContactResult<T>] {
        &self.contacts
    }

    /// The forces on bodies of the last evaluation, about their origins.
    pub(super) fn forces_on_bodies(&self) -> &[SpatialForce<T>] {
        self.forces.on_bodies()
    }

    /// The forces of the constraints that were active in the last evaluation: equations, then
    /// inequalities.
    pub fn constraint_forces(&self) -> &[ConstraintForce<T>] {
        &self.constraint_forces
    }

    /// The forces `f` of [force laws](crate::constraint::ConstraintForceLaw) in the last evaluation, of all their rows in the
    /// order of the machine.
    pub fn law_forces(&self) -> &[T] {
        self.laws.as_ref().map_or(&[], |laws| &laws.forces)
    }
}

/// A time, positions, velocities, and states of actuators.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct Instant<'a, T> {
    pub time: T,
    pub q: &'a [T],
    pub v: &'a [T],
    pub actuators: &'a [T],
}

impl<'a, T: Scalar> Instant<'a, T> {
    pub fn of(state: &'a State<T>) -> Self {
        Instant {
            time: state.time,
            q: state.q.as_slice(),
            v: state.v.as_slice(),
            actuators: state.actuators.as_slice(),
        }
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    /// The outputs at a state; those of sensors with a state use the one that they have. `normal` gives
    /// independent standard normal numbers for noise.
    ///
    /// # Errors
    /// As [`Self::accelerations`], and those of the sensors.
    #[inline(never)]
    pub fn output(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        state: &State<T>,
        input: &[T],
        normal: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SystemError> {
        InvalidInput::check_size("outputs", out.len(), self.num_outputs())?;
        self.accelerations(workspace, state, input)?;
        let context = self.sensor_context(workspace, state.time)?;
        (self.sensors).measure(&context, state.sensors.as_slice(), normal, out)?;
        Ok(InvalidInput::check_finite("outputs", out)?)
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    /// Memory for evaluations of this system in continuous time.
    #[inline(never)]
    pub fn dynamics_workspace(&self) -> DynamicsWorkspace<T> {
        let nv = self.tree.num_velocities();
        DynamicsWorkspace {
            kinematics: self.tree.workspace(),
            forces: Forces::new(&self.tree),
            tau: vec![T::zero(); nv],
            damping: vec![T::zero(); nv],
            vdot: vec![T::zero(); nv],
            contact: ContactWorkspace::new(),
            found: Vec::new(),
            touching: None,
            search: (ContactWorkspace::new(), Vec::new()),
            contacts: Vec::new(),
            accelerations: vec![SpatialAcceleration::zero(); self.tree.num_bodies()],
            solver: ConstraintSolver::default(),
            constraint_forces: Vec::new(),
            problem: AccelMemory::default(),
            solution: AccelerationSolution::default(),
            in_frames: Vec::new(),
            reactions: None,
            laws: None,
        }
    }

    /// The accelerations `v̇` (nv) at a state with the input `u`.
    ///
    /// # Errors
    /// [`SystemError`] when a size is wrong or an entry not finite, a quaternion is not of unit length,
    /// an element cannot compute its force, or the constraints cannot be satisfied.
    #[inline(never)]
    pub fn accelerations<'w>(
        &self,
        workspace: &'w mut DynamicsWorkspace<T>,
        state: &State<T>,
        input: &[T],
    ) -> Result<&'w [T], SystemError> {
        self.check_sizes(state, input)?;
        self.evaluate_dynamics(workspace, Instant::of(state), input)?;
        Ok(&workspace.vdot)
    }

    /// The forces that the inboard bodies of all joints exert on the outboard bodies at a state with the input `u`, in the
    /// order of the joints: torque about the origin of the outboard body and force, expressed in W, in N m and N. What
    /// drives, damps and limits a joint is in its reaction; floating joints have none. Of force laws, and of constraints
    /// without a [`point_force`](crate::constraint::TreeConstraint::point_force), only what acts along the axes of a joint is. See
    /// [`RigidBodyTree::joint_reactions`](crate::tree::RigidBodyTree::joint_reactions).
    ///
    /// # Errors
    /// As [`Self::accelerations`].
    #[inline(never)]
    pub fn joint_reactions<'w>(
        &self,
        workspace: &'w mut DynamicsWorkspace<T>,
        state: &State<T>,
        input: &[T],
    ) -> Result<&'w [SpatialForce<T>], SystemError> {
        self.accelerations(workspace, state, input)?;
        self.find_joint_reactions(workspace)
    }

    /// As [`Self::joint_reactions`], at the state of the last evaluation.
    fn find_joint_reactions<'w>(
        &self,
        workspace: &'w mut DynamicsWorkspace<T>,
    ) -> Result<&'w [SpatialForce<T>], SystemError> {
        let DynamicsWorkspace {
            kinematics,
            vdot,
            forces,
            contacts,
            constraint_forces,
            reactions,
            ..
        } = workspace;
        let reactions = reactions.get_or_insert_with(|| Box::new(JointReactions::new(self)));
        reactions.applied.forces.clone_from(forces);
        if self.options.rigid_contact {
            reactions.add_contacts(self, kinematics, contacts)?;
        }
        reactions.add_constraints(self, kinematics, constraint_forces)?;
        reactions.find(self, kinematics, vdot)
    }

    /// Writes the rates of the states of actuators and sensors, at the state of the last evaluation.
    pub(in crate::system) fn element_rates(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        input: &[T],
        sensors: &[T],
        (actuator_rates, sensor_rates): (&mut [T], &mut [T]),
    ) -> Result<(), SystemError> {
        if !actuator_rates.is_empty() {
            let context =
                ForceContext::new(&self.tree, &workspace.kinematics).at_time(instant.time);
            let own = instant.actuators;
            (self.actuators).state_derivative(&context, input, own, actuator_rates)?;
        }
        if !sensor_rates.is_empty() {
            let context = self.sensor_context(workspace, instant.time)?;
            (self.sensors).state_derivative(&context, sensors, sensor_rates)?;
        }
        Ok(())
    }

    fn sensor_context<'w>(
        &'w self,
        workspace: &'w mut DynamicsWorkspace<T>,
        time: T,
    ) -> Result<SensorContext<'w, T>, SystemError> {
        let needs_reactions = self.sensors.need_joint_reactions();
        if needs_reactions {
            self.find_joint_reactions(workspace)?;
        }
        let DynamicsWorkspace {
            kinematics,
            vdot,
            accelerations,
            contacts,
            reactions,
            ..
        } = workspace;
        (self.tree).body_accelerations(kinematics, vdot, accelerations)?;
        let context = SensorContext::new(&self.tree, kinematics, &self.contact)
            .with_accelerations(accelerations)?
            .with_contacts(contacts)
            .at_time(time);
        Ok(match reactions {
            Some(reactions) if needs_reactions => {
                context.with_joint_reactions(&reactions.across)?
            }
            _ => context,
        })
    }

    /// Finds accelerations, contact and constraint forces.
    #[inline(never)]
    pub(in crate::system) fn evaluate_dynamics(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        if !self.force_laws.is_empty() {
            return self.evaluate_with_laws(workspace, instant, input);
        }
        self.write_forces(workspace, instant, input)?;
        workspace.constraint_forces.clear();
        let unconstrained = self.constraints.is_empty() && !self.options.rigid_contact;
        if !unconstrained {
            return self.solve_constraints(workspace, instant.time);
        }
        let DynamicsWorkspace {
            kinematics,
            forces,
            tau,
            damping,
            vdot,
            ..
        } = workspace;
        self.tree.joint_damping_forces(kinematics, damping)?;
        for ((tau, &force), &d) in tau.iter_mut().zip(forces.generalized()).zip(&*damping) {
            *tau = force + d;
        }
        let external = Some(forces.on_bodies());
        Ok(self
            .tree
            .forward_dynamics(kinematics, tau, external, vdot)?)
    }

    /// Finds accelerations and the forces of constraints and rigid contacts.
    fn solve_constraints(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        time: T,
    ) -> Result<(), SystemError> {
        let DynamicsWorkspace {
            kinematics,
            forces,
            tau,
            vdot,
            solver,
            contacts,
            constraint_forces,
            touching,
            problem,
            solution,
            in_frames,
            ..
        } = workspace;
        forces.project(&self.tree, kinematics, tau)?;
        let mut constraints = TreeConstraints::new();
        constraints.time = time;
        let stabilization = self.regularization.of_constraints();
        let stabilizations = Stabilizations {
            of_equations: stabilization,
            of_inequalities: stabilization,
        };
        constraints.end_with(&self.constraints, stabilizations);
        constraints.spanning_directions = self.options.spanning_directions();
        constraints.round_cones = self.options.round_friction_cones;
        if self.options.rigid_contact {
            constraints.set_contact(&self.contact, self.regularization.of_overlaps());
            constraints.touching = touching.as_deref();
        }
        let memory = std::mem::take(problem);
        let mut posed = constraints.acceleration_problem_in(&self.tree, kinematics, tau, memory)?;
        let solved = solver.solve_accelerations_into(&mut posed.data, solution);
        *problem = posed.into_memory();
        solved.map_err(|error| self.in_row(error, &problem.bilateral))?;
        vdot.copy_from_slice(solution.generalized_acceleration.as_slice());
        let forces = &solution.forces;
        let rows = problem.bilateral.iter().chain(&problem.unilateral);
        let values = forces.bilateral().iter().chain(forces.limit());
        constraint_forces.extend(rows.zip(values).map(|(&(constraint, row), &force)| {
            ConstraintForce {
                constraint,
                row,
                force,
            }
        }));
        forces.write_in_contact_frames(in_frames);
        let found = problem.contacts.iter().zip(&problem.found);
        for ((point, found), &force) in found.zip(&*in_frames) {
            let velocity = point.relative_velocity_in(&self.tree, kinematics)?;
            contacts.push(ContactResult::new(*found, point, velocity, force));
        }
        Ok(())
    }

    /// The generalized forces that are left at rest, gravity and the forces `multipliers` of the constraints' rows and of
    /// the rigid contacts in the workspace, along their normals, included; then for each row its error: φ of positions;
    /// of velocities the force, which is zero at rest, or the rate of one that rest breaks; what remains of φ̈ of accelerations;
    /// the gap of contacts.
    pub(super) fn write_rest_residual(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        input: &[T],
        multipliers: &[T],
        out: &mut [T],
    ) -> Result<(), SystemError> {
        let nv = self.tree.num_velocities();
        InvalidInput::check_size("residual", out.len(), nv + multipliers.len())?;
        self.write_forces(workspace, instant, input)?;
        let (balance, errors) = out.split_at_mut(nv);
        if self.options.rigid_contact {
            let first = multipliers.len() - workspace.found.len();
            self.add_normal_forces(workspace, &multipliers[first..], &mut errors[first..])?;
        }
        let (kinematics, forces) = (&mut workspace.kinematics, &workspace.forces);
        let rest = instant.v;
        (self.tree).inverse_dynamics(kinematics, rest, Some(forces.on_bodies()), balance)?;
        for (out, &force) in balance.iter_mut().zip(forces.generalized()) {
            *out = force - *out;
        }
        let mut first = 0;
        for constraint in self.constraints.iter() {
            let count = constraint.num_rows();
            let mut rows = ConstraintRows::zeros(count, nv);
            evaluate_rows(
                constraint,
                (&self.tree, kinematics, instant.time),
                &mut rows,
            )?;
            for i in 0..count {
                let (force, rate) = (multipliers[first + i], rows.explicit_rate[i]);
                let is_broken = match constraint.kind() {
                    ConstraintKind::Bilateral => rate.re() != 0.0,
                    ConstraintKind::Unilateral => rate.re() < 0.0,
                };
                errors[first + i] = match constraint.level() {
                    ConstraintLevel::Position => rows.phi[i],
                    ConstraintLevel::Velocity if is_broken => rate,
                    ConstraintLevel::Velocity => force,
                    ConstraintLevel::Acceleration => rows.bias[i],
                };
                for (out, &j) in balance.iter_mut().zip(rows.directions().row(i).iter()) {
                    *out += j * force;
                }
            }
            first += count;
        }
        Ok(InvalidInput::check_finite("forces at rest", out)?)
    }

    /// Adds forces along the normals of the contacts in the workspace, and writes their gaps.
    fn add_normal_forces(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        normal: &[T],
        gaps: &mut [T],
    ) -> Result<(), SystemError> {
        let DynamicsWorkspace {
            kinematics,
            forces,
            contact,
            found,
            ..
        } = workspace;
        (self.contact).evaluate_at(&self.tree, kinematics, found, contact)?;
        for ((point, &normal), gap) in contact.points.iter().zip(normal).zip(gaps) {
            *gap = -point.penetration;
            let along = Vector3::new(T::zero(), T::zero(), normal);
            let force = SpatialForce::new(Vector3::zeros(), along);
            self.add_contact_force(kinematics, point, force, forces)?;
        }
        Ok(())
    }

    /// Adds the force on body A of a contact, and its reaction.
    fn add_contact_force(
        &self,
        kinematics: &TreeWorkspace<T>,
        point: &PointContact<T>,
        force: SpatialForce<T>,
        forces: &mut Forces<T>,
    ) -> Result<(), SystemError> {
        for (body, force) in [(point.body_a, force), (point.body_b, -force)] {
            let origin = self.tree.body_pose(kinematics, body)?.translation;
            forces.add_on_body(body, &point.force_about(&force, &origin))?;
        }
        Ok(())
    }

    /// Computes the forces of actuators and contacts.
    fn write_forces(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        instant: Instant<'_, T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let DynamicsWorkspace {
            kinematics,
            forces,
            contact,
            found,
            contacts,
            touching,
            ..
        } = workspace;
        self.tree.set_state(kinematics, instant.q, instant.v)?;
        forces.clear();
        let context = ForceContext::new(&self.tree, kinematics).at_time(instant.time);
        let actuation = Actuation {
            time: instant.time,
            time_step: T::zero(),
            input,
            state: instant.actuators,
        };
        self.add_forces(&context, actuation, forces)?;
        contacts.clear();
        if self.options.rigid_contact {
            return Ok(());
        }
        if let Some(touching) = touching {
            found.clear();
            found.extend(touching.iter().map(|contact| contact.found));
            (self.contact).evaluate_at(&self.tree, kinematics, found, contact)?;
        } else {
            let overlapping = (Detection::Overlapping, 0.0);
            (self.contact).detect(&self.tree, kinematics, overlapping, &[], contact, found)?;
        }
        let law = self.regularization.contact_law(T::zero());
        for (found, point) in found.iter().zip(&contact.points) {
            if point.material.is_rigid() {
                return Err(self.contact.rigid_pair(found.pair).into());
            }
            let motion = point.relative_motion_in(&self.tree, kinematics)?;
            let force = match touching {
                Some(_) => continued_contact_force(point, &law, &motion),
                None => point.wrench(&law, &motion),
            };
            self.add_contact_force(kinematics, point, force, forces)?;
            contacts.push(ContactResult::of_motion(*found, point, &motion, &force));
        }
        Ok(())
    }
}
