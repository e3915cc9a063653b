//! Contact between the bodies of a tree: geometries, materials, contact points.
//!
//! A [`ContactModelBuilder`] collects [`CollisionGeometry`]s, shapes that are fixed on bodies, and
//! their [`ContactMaterial`]s; the finished [`ContactModel`] lists the pairs that can touch and finds
//! their [`PointContact`]s. The forces follow from a time step, see [`system`](crate::system).
//!
//! # A contact point
//! Where two geometries overlap, each of their points of contact (see [`geometry`](crate::geometry))
//! stands for a patch by itself, with a spring and a damper along the normal and friction in the
//! plane of its tangents. Geometry A is the one whose shape comes first in
//! [`ShapeKind`](crate::geometry::ShapeKind), so that the normal points from a half space into what
//! lies on it; of two shapes of one kind it is the one that was added first.
//!
//! | symbol | what | sign |
//! |---|---|---|
//! | `n̂` | unit normal, in W | from B into A |
//! | x | [penetration](PointContact::penetration), m | positive when the bodies overlap |
//! | vₙ | separation velocity, m/s: velocity of A relative to B at C, along n̂ | positive when they part; `ẋ = −vₙ` |
//! | vₜ | the same along two tangents | |
//! | fₙ | normal force, N: on A along n̂, on B against it | never negative |
//! | fₜ | friction on A along the tangents; on B the opposite | against vₜ |
//!
//! The contact frame [`R_WC`](PointContact::rotation) has the tangents and the normal for its columns,
//! in this order. The first tangent is perpendicular to the coordinate axis of W that is furthest
//! from the normal; nothing but the components of a force depends on the choice.
//!
//! # Where the point lies
//! Let `Ca` be the point of A deepest in B, and `Cb` the point of B's surface that it would have to
//! move to: `p_CaCb = x n̂`. Two surfaces of stiffness k₁ (A) and k₂ (B) in series meet where their
//! forces are equal, at
//!
//! ```text
//! C = Cb − k₁/(k₁ + k₂) x n̂
//! ```
//!
//! on the surface of A if A is rigid, on that of B if B is, half way between equals.
//!
//! # Normal force
//! Each point is a linear spring with the dissipation of Hunt & Crossley (1975, *Journal of Applied
//! Mechanics* 42(2), 440–445), `k x (1 + d ẋ)`: the damping grows with the penetration, so that the
//! force is zero when contact begins, and never pulls. A step of length δt evaluates it at the
//! velocity vₙ and at the penetration at its end, `x₀ − δt vₙ`:
//!
//! ```text
//! fₙ = k (1 − d vₙ)₊ (x₀ − δt vₙ)₊,     y₊ = max(y, 0)
//! ```
//!
//! with k in N/m and d in s/m. It vanishes when the bodies part by the end of the step, or faster
//! than at 1/d. k belongs to a point: a box on its face rests on four springs.
//!
//! # Friction
//! Coulomb's law. Its jump at zero slip is replaced by a ramp over slip speeds up to the stiction tolerance
//! v_s (m/s):
//!
//! ```text
//! fₜ = −μ(s) fₙ vₜ/σ,   s = σ/v_s,   μ(s) = μ s (2 − s) for s < 1, and μ above
//! σ² = ‖vₜ‖² + ε²
//! ```
//!
//! The softening ε, a hundredth of v_s by default, keeps the law smooth at rest. A sticking contact
//! holds a tangential load f by creeping: about at the fraction 1 − √(1 − f/(μ fₙ)) of v_s, where
//! μ(s) fₙ = f.
//!
//! μ is one coefficient for sticking and sliding, or falls from a static one μ_s to a dynamic one μ_d around
//! the slip speed v_S ([`with_static_friction`](ContactMaterial::with_static_friction)):
//!
//! ```text
//! μ = μ_d + (μ_s − μ_d) v_S²/(v_S² + σ²)
//! ```
//!
//! A contact breaks away at about μ_s fₙ where v_S is several times the stiction tolerance. Where friction falls
//! with the speed faster than inertia resists, `δt fₙ |dμ/dσ| > m` with the mass m that the point moves, a step
//! has several solutions: sticking, sliding, and one in between.
//!
//! # Friction against spinning and rolling
//! A [material](ContactMaterial::with_rotational_friction) may resist turning, with a torque on A
//!
//! ```text
//! τₙ = −μ_t(s) fₙ ωₙ/σ,    τₜ = −μ_r(s) fₙ ωₜ/σ
//! ```
//!
//! by the same ramp: torsional friction against the relative angular velocity ωₙ about the normal, rolling friction
//! against ωₜ about the tangents. The coefficients are lengths, and the tolerance in rad/s is what v_s is in m/s. A
//! ball of the radius r stays on a slope up to `tan α = μ_r/r`. [`RotationalFriction`] derives it.
//!
//! The law of slip and the solution are derived in
//! [`implicit_stribeck`](crate::solver::implicit_stribeck).
//!
//! # Pairs of materials
//! Two surfaces are springs in series, and rub by the harmonic mean:
//!
//! ```text
//! k = k₁ k₂/(k₁ + k₂)     d = (k₂ d₁ + k₁ d₂)/(k₁ + k₂)     μ = 2 μ₁ μ₂/(μ₁ + μ₂)
//! ```
//!
//! or by another [rule](FrictionRule) for μ. A [rigid](ContactMaterial::rigid) surface leaves k and d to the other one; two rigid surfaces that
//! can touch are for rigid contact only. A measured pair gets a material of its own by
//! [`set_pair_material`](ContactModelBuilder::set_pair_material).
//!
//! # Derivatives
//! Which features touch is decided on real parts; position, normal and penetration are then smooth
//! functions of poses, dimensions and materials in the scalar `T`.
//!
//! ```
//! use dualbody::Parameters;
//! use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
//! use dualbody::geometry::Shape;
//! use dualbody::math::{RigidTransform, SpatialInertia};
//! use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
//! use num_dual::Dual64;
//!
//! // A ball of 5 cm on the ground, 1 mm deep; the ground is three times as stiff.
//! let mut tree = RigidBodyTreeBuilder::<f64>::new();
//! let ball = tree.add_body("ball", SpatialInertia::solid_sphere(1.0, 0.05))?;
//! let tree = tree.finish()?;
//! let mut contact = ContactModelBuilder::new();
//! for (name, body, shape, k) in [
//!     ("rubber", ball, Shape::new_sphere(0.05)?, 1e4),
//!     ("ground", BodyIndex::WORLD, Shape::HalfSpace, 3e4),
//! ] {
//!     let material = ContactMaterial::new(k, 0.1, 0.5)?;
//!     let pose_in_body = RigidTransform::identity();
//!     contact.add_geometry(CollisionGeometry { name: name.into(), body, pose_in_body, shape, material })?;
//! }
//! let model = contact.finish(&tree)?;
//!
//! // How does it change with the radius?
//! let (tree, mut model) = (tree.cast::<Dual64>(), model.cast::<Dual64>());
//! model.set_parameter("rubber/radius", Dual64::from(0.05).derivative())?;
//! let mut workspace = tree.workspace();
//! let q = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.049].map(Dual64::from);
//! tree.set_positions(&mut workspace, &q)?;
//! let points = model.contacts(&tree, &workspace, 0.0)?;
//!
//! let c = points[0];
//! assert_eq!((c.body_a, c.body_b), (ball, BodyIndex::WORLD));
//! assert!((c.penetration.re - 1e-3).abs() < 1e-15 && (c.penetration.eps - 1.0).abs() < 1e-15);
//! // A quarter of the way from the ground's surface to the ball's: −k₁/(k₁ + k₂) x.
//! assert!((c.position.z.re + 0.25e-3).abs() < 1e-15 && (c.position.z.eps + 0.25).abs() < 1e-15);
//! assert!((c.material.stiffness.re - 7.5e3).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod broad_phase;
mod collision_geometry;
mod contact_result;
mod decisions;
mod detection;
#[cfg(feature = "serde")]
mod document;
mod error;
mod exclusion;
mod force_law;
mod friction_rule;
mod material;
mod material_derivatives;
mod model;
mod pair_wrench;
mod passage;
mod point_contact;
mod reach;
mod restitution;
pub mod resultant;
mod rotational_friction;

pub use crate::solver::implicit_stribeck::StribeckCurve;
pub use collision_geometry::CollisionGeometry;
pub use contact_result::ContactResult;
pub(crate) use detection::ContactWorkspace;
pub use detection::Detection;
pub(crate) use detection::MAX_DETECTIONS;
pub use error::ContactError;
pub use force_law::ContactForceLaw;
pub use friction_rule::FrictionRule;
pub use material::ContactMaterial;
pub(crate) use material_derivatives::{FixedBodies, Variables, WrenchSlopes};
pub use model::{ContactModel, ContactModelBuilder};
#[cfg(feature = "urdf")]
pub(crate) use model::{check_number_of_pairs, moving_pairs};
pub(crate) use pair_wrench::PairWrench;
pub use point_contact::{FoundContact, GeometryKink, PointContact};
pub use resultant::{
    BodyPairContact, ContactDetail, ContactForce, ContactResultantForceCalculator, ResultantKinks,
    body_pair_contacts,
};
pub use rotational_friction::RotationalFriction;
