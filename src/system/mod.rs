//! Systems: one description of a machine, and the ways to move it.
//!
//! A [`RigidBodySystem`] describes a machine: its tree, contact model, force elements, actuators, sensors
//! and constraints. A [`TimeSteppingRigidBodySystem`] moves it in steps, by one of three [`Scheme`]s:
//!
//! | scheme | contact | constraints | forces |
//! |---|---|---|---|
//! | [`Compliant`](Scheme::Compliant) | compliant, implicit | implicit, by multipliers | implicit in velocity |
//! | [`Rigid`](Scheme::Rigid) | rigid, complementarity | in the same problem | implicit in velocity |
//! | [`Continuous`](Scheme::Continuous) | compliant, or rigid by option | on accelerations, stabilised | as they are |
//!
//! | what follows, for each of them | |
//! |---|---|
//! | [`step`](TimeSteppingRigidBodySystem::step), [`rollout`](TimeSteppingRigidBodySystem::rollout), [`record`](TimeSteppingRigidBodySystem::record) | one step, many, and a table of them |
//! | [`StepDifferentiator`], [`Adjoint`] | Jacobians of steps, gradients of rollouts |
//! | [`Batch`] | many rollouts at once, and their derivatives, on several threads |
//! | [`linearize`](TimeSteppingRigidBodySystem::linearize), [`linearize_by`](TimeSteppingRigidBodySystem::linearize_by) | A, B, C, D by name, and their derivatives by a parameter |
//! | [`EnergyLedger`] | where the energy of a step goes |
//! | [`equilibrium`](RigidBodySystem::equilibrium) | where a system stays at rest, with derivatives |
//! | [`RigidBodyFlow`] | the system in continuous time for adaptive [integrators](crate::integrator) and events |
//! | [`State::write`], [`write_signal`], [`read_signal`] | states and signals as bytes, bit for bit |
//!
//! # A step
//! A tree with contacts obeys
//!
//! ```text
//! q̇ = N(q) v
//! M(q) v̇ + C(q, v) v = τ_g(q) + τ − D v + τ_F(q, v) + Jₙᵀ fₙ + Jₜᵀ fₜ
//! ```
//!
//! | symbol | what | where |
//! |---|---|---|
//! | q, v | positions and velocities, nq and nv coordinates | [`State`] |
//! | M, C v, τ_g | mass matrix, Coriolis and centrifugal forces, gravity | [`tree`](crate::tree) |
//! | τ | forces of actuators, N m or N, constant over a step | argument of [`step`](TimeSteppingRigidBodySystem::step) |
//! | D | viscous damping of the joints, diagonal | [`joint_damping`](crate::tree::RigidBodyTree::joint_damping) |
//! | τ_F | springs, bushings and other force elements | [`force`](crate::force) |
//! | Jₙ, Jₜ | Jacobians of the separation and of the two tangential velocities of each contact | [`contact`](crate::contact) |
//! | fₙ, fₜ | normal and friction forces, N | [`ContactResult::force`](crate::contact::ContactResult::force) |
//! | δt | length of a step, s | [`time_step`](TimeSteppingRigidBodySystem::time_step) |
//!
//! Limits and Coulomb friction of joints are constants of the tree; a step applies them when it is given
//! [`JointStops::of_tree`](crate::force::JointStops::of_tree) and
//! [`JointFriction`](crate::force::JointFriction).
//!
//! From `(q, v)` a step finds the velocity `v⁺` at its end from the momentum balance over δt, and
//! moves with it (semi-implicit Euler, with [quaternions
//! normalised](crate::tree::RigidBodyTree::integrate)):
//!
//! ```text
//! M(q) (v⁺ − v) = δt [τ + τ_g(q) − C(q, v) v − D v⁺ + τ_F(q, v⁺) + Jₙᵀ fₙ(v⁺) + Jₜᵀ fₜ(v⁺)]
//! q⁺ = q + δt N(q) v⁺
//! ```
//!
//! M, C, N, the Jacobians and the positions of springs are those at the start, so a step resolves the
//! vibrations of a spring only while `ω δt < 2`, and turning limbs only while `|w| δt` is small. Coriolis
//! forces at the start of a step lag behind; where bodies of a mechanism rotate by more than 0.2 rad in a step, their
//! momentum of the step before is projected instead, so that they do not run away: motion loses energy then, and
//! steps cannot be accurate. Free bodies fly with their momentum and energy kept, mechanisms on a floating joint with their
//! [momentum](SystemOptions::keep_momentum); their velocities after the step are then not quite those of the balance.
//! [`StepStatus::turn`] says how far bodies turn. What depends on the velocity
//! acts at the end: the damping of joints and force elements, so that no damper is too strong for a step; the
//! normal forces, on the penetration that `v⁺` leads to, `x₀ − δt vₙ`; and friction, in the direction of the slip that remains. Normal
//! forces and friction feed each other through `v⁺`, the *two-way coupled* scheme of the
//! [implicit Stribeck solver](crate::solver::implicit_stribeck). With all known terms in `p*` it is
//! the problem of that module (with force elements a sequence of them, in each of which `τ_F` is
//! linear in `v⁺`),
//!
//! ```text
//! (M + δt D) v⁺ = p* + δt [Jₙᵀ fₙ(v⁺) + Jₜᵀ fₜ(v⁺)],    p* = M v + δt (τ + τ_g − C v)
//! ```
//!
//! The scheme is of first order in δt, and dissipates: a bounce loses energy to it even without
//! dissipation in the material.
//!
//! # Substeps
//! A step knows the penetration that `v⁺` leads to along straight lines. A point at the distance r from the axis of a
//! body that turns by ε is `r ε²/2` away from there, and contact stores the energy of the difference. So where something
//! can touch and a body turns by more than [`SystemOptions::max_turn`] in a compliant step, at the velocities of its
//! start, the step is made in substeps in which bodies turn by half of that at most: steps in a row, with their own contacts,
//! which project all momentum. Continuous states of actuators and sensors move in each; samples are taken once, at the
//! start, and what actuators make of them acts from the next step on. Derivatives go through the substeps.
//! [`Step::contacts`] and [`Step::output`] are those of the first substep, the ledger is the sum of all, and
//! [`StepStatus::parts`] says how many there were. Where their number changes, `v⁺` jumps by what the substeps improve:
//! [`StepStatus::division_margin`] says how far that is.
//!
//! # Which contacts
//! The contacts of a step are found once, at its start. With [`Detection::Anticipating`] (the
//! default) they include pairs that do not touch yet, but may within the step: those nearer than
//! twice the way that the surfaces make at the speed they have and that gravity gives them. Such a
//! contact has `x₀ < 0` and no force until `x₀ − δt vₙ` is positive, so that `v⁺` is a continuous
//! function of the state, and the derivative of a step that makes a contact knows of that contact. A
//! pair that actuators throw together from further away is met one step late. With
//! [`Detection::Overlapping`], Drake's rule, a contact begins with the first step that starts in
//! overlap; there `v⁺` jumps, and no derivative shows it.
//!
//! # Derivatives
//! Contacts are found, and `v⁺` is converged to, in `f64`, whatever the scalar `T`. With duals the
//! balance is then evaluated once more at the solution, with state, forces and all constants in
//! `T`, as inverse dynamics (ID) at the mean acceleration of the step:
//!
//! ```text
//! r(v⁺) = δt [ID(q, v, (v⁺ − v)/δt) + D v⁺ − τ − τ_F(q, v⁺) − Jₙᵀ fₙ(v⁺) − Jₜᵀ fₜ(v⁺)]
//! ```
//!
//! Its Jacobian `∂r/∂v⁺ = M + δt D + δt Jᵀ (−∂f/∂v) J` is the one that Newton's method ends with, so
//! an [`implicit_step`](crate::autodiff::implicit_step) with its factors gives `v⁺` the derivatives
//! with respect to everything that `T` carries: initial state, actuator forces, masses, dimensions of
//! shapes, materials, gravity, the time step. No dual number passes through a mass matrix, a
//! factorisation or an iteration. Real parts are those of the run in `f64`, bit for bit.
//!
//! The cost beside the step in `f64` is one factorisation there, kinematics and contact points in
//! `T`, and for each order of derivatives one inverse dynamics with the contact forces in `T` and
//! one back-substitution per direction. Wide duals amortise it: take directions in chunks of
//! [`CHUNK`](crate::autodiff::CHUNK).
//!
//! # Kinks
//! In a step that is made in one, `v⁺` is continuous, but first derivatives jump where a contact is made or broken and where the
//! dissipation cuts its force off. [`StepStatus::nearest_kinks`] says which contact is nearest to
//! that and by how much its normal velocity would have to change. A derivative at some distance from
//! every kink is two-sided and exact; that of a long rollout with many impacts can be exact and
//! still of little use, because it holds only as far as the nearest kink of any of its steps. Where friction
//! [falls with the speed](crate::contact) so steeply that a step has several solutions, `v⁺` may jump from one of them to
//! another: a kink of the kind [`Folding`](crate::solver::implicit_stribeck::KinkKind::Folding) says how near the place is
//! where they meet, and [`StepStatus::other_solution`] that there is another.
//!
//! # Example
//! A ball is dropped. How does its height after a bounce depend on the dissipation of its rubber?
//!
//! ```
//! use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
//! use dualbody::geometry::Shape;
//! use dualbody::math::{RigidTransform, SpatialInertia};
//! use dualbody::system::TimeSteppingRigidBodySystem;
//! use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
//! use dualbody::{DefaultScalar, Parameters};
//! use nalgebra::Vector3;
//! use num_dual::Dual64;
//!
//! let mut tree = RigidBodyTreeBuilder::<f64>::new();
//! let inertia = SpatialInertia::principal(0.2, Vector3::repeat(2e-4));
//! let ball = tree.add_body("ball", inertia)?; // floats: q = [quaternion, position]
//! let tree = tree.finish()?;
//!
//! let mut contact = ContactModelBuilder::new();
//! for (name, body, shape, material) in [
//!     ("rubber", ball, Shape::new_sphere(0.05)?, ContactMaterial::new(1e4, 0.2, 0.8)?),
//!     ("ground", BodyIndex::WORLD, Shape::HalfSpace, ContactMaterial::rigid(0.8)?),
//! ] {
//!     let pose_in_body = RigidTransform::identity();
//!     contact.add_geometry(CollisionGeometry { name: name.into(), body, pose_in_body, shape, material })?;
//! }
//! let contact = contact.finish(&tree)?;
//! let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3)?;
//!
//! // Written once for all scalars.
//! fn height<T: DefaultScalar>(
//!     system: &TimeSteppingRigidBodySystem<f64>,
//!     dissipation: T,
//! ) -> Result<T, Box<dyn std::error::Error>> {
//!     let mut system = system.cast::<T>();
//!     system.set_parameter("rubber/dissipation", dissipation)?;
//!     let mut start = system.neutral_state();
//!     start.q[6] = T::from(0.3);
//!     let mut workspace = system.workspace()?;
//!     let rollout = system.rollout_with(&mut workspace, &start, 400, |_, _, _| {}).completed()?;
//!     Ok(rollout.last().q[6])
//! }
//!
//! let lifted = height(&system, Dual64::from(0.2).derivative())?;
//! assert_eq!(lifted.re, height(&system, 0.2)?);
//! assert!(lifted.eps < 0.0); // it bounces less
//!
//! let h = 1e-6;
//! let difference = (height(&system, 0.2 + h)? - height(&system, 0.2 - h)?) / (2.0 * h);
//! assert!((lifted.eps / difference - 1.0).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Detection::Anticipating`]: crate::contact::Detection::Anticipating
//! [`Detection::Overlapping`]: crate::contact::Detection::Overlapping

mod adjoint;
mod adjoint_radius;
mod applied_forces;
mod batch;
mod builder;
mod checkpoints;
mod compliant;
mod constraint_violation;
mod continuous;
mod damping;
mod derivative;
mod displacement;
mod elements;
mod energy_ledger;
mod error;
mod fast_rotation;
mod force_laws;
mod forward_sensitivities;
mod impact_resolution;
mod inertial_gain;
mod jacobian;
mod joint_reactions;
mod kinematics;
mod linear_model;
mod linear_model_slopes;
mod linearized_forces;
mod measurement;
mod movement;
mod named_state;
mod names;
mod objective;
mod observation;
mod options;
mod recording;
mod regularization;
mod reverse;
mod rigid;
mod rigid_body_system;
mod rollout;
mod scheme;
mod set_constants;
mod state;
mod status;
mod step;
mod stepper;
mod substeps;
mod tangent_jacobian;
mod time_stepping;
mod upheld_constraints;
mod validation;

pub use crate::remote::{read_signal, write_signal};
pub use adjoint::{Adjoint, RolloutGradient, RolloutObjective};
pub use adjoint_radius::RadiusAlong;
pub use batch::{
    Batch, BatchCovectors, BatchDirections, BatchError, BatchGradients, BatchJacobians, BatchPlan,
    BatchRollouts, MemberFailure,
};
pub use builder::SystemBuilder;
pub use constraint_violation::ConstraintViolation;
pub use continuous::{ContactEvent, ContactEventKind, DynamicsWorkspace, RigidBodyFlow};
pub use derivative::{SparseStepJacobian, StepGradient, StepJacobian};
pub use energy_ledger::{ElementLedger, EnergyChange, EnergyLedger, StateEnergy, StepLoss};
pub use error::{RolloutFailure, SystemError};
pub(crate) use forward_sensitivities::{ForwardSensitivities, Tangent};
pub use impact_resolution::{CoarseImpact, Impact, RecommendedTimeStep, STEPS_OF_IMPACT};
pub use jacobian::StepDifferentiator;
pub use linear_model::{LinearModel, LinearRates};
pub use linear_model_slopes::LinearModelSlope;
pub use options::SystemOptions;
pub use recording::Recording;
pub use rigid_body_system::RigidBodySystem;
pub use rollout::{Kept, Rollout};
pub use scheme::{IntegrationMethod, Scheme};
pub use state::State;
pub use status::{NearestKinks, StepKink, StepStatus};
pub use step::{Step, StepWorkspace};
pub use time_stepping::TimeSteppingRigidBodySystem;
