//! Shapes, signed distances and contact points.
//!
//! A [`Shape`] is placed in the world by the pose of its frame. Where two shapes touch is found in
//! two stages:
//!
//! 1. [`witnesses`] decides, on real parts only, which features of the shapes (a corner and a
//!    plane, two edges, …) are in contact or nearer than a margin. Each contact point is named by a
//!    [`Witness`], a small value that can be stored and compared.
//! 2. [`Witness::contact_point`] evaluates position, normal and penetration of these features in
//!    the scalar `T`. With the features fixed this is a smooth function of poses and dimensions,
//!    and duals give its exact derivatives.
//!
//! [`Witness`] only names features; `dispatch` knows which module computes which pair, and a module
//! knows its pair.
//!
//! ```
//! use dualbody::geometry::{Shape, witnesses};
//! use dualbody::math::RigidTransform;
//! use nalgebra::Vector3;
//! use num_dual::Dual64;
//!
//! // A ball rests on the ground, 1 mm deep. How does the penetration depend on its radius?
//! let radius = Dual64::from(0.1).derivative();
//! let (ball, ground) = (Shape::new_sphere(radius)?, Shape::HalfSpace);
//! let X_WA = RigidTransform::from_translation(Vector3::new(0.0, 0.0, 0.099)).cast();
//! let X_WB = RigidTransform::identity();
//!
//! let mut found = Vec::new();
//! witnesses(&ball, &X_WA, &ground, &X_WB, 0.0, &mut found)?;
//! let contact = found[0].contact_point(&ball, &X_WA, &ground, &X_WB)?;
//! assert!((contact.penetration.re - 0.001).abs() < 1e-15);
//! assert_eq!(contact.penetration.eps, 1.0);
//! # Ok::<(), dualbody::geometry::GeometryError>(())
//! ```
//!
//! # Supported pairs
//!
//! | | contact points with a half space | closed forms |
//! |---|---|---|
//! | sphere | 1 | sphere, capsule, cylinder, box: 1 point |
//! | capsule | 2 | capsule: up to 3 points |
//! | cylinder | 8 | |
//! | box | 8 | box: up to 8 points for a face |
//! | ellipsoid | 1 | |
//! | convex polyhedron | its vertices | |
//! | points | one each | |
//!
//! in either order. All other pairs of shapes with a volume go by [their support points](convex_pair) and touch in the
//! deepest point, or in several where [flat parts](convex_patch) meet or [sides](line_contact) lie along each other. [Points](points_convex) touch shapes with a volume
//! one by one. A [height field](height_field_contact) touches all of these as a half space does where it is flat, and with
//! its edges elsewhere; not a half space, and not another height field. [`is_supported`] answers for a pair; every
//! other pair is an error. A module for each pair with a form of its own derives its formulas and names its features
//! and its singular states; these modules hold no items of their own.
//!
//! # Conventions
//! Shape A is the first argument, B the second; `C` is a contact. The normal `nhat_BA_W` has unit
//! length, points from B's surface into A and is expressed in the world. Penetration is positive
//! when the shapes overlap. Exchanging the arguments exchanges the points and flips the normal.
//!
//! Lengths are in metres. Rotations must be orthonormal, as [`RigidTransform`] requires.
//!
//! # Singular states
//! Where the direction of a normal is undefined (coincident centres, a centre on an axis) a
//! direction fixed in the frame of B stands in, which each pair documents; values and derivatives
//! are finite everywhere. At a switch from one feature to another (the centre of a ball moves over
//! the edge of a box) penetration is continuous and the normal, in general, is not differentiable or
//! jumps; the derivative is that of the features that the witness names.
//!
//! [`RigidTransform`]: crate::math::RigidTransform

#![allow(non_snake_case)] // Monogram notation.

pub mod box_box;
pub mod box_box_distance;
pub mod box_box_edges;
pub mod box_box_face;
pub mod box_box_overlap;
pub mod box_box_sharing;
pub mod box_half_space;
pub mod capsule_capsule;
pub mod capsule_half_space;
mod cell_grid;
mod clipping;
pub mod common_normal;
mod contact_point;
pub mod convex_core;
mod convex_decomposition;
mod convex_faces;
pub mod convex_half_space;
mod convex_hull;
pub mod convex_normal;
pub mod convex_pair;
pub mod convex_patch;
mod convex_polyhedron;
mod convex_search;
pub mod cylinder_half_space;
mod direction;
mod dispatch;
pub mod ellipsoid_half_space;
mod error;
pub mod expanding_polytope;
mod feature;
pub mod flush_faces;
mod height_field;
pub mod height_field_contact;
pub mod height_field_crease;
pub(crate) mod height_field_edges;
pub mod height_field_nearest;
mod height_field_ray;
pub mod line_contact;
mod measures;
mod placed_box;
pub mod points_convex;
pub mod points_half_space;
mod query;
pub mod ray;
pub mod separating_axis;
mod shape;
mod solid_inertia;
pub mod sphere_box;
pub mod sphere_capsule;
pub mod sphere_cylinder;
pub mod sphere_half_space;
pub mod sphere_sphere;
mod witness;

pub use contact_point::ContactPoint;
pub use convex_decomposition::ConvexDecomposition;
pub use convex_polyhedron::ConvexPolyhedron;
pub use error::GeometryError;
pub use feature::{
    BoxFeature, BoxReference, CapsuleFeature, ConvexFeature, CylinderFeature, End, FieldFeature,
    OverlapEdge, PatchSide,
};
pub use height_field::HeightField;
pub use query::{is_supported, signed_distance, witnesses};
pub use ray::{Ray, RayHit, RaySurface, cast_ray};
pub use separating_axis::AxisSet;
pub use shape::{Shape, ShapeKind};
pub use witness::Witness;
