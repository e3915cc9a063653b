//! Machines, states and fits as JSON.
//!
//! A [`RigidBodySystem`] is written with its elements; a [`TimeSteppingRigidBodySystem`] also has a scheme and a time
//! step. What is read back has the same bits, and so has a rollout of it. Elements of types from outside this crate are
//! [registered](ElementTypes). Files are written whole or not at all.
//!
//! ```
//! use dualbody::contact::ContactModel;
//! use dualbody::force::JointSpring;
//! use dualbody::prelude::*;
//! use dualbody::tree::{BodyIndex, JointKind};
//!
//! let mut tree = RigidBodyTreeBuilder::new();
//! let bob = SpatialInertia::point_mass(2.0, vector![0.0, 0.0, -0.5]);
//! let bob = tree.add_body("bob", bob)?;
//! let (kind, here) = (JointKind::Revolute { axis: Vector3::y() }, RigidTransform::identity());
//! let hinge = tree.add_joint("hinge", kind, BodyIndex::WORLD, here, bob)?;
//! let tree = tree.finish()?;
//! let spring = JointSpring::new("spring", &tree, hinge, 3.0, 0.1, 0.2)?;
//! let machine = RigidBodySystem::new(tree, ContactModel::none())?.with_forces([spring])?;
//! let system = TimeSteppingRigidBodySystem::compliant(machine, 1e-3)?;
//!
//! let text = system.to_json()?;
//! let read = TimeSteppingRigidBodySystem::from_json(&text)?;
//! let start = read.state_from_json(&system.state_to_json(&system.initial_state())?)?;
//! let angle = |system: &TimeSteppingRigidBodySystem<f64>| Ok::<f64, Box<dyn std::error::Error>>(system.rollout(&start, 100)?.last().q[0]);
//! assert_eq!(angle(&read)?.to_bits(), angle(&system)?.to_bits());
//!
//! let soft = text.replace("\"stiffness\": 3.0", "\"stiffness\": \"soft\"");
//! let error = RigidBodySystem::from_json(&soft).unwrap_err().to_string();
//! assert_eq!(error, "forces/0/JointSpring/stiffness: invalid type: string \"soft\", expected f64");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A machine
//! ```json
//! {
//!   "format": "dualbody machine",
//!   "version": 1,
//!   "tree": {
//!     "gravity": [0.0, 0.0, -9.81],
//!     "bodies": [{
//!       "name": "bob",
//!       "inertia": {
//!         "mass": 2.0,
//!         "center_of_mass": [0.0, 0.0, -0.5],
//!         "rotational_inertia": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
//!       },
//!       "is_checked": true
//!     }],
//!     "joints": [{
//!       "name": "hinge",
//!       "kind": {"Revolute": {"axis": [0.0, 1.0, 0.0]}},
//!       "parent": "world",
//!       "child": "bob",
//!       "mounting": {
//!         "origin": [0.0, 0.0, 0.0],
//!         "orientation": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
//!         "rotation": [0.0, 0.0, 0.0]
//!       },
//!       "damping": [0.0],
//!       "friction": [0.0],
//!       "armature": [0.0],
//!       "limits": {"lower": ["-inf"], "upper": ["inf"], "velocity": ["inf"], "effort": ["inf"]},
//!       "mimic": null
//!     }],
//!     "frames": []
//!   },
//!   "contact": {"geometries": [], "pairs": []},
//!   "forces": [{"JointSpring": {
//!     "name": "spring",
//!     "joint": "hinge",
//!     "motion": "Rotation",
//!     "stiffness": 3.0,
//!     "damping": 0.1,
//!     "nominal_position": 0.2
//!   }}],
//!   "actuators": [{"GeneralizedForces": {"names": ["joint/hinge/force"]}}],
//!   "sensors": [],
//!   "constraints": [],
//!   "options": {"friction_edges": 4},
//!   "steps": {"time_step": 0.001, "scheme": "Compliant"},
//!   "units": {"force/spring/stiffness": "N m/rad"}
//! }
//! ```
//!
//! | part | what |
//! |---|---|
//! | `tree` | all bodies but the world (`is_checked`: whether a distribution of mass must be able to have the inertia), joints and frames, in the order of their indices. A body that no joint carries floats |
//! | `contact` | geometries with [`shape`](crate::geometry::Shape), pose and [`material`](crate::contact::ContactMaterial); the pairs that can touch, with a material of their own or null, the one with the shape of the smaller kind first |
//! | `forces`, `actuators`, `sensors`, `constraints`, `force_laws` (if there are any) | the elements, each an object with its [type](ElementTypes) as the only key |
//! | `options` | [`SystemOptions`](crate::system::SystemOptions), with the stiction tolerance as it is; what is left out has its default |
//! | `steps` | the time step in s and the [`Scheme`](crate::system::Scheme); a [`RigidBodySystem`] has none, and reads over it |
//! | `units` | the unit of each [parameter](crate::Parameters) by its full name. All are written; those that are given are compared |
//!
//! Keys are the names of fields, which are those that parameters have, and an enum is an object with the
//! name of the variant as its only key, or that name alone. Indices are names: of a body under `body`,
//! `body_a`, `body_b`, `parent`, `child` and `Body`, of a joint under `joint`, of a frame under `frame`,
//! `frames` and `Frame`, of a geometry under `geometry_a` and `geometry_b`. Vectors are lists, matrices
//! lists of their columns one after the other. The orientation of a `mounting` is `orientation exp(rotation)`, and that of
//! a geometry the one of its `pose_in_body` with `rotation` beside it, which is left out where it is zero.
//! Units are SI. A limit, a stiffness or a decay time that is infinite is `"inf"` or `"-inf"`. Keys may come
//! in any order; one that is unknown is an error.
//!
//! What follows from the rest is not stored, and everything is checked as when a machine is built.
//!
//! # A state
//! ```json
//! {
//!   "format": "dualbody state",
//!   "version": 1,
//!   "time": 0.0,
//!   "positions": {"hinge": [0.3]},
//!   "velocities": {"hinge": [0.0]},
//!   "actuators": [],
//!   "sensors": []
//! }
//! ```
//!
//! Coordinates go by the names of the joints that have some of their own, with the order and the units of
//! their [`JointKind`](crate::tree::JointKind); states of actuators and sensors are in their order.
//!
//! # A fit
//! ```json
//! {
//!   "format": "dualbody fit",
//!   "version": 1,
//!   "machine": "pendulum.json",
//!   "channels": [
//!     {"name": "angle", "measures": {"JointPosition": "hinge"}, "deviations": [1e-3]},
//!     {"name": "tip", "measures": {"Point": {"body": "bob", "position": [0, 0, -0.5]}}, "deviations": [5e-4]}
//!   ],
//!   "unknowns": [
//!     {"name": "body/bob/mass", "logarithmic": true},
//!     {"name": "damping", "initial": 0.1, "lower": 0, "adjusts": {"Parameters": [["joint/hinge/damping", 1.0]]}},
//!     {"name": "camera", "scale": 1e-3, "adjusts": {"Delay": {"channels": ["tip"], "experiment": null}}}
//!   ],
//!   "state_deviations": {"position": 0.01, "velocity": 0.1, "actuators": 1, "sensors": 1},
//!   "experiments": [
//!     {"name": "first", "signals": "first.csv", "start": "Measured"},
//!     {"name": "second", "signals": "second.csv", "start": {"Known": "start.json"}, "held_out": true}
//!   ]
//! }
//! ```
//!
//! A [`MotionFit`] is read from a document and the files that it names, from its folder: a machine with steps,
//! states, and [tables](crate::identification::motion::Signals::from_csv) of signals. It is what a
//! [`motion`](crate::identification::motion) is made of. Channels measure a
//! [`Measured`](crate::identification::motion::Measured) with the deviations of its entries, or one for all; an unknown
//! [`adjusts`](crate::identification::motion::Adjusts) something, or else the parameter of its name. Its unit and first
//! value are those of the first of its parameters, and its bounds are within those of all of them; else it starts from 1
//! for a gain and 0 otherwise, without bounds. `unit`, `initial`, `lower` and `upper` stand in place of these; `scale` and
//! `logarithmic` are those of an [`Unknown`](crate::identification::Unknown), and `"prior": {"mean": 2, "deviation": 0.1}` is its
//! [prior](crate::identification::Unknown::with_prior), about its first value unless a mean is given. Experiments have different names. A start is `"Measured"`, or `{"Known": FILE}` or `{"Guessed": FILE}` with
//! a state. Every column is one of a channel or of an input, with a unit, and every input has a column, but for those that lists
//! beside the others name: `"unused_columns": [NAME, …]`, and `"zero_inputs": [NAME, …]` of inputs that are zero where
//! they have none.
//!
//! `"signals"` may be a list of tables with [times of their own](crate::identification::motion#signals-with-times-of-their-own). A
//! table of another program is `{"file": FILE, "titles": {"header.stamp": "time [ns]", "position_0": "angle [rad]"}}`: of it
//! only the columns that are named are read, as if they had these titles. A file whose name ends with `.parquet` is read as such,
//! with the feature `parquet`. `"holds": {"joint/hinge/force": "FirstOrder"}` says what the device of an input makes of it
//! between samples, a [`Hold`](crate::identification::motion::Hold); it is `"ZeroOrder"` unless it is said. Gains, biases and
//! delays may be those of inputs: `{"Gain": {"channel": "joint/hinge/force", "entry": 0, "experiment": null}}`.
//!
//! Optional are `"loss"`, that of each residual (`"LeastSquares"`, or `{"Huber": 3}`, `SoftL1`, `Cauchy` with their threshold;
//! `{"Huber": 3}` unless it is given, so that an outlier does not move estimates), and `"noise"`, what is known of it with
//! least squares: `"Unit"` (the deviations are right, unless it is given), `"Estimated"` (but for a common factor) or
//! `"Independent"` (recordings are, and each is a block of the loss). A channel with `"estimate_deviations": true` has deviations that are a
//! first guess, and those of its residuals are [found](crate::identification::motion::fit_recordings).

#[cfg(doc)]
use crate::system::{RigidBodySystem, TimeSteppingRigidBodySystem};

mod document;
mod element_types;
mod error;
mod fit;
mod fit_result;
mod machine;
mod names;
mod number;
mod source_file;
mod state;
mod tables;

pub use element_types::ElementTypes;
pub use error::JsonError;
pub use fit::MotionFit;
pub use number::Number;
pub(crate) use number::{extended, extended_list, extended_or_nan};
pub use source_file::SourceFile;
