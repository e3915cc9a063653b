//! Models in MuJoCo's XML format (MJCF).
//!
//! A [`MjcfReader`] adds the bodies of a model, its joints and sites to a
//! [`RigidBodyTreeBuilder`](crate::tree::RigidBodyTreeBuilder), and hands back what lies on the tree:
//! shapes with the pairs of them that can touch, springs, actuators, sensors, constraints, key frames.
//! [`MjcfReader::system_from_file`] puts all of it together. A [`MjcfReport`] says what was left out. The
//! format is that of <https://mujoco.readthedocs.io/en/stable/XMLreference.html>.
//!
//! # What becomes of each element
//! | element | what becomes of it |
//! |---|---|
//! | `mujoco` | its `model` precedes all names, unless [another is given](MjcfReader::with_model_name) |
//! | `include` | replaced by what is in the file; paths, also those of meshes in it, are relative to the outermost file, or else to the one that includes |
//! | `replicate`, `attach` | copies of bodies, also of another `model`, and of what refers to them, with suffixes or prefixes to their names. The `world` of another model becomes a body; equalities with it stay with the world. What another model says of units, classes, meshes and key frames holds for its elements; its `option` does not count. What refers to a part of a copy and to something beside it, where the format makes no copy of it, is in [`MjcfReport::left_out`] |
//! | `compiler` | `angle`, `eulerseq`, `autolimits`, `inertiafromgeom`, `inertiagrouprange`, `boundmass`, `boundinertia`, `balanceinertia`, `settotalmass`, `alignfree`, `meshdir`, `assetdir`, `strippath`; `coordinate` must be local |
//! | `option` | `gravity` is that of the tree, `timestep` is [`MjcfModel::time_step`], `cone` is [`MjcfModel::round_friction_cones`]; of `flag` what says `gravity`, `contact`, `filterparent`, `limit` and `frictionloss` |
//! | `default` | classes, also `childclass`; elements that give the first entries of an array keep the rest |
//! | `body`, `frame` | a body, whose frame is that of the format. Without a joint it is fixed to its parent, also if it is `mocap` |
//! | `inertial`, or geoms | mass properties |
//! | `joint`, `freejoint` | `hinge`, `slide`, `ball`, `free` are joints of the tree, with `range`, `damping`, `frictionloss`, `armature`. A [machine](MjcfModel::system) holds them within their ranges, exactly instead of softly (a ball joint by the angle that it is turned), and lets them rub. A joint that starts beyond its range comes back with a [time constant](crate::system::SystemOptions::constraint_decay) of 0.05 s. `align` moves the frame of a free body. `actuatorfrcrange` limits the force of an actuator that acts on the joint alone, and is an effort limit of the tree where it is symmetric. Coordinates are those of the format, with `ref`; of a free joint [orientation and position](crate::tree::JointKind::Floating) change places, and angular velocities are expressed in the frame on the parent. Several joints on a body have bodies without mass between them |
//! | `stiffness`, `springref`, `springdamper` | a [`JointSpring`](crate::force::JointSpring) on hinges and slides; damping of `springdamper` is that of the joint |
//! | `geom` | a [`CollisionGeometry`](crate::contact::CollisionGeometry) for planes (half spaces), spheres, capsules, cylinders, boxes, ellipsoids, height fields and meshes (their convex hulls, or those of [their parts](MjcfReader::with_convex_decomposition)) that can touch something; also shapes that are fitted to the inertia of a mesh |
//! | `hfield` | a [`HeightField`](crate::geometry::HeightField), from `elevation`, MuJoCo's binary format or a PNG, of which it takes 8 bits. It has no walls and no bottom, and touches neither planes nor other fields; what it weighs and how that is spread is that of a box of the area of the field, as high as half of the elevation and the base, as in the format |
//! | `mesh` | from `file` or `vertex` and `face`, with `refpos`, `refquat`, `scale`; mass properties as `inertia` says (of geoms with `shellinertia` those of their surfaces), if not otherwise by the format's sum over pyramids, which counts space several times where a mesh is not convex. A hull has at most [so many vertices](MjcfReader::with_hull_vertices), or `maxhullvert` |
//! | `contype`, `conaffinity`, `exclude`, `pair` | pairs that can touch, [`MjcfModel::contact_model_builder`]; the friction of a listed pair is its own |
//! | `friction`, `condim`, `priority` | the coefficient of sliding, none with `condim` 1, with 4 that of spinning, and with 6 that of rolling; of two geoms the larger ones, or those of the geom with the higher priority; stiffness and dissipation are those of the reader's [material](MjcfReader::with_material), as the format's contact has other constants |
//! | `site` | a frame, if it has a name |
//! | `motor`, and `general` like it | a [`TorqueSource`](crate::actuator::TorqueSource) at a hinge or slide; its torque is the format's control |
//! | `position`, `velocity`, and `general` like them | a [`PdServo`](crate::actuator::PdServo) at a hinge or slide. Its inputs are position and rate of the joint, the format's control divided by the gear. `dampratio` is of the critical damping with the inertia that the joint moves in the reference configuration, while all others give way |
//! | ranges of controls and forces, also inherited | limits of these, or a [`Saturation`](crate::actuator::Saturation) |
//! | `connect`, `weld`, `joint` of `equality` | constraints, exact instead of soft. Of `joint` up to the linear term of `polycoef` |
//! | `jointpos`, `jointvel` | an [`Encoder`](crate::sensor::Encoder) of the joint that does not round; as all sensors under the name in the file, or `PLACE_KIND` |
//! | `accelerometer`, `gyro` | an [`Imu`](crate::sensor::Imu) at the site |
//! | `force`, `torque` | a [`ForceTorque`](crate::sensor::ForceTorque) of the body at the site |
//! | `touch` | a [`Touch`](crate::sensor::Touch) with the shape of the site |
//! | `framepos`, `framequat` of sites | a [`FramePose`](crate::sensor::FramePose) |
//! | `key` | a [`NamedConfiguration`](crate::io::NamedConfiguration), from `qpos`; what that does not give is as in the reference configuration |
//! | other actuators, sensors, equalities, tendons, `gravcomp`, `density`, `viscosity` and `wind` of the medium, meshes that are generated or of plugins, … | in [`MjcfReport::left_out`] or counted in [`MjcfReport::skipped`] |
//! | `composite`, `flexcomp`, meshes of massive geoms that are not found | an error, unless the reader is [lenient](MjcfReader::lenient) |
//!
//! [`MjcfReader::updated`] and [`MjcfReader::updated_file`] write the constants of a tree, and of springs,
//! actuators and equality constraints, into the texts that they came from.
//!
//! # Mistakes
//! A [`MjcfError`] names the file, the line, the element with the names of those around it, the attribute
//! and its value: `arm.xml:14: worldbody/body "forearm"/geom: size = "big", expected finite numbers
//! separated by spaces`. Mass properties are treated [as those of a URDF](crate::io::urdf#mistakes), but a `fullinertia` must be
//! positive definite.
//!
//! What MuJoCo 4.0 makes of values without sense is made of them here:
//!
//! | value | what becomes of it |
//! |---|---|
//! | a `range`, `ctrlrange`, `forcerange` or `actuatorfrcrange` whose numbers do not ascend | none; a mistake where it is to count, as `limited="true"` says. So is a missing one |
//! | `range` of a ball joint | a mistake if it counts and does not start at 0; with `limited="true"` alone the joint may not turn |
//! | numbers that are empty, as `pos=""` | as if they were absent |
//! | a key whose quaternion is zero | no rotation |
//! | `friction` below zero | none |
//! | `frictionloss` below zero, with which MuJoCo drives the joint | none, and in [`MjcfReport::left_out`] |
//! | two elements of a kind with one name; `noise` or `cutoff` of a sensor below zero; more velocities (`qvel`) or controls in a key than the model has | a mistake |
//! | `springdamper` of one positive number; `kv`, `dampratio` or `timeconst` of `position` below zero; an equality between a thing and itself | a mistake |
//! | `damping`, `stiffness` or `armature` of a joint below zero, with which MuJoCo computes | a mistake, as no machine here has them |
//! | a joint in `replicate` that is in no body there; a hinge or a ball behind a ball joint; joints of a body with more than 6 degrees of freedom | a mistake |
//! | `kv` beside `dampratio`; sites of an equality beside bodies, `anchor` or `relpose`; one of `reftype` and `refname`; `maxhullvert` below 4 but −1 | a mistake |
//! | an outermost `default` with another `class` than `main`; elements in an `include`; what is no number where numbers are wanted, also in `solref`, `rgba` and others that are not read | a mistake |
//! | elements nested more than 1000 deep, which MuJoCo reads | a mistake |
//! | principal moments A + B < C, which MuJoCo refuses | read, and in [`MjcfReport::implausible_inertia`] |
//! | moving bodies without mass, which MuJoCo refuses | read, and in [`MjcfReport::without_inertia`]; a machine whose mass matrix is singular by them is [refused](crate::system::RigidBodySystem) |
//! | planes on moving bodies, which MuJoCo refuses | half spaces that move |
//! | masses, `density` and moments of inertia below zero, which MuJoCo accepts where nothing moves by them | a mistake; moments not where `boundinertia` raises them |
//!
//! ```
//! use dualbody::io::mjcf::MjcfReader;
//! let text = r#"
//! <mujoco model="pendulum">
//!   <compiler angle="radian"/>
//!   <default><joint damping="0.1" armature="0.02"/></default>
//!   <worldbody>
//!     <body name="bob" pos="0 0 2">
//!       <joint name="hinge" axis="0 1 0" range="-2 2"/>
//!       <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5" mass="0.4"/>
//!     </body>
//!   </worldbody>
//!   <actuator><position name="servo" joint="hinge" kp="20"/></actuator>
//! </mujoco>"#;
//! let (tree, model) = MjcfReader::new().tree_from_str::<f64>(text)?;
//! let hinge = tree.joint(tree.joint_by_name("pendulum/hinge")?)?;
//! assert_eq!((hinge.armature(), hinge.limits().upper[0]), (&[0.02][..], 2.0));
//! assert_eq!(model.elements.actuators.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod actuator;
mod actuator_changes;
mod actuator_law;
mod alignment;
mod assembly;
mod attached_keys;
mod attachment;
mod body;
mod changes;
mod compiler;
mod contact;
mod defaults;
mod document;
mod element_changes;
mod element_constants;
mod elements;
mod equality;
mod equality_changes;
mod error;
mod geom;
mod height_field;
mod joint;
mod key_frame;
mod losses;
mod mesh;
mod mesh_inertia;
mod number;
mod reader;
mod references;
mod report;
mod resistance;
mod schema;
mod sensor;
mod shell_inertia;
mod update;

pub use elements::MjcfElements;
pub use error::{MjcfError, MjcfProblem};
pub use reader::{MjcfModel, MjcfReader};
pub use report::{MjcfMesh, MjcfMisspelling, MjcfOmission, MjcfReport};
