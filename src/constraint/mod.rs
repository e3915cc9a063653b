//! Constraints on motion, and their forces.
//!
//! A problem consists of [operators](ConstraintOperators), products with Jacobians and with the
//! inverse inertia, and the constants of the constraints: a [`ConstraintAccelProblemData`] for forces
//! and accelerations, a [`ConstraintVelProblemData`] for impulses and velocities. A
//! [`ConstraintSolver`] solves it: bilateral constraints (closed loops, gears), contacts with
//! Coulomb friction, unilateral constraints (limits).
//!
//! # Method
//! With `J` the rows of all constraints and `Ĵᵀ` the directions of their forces, which differ where
//! a contact slides, eliminating the motion leaves
//!
//! ```text
//! J v̇ + k = D f + d,      D = J M⁻¹ Ĵᵀ,    d = J M⁻¹ τ + k
//! ```
//!
//! Bilateral constraints are equations in this, the others inequalities: a mixed
//! [complementarity problem](crate::solver::lcp) for `f` and the slips `λ` of the friction cones.
//!
//! - *Redundant* equations, such as those of a loop closed twice, are left out (a pivoted Cholesky
//!   factorisation of `J M⁻¹ Jᵀ` finds them), and the forces are then distributed over all equations
//!   with the least sum of squares, as the pseudo-inverse would. Motions do not depend on that.
//!   Equations that [contradict](ConstraintError::Inconsistent) each other are an error.
//! - *Sliding* friction makes `D` unsymmetric, possibly with no solution for a rigid body
//!   ([`PainleveInconsistency`](ConstraintError::PainleveInconsistency)). Impacts always have one,
//!   unless constraints contradict each other.
//! - *Derivatives*: all of this is decided in `f64`. The active forces are then differentiated as the
//!   root of their rows, evaluated in the scalar of the caller, so that everything the operators
//!   depend on counts: one solution with the inertia, instead of one for each force. Contacts that
//!   stick or press without any force count as active where some solution with the same motion has a
//!   force there. Where the active set is about to change, derivatives jump: [`ConstraintForces::kinks`].
//!
//! # Trees
//! [`TreeConstraints`] makes the problem of a tree from its constraints and contacts, at a state.
//! Constraints implement [`TreeConstraint`], the built-in ones and those of a user alike:
//!
//! | constraint | rows | for |
//! |---|---|---|
//! | [`BallConstraint`], [`HingeConstraint`], [`WeldConstraint`] | 3, 5, 6 | joints that close loops |
//! | [`DistanceConstraint`] | 1 | rods between two points |
//! | [`GearConstraint`] | 1 | transmissions |
//! | [`PrescribedMotion`] | 1 | joints that follow a [function of time](MotionProfile) |
//! | [`JointLimitConstraint`], [`BallLimitConstraint`], [`AccelerationLimit`] | 1 | limits |
//! | [`ConstraintForceLaw`] | any | forces found together with the motion, by any function φ of both |
//! | contacts of a [`ContactModel`](crate::contact::ContactModel) | 1 + r | Coulomb friction |
//!
//! Forces of contacts that support each other need not be unique; those of one solution are returned,
//! and accelerations do not depend on the choice where friction is not involved.
//!
//! # References
//! Anitescu & Potra 1997, *Nonlinear Dynamics* 14, 231–247; Stewart & Trinkle 1996, *Int. J. Numer.
//! Meth. Engng.* 39, 2673–2691; Hairer & Wanner 1996, *Solving Ordinary Differential Equations II*,
//! §VII.1.

mod accel_contacts;
mod accel_problem_data;
mod adjoint;
mod baumgarte;
mod closures;
mod constraint_law;
mod constraints;
mod contact_motion;
mod contact_rows;
mod convex_motion;
mod coupled_rows;
mod damped_inertia;
mod decision;
mod decisions;
mod delassus;
mod derivative_rows;
mod derivatives;
mod error;
mod force_law;
mod force_laws;
mod forces;
mod generalized;
mod height_field_motion;
mod inertia;
mod kink;
mod least_norm;
mod library;
mod matrices;
mod matrix_operators;
mod moving_vector;
mod non_collocated_rows;
mod operators;
mod patch_motion;
mod real_products;
mod restitution;
mod restitution_energy;
mod round_cones;
mod shared_loads;
mod solver;
mod tree_constraint;
mod tree_constraints;
mod tree_inertia;
mod tree_problem;
mod tree_rows;
mod variable;
mod vel_problem_data;
mod view;

pub use accel_problem_data::ConstraintAccelProblemData;
pub use baumgarte::Baumgarte;
pub use closures::ConstraintClosures;
pub use constraint_law::ConstraintLaw;
pub use constraints::{AnyConstraint, ConstraintForce};
pub use error::ConstraintError;
pub use force_law::{ConstraintForceLaw, ForceLawRow, InstantMotion, StepMotion};
pub use force_laws::AnyForceLaw;
pub use forces::ConstraintForces;
pub use inertia::{DenseInertia, InertiaOperator};
pub use kink::{ConstraintKink, ConstraintKinkKind, ConstraintKinkQuantity, ConstraintKinkSource};
pub use library::{
    AccelerationLimit, BallConstraint, BallLimitConstraint, DistanceConstraint, GearConstraint,
    HingeConstraint, JointLimitConstraint, MotionProfile, MotionSpline, PrescribedMotion,
    WeldConstraint,
};
pub use matrices::ConstraintMatrices;
pub use operators::ConstraintOperators;
pub use solver::{AccelerationSolution, ConstraintSolver, VelocitySolution};
pub use tree_constraint::{
    ConstraintKind, ConstraintLevel, ConstraintRows, PointForce, TreeConstraint,
};
pub use tree_constraints::TreeConstraints;
pub use tree_inertia::TreeInertia;
pub use tree_problem::{TreeAccelProblem, TreeConstraintProblem, TreeVelProblem};
pub use vel_problem_data::ConstraintVelProblemData;

pub(crate) use accel_contacts::TouchingContact;
pub(crate) use constraints::{Constraints, for_each_point_force};
pub(crate) use damped_inertia::DampedInertia;
pub(crate) use force_laws::{ForceLaws, Motion};
pub(crate) use non_collocated_rows::NonCollocatedRows;
pub(crate) use restitution_energy::Gain;
pub(crate) use tree_constraints::{Looking, Rebounds, Stabilizations, StepForces};
pub(crate) use tree_problem::{AccelMemory, VelMemory};
pub(crate) use tree_rows::evaluate_rows;
