//! Time steps with rigid contact.
//!
//! # The step
//! The velocity at the end of a step of length δt solves, with contact impulses `f` and the gaps `φ`
//! at its start,
//!
//! ```text
//! M(q) (v⁺ − v) = δt (τ + τ_g − C v − D v) + Jᵀ f
//! 0 ≤ Jₙ v⁺ + φ/δt  ⊥  fₙ ≥ 0        and Coulomb friction in a cone of edges
//! q⁺ = q ⊕ δt v⁺
//! ```
//!
//! a linear complementarity problem, of Stewart & Trinkle 1996 (*Int. J. Numer. Meth. Engng.* 39,
//! 2673–2691) as Anitescu & Potra 1997 (*Nonlinear Dynamics* 14, 231–247) pose it. Contacts are
//! inelastic; friction sticks without creeping. Nothing is stiff, so steps can be long; the compliant
//! [`TimeSteppingRigidBodySystem`](crate::system::TimeSteppingRigidBodySystem) resolves how surfaces give way.
//!
//! An overlap that there is at the start decays with the time constant of
//! [`RigidContactSystem::with_stabilization`], which adds energy; without it, overlaps stay.

use crate::constraint::{
    Baumgarte, ConstraintError, ConstraintKink, ConstraintSolver, TreeConstraint, TreeConstraints,
};
use crate::contact::{ContactModel, FoundContact, PointContact};
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::system::state::State;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{DVector, Vector3};

/// A tree with rigid contact, in steps of fixed length.
///
/// Of the contact model's materials only friction counts; stiffness, which a model asks for, has no
/// effect. Derivatives are those of the active
/// contacts, with respect to the state, the actuators, the time step and all parameters that the tree
/// and the contact model hold in `T`.
///
/// ```
/// use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
/// use dualbody::geometry::Shape;
/// use dualbody::math::{RigidTransform, SpatialInertia};
/// use dualbody::system::{RigidContactSystem, State};
/// use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
/// use nalgebra::{DVector, Vector3};
///
/// // A ball falls from 0.1 m and stays on the ground.
/// let mut tree = RigidBodyTreeBuilder::<f64>::new();
/// let ball = tree.add_body("ball", SpatialInertia::solid_sphere(1.0, 0.05))?;
/// let tree = tree.finish()?;
/// let mut contact = ContactModelBuilder::new();
/// let geometry = |name: &str, body, shape| -> Result<_, dualbody::InvalidInput> {
///     let material = ContactMaterial::new(1e5, 0.0, 0.5)?;
///     let (name, pose_in_body) = (name.to_owned(), RigidTransform::identity());
///     Ok(CollisionGeometry { name, body, pose_in_body, shape, material })
/// };
/// contact.add_geometry(geometry("ball", ball, Shape::new_sphere(0.05)?)?)?;
/// contact.add_geometry(geometry("ground", BodyIndex::WORLD, Shape::HalfSpace)?)?;
/// let contact = contact.finish(&tree)?;
///
/// let system = RigidContactSystem::new(tree, contact, 0.01)?;
/// let mut q = system.tree().neutral_configuration();
/// q[6] = 0.15;
/// let mut state = State::new(q, DVector::zeros(6));
/// let mut workspace = system.workspace();
/// for _ in 0..50 {
///     state = system.step(&mut workspace, &state, &[0.0; 6])?.state;
/// }
/// assert!((state.q[6] - 0.05).abs() < 1e-12 && state.v[5].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RigidContactSystem<T: Scalar> {
    tree: RigidBodyTree<T>,
    contact: ContactModel<T>,
    time_step: T,
    stabilization: Baumgarte<T>,
    edges: usize,
}

/// Memory of the steps of a system with rigid contact.
#[derive(Debug, Clone)]
pub struct RigidStepWorkspace<T: Scalar> {
    tree: TreeWorkspace<T>,
    solver: ConstraintSolver<T>,
}

/// A step that has been made.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidStep<T: Scalar> {
    /// The state at the end of the step.
    pub state: State<T>,
    /// The contacts of the step, also those without impulse.
    pub contacts: Vec<RigidContactImpulse<T>>,
    /// Impulses of the bilateral constraints, in the order in which they were given.
    pub bilateral_impulses: Vec<T>,
    /// Impulses of the unilateral constraints, in the order in which they were given.
    pub unilateral_impulses: Vec<T>,
    /// The residual of the complementarity problem.
    pub residual: f64,
    /// The nearest kink of each kind; indices are positions in `contacts`.
    pub kinks: Vec<ConstraintKink>,
}

/// A contact of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidContactImpulse<T: Scalar> {
    /// The features that touch.
    pub found: FoundContact,
    /// Where, at the start of the step.
    pub point: PointContact<T>,
    /// The impulse on body A, expressed in W, in N s.
    pub impulse: Vector3<T>,
}

impl<T: Scalar> RigidContactSystem<T> {
    /// A system from a tree, its contact model, and the length of a step in seconds. Friction cones
    /// have four edges, overlaps do not decay.
    ///
    /// # Errors
    /// [`InvalidInput`] when the time step is not positive.
    pub fn new(
        tree: RigidBodyTree<T>,
        contact: ContactModel<T>,
        time_step: T,
    ) -> Result<Self, InvalidInput> {
        check_time_step(time_step)?;
        Ok(RigidContactSystem {
            tree,
            contact,
            time_step,
            stabilization: Baumgarte::none(),
            edges: 4,
        })
    }

    /// Lets overlaps of contacts decay with this time constant, in seconds.
    ///
    /// # Errors
    /// [`InvalidInput`] when it is not positive.
    pub fn with_stabilization(mut self, time_constant: T) -> Result<Self, InvalidInput> {
        self.stabilization = Baumgarte::critical(time_constant)?;
        Ok(self)
    }

    /// Sets the number of edges of the friction cones: even, at least 2; 4 is a pyramid. Friction is
    /// weaker than Coulomb's by the factor cos(π/edges) at most, between two edges.
    ///
    /// # Errors
    /// [`InvalidInput`] for other numbers, and above 64.
    pub fn with_friction_edges(mut self, edges: usize) -> Result<Self, InvalidInput> {
        InvalidInput::check_range(
            "edges of the friction cone",
            &[edges as f64],
            "an even number between 2 and 64",
            |e| (2.0..=64.0).contains(&e) && e % 2.0 == 0.0,
        )?;
        self.edges = edges;
        Ok(self)
    }

    /// The tree.
    pub fn tree(&self) -> &RigidBodyTree<T> {
        &self.tree
    }

    /// The contact model.
    pub fn contact(&self) -> &ContactModel<T> {
        &self.contact
    }

    /// The length of a step, in seconds.
    pub fn time_step(&self) -> T {
        self.time_step
    }

    /// Takes over the constants of another system with the same tree and contact model.
    pub(in crate::system) fn set_constants(
        &mut self,
        tree: &RigidBodyTree<T>,
        contact: &ContactModel<T>,
        time_step: T,
    ) {
        self.tree.clone_from(tree);
        self.contact.clone_from(contact);
        self.time_step = time_step;
    }

    /// The same system in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> RigidContactSystem<U> {
        let cast = |x: T| U::from(x.re());
        RigidContactSystem {
            tree: self.tree.cast(),
            contact: self.contact.cast(),
            time_step: cast(self.time_step),
            stabilization: Baumgarte {
                alpha: cast(self.stabilization.alpha),
                beta: cast(self.stabilization.beta),
            },
            edges: self.edges,
        }
    }

    /// Memory for steps of this system.
    pub fn workspace(&self) -> RigidStepWorkspace<T> {
        RigidStepWorkspace {
            tree: self.tree.workspace(),
            solver: ConstraintSolver::default(),
        }
    }

    /// Makes one step from `state` with the generalized forces `tau` (nv) of actuators, constant
    /// over the step.
    ///
    /// # Errors
    /// [`ConstraintError`], when sizes do not fit, an entry is not finite, or the complementarity
    /// problem has no solution or none was found.
    pub fn step(
        &self,
        workspace: &mut RigidStepWorkspace<T>,
        state: &State<T>,
        tau: &[T],
    ) -> Result<RigidStep<T>, ConstraintError> {
        self.constrained_step(workspace, state, tau, &[])
    }

    /// Makes one step with constraints beside the contacts; each with its own stabilisation.
    ///
    /// # Errors
    /// As [`Self::step`], and what the constraints return.
    pub fn constrained_step(
        &self,
        workspace: &mut RigidStepWorkspace<T>,
        state: &State<T>,
        tau: &[T],
        constraints: &[(&dyn TreeConstraint<T>, Baumgarte<T>)],
    ) -> Result<RigidStep<T>, ConstraintError> {
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        self.tree.set_state(&mut workspace.tree, q, v)?;
        let mut all = TreeConstraints::new();
        all.spanning_directions = self.edges / 2;
        all.set_contact(&self.contact, self.stabilization);
        for &(constraint, stabilization) in constraints {
            all.add(constraint, stabilization);
        }
        let dt = self.time_step;
        let mut problem = all.time_step_problem(&self.tree, &mut workspace.tree, tau, dt)?;
        let solution = workspace.solver.solve_velocities(&mut problem.data)?;
        let impulses = &solution.impulses;
        let contacts = (problem.contacts.into_iter().zip(problem.found))
            .zip(impulses.in_contact_frames())
            .map(|((point, found), impulse)| RigidContactImpulse {
                impulse: point.rotation * impulse,
                point,
                found,
            })
            .collect();
        let mut next = DVector::zeros(q.len());
        self.tree.integrate(
            q,
            solution.generalized_velocity.as_slice(),
            dt,
            next.as_mut_slice(),
        )?;
        Ok(RigidStep {
            contacts,
            bilateral_impulses: impulses.bilateral().to_vec(),
            unilateral_impulses: impulses.limit().to_vec(),
            residual: impulses.residual,
            kinks: solution.impulses.kinks,
            state: State::new(next, solution.generalized_velocity),
        })
    }
}

fn check_time_step<T: Scalar>(time_step: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range("time step", &[time_step], "a positive time", |t| {
        t > 0.0 && t.is_finite()
    })
}

/// Those of the tree and of the contact model, then `time_step` in s.
impl<T: Scalar> Parameters<T> for RigidContactSystem<T> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.tree.visit_parameters(visit);
        self.contact.visit_parameters(visit);
        visit(Parameter {
            name: format_args!("time_step"),
            unit: "s",
            lower: f64::MIN_POSITIVE,
            upper: f64::INFINITY,
            value: &mut self.time_step,
        });
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.tree.parameters_changed()?;
        self.contact.parameters_changed()?;
        Ok(check_time_step(self.time_step)?)
    }
}
