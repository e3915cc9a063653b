//! Multibody dynamics with contact in which every component is generic over the scalar.
//!
//! With `f64` the code is a simulator. With dual numbers the same code gives exact derivatives of what
//! it simulates: with respect to states, controls, masses, dimensions, stiffness, dissipation,
//! friction, the time step. It exists for three jobs: gradients of contact outcomes, identification
//! of contact and joint parameters from measurements, and checking Jacobians in tests.
//!
//! # A first example
//! A box is pushed over the floor. How far does it slide, and what does that depend on?
//!
//! ```
//! use dualbody::prelude::*;
//!
//! /// The distance in m that a box slides, from its initial speed in m/s and the coefficient of friction.
//! fn slide<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
//!     let mut system = system.clone();
//!     system.set_parameter("box|floor/friction", x[1])?;
//!     let mut start = system.initial_state();
//!     system.set_body_position(&mut start, "box", [0.0, 0.0, 0.05].map(T::from).into())?;
//!     start.v[3] = x[0]; // v = [w; v] of the box
//!     let end = system.rollout(&start, 400)?;
//!     Ok(system.body_pose(end.last(), "box")?.translation.x)
//! }
//!
//! fn main() -> Result<()> {
//!     let material = ContactMaterial::new(1e5, 0.5, 0.3)?; // N/m, s/m, 1
//!     let system = SystemBuilder::new()
//!         .floor("floor", material)
//!         .free_body("box", Shape::new_box(Vector3::repeat(0.1))?, 1.0, material) // kg
//!         .pair_material("box", "floor", material)
//!         .compliant(1e-3)?; // s
//!     let (way, slope) = gradient!(slide, &system, [1.0, 0.3])?;
//!     println!("{way} m, {} m per m/s, {} m per unit of friction", slope[0], slope[1]);
//!     Ok(())
//! }
//! ```
//!
//! Every constant of the machine has a name. `println!("{}", system.parameters())` prints them as a table:
//!
//! ```text
//! parameter                       value       unit       bounds
//! body/box/mass                   1           kg         [0, ∞)
//! ...
//! gravity/z                       -9.81       m/s²       (-∞, ∞)
//! ...
//! pair/box|floor/friction         0.3         1          [0, 1e100]
//! ...
//! time_step                       0.001       s          (0, ∞)
//! ```
//!
//! `set_parameter` sets one by its name or the end of its name, and answers a name that it does not know with the three
//! nearest. `set_gravity` sets all of gravity, `set_body_mass` a mass with the inertia that belongs to it.
//!
//! # Ten jobs
//! With a machine `system` and a state `start`, here a ball over a floor:
//!
//! **Simulate, and keep what happens.**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! let kept = dualbody::system::Kept { contacts: true, ..Default::default() };
//! let rollout = system.rollout_keeping(&start, 500, kept)?;
//! let height = system.body_pose(rollout.last(), "ball")?.translation.z;
//! let peak = rollout.contacts.iter().flatten().map(|c| c.force.z).fold(0.0, f64::max);
//! # assert!(height < 0.3 && peak > 2.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **What does an outcome depend on, and how far does its derivative hold?**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! fn height<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
//!     let mut system = system.clone();
//!     system.set_parameter("ball/mass", x[0])?;
//!     Ok(system.rollout(&system.initial_state(), 20)?.last().q[6])
//! }
//! let found = gradient_with_radius!(height, &system, [0.2])?;
//! # let _ = found;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **The Jacobian of a step, with parameters by name.**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! use dualbody::system::StepJacobian;
//! let mut jacobian = StepJacobian::default();
//! let mut steps = StepDifferentiator::new(&system, &["ball/mass", "geometry/ball/friction"])?;
//! let end = steps.jacobian(&start, &[], &mut jacobian)?; // jacobian.state, .input, .parameters
//! # assert_eq!(end.v.len(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **A linear model, by names.**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! let model = system.linearize(&start, &[])?; // A, B, C, D
//! let gain = model.gain("ball/position/5", "ball/velocity/5");
//! # assert!(gain.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Where does it rest?**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! let mut guess = start.clone();
//! system.set_body_position(&mut guess, "ball", vector![0.0, 0.0, 0.0499])?;
//! let rest = system.system().equilibrium(&guess, &[], 1e-9)?;
//! # assert!(rest.q[6] < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Gradients of a long rollout by everything: the adjoint.**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! # use dualbody::system::{Adjoint, RolloutObjective};
//! struct End;
//! impl RolloutObjective for End {
//!     fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
//!         if step == 300 { state.q[6] } else { T::zero() }
//!     }
//! }
//! let inputs = nalgebra::DMatrix::zeros(0, 300);
//! let gradient = Adjoint::new(&system, &["ball/mass"])?.gradient(&End, &start, &inputs)?;
//! # assert_eq!(gradient.initial_state.len(), 13);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Is a Jacobian of my own right?**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! fn polar<T: Scalar>(x: &[T]) -> Result<Vec<T>> {
//!     Ok(vec![T::norm_lifted(x), x[1].atan2_lifted(x[0])])
//! }
//! assert_jacobian!(polar, [0.3, 2.0]);
//! # let _ = (system, start);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Constants from measurements.**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! # use dualbody::identification::{Experiment, LevenbergMarquardt, Problem, Unknown};
//! struct Drop(TimeSteppingRigidBodySystem<f64>, State<f64>, f64);
//! impl Experiment for Drop {
//!     type Error = dualbody::Error;
//!     fn residual_count(&self) -> usize { 1 }
//!     fn residuals<T: DefaultScalar>(&self, p: &[T], residuals: &mut [T]) -> Result<()> {
//!         let mut system = self.0.cast::<T>();
//!         system.set_gravity(vector![T::zero(), T::zero(), -p[0]])?;
//!         residuals[0] = system.rollout(&self.1.cast(), 200)?.last().q[6] - self.2;
//!         Ok(())
//!     }
//! }
//! let experiments = [Drop(system, start, 0.1028)];
//! let unknowns = [Unknown::new("gravity", "m/s²", 9.0)?];
//! let fit = LevenbergMarquardt::new().fit(&Problem::new(unknowns, &experiments)?)?;
//! # assert!((fit.estimates[0].value - 9.81).abs() < 0.1, "{fit}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **A robot from a file, and a machine into one.**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! # #[cfg(all(feature = "urdf", feature = "serde"))] {
//! use dualbody::io::urdf::UrdfReader;
//! let robot = r#"<robot name="arm"><link name="base"/></robot>"#;
//! let (tree, _) = UrdfReader::new().tree_from_str::<f64>(robot)?;
//! let text = system.system().to_json()?; // or .save("machine.json")?
//! # let _ = (tree, text); }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Look at it in a browser.**
//!
//! ```
//! # use dualbody::prelude::*;
//! # let rubber = ContactMaterial::new(1e4, 0.5, 0.3)?;
//! # let system = SystemBuilder::new().floor("floor", rubber)
//! #     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber).compliant(1e-3)?;
//! # let mut start = system.initial_state();
//! # system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! # #[cfg(feature = "scene")] {
//! let page = system.rollout(&start, 400)?.scene(&system)?; // .save("ball.html")?
//! # let _ = page; }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go on
//! | job | page | examples |
//! |---|---|---|
//! | gradients of contact outcomes | [gradients](guide::gradients) | `contact_gradients`, `bounce_gradients`, `friction_gradients`, `throw` |
//! | constants from measurements | [identification](guide::identification) | `identify_contact`, `identify_machine`, `identify_bushing`, `identify_elbow`, `identify_suspension` |
//! | checking Jacobians | [checking](guide::checking_jacobians) | `contact_gradients` |
//! | choosing time step, stiffness, tolerances | [choosing](guide::choosing) | `bounce_gradients` |
//! | a robot description; many robots | [`io::urdf`] | `load_urdf`, `machine_file` |
//! | closed loops, controllers, forces of one's own | [`constraint`], [`actuator`], [`force`] | `constraints`, `balance`, `remote_actuator`, `custom_force` |
//! | looking at all of it | `scene` | `gallery`, which runs every example and makes a page that leads to theirs |
//!
//! Examples are in the folder `examples` of the repository; `cargo run --release --example slide` is the program
//! above. Each ends by saying which page to open in a browser.
//!
//! Who comes from other software finds its members [from Drake](guide::from_drake),
//! [from MuJoCo](guide::from_mujoco) and [from Pinocchio](guide::from_pinocchio); there is a
//! [glossary](guide::glossary), and [how it is built](guide::architecture).
//!
//! # The one idea
//! *Decide in `f64`, converge in `f64`, differentiate at the solution.* Whatever is implicit, a contact
//! step or a linear solve, is a root `r(x, p) = 0`. Which features touch, Newton's iterations, pivots
//! and tests of convergence look at real parts only. The derivatives follow from the implicit function
//! theorem, by a chord iteration in the scalar `T` with the Jacobian that `f64` has factored:
//!
//! ```text
//! x ← x − J₀⁻¹ r(x, p),    J₀ = ∂r/∂x at the solution
//! ```
//!
//! Each sweep makes one more order of derivatives exact ([`autodiff::implicit_step`]). A dual number
//! never passes through an iteration or a factorisation; that makes derivatives cheap, and simulated
//! values the same bits with every scalar. Where a law has a kink the real part decides, and the
//! solution says [how far the kink is](system::StepStatus::nearest_kinks).
//!
//! # Map
//! | module | what is in it | uses |
//! |---|---|---|
//! | [`scalar`] | [`Scalar`], the number type, with functions that keep derivatives where plain duals lose them | |
//! | [`error`], [`parameter`] | [`InvalidInput`]; [`Parameters`], constants by name | `scalar` |
//! | [`autodiff`] | gradient, Jacobian, Hessian; implicit steps; a checker of Jacobians | `math`, for factors |
//! | [`math`] | rotations, spatial vectors and inertias, factorisations | `scalar` |
//! | [`solver`] | the implicit Stribeck solver and complementarity problems, both given as matrices | `autodiff`, `math` |
//! | [`integrator`] | explicit, adaptive and implicit integrators, events | `autodiff`, `math` |
//! | [`geometry`] | shapes, signed distances, contact points, rays | `math` |
//! | [`tree`] | rigid body trees: kinematics, Jacobians, dynamics | `math` |
//! | [`contact`] | geometries on bodies, materials, contact points, resultants | `geometry`, `tree` |
//! | [`force`] | force elements, bushings, how to choose their constants | `tree` |
//! | [`constraint`] | constraints and rigid contacts, on accelerations and on velocities | `contact`, `solver`, `tree` |
//! | [`actuator`], [`sensor`] | what drives and what measures a system | `contact`, `force`, `tree` |
//! | [`system`] | the description of a machine, its steps and its continuous time, adjoints, energy | all above |
//! | [`identification`] | parameters from measurements, with covariance | `autodiff`, `system` |
//! | [`io`] | robot descriptions (URDF, MJCF, SRDF), meshes; machines and states as JSON | `contact`, `tree`, `system` |
//! | `scene` | motions and fits as pages, as glTF and as tables | `identification`, `plot`, `system` |
//! | `plot` | charts as SVG | |
//! | [`constants`](mod@constants) | casts, parameters and checks of an element from one list of its fields | `parameter` |
//!
//! Each module's documentation derives its mathematics.
//!
//! # Conventions
//! - *SI units*: m, kg, s, N, rad.
//! - *Monogram notation*: `p_AoCo_B` is the position from Ao to Co expressed in B; `R_AB` takes
//!   components in B to components in A; `X_AB` is the pose of B in A; `w_AC_A` the angular velocity
//!   of C in A, expressed in A. W is the world, `Bo` the origin of B.
//! - *Spatial vectors*: rotation first, `V = [w; v]` and `F = [torque; force]`.
//! - *Quaternions*: (w, x, y, z), of unit length; a step normalises them.
//! - *Floating bodies*: a body that no joint holds floats, with `q = [quaternion, p_WBo]` and
//!   `v = [w_WB_W; v_WBo_W]`, so nq = 7 and nv = 6. In general nq ≠ nv and `q̇ = N(q) v`
//!   ([`map_velocity_to_qdot`](tree::RigidBodyTree::map_velocity_to_qdot)).
//! - *Contact*: penetration is positive when bodies overlap, the separation velocity when they part,
//!   and normals point from B into A ([`contact`]).
//! - *Gravity* is (0, 0, −9.81) m/s² unless it is set.
//! - *Errors*: data that cannot be used is an `Err` which names the quantity, the value and the
//!   place.
//!
//! # Speed
//! What machines do in `f64` and in the scalar of `gradient!` and `jacobian!` is compiled with this crate, so that a change
//! to a program that uses these is built in seconds; other scalars are compiled with the program.
//! For long runs, dual numbers are up to twice as fast where everything is optimised as one. A profile is not inherited
//! from a dependency, so an application sets it itself:
//!
//! ```toml
//! [profile.release]
//! codegen-units = 1
//! lto = "fat"
//! ```
//!
//! With this, inverse dynamics in eight directions costs about seven evaluations in `f64`; without,
//! over twenty. nalgebra is slow without optimisation: `opt-level = 3` in `[profile.dev.package."*"]`
//! keeps programs fast while one works on them.
//!
//! # Features
//! - `urdf` (default): reads robot descriptions in URDF, MJCF and SRDF, and meshes; writes constants back into URDF and
//!   MJCF.
//! - `serde`: writes machines and states as [JSON](io::json), and reads them, and fits; reads tables of signals.
//! - `parquet`: reads tables of signals in Apache Parquet.
//! - `plot`: charts as SVG.
//! - `scene`: motions as pages that open in a browser, and as glTF.
//! - `parallel`: several threads evaluate the experiments of an identification and, on request, the members of a
//!   [batch](system::Batch) and what no contact couples in a step, with the bits of one.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod actuator;
pub mod autodiff;
pub mod constants;
pub mod constraint;
pub mod contact;
mod decision;
mod default_scalar;
mod erased;
pub mod error;
pub mod force;
pub mod geometry;
#[cfg(any(doc, doctest))]
pub mod guide;
pub mod identification;
#[doc(hidden)]
pub mod instances;
pub mod integrator;
pub mod io;
mod kink;
pub mod math;
mod parallelism;
pub mod parameter;
#[cfg(feature = "plot")]
pub mod plot;
pub mod prelude;
mod random;
pub mod remote;
pub mod scalar;
#[cfg(feature = "scene")]
pub mod scene;
pub mod sensor;
pub mod solver;
mod spelling;
pub mod system;
pub mod tree;

pub use decision::{Decision, FindChange, Margin, Observable, Observer, Search};
pub use default_scalar::DefaultScalar;
pub use error::{Error, InvalidInput, NotFiniteElement, Result};
pub use kink::ElementKink;
pub use nalgebra;
pub use num_dual;
pub use parallelism::Parallelism;
pub use parameter::{ParameterError, Parameters};
pub use random::Random;
pub use scalar::Scalar;

/// The programs of the README, so that they stay right.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
