//! The constraints of a tree, and the problems that follow from them.

use super::accel_contacts::{AccelContacts, RigidContacts, TouchingContact};
use super::accel_problem_data::ConstraintAccelProblemData;
use super::baumgarte::Baumgarte;
use super::constraint_set::ConstraintSet;
use super::contact_rows::{contact_jacobian, relative_velocity, spanning_directions, touching};
use super::error::ConstraintError;
use super::inertia::TreeInertia;
use super::matrices::ConstraintMatrices;
use super::rebound::{Carried, Rebound};
use super::tree_constraint::{ConstraintKind, ConstraintLevel, TreeConstraint};
use super::tree_rows::{CollectedRows, Row, RowConstants, dot};
use super::vel_problem_data::ConstraintVelProblemData;
use crate::contact::{
    ContactModel, ContactWorkspace, Detection, FoundContact, GeometryKink, PointContact,
};
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};

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
    contact: Option<(&'a ContactModel<T>, Baumgarte<T>)>,
    /// The contacts of an acceleration problem, where it is decided already which touch.
    pub(crate) touching: Option<&'a [TouchingContact]>,
    /// The time in s at which constraints are evaluated (default 0).
    pub time: T,
    /// Spanning directions of each friction cone: 2 (the default) for pyramids, k/2 for k edges; at
    /// most 32, and 0 is no friction.
    pub spanning_directions: usize,
    /// Contacts whose slip speed is above this slide, in an acceleration problem (default 10⁻⁶ m/s).
    /// Contacts and limits that part faster exert no force there.
    pub speed_tolerance: f64,
    /// Contacts and limits that are nearer than this count as touching, in an acceleration problem
    /// or impact (default 10⁻⁶ m or rad).
    pub touch_tolerance: f64,
    /// Contacts that close faster than this rebound in a time step, if their material has a
    /// [restitution](crate::contact::ContactMaterial::with_restitution) (default 10⁻³ m/s).
    pub rebound_speed: f64,
}

/// A constraint problem of a tree.
#[derive(Debug)]
pub struct TreeConstraintProblem<T: Scalar, D> {
    /// The problem.
    pub data: D,
    /// Its contacts, in their order there. The frames of sliding contacts have the direction of
    /// sliding for first tangent.
    pub contacts: Vec<PointContact<T>>,
    /// The features that touch, in the same order.
    pub found: Vec<FoundContact>,
    /// The pair of geometries nearest to a change of features, in the problem of a time step.
    pub geometry_kink: Option<GeometryKink>,
    /// The contacts that rebound in the problem of a time step, with the part of `kN` that makes them do so.
    pub rebounds: Vec<(usize, T)>,
    /// The momentum at its start, if any contact does.
    pub(super) carried: Option<Carried<T>>,
    /// For each bilateral constraint of the problem: the constraint of the tree, by the order in
    /// which they were added, and its row.
    pub bilateral: Vec<(usize, usize)>,
    /// The same for unilateral constraints.
    pub unilateral: Vec<(usize, usize)>,
}

impl<T: Scalar, D> TreeConstraintProblem<T, D> {
    /// What the problem is of.
    pub(crate) fn without_data(self) -> TreeConstraintProblem<T, ()> {
        TreeConstraintProblem {
            data: (),
            contacts: self.contacts,
            found: self.found,
            geometry_kink: self.geometry_kink,
            rebounds: self.rebounds,
            carried: None,
            bilateral: self.bilateral,
            unilateral: self.unilateral,
        }
    }
}

/// An acceleration problem of a tree.
pub type TreeAccelProblem<'w, T> = TreeConstraintProblem<
    T,
    ConstraintAccelProblemData<T, ConstraintMatrices<T, TreeInertia<'w, T>>>,
>;

/// A problem of an impact or a time step of a tree.
pub type TreeVelProblem<'w, T> = TreeConstraintProblem<
    T,
    ConstraintVelProblemData<T, ConstraintMatrices<T, TreeInertia<'w, T>>>,
>;

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
            contact: None,
            touching: None,
            time: T::zero(),
            spanning_directions: 2,
            speed_tolerance: 1e-6,
            touch_tolerance: 1e-6,
            rebound_speed: 1e-3,
        }
    }

    /// Adds a constraint; `stabilization` says how errors of its position decay.
    pub fn add(&mut self, constraint: &'a dyn TreeConstraint<T>, stabilization: Baumgarte<T>) {
        self.constraints.push((constraint, stabilization));
    }

    /// Adds the constraints of a set, all with the same stabilisation.
    pub fn add_set(&mut self, set: &'a impl ConstraintSet<T>, stabilization: Baumgarte<T>) {
        set.visit(&mut |constraint| self.add(constraint, stabilization));
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
    pub fn acceleration_problem<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        tau: &[T],
    ) -> Result<TreeAccelProblem<'w, T>, ConstraintError> {
        let mut total = applied_forces(tree, workspace, tau)?;
        let v = DVector::from_column_slice(workspace.v());
        let mut bias = DVector::zeros(v.len());
        tree.bias_forces(workspace, bias.as_mut_slice())?;
        total -= bias;
        let CollectedRows {
            bilateral,
            unilateral,
        } = self.collect_rows(tree, workspace, |row| {
            let rate = dot(row.jacobian, v.as_slice()) + row.explicit_rate;
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
        let nv = tree.num_velocities();
        let rigid = self.contact.map(|(model, stabilization)| RigidContacts {
            model,
            stabilization,
            spanning_directions: self.spanning_directions,
            speed_tolerance: self.speed_tolerance,
            touch_tolerance: self.touch_tolerance,
            touching: self.touching,
        });
        let contact = AccelContacts::new(rigid, tree, workspace)?;
        let data = ConstraintAccelProblemData {
            use_complementarity_problem_solver: true,
            r: vec![self.spanning_directions; contact.non_sliding.len()],
            sliding_contacts: contact.sliding,
            non_sliding_contacts: contact.non_sliding,
            mu_sliding: DVector::from_vec(contact.mu_sliding),
            mu_non_sliding: DVector::from_vec(contact.mu_non_sliding),
            tau: total,
            kG: DVector::from_column_slice(&bilateral.k),
            kN: DVector::from_vec(contact.k_n),
            kF: DVector::from_vec(contact.k_f),
            kL: DVector::from_column_slice(&unilateral.k),
            couplingG: DMatrix::zeros(0, 0),
            operators: ConstraintMatrices {
                g: bilateral.matrix(nv),
                own_directions: bilateral.own_directions,
                l: unilateral.matrix(nv),
                inertia: TreeInertia::new(tree, workspace),
                n: contact.n,
                q: contact.q,
                f: contact.f,
            },
        };
        Ok(TreeConstraintProblem {
            data,
            contacts: contact.points,
            found: contact.found,
            geometry_kink: None,
            rebounds: Vec::new(),
            carried: None,
            bilateral: bilateral.source,
            unilateral: unilateral.source,
        })
    }

    /// The problem of an impact at the state of the workspace: contacts that touch and approach each
    /// other bounce with the coefficient of restitution, in Newton's sense.
    ///
    /// # Errors
    /// As [`Self::acceleration_problem`], and for a restitution outside [0, 1].
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
        let mut momentum = DVector::zeros(tree.num_velocities());
        let v = DVector::from_column_slice(workspace.v());
        tree.multiply_mass_matrix(workspace, v.as_slice(), momentum.as_mut_slice())?;
        let rows = self.collect_rows(tree, workspace, |row| {
            let counts = match (row.kind, row.level) {
                (_, ConstraintLevel::Acceleration) => false,
                (ConstraintKind::Bilateral, _) | (_, ConstraintLevel::Velocity) => true,
                (_, ConstraintLevel::Position) => row.phi.re() <= self.touch_tolerance,
            };
            counts.then(|| RowConstants::smooth(row.explicit_rate))
        })?;
        let mut contacts = VelContacts::none(tree.num_velocities());
        if let Some((model, _)) = self.contact {
            for (contact, witness) in touching(tree, workspace, model, self.touch_tolerance)? {
                let approach = relative_velocity(tree, workspace, &contact)?.z;
                let approach = approach.min_lifted(T::zero());
                let bounce = approach * restitution(&contact, -approach)?;
                contacts.constants.push(RowConstants::smooth(bounce));
                contacts.points.push(contact);
                contacts.found.push(witness);
            }
            let normals: Vec<_> = (contacts.points.iter())
                .map(|c| (*c, Vector3::z()))
                .collect();
            contacts.normals = contact_jacobian(tree, workspace, &normals)?;
        }
        self.velocity_problem(tree, workspace, (momentum, rows, contacts))
    }

    /// The problem of a time step of length `dt` from the state of the workspace, implicit in
    /// constraint forces, with generalized forces `tau` (nv) of actuators beside gravity and joint
    /// damping, as they are at its start.
    ///
    /// Contacts and limits may close within the step but not overlap; contacts whose material has a restitution
    /// rebound, by Newton's law for what the contact changes: `vₙ⁺ ≥ vₙ_free − (1 + e) vₙ`. Friction may gain energy by
    /// that: [`TreeVelProblem::solve`] bounds it. An overlap that there is decays as the stabilisation says, unless there is no solution in which it does
    /// ([`VelocitySolution::without_push`](super::VelocitySolution::without_push)). (Stewart & Trinkle 1996, with Anitescu's linearised gap.)
    ///
    /// # Errors
    /// As [`Self::acceleration_problem`], and for a time step that is not positive.
    pub fn time_step_problem<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        tau: &[T],
        dt: T,
    ) -> Result<TreeVelProblem<'w, T>, ConstraintError> {
        self.time_step_problem_towards(
            tree,
            workspace,
            (tau, None, dt),
            &mut ContactWorkspace::new(),
            None,
        )
    }

    /// As [`Self::time_step_problem`], with contacts that are also looked for along the velocities `towards`, to which
    /// the step has come without them. What was looked at is then in `memory`. The generalized forces `carrying` are added
    /// to those of Coriolis: they carry momentum, and do no work.
    pub(crate) fn time_step_problem_towards<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        (tau, carrying, dt): (&[T], Option<&[T]>, T),
        memory: &mut ContactWorkspace<T>,
        towards: Option<&[T]>,
    ) -> Result<TreeVelProblem<'w, T>, ConstraintError> {
        InvalidInput::check_range("time step", &[dt], "a positive time", |t| {
            t > 0.0 && t.is_finite()
        })?;
        let applied = applied_forces(tree, workspace, tau)?;
        let v = DVector::from_column_slice(workspace.v());
        let (mut start, mut bias) = (DVector::zeros(v.len()), DVector::zeros(v.len()));
        tree.multiply_mass_matrix(workspace, v.as_slice(), start.as_mut_slice())?;
        tree.bias_forces(workspace, bias.as_mut_slice())?;
        for (bias, &carrying) in bias.iter_mut().zip(carrying.into_iter().flatten()) {
            *bias -= carrying;
        }
        let carried = &start - bias * dt;
        let momentum = &carried + applied * dt;
        // A gap may close, an overlap is driven out.
        let gap = |phi: T, baumgarte: &Baumgarte<T>| {
            let (k, push) = if phi.re() > 0.0 {
                (phi.div_lifted(dt), T::zero())
            } else {
                let push = baumgarte.velocity(phi, dt);
                (push, push)
            };
            RowConstants {
                push,
                gap: phi.re(),
                ..RowConstants::smooth(k)
            }
        };
        let rows = self.collect_rows(tree, workspace, |row| {
            let baumgarte = row.stabilization;
            Some(match (row.level, row.kind) {
                (ConstraintLevel::Position, ConstraintKind::Bilateral) => {
                    RowConstants::smooth(row.explicit_rate + baumgarte.velocity(row.phi, dt))
                }
                (ConstraintLevel::Position, ConstraintKind::Unilateral) => {
                    let mut constants = gap(row.phi, baumgarte);
                    constants.k += row.explicit_rate;
                    constants
                }
                (ConstraintLevel::Velocity, _) => RowConstants::smooth(row.explicit_rate),
                // J (v − v₀)/δt + bias, times δt.
                (ConstraintLevel::Acceleration, _) => {
                    RowConstants::smooth(row.bias * dt - dot(row.jacobian, v.as_slice()))
                }
            })
        })?;
        let mut contacts = VelContacts::none(tree.num_velocities());
        if let Some((model, baumgarte)) = self.contact {
            let step = (Detection::Anticipating, dt.re());
            let mut free = momentum.clone();
            tree.solve_mass_matrix(workspace, free.as_mut_slice())?;
            let velocities = [v.as_slice(), free.as_slice(), towards.unwrap_or_default()];
            let velocities = &velocities[..2 + usize::from(towards.is_some())];
            let found = &mut contacts.found;
            model.detect(tree, workspace, step, velocities, memory, found)?;
            let normals: Vec<_> = memory.points.iter().map(|c| (*c, Vector3::z())).collect();
            contacts.normals = contact_jacobian(tree, workspace, &normals)?;
            let rebounding = |point: &PointContact<T>| point.material.restitution.is_some();
            let before = match memory.points.iter().any(rebounding) {
                true => {
                    let mut velocity = carried.clone();
                    tree.solve_mass_matrix(workspace, velocity.as_mut_slice())?;
                    velocity
                }
                false => v.clone(),
            };
            let rebound = Rebound {
                dt,
                rebound_speed: self.rebound_speed,
                carried: before.as_slice(),
                free: free.as_slice(),
            };
            let mut row = Vec::with_capacity(v.len());
            for (i, point) in memory.points.iter().enumerate() {
                let mut constants = gap(-point.penetration, &baumgarte);
                row.clear();
                row.extend(contacts.normals.row(i).iter());
                let change = rebound.of_contact(point, &row, &mut constants);
                contacts.rebounds.extend(change.map(|change| (i, change)));
                contacts.constants.push(constants);
            }
            contacts.carried = (!contacts.rebounds.is_empty()).then_some(Carried {
                momentum: carried,
                velocity: before,
            });
            contacts.points.clone_from(&memory.points);
            contacts.kink = memory.kink;
        }
        self.velocity_problem(tree, workspace, (momentum, rows, contacts))
    }

    fn velocity_problem<'w>(
        &self,
        tree: &'w RigidBodyTree<T>,
        workspace: &'w mut TreeWorkspace<T>,
        (momentum, rows, contacts): (DVector<T>, CollectedRows<T>, VelContacts<T>),
    ) -> Result<TreeVelProblem<'w, T>, ConstraintError> {
        let CollectedRows {
            bilateral,
            unilateral,
        } = rows;
        let VelContacts {
            points: contacts,
            found,
            kink,
            rebounds,
            carried,
            constants,
            normals: n,
        } = contacts;
        let nv = tree.num_velocities();
        let mut mu = DVector::zeros(contacts.len());
        for (mu, point) in mu.iter_mut().zip(&contacts) {
            let velocity = relative_velocity(tree, workspace, point)?;
            *mu = point.material.friction_at([velocity.x, velocity.y]);
        }
        let tangents: Vec<_> = (contacts.iter())
            .flat_map(|c| spanning_directions(self.spanning_directions).map(|d| (*c, d)))
            .collect();
        let f = contact_jacobian(tree, workspace, &tangents)?;
        let operators = ConstraintMatrices {
            g: bilateral.matrix(nv),
            own_directions: bilateral.own_directions,
            l: unilateral.matrix(nv),
            q: DMatrix::zeros(0, nv),
            inertia: TreeInertia::new(tree, workspace),
            n,
            f,
        };
        let mut data = ConstraintVelProblemData::new(operators);
        data.set_rigid(
            bilateral.k.len(),
            mu,
            vec![self.spanning_directions; contacts.len()],
            unilateral.k.len(),
        )?;
        data.Mv = momentum;
        for (i, constants) in constants.into_iter().enumerate() {
            (data.kN[i], data.pushN[i]) = (constants.k, constants.push);
            (data.gapN[i], data.rebound_marginN[i]) = (constants.gap, constants.rebound_margin);
        }
        data.kG = DVector::from_column_slice(&bilateral.k);
        data.kL = DVector::from_column_slice(&unilateral.k);
        data.pushL = DVector::from_column_slice(&unilateral.push);
        data.gapL = DVector::from_column_slice(&unilateral.gap);
        Ok(TreeConstraintProblem {
            data,
            contacts,
            found,
            geometry_kink: kink,
            rebounds,
            carried,
            bilateral: bilateral.source,
            unilateral: unilateral.source,
        })
    }

    /// Checks what the rows are made with, evaluates all constraints and collects the rows of those
    /// that `constants` gives constants.
    fn collect_rows(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        constants: impl Fn(&Row<'_, T>) -> Option<RowConstants<T>>,
    ) -> Result<CollectedRows<T>, ConstraintError> {
        self.validate()?;
        InvalidInput::check_finite("time", &[self.time])?;
        let mut collected = CollectedRows::new();
        for (index, (constraint, baumgarte)) in self.constraints.iter().enumerate() {
            let constraint = (index, *constraint);
            collected.evaluate(
                (tree, workspace, self.time),
                constraint,
                baumgarte,
                &constants,
            )?;
        }
        Ok(collected)
    }

    fn validate(&self) -> Result<(), InvalidInput> {
        let tolerances = [
            ("speed tolerance", self.speed_tolerance),
            ("touch tolerance", self.touch_tolerance),
            ("rebound speed", self.rebound_speed),
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
        let of_constraints = self.constraints.iter().map(|(_, baumgarte)| baumgarte);
        let of_contact = self.contact.iter().map(|(_, baumgarte)| baumgarte);
        of_constraints
            .chain(of_contact)
            .try_for_each(Baumgarte::validate)
    }
}

/// The contacts of an impact or a time step.
struct VelContacts<T: Scalar> {
    points: Vec<PointContact<T>>,
    found: Vec<FoundContact>,
    kink: Option<GeometryKink>,
    rebounds: Vec<(usize, T)>,
    carried: Option<Carried<T>>,
    constants: Vec<RowConstants<T>>,
    /// Rows of their normals.
    normals: DMatrix<T>,
}

impl<T: Scalar> VelContacts<T> {
    fn none(nv: usize) -> Self {
        VelContacts {
            points: Vec::new(),
            found: Vec::new(),
            kink: None,
            rebounds: Vec::new(),
            carried: None,
            constants: Vec::new(),
            normals: DMatrix::zeros(0, nv),
        }
    }
}

/// Actuators, gravity and joint damping.
fn applied_forces<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &mut TreeWorkspace<T>,
    tau: &[T],
) -> Result<DVector<T>, ConstraintError> {
    let nv = tree.num_velocities();
    InvalidInput::check_size("tau", tau.len(), nv)?;
    InvalidInput::check_finite("tau", tau)?;
    let (mut total, mut part) = (DVector::from_column_slice(tau), DVector::zeros(nv));
    tree.gravity_forces(workspace, part.as_mut_slice())?;
    total += &part;
    tree.joint_damping_forces(workspace, part.as_mut_slice())?;
    total += part;
    Ok(total)
}
