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
//! in either order. All other pairs of shapes with a volume go by their support points and touch in the deepest point,
//! or in several where flat parts meet or sides lie along each other. Points touch shapes with a volume one by one. A
//! [height field](HeightField) touches all of these as a half space does where it is flat, and with its edges elsewhere;
//! not a half space, and not another height field. [`is_supported`] answers for a pair; every other pair is an error.
//!
//! Formulas, features and singular states of a pair are derived at the head of its file in `src/geometry`: for example
//! `box_box.rs`, `convex_pair.rs` for support points, `convex_patch.rs` for flat parts, `line_contact.rs` for sides,
//! `height_field_contact.rs`.
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
//! direction fixed in the frame of B stands in, which the file of each pair says; values and derivatives
//! are finite everywhere. At a switch from one feature to another (the centre of a ball moves over
//! the edge of a box) penetration is continuous and the normal, in general, is not differentiable or
//! jumps; the derivative is that of the features that the witness names.
//!
//! [`RigidTransform`]: crate::math::RigidTransform

#![allow(non_snake_case)] // Monogram notation.

mod box_box;
mod box_box_distance;
mod box_box_edges;
mod box_box_face;
mod box_box_overlap;
mod box_box_sharing;
mod box_box_side;
mod box_half_space;
mod capsule_capsule;
mod capsule_half_space;
mod cell_grid;
mod clipping;
mod common_normal;
mod contact_point;
pub(crate) mod convex_core;
mod convex_decomposition;
mod convex_faces;
mod convex_half_space;
mod convex_hull;
pub(crate) mod convex_normal;
pub(crate) mod convex_pair;
pub(crate) mod convex_part;
pub(crate) mod convex_patch;
mod convex_polyhedron;
mod convex_search;
pub(crate) mod cylinder_half_space;
mod direction;
mod dispatch;
mod ellipsoid_half_space;
mod error;
mod expanding_polytope;
mod feature;
mod flush_faces;
mod height_field;
pub(crate) mod height_field_contact;
mod height_field_crease;
pub(crate) mod height_field_edges;
mod height_field_nearest;
mod height_field_ray;
pub(crate) mod line_contact;
mod measures;
mod placed_box;
mod points_convex;
mod points_half_space;
mod query;
pub mod ray;
mod separating_axis;
mod shape;
mod solid_inertia;
mod sphere_box;
mod sphere_capsule;
mod sphere_cylinder;
mod sphere_half_space;
mod sphere_sphere;
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
