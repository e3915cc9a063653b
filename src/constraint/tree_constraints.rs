//! The constraints of a tree, and the problems that follow from them.

use super::accel_contacts::{RigidContacts, TouchingContact};
use super::baumgarte::Baumgarte;
use super::constraints::AnyConstraint;
use super::contact_rows::{contact_jacobian, spanning_directions};
use super::damped_inertia::DampedInertia;
use super::error::ConstraintError;
use super::inertia::InertiaOperator;
use super::matrices::ConstraintMatrices;
use super::restitution::Restitution;
use super::restitution_energy::InitialMomentum;
use super::tree_constraint::{ConstraintKind, ConstraintLevel, TreeConstraint};
use super::tree_inertia::TreeInertia;
use super::tree_problem::{
    AccelMemory, Scratch, TreeAccelProblem, TreeConstraintProblem, TreeVelProblem, VelMemory,
};
use super::tree_rows::{CollectedRows, Row, RowConstants, dot};
use crate::contact::{ContactModel, ContactWorkspace, Detection, MAX_DETECTIONS, PointContact};
use crate::math::{copy_to_vector, reset_vector, take_memory};
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use arrayvec::ArrayVec;
use nalgebra::{DVector, Vector3};

/// Constraints and contacts of a tree.
///
/// Everything is evaluated in the scalar of the tree; which contacts there are, which of them slide,
/// and which limits count, is decided on real parts.
///
/// ```
/// use dualbody::constraint::{Baumgarte, ConstraintSolver, GearConstraint, TreeConstraints};
/// use dualbody::math::{RigidTransform, SpatialInertia};
/// use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
/// use nalgebra::Vector3;
///
/// // Two flywheels of 1 kg m², geared 3 : 1, with 10 N m on the first.
/// let mut builder = RigidBodyTreeBuilder::<f64>::new();
/// let inertia = SpatialInertia::principal(1.0, Vector3::repeat(1.0));
/// let mut wheel = |name: &str| {
///     let body = builder.add_body(name, inertia)?;
///     let axle = JointKind::Continuous { axis: Vector3::z() };
///     let joint = format!("{name} axle");
///     builder.add_joint(&joint, axle, BodyIndex::WORLD, RigidTransform::identity(), body)
/// };
/// let (fast, slow) = (wheel("fast")?, wheel("slow")?);
/// let tree = builder.finish()?;
///
/// let gear = GearConstraint::new("gear", &tree, fast, slow, 3.0)?;
/// let mut constraints = TreeConstraints::new();
/// constraints.add(&gear, Baumgarte::none());
/// let mut workspace = tree.workspace();
/// let mut problem = constraints.acceleration_problem(&tree, &mut workspace, &[10.0, 0.0])?;
/// let solution = ConstraintSolver::default().solve_accelerations(&mut problem.data)?;
/// assert!((solution.generalized_acceleration[0] - 9.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TreeConstraints<'a, T: Scalar> {
    constraints: Vec<(&'a dyn TreeConstraint<T>, Baumgarte<T>)>,
    /// The constraints of a machine, after those.
    set: Option<(&'a [AnyConstraint<T>], Stabilizations<T>)>,
    contact: Option<(&'a ContactModel<T>, Baumgarte<T>)>,
    /// The contacts of an acceleration problem, where it is decided already which touch.
    pub(crate) touching: Option<&'a [TouchingContact]>,
    /// The time in s at which constraints are evaluated, and at which a time step begins (default 0).
    pub time: T,
    /// Spanning directions of each friction cone: 2 (the default) for pyramids, k/2 for k edges; at
    /// most 32, and 0 is no friction.
    pub spanning_directions: usize,
    /// Whether friction cones are [round](crate::solver::friction_cone), not of edges; spanning directions must then be 2, or
    /// 0 without friction.
    pub round_cones: bool,
    /// Contacts whose slip speed is above this slide, in an acceleration problem (default 10⁻⁶ m/s).
    /// Contacts and limits that part faster exert no force there.
    pub speed_tolerance: f64,
    /// Contacts and limits that are nearer than this count as touching, in an acceleration problem
    /// or impact (default 10⁻⁶ m or rad).
    pub touch_tolerance: f64,
    /// Contacts that close faster than this rebound in a time step, if their material has a
    /// [restitution](crate::contact::ContactMaterial::with_restitution) (default 10⁻³ m/s).
    pub rebound_speed: T,
}

impl<T: Scalar> Default for TreeConstraints<'_, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, T: Scalar> TreeConstraints<'a, T> {
    /// No constraints.
    pub fn new() -> Self {
        TreeConstraints {
            constraints: Vec::new(),
            set: None,
            contact: None,
            touching: None,
            time: T::zero(),
            spanning_directions: 2,
            round_cones: false,
            speed_tolerance: 1e-6,
            touch_tolerance: 1e-6,
            rebound_speed: T::from(1e-3),
        }
    }

    /// Adds a constraint; `stabilization` says how errors of its position decay.
    pub fn add(&mut self, constraint: &'a dyn TreeConstraint<T>, stabilization: Baumgarte<T>) {
        self.constraints.push((constraint, stabilization));
    }

    /// Has the constraints of a machine after all that are added, in no memory.
    pub(crate) fn end_with(
        &mut self,
        set: &'a [AnyConstraint<T>],
        stabilizations: Stabilizations<T>,
    ) {
        self.set = Some((set, stabilizations));
    }

    /// Adds the contacts of a model, as rigid ones: of its materials friction counts, and restitution in time steps.
    pub fn set_contact(&mut self, model: &'a ContactModel<T>, stabilization: Baumgarte<T>) {
        self.contact = Some((model, stabilization));
    }

    /// The problem for accelerations at the state of the workspace, with generalized forces `tau`
    /// (nv) of actuators beside gravity and joint damping.
    ///
    /// # Errors
    /// [`ConstraintError`] when a size does not fit, a constraint is not defined at the state, or the
    /// workspace does not belong to the tree.
    #[inline(never)]
    pub fn acceleration_problem<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        tau: &[T],
    ) -> Result<TreeAccelProblem<'w, T>, ConstraintError> {
        self.acceleration_problem_in(tree, workspace, tau, AccelMemory::default())
    }

    /// As [`Self::acceleration_problem`], in the memory of another problem.
    pub(crate) fn acceleration_problem_in<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        tau: &[T],
        mut problem: AccelMemory<T>,
    ) -> Result<TreeAccelProblem<'w, T>, ConstraintError> {
        let TreeConstraintProblem {
            data,
            bilateral,
            unilateral,
            scratch,
            ..
        } = &mut problem;
        let Scratch { rows, force, .. } = scratch;
        write_applied_forces(tree, workspace, (tau, true), &mut data.tau, force)?;
        tree.bias_forces(workspace, force.as_mut_slice())?;
        data.tau -= &*force;
        let v = workspace.v();
        self.collect_rows(tree, (workspace, self.time), rows, |row| {
            let rate = dot(row.jacobian, v) + row.explicit_rate;
            let (near, slow) = (
                row.phi.re() <= self.touch_tolerance,
                rate.re() <= self.speed_tolerance,
            );
            let counts = match (row.kind, row.level) {
                (ConstraintKind::Bilateral, _) | (_, ConstraintLevel::Acceleration) => true,
                (_, ConstraintLevel::Velocity) => slow,
                (_, ConstraintLevel::Position) => near && slow,
            };
            let baumgarte = row.stabilization;
            counts.then(|| {
                RowConstants::smooth(match row.level {
                    ConstraintLevel::Position => row.bias + baumgarte.acceleration(row.phi, rate),
                    ConstraintLevel::Velocity => row.bias + baumgarte.acceleration(T::zero(), rate),
                    ConstraintLevel::Acceleration => row.bias,
                })
            })
        })?;
        write_rows(rows, tree.num_velocities(), &mut data.operators);
        copy_to_vector(&mut data.kG, &rows.bilateral.k);
        copy_to_vector(&mut data.kL, &rows.unilateral.k);
        bilateral.clone_from(&rows.bilateral.source);
        unilateral.clone_from(&rows.unilateral.source);
        let rigid = self.contact.map(|(model, stabilization)| RigidContacts {
            model,
            stabilization,
            spanning_directions: self.spanning_directions,
            speed_tolerance: self.speed_tolerance,
            touch_tolerance: self.touch_tolerance,
            touching: self.touching,
        });
        data.round_cones = self.round_cones;
        problem.write_contacts(rigid, tree, workspace)?;
        let inertia = TreeInertia::new(tree, workspace);
        Ok(problem.at(inertia))
    }

    /// The problem of an impact at the state of the workspace: contacts that touch and approach each
    /// other bounce with the coefficient of restitution, in Newton's sense. Friction may gain energy by that:
    /// [`TreeVelProblem::solve`] bounds it.
    ///
    /// # Errors
    /// As [`Self::acceleration_problem`], and for a restitution outside [0, 1].
    #[inline(never)]
    pub fn impact_problem<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        restitution: T,
    ) -> Result<TreeVelProblem<'w, T>, ConstraintError> {
        InvalidInput::check_range("restitution", &[restitution], "between 0 and 1", |e| {
            (0.0..=1.0).contains(&e)
        })?;
        self.impact(tree, workspace, |_, _| Ok(restitution))
    }

    /// As [`Self::impact_problem`], with the restitution of each contact at the speed at which it closes.
    pub(crate) fn impact<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        restitution: impl Fn(&PointContact<T>, T) -> Result<T, InvalidInput>,
    ) -> Result<TreeVelProblem<'w, T>, ConstraintError> {
        let mut problem = VelMemory::default();
        let TreeConstraintProblem {
            data,
            contacts,
            found,
            initial: InitialMomentum { momentum, velocity },
            scratch,
            ..
        } = &mut problem;
        let Scratch {
            rows,
            search,
            found: near,
            ..
        } = scratch;
        reset_vector(momentum, tree.num_velocities());
        copy_to_vector(velocity, workspace.v());
        tree.multiply_mass_matrix(workspace, velocity.as_slice(), momentum.as_mut_slice())?;
        copy_to_vector(&mut data.Mv, momentum.as_slice());
        self.collect_rows(tree, (workspace, self.time), rows, |row| {
            let counts = match (row.kind, row.level) {
                (_, ConstraintLevel::Acceleration) => false,
                (ConstraintKind::Bilateral, _) | (_, ConstraintLevel::Velocity) => true,
                (_, ConstraintLevel::Position) => row.phi.re() <= self.touch_tolerance,
            };
            counts.then(|| RowConstants::smooth(row.explicit_rate))
        })?;
        let mut bounces = Vec::new();
        if let Some((model, _)) = self.contact {
            model.find(tree, workspace, self.touch_tolerance, search, near)?;
            for (contact, witness) in search.points.iter().zip(&*near) {
                let approach = contact.relative_velocity_in(tree, workspace)?.z;
                let approach = approach.min_lifted(T::zero());
                bounces.push(approach * restitution(contact, -approach)?);
                contacts.push(*contact);
                found.push(*witness);
            }
        }
        self.write_rigid(tree, workspace, &mut problem)?;
        problem.data.kN.copy_from_slice(&bounces);
        let rebounds = bounces.into_iter().enumerate();
        (problem.rebounds).extend(rebounds.filter(|(_, bounce)| bounce.re() < 0.0));
        let inertia = TreeInertia::new(tree, workspace);
        Ok(problem.at(inertia))
    }

    /// The problem of a time step of length `dt` from the state of the workspace, implicit in
    /// constraint forces, with generalized forces `tau` (nv) of actuators beside gravity and joint
    /// damping, as they are at its start. Constraints are taken at its end, as far as they depend on time.
    ///
    /// Contacts and limits may close within the step but not overlap; contacts whose material has a restitution
    /// rebound, by Newton's law for what the contact changes: `vₙ⁺ ≥ vₙ_free − (1 + e) vₙ`. Friction may gain energy by
    /// that: [`TreeVelProblem::solve`] bounds it. An overlap that there is decays as the stabilisation says, unless there is no solution in which it does
    /// ([`VelocitySolution::without_push`](super::VelocitySolution::without_push)). (Stewart & Trinkle 1996, with Anitescu's linearised gap.)
    ///
    /// # Errors
    /// As [`Self::acceleration_problem`], and for a time step that is not positive.
    #[inline(never)]
    pub fn time_step_problem<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        tau: &[T],
        dt: T,
    ) -> Result<TreeVelProblem<'w, T>, ConstraintError> {
        let memory = (&mut ContactWorkspace::new(), VelMemory::default());
        let forces = StepForces {
            tau,
            carrying: None,
            damping: None,
            rebounds: Rebounds::Linear,
            dt,
        };
        self.time_step_problem_in(memory, tree, workspace, forces, Looking::Ahead)
    }

    /// As [`Self::time_step_problem`], in the memory of another problem, with the contacts that `looking` says. What was
    /// looked at is then in `search`.
    pub(crate) fn time_step_problem_in<'w>(
        &self,
        (search, mut problem): (&mut ContactWorkspace<T>, VelMemory<T>),
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        forces: StepForces<'w, '_, T>,
        looking: Looking<'_, T>,
    ) -> Result<TreeVelProblem<'w, T>, ConstraintError> {
        let StepForces {
            tau,
            carrying,
            mut damping,
            rebounds: rebounding,
            dt,
        } = forces;
        InvalidInput::check_range("time step", &[dt], "a positive time", |t| {
            t > 0.0 && t.is_finite()
        })?;
        let TreeConstraintProblem {
            data,
            contacts,
            found,
            geometry_kink,
            rebounds,
            withheld,
            initial,
            scratch,
            ..
        } = &mut problem;
        let Scratch {
            rows, force, free, ..
        } = scratch;
        let nv = tree.num_velocities();
        // The momentum at the start of the step, and what forces add to it.
        let InitialMomentum { momentum, velocity } = initial;
        reset_vector(momentum, nv);
        copy_to_vector(velocity, workspace.v());
        tree.multiply_mass_matrix(workspace, velocity.as_slice(), momentum.as_mut_slice())?;
        reset_vector(force, nv);
        tree.bias_forces(workspace, force.as_mut_slice())?;
        for (bias, &carrying) in force.iter_mut().zip(carrying.into_iter().flatten()) {
            *bias -= carrying;
        }
        add_multiple(momentum, force, -dt);
        write_applied_forces(tree, workspace, (tau, damping.is_none()), free, force)?;
        copy_to_vector(&mut data.Mv, momentum.as_slice());
        add_multiple(&mut data.Mv, free, dt);
        // A gap may close, an overlap is driven out.
        let gap = |phi: T, out: &dyn Fn() -> T| {
            let (k, push) = if phi.re() > 0.0 {
                (phi.div_lifted(dt), T::zero())
            } else {
                let push = out();
                (push, push)
            };
            RowConstants {
                push,
                gap: phi.re(),
                ..RowConstants::smooth(k)
            }
        };
        let v = workspace.v();
        self.collect_rows(tree, (workspace, self.time + dt), rows, |row| {
            let baumgarte = row.stabilization;
            // What is left of the error at the start, without what time adds to it.
            let phi = row.phi - row.explicit_rate * dt;
            Some(match (row.level, row.kind) {
                (ConstraintLevel::Position, ConstraintKind::Bilateral) => {
                    let push = baumgarte.velocity(phi, dt);
                    RowConstants {
                        push,
                        ..RowConstants::smooth(row.explicit_rate + push)
                    }
                }
                (ConstraintLevel::Position, ConstraintKind::Unilateral) => {
                    let is_of_machine = row.constraint >= self.constraints.len();
                    let mut constants = gap(phi, &|| match is_of_machine {
                        true => baumgarte.recovery(phi, dt),
                        false => baumgarte.velocity(phi, dt),
                    });
                    if is_of_machine {
                        // Both sides meet there with their derivatives.
                        constants.gap = f64::INFINITY;
                    }
                    constants.k += row.explicit_rate;
                    constants
                }
                (ConstraintLevel::Velocity, _) => RowConstants::smooth(row.explicit_rate),
                // J (v − v₀)/δt + bias, times δt.
                (ConstraintLevel::Acceleration, _) => {
                    RowConstants::smooth(row.bias * dt - dot(row.jacobian, v))
                }
            })
        })?;
        rebounds.clear();
        withheld.clear();
        if let Some((model, _)) = self.contact {
            copy_to_vector(free, data.Mv.as_slice());
            TreeInertia::with_damping(tree, workspace, damping.as_deref_mut())
                .solve_in_place(free.as_mut_slice())?;
            let towards = match looking {
                Looking::Ahead => Some(&[][..]),
                Looking::Towards(towards) => Some(towards),
                Looking::Done => None,
            };
            if let Some(towards) = towards {
                let mut velocities = ArrayVec::<_, MAX_VELOCITIES>::new();
                velocities.extend([workspace.v(), free.as_slice()]);
                velocities.extend(towards.chunks_exact(nv.max(1)));
                let step = (Detection::Anticipating, dt.re());
                model.detect(tree, workspace, step, &velocities, search, found)?;
                contacts.clear();
                contacts.extend_from_slice(&search.points);
                *geometry_kink = search.kink;
            }
        } else {
            contacts.clear();
            found.clear();
            *geometry_kink = None;
        }
        if contacts.iter().any(|c| c.material.restitution.is_some()) {
            velocity.copy_from(momentum);
            tree.solve_mass_matrix(workspace, velocity.as_mut_slice())?;
        }
        self.write_rigid(tree, workspace, &mut problem)?;
        let Some((_, baumgarte)) = &self.contact else {
            return Ok(problem.at(TreeInertia::with_damping(tree, workspace, damping)));
        };
        let TreeConstraintProblem {
            data,
            contacts,
            rebounds,
            withheld,
            initial,
            scratch,
            ..
        } = &mut problem;
        let restitution = Restitution {
            dt,
            rebound_speed: self.rebound_speed,
            initial: initial.velocity.as_slice(),
            free: match rebounding {
                Rebounds::From(free) => free,
                _ => scratch.free.as_slice(),
            },
        };
        let normal = &mut scratch.normal;
        for (i, point) in contacts.iter().enumerate() {
            let phi = -point.penetration;
            let mut constants = gap(phi, &|| baumgarte.velocity(phi, dt));
            normal.clear();
            normal.extend(data.operators.n.row(i).iter());
            if !matches!(rebounding, Rebounds::Never) {
                let change = restitution.of_contact(point, normal, &mut constants);
                if let Some(change) = change {
                    let list = if change.re() < 0.0 {
                        &mut *rebounds
                    } else {
                        &mut *withheld
                    };
                    list.push((i, change));
                }
            }
            (data.kN[i], data.pushN[i]) = (constants.k, constants.push);
            (data.gapN[i], data.rebound_marginN[i]) = (constants.gap, constants.rebound_margin);
        }
        Ok(problem.at(TreeInertia::with_damping(tree, workspace, damping)))
    }

    /// Writes the rows that were collected, and friction and Jacobians of the contacts that were found; no constants of
    /// contacts.
    fn write_rigid(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        problem: &mut VelMemory<T>,
    ) -> Result<(), ConstraintError> {
        let TreeConstraintProblem {
            data,
            contacts,
            bilateral,
            unilateral,
            scratch,
            ..
        } = problem;
        let Scratch { rows, axes, .. } = scratch;
        let mut mu = take_memory(&mut data.mu);
        for point in &*contacts {
            let velocity = point.relative_velocity_in(tree, workspace)?;
            mu.push(point.material.friction_at([velocity.x, velocity.y]));
        }
        data.mu = DVector::from_vec(mu);
        data.r.clear();
        data.r.resize(contacts.len(), self.spanning_directions);
        data.round_cones = self.round_cones;
        axes.clear();
        axes.extend((0..contacts.len()).map(|contact| (contact, Vector3::z())));
        contact_jacobian(tree, workspace, contacts, axes, &mut data.operators.n)?;
        axes.clear();
        for contact in 0..contacts.len() {
            let directions = spanning_directions(self.spanning_directions);
            axes.extend(directions.map(|direction| (contact, direction)));
        }
        contact_jacobian(tree, workspace, contacts, axes, &mut data.operators.f)?;
        write_rows(rows, tree.num_velocities(), &mut data.operators);
        data.reset_constants(rows.bilateral.k.len(), rows.unilateral.k.len())?;
        data.kG.copy_from_slice(&rows.bilateral.k);
        data.kL.copy_from_slice(&rows.unilateral.k);
        data.pushG.copy_from_slice(&rows.bilateral.push);
        data.pushL.copy_from_slice(&rows.unilateral.push);
        data.gapL.copy_from_slice(&rows.unilateral.gap);
        bilateral.clone_from(&rows.bilateral.source);
        unilateral.clone_from(&rows.unilateral.source);
        Ok(())
    }

    /// Checks what the rows are made with, evaluates all constraints and collects the rows of those
    /// that `constants` gives constants.
    fn collect_rows(
        &self,
        tree: &RigidBodyTree<T>,
        (workspace, time): (&TreeWorkspace<T>, T),
        rows: &mut CollectedRows<T>,
        constants: impl Fn(&Row<'_, T>) -> Option<RowConstants<T>>,
    ) -> Result<(), ConstraintError> {
        self.validate()?;
        InvalidInput::check_finite("time", &[time])?;
        rows.clear();
        let (mut index, mut result) = (0, Ok(()));
        let mut evaluate = |constraint: &dyn TreeConstraint<T>, baumgarte: &Baumgarte<T>| {
            if result.is_ok() {
                let at = (tree, workspace, time);
                result = rows.evaluate(at, (index, constraint), baumgarte, &constants);
            }
            index += 1;
        };
        for (constraint, baumgarte) in &self.constraints {
            evaluate(*constraint, baumgarte);
        }
        if let Some((set, stabilizations)) = &self.set {
            for constraint in set.iter() {
                evaluate(constraint, stabilizations.of(constraint.kind()));
            }
        }
        result
    }

    fn validate(&self) -> Result<(), InvalidInput> {
        let tolerances = [
            ("speed tolerance", self.speed_tolerance),
            ("touch tolerance", self.touch_tolerance),
            ("rebound speed", self.rebound_speed.re()),
        ];
        for (name, tolerance) in tolerances {
            InvalidInput::check_range(name, &[tolerance], "finite and not negative", |x| {
                x >= 0.0 && x.is_finite()
            })?;
        }
        InvalidInput::check_range(
            "spanning directions of friction cones",
            &[self.spanning_directions as f64],
            "at most 32",
            |r| r <= 32.0,
        )?;
        let of_set = self.set.iter();
        let of_set = of_set.flat_map(|(_, s)| [&s.of_equations, &s.of_inequalities]);
        let of_constraints = self.constraints.iter().map(|(_, baumgarte)| baumgarte);
        let of_contact = self.contact.iter().map(|(_, baumgarte)| baumgarte);
        (of_constraints.chain(of_set))
            .chain(of_contact)
            .try_for_each(Baumgarte::validate)
    }
}

/// How errors of the constraints of a machine decay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stabilizations<T> {
    pub of_equations: Baumgarte<T>,
    pub of_inequalities: Baumgarte<T>,
}

impl<T> Stabilizations<T> {
    fn of(&self, kind: ConstraintKind) -> &Baumgarte<T> {
        match kind {
            ConstraintKind::Bilateral => &self.of_equations,
            ConstraintKind::Unilateral => &self.of_inequalities,
        }
    }
}

/// The forces of a time step of length `dt`.
pub(crate) struct StepForces<'w, 'a, T: Scalar> {
    /// Generalized forces (nv) of actuators; with `damping` also what it says of forces that depend on velocities.
    pub tau: &'a [T],
    /// Generalized forces that are added to those of Coriolis: they carry momentum, and do no work.
    pub carrying: Option<&'a [T]>,
    /// The damping of joints and forces, if it is implicit.
    pub damping: Option<&'w mut DampedInertia<T>>,
    pub rebounds: Rebounds<'a, T>,
    pub dt: T,
}

/// Whether contacts rebound in a time step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rebounds<'a, T> {
    /// From the velocities of the problem without contacts.
    Linear,
    /// From these velocities without contacts.
    From(&'a [T]),
    /// They do not.
    Never,
}

/// Velocities along which contacts of a time step are looked for, at most: those at its start, those without contacts,
/// and those of each solution after which they are looked for again.
const MAX_VELOCITIES: usize = 2 + MAX_DETECTIONS;

/// How contacts of a time step are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Looking<'a, T> {
    /// Along the velocities at its start and those without contacts.
    Ahead,
    /// Along these velocities (nv each), too, to which the step has come with the contacts before.
    Towards(&'a [T]),
    /// No more: they are those of the problem whose memory is used.
    Done,
}

/// Writes the Jacobians of rows.
fn write_rows<T: Scalar>(
    rows: &CollectedRows<T>,
    nv: usize,
    operators: &mut ConstraintMatrices<T, ()>,
) {
    rows.bilateral.write_matrix(nv, &mut operators.g);
    rows.unilateral.write_matrix(nv, &mut operators.l);
    (operators.own_directions).clone_from(&rows.bilateral.own_directions);
}

/// `a += b s`.
fn add_multiple<T: Scalar>(a: &mut DVector<T>, b: &DVector<T>, s: T) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a += b * s;
    }
}

/// Writes the forces of actuators and gravity, and those of joint damping if they are `damped`; `part` is memory.
fn write_applied_forces<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &mut TreeWorkspace<T>,
    (tau, damped): (&[T], bool),
    total: &mut DVector<T>,
    part: &mut DVector<T>,
) -> Result<(), ConstraintError> {
    let nv = tree.num_velocities();
    InvalidInput::check_size("tau", tau.len(), nv)?;
    InvalidInput::check_finite("tau", tau)?;
    copy_to_vector(total, tau);
    reset_vector(part, nv);
    tree.gravity_forces(workspace, part.as_mut_slice())?;
    *total += &*part;
    if damped {
        tree.joint_damping_forces(workspace, part.as_mut_slice())?;
        *total += &*part;
    }
    Ok(())
}
