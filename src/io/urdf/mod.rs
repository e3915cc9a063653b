//! Robot descriptions in the Unified Robot Description Format (URDF).
//!
//! A [`UrdfReader`] adds the links of a description as bodies, and its joints, to a
//! [`RigidBodyTreeBuilder`](crate::tree::RigidBodyTreeBuilder): several robots, and whatever else,
//! can share a tree. Shapes come back as geometries for a
//! [`ContactModelBuilder`](crate::contact::ContactModelBuilder), and a [`UrdfReport`] says what was
//! read and what was not. The format is that of <http://wiki.ros.org/urdf/XML>, with `quat_xyzw` of
//! its version 1.1, and capsules and limits of 1.2.
//!
//! # What becomes of each element
//! | element | what becomes of it |
//! |---|---|
//! | `robot` | its name precedes all others, `"quadruped/FL_shank"`, unless [another is given](UrdfReader::with_model_name) |
//! | `link` | a body; the root link `world` is the world itself, see [`UrdfBase`] |
//! | `inertial` | the body's inertia, turned and moved by its `origin`. Without it a body has no mass: it loads, and where nothing opposes a motion forward dynamics returns an error |
//! | `collision` with `box`, `sphere`, `cylinder`, `capsule` | a [`CollisionGeometry`](crate::contact::CollisionGeometry) in [`UrdfModel::collision_geometries`] |
//! | `collision` with `mesh` | a geometry with the convex hull of the [mesh](crate::io::mesh), scaled, with at most [so many vertices](UrdfReader::with_hull_vertices), or with [several](UrdfReader::with_convex_decomposition) of its parts. Files are looked for [in folders](UrdfReader::with_mesh_folder); one that is not found is in [`UrdfReport::meshes`], and nothing touches there |
//! | `joint` `fixed`, `revolute`, `continuous`, `prismatic`, `floating`, `spherical` | the [`JointKind`](crate::tree::JointKind) of that name (`spherical`: a ball joint) |
//! | `joint` `planar` | a planar joint whose `axis` is the normal. Translation by x and y of F for the normal z, by y and z for x, by z and x for y; for another normal along the projection of what belongs to its largest component, and perpendicular to it |
//! | `origin` | the pose `X_PF` of the joint's frame on the parent; of orientations `rpy`, or from version 1.1 `quat_xyzw` in its place |
//! | `axis` | the axis, normalised; (1, 0, 0) when absent |
//! | `limit` `lower`, `upper` | [`Joint::limits`](crate::tree::Joint::limits) of revolute and prismatic joints. One that is absent is 0, and from version 1.2 a mistake. A continuous joint has none. [`JointStops::of_tree`](crate::force::JointStops::of_tree) makes stops of them |
//! | `limit` `velocity`, `effort` | [`Joint::limits`](crate::tree::Joint::limits); infinite when absent. Not read for joints with several degrees of freedom |
//! | `dynamics` `damping` | the joint's damping, the same for each of its degrees of freedom |
//! | `dynamics` `friction` | the joint's friction, which [`UrdfModel::system`] applies, or else an element [`JointFriction`](crate::force::JointFriction) of your own |
//! | `mimic` | the joint follows the other one exactly, or is independent: [`UrdfMimic`]. Of a fixed joint it has no effect and is counted as left out |
//! | everything else (`visual`, `material`, `transmission`, `gazebo`, `safety_controller`, …) | left out, counted in [`UrdfReport::skipped`]; what is in there need not make sense, as long as it is XML. Names that resemble one that is read are in [`UrdfReport::misspelt`] |
//!
//! # Mistakes
//! A [`UrdfError`] names the file, the line, the element with the names of those around it, the
//! attribute and its value: `arm.urdf:14: link "forearm"/inertial/mass: value = "heavy", expected a
//! number`. A description that uses macros (xacro) must be expanded first.
//!
//! Mass properties that no distribution of mass can have are not a mistake: descriptions of real
//! robots are full of them. They are used as they stand, and [`UrdfReport::implausible_inertia`] names
//! the bodies (beyond 1e-3 of the trace, as figures are rounded). See
//! [`add_body_as_given`](crate::tree::RigidBodyTreeBuilder::add_body_as_given).
//!
//! # Repairs
//! With [`UrdfMistakes::Repaired`] a mistake that has one reading is mended, and [listed](UrdfReport::repairs) with its
//! place:
//!
//! | mistake | read as |
//! |---|---|
//! | `robot` without a name; `version="1"` | nothing precedes the names; `1.0` |
//! | `inertial` without `mass` and `inertia` | no mass |
//! | `inertial` without `inertia`, or with an empty one | a point mass |
//! | `inertia` without `ixy`, `ixz` or `iyz` | `iyx`, `izx` or `izy`, if it is there, else 0 |
//! | lower limit above the upper one | swapped |
//! | `axis` that is zero, empty or without `xyz` | (1, 0, 0), as without `axis` |
//! | `axis` that is not of unit length | normalised, as always, but listed |
//! | one number as `scale` | that in all directions |
//! | commas between three numbers; an `origin` with an empty vector | spaces; zero |
//! | numbers of `limit`, `dynamics` and `mimic` that are empty | as if they were absent |
//! | blanks around the name of a link or a joint that there is without them | that |
//! | joint types in capitals, or between spaces | those in small letters |
//! | shapes without volume, as a sphere of radius 0; a capsule of length 0 | left out; a sphere |
//! | `collision` without a shape, or with one of another format, as `plane` | left out |
//! | a mesh that cannot be read, or has no hull | left out |
//!
//! All else stays an error.
//!
//! [`UrdfReader::updated`] writes the constants of a tree into the text that it came from.
//!
//! The elements are read from the XML itself and not through the types of the crate `urdf-rs`:
//! version 0.10 of it refuses descriptions for what dynamics never use (an empty `texture`), skips
//! words that are not numbers in `xyz="1 x 2 3"`, does not tell a limit of 0 from none, and its
//! errors rarely say which link or joint is meant.
//!
//! ```
//! use dualbody::io::urdf::UrdfReader;
//! let text = r#"
//! <robot name="arm">
//!   <link name="forearm"><collision><geometry><sphere radius="0"/></geometry></collision></link>
//! </robot>"#;
//! let error = UrdfReader::new().tree_from_str::<f64>(text).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     r#"URDF text:3: link "forearm"/collision/geometry/sphere: radius = 0, expected a positive finite number"#
//! );
//! ```

mod assembly;
mod circle;
mod error;
mod joint;
mod link;
mod machine;
mod meshes;
mod model;
mod node;
mod reader;
mod repair;
mod report;
mod schema;
mod update;
mod version;

pub use error::{UrdfError, UrdfProblem};
pub use machine::{UrdfDrive, UrdfSurroundings};
pub use model::{UrdfBase, UrdfMimic, UrdfMistakes, UrdfModel};
pub(super) use node::Node;
pub use reader::UrdfReader;
pub(super) use reader::parse_robot;
pub use report::{UrdfHull, UrdfMesh, UrdfMisspelling, UrdfRepair, UrdfReport};
pub(super) use schema::misspelling;
