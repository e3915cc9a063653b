//! Trees of rigid bodies: kinematics and dynamics.
//!
//! A [`RigidBodyTreeBuilder`] collects bodies, joints and frames; the finished [`RigidBodyTree`]
//! holds their constants in the scalar `T`; a [`TreeWorkspace`] holds a state `(q, v)`, everything
//! that follows from it, and the memory of the algorithms.
//!
//! ```
//! use dualbody::math::{RigidTransform, SpatialInertia};
//! use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
//! use nalgebra::{DMatrix, Vector3};
//!
//! // A cart on a rail along x carries a pendulum with a point mass.
//! let mut builder = RigidBodyTreeBuilder::<f64>::new();
//! let cart = builder.add_body("cart", SpatialInertia::solid_box(3.0, &Vector3::repeat(0.2)))?;
//! let bob = SpatialInertia::point_mass(1.0, Vector3::new(0.0, 0.0, -0.5));
//! let bob = builder.add_body("bob", bob)?;
//! let (rail, hinge) = (
//!     JointKind::Prismatic { axis: Vector3::x() },
//!     JointKind::Revolute { axis: Vector3::y() },
//! );
//! builder.add_joint("rail", rail, BodyIndex::WORLD, RigidTransform::identity(), cart)?;
//! builder.add_joint("hinge", hinge, cart, RigidTransform::identity(), bob)?;
//! let tree = builder.finish()?;
//!
//! let mut workspace = tree.workspace();
//! tree.set_positions(&mut workspace, &[0.0, 0.0])?;
//! let mut mass_matrix = DMatrix::zeros(2, 2);
//! tree.mass_matrix(&mut workspace, &mut mass_matrix)?;
//! assert_eq!(mass_matrix, DMatrix::from_row_slice(2, 2, &[4.0, -0.5, -0.5, 0.25]));
//! # Ok::<(), dualbody::tree::TreeError>(())
//! ```
//!
//! # Equations of motion
//! With `τ` the generalized forces of actuators, dampers and whatever else, and `F` forces on
//! bodies,
//!
//! ```text
//! M(q) v̇ + C(q, v) v = τ_g(q) + τ + Σ Jᵀ F,        q̇ = N(q) v
//! ```
//!
//! | quantity | function | method |
//! |---|---|---|
//! | poses, velocities, accelerations | [`body_pose`](RigidBodyTree::body_pose), [`body_velocity`](RigidBodyTree::body_velocity), [`body_accelerations`](RigidBodyTree::body_accelerations) | recursion outwards |
//! | J, J̇ v | [`spatial_jacobian`](RigidBodyTree::spatial_jacobian), [`bias_acceleration`](RigidBodyTree::bias_acceleration) | walk inwards |
//! | M | [`mass_matrix`](RigidBodyTree::mass_matrix) | composite rigid bodies |
//! | M u, M⁻¹ b | [`multiply_mass_matrix`](RigidBodyTree::multiply_mass_matrix), [`solve_mass_matrix`](RigidBodyTree::solve_mass_matrix) | momenta; articulated bodies |
//! | τ from v̇ | [`inverse_dynamics`](RigidBodyTree::inverse_dynamics) | Newton–Euler |
//! | forces, momentum and energies as linear functions of masses, moments, inertias and constants of joints | [`torque_regressor`](RigidBodyTree::torque_regressor), [`momentum_regressor`](RigidBodyTree::momentum_regressor), [`energy_regressor`](RigidBodyTree::energy_regressor) | recursion outwards, walk inwards |
//! | v̇ from τ | [`forward_dynamics`](RigidBodyTree::forward_dynamics) | Newton–Euler, articulated bodies |
//! | derivatives of both with respect to q, v, v̇ or τ | [`inverse_dynamics_derivatives`](RigidBodyTree::inverse_dynamics_derivatives), [`forward_dynamics_derivatives`](RigidBodyTree::forward_dynamics_derivatives) | analytic, recursions outwards and inwards |
//! | C v, τ_g, Σ Jᵀ F | [`bias_forces`](RigidBodyTree::bias_forces), [`gravity_forces`](RigidBodyTree::gravity_forces), [`generalized_forces`](RigidBodyTree::generalized_forces) | recursion inwards |
//! | N v, N⁺ q̇, steps | [`map_velocity_to_qdot`](RigidBodyTree::map_velocity_to_qdot), [`integrate`](RigidBodyTree::integrate) | per joint |
//!
//! # Columns
//! Everything is expressed in the world W, about the origin Bo of the body that it belongs to. A
//! joint places its child B in a frame F that is fixed on the parent P, and every degree of freedom
//! of every [`JointKind`] is a pure rotation or a pure translation about or along an axis that is
//! fixed in F, acting at Bo. (A ball joint, say, has the angular velocity `w_FB_F` for velocity
//! coordinates: three rotations about the axes of F.) So with `a_k` the axes in W,
//!
//! ```text
//! w_B  = w_P + Σ a_k v_k              over the rotations
//! v_Bo = v_Po + w_P × p_PoBo + Σ a_k v_k   over the translations
//! ```
//!
//! and the generalized force of a column is `a_k·τ` or `a_k·f` of the force across the joint. The
//! algorithms run over these *columns* of the motion subspace and know no kinds of joints; those
//! appear in the pose of B in F and in `q̇ = N(q) v` only. Shifting a vector pair from Bo to Po takes
//! one cross product, where pairs expressed in each body's own frame take two rotations besides; and
//! pairs about the origin of W, which would need no shift, lose digits far from it.
//!
//! A joint with a [`Mimic`] has columns of its own that point to the coordinate of the joint it
//! follows, with axes scaled by the multiplier.
//!
//! # Mobilized bodies
//! Fixed joints cost nothing: bodies that they weld together are one entry of the recursions, whose
//! inertia is the sum. The entries are ordered depth first, parents before children.

mod articulated_bodies;
mod body;
mod builder;
mod column;
mod composite;
mod composite_joints;
mod configuration;
mod configuration_derivatives;
#[cfg(feature = "serde")]
mod document;
mod energy;
mod error;
mod forward_dynamics;
mod forward_dynamics_derivatives;
mod free_bodies;
mod free_mechanism_slopes;
mod free_mechanisms;
mod index;
mod inertia;
mod inverse_dynamics;
mod inverse_dynamics_derivatives;
mod jacobian;
mod joint;
mod joint_reactions;
mod ltdl;
mod manifold;
mod mass_matrix;
mod mobilized_body;
mod momentum;
mod mounting;
mod opposing_inertia;
mod orientation;
mod parameters;
mod path_columns;
mod position_kinematics;
mod regressor;
mod rigid_body_tree;
mod standard_parameters;
mod symmetric;
mod topology;
mod validation;
mod velocity_kinematics;
mod workspace;

pub use body::{Body, Frame};
pub use builder::RigidBodyTreeBuilder;
pub(crate) use configuration_derivatives::CoordinateStep;
pub use error::TreeError;
pub(crate) use forward_dynamics::MassMatrixFactor;
pub use forward_dynamics_derivatives::ForwardDynamicsDerivatives;
pub(crate) use free_bodies::FreeBody;
pub(crate) use free_mechanism_slopes::{
    DynamicsSlopes, EndSlopes, MechanismSlopes, MomentumSlopes,
};
pub(crate) use free_mechanisms::Flights;
pub use index::{BodyIndex, FrameIndex, JointIndex};
pub use inverse_dynamics_derivatives::InverseDynamicsDerivatives;
pub use joint::{Joint, JointKind, JointLimits, Mimic};
pub(crate) use ltdl::subtract_columns;
pub use momentum::SpatialMomentum;
pub(crate) use orientation::Orientation;
pub(crate) use path_columns::PathColumn;
pub use rigid_body_tree::RigidBodyTree;
#[cfg(feature = "urdf")]
pub(crate) use validation::INERTIA_TOLERANCE;
pub(crate) use validation::check_pose;
pub use workspace::TreeWorkspace;
