//! Motions and fits as pages that open in any browser, as glTF, and as tables.
//!
//! One line after a rollout makes a page of it:
//!
//! ```
//! use dualbody::prelude::*;
//!
//! let rubber = ContactMaterial::new(1e4, 0.2, 0.8)?;
//! let system = SystemBuilder::new()
//!     .floor("floor", rubber)
//!     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
//!     .compliant(1e-3)?;
//! let mut start = system.initial_state();
//! system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
//! let rollout = system.rollout(&start, 500)?;
//! # let folder = std::env::temp_dir().join(format!("dualbody_scene_{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let ball_html = folder.join("ball.html");
//! rollout.scene(&system)?.save(&ball_html)?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The page holds everything that it needs, so that it opens from disk without a network, on a phone too.
//! It plays, steps and turns; a body that is tapped says its name and can be followed.
//!
//! | what it shows | from |
//! |---|---|
//! | shapes; bodies without one by their mass properties | the contact model, the tree |
//! | springs, dampers, bushings, wings, constraints, sensors, limits of joints, as symbols | the elements, the tree |
//! | contact points, contact forces, forces and torques of elements and at joints, rays of lidars | the steps, made again |
//! | kinks on the time line: what touches, leaves, slips, sticks, reaches a stop | the same |
//! | charts that move with it: normal forces, energy, inputs, outputs, joints with limits, deflections of bushings | the same; [`Scene::with_chart`] adds others |
//! | other motions as ghosts, measured ones too | [`Scene::with_ghost`] |
//! | derivatives: ghosts moved along one, arrows | [`Scene::with_sensitivity`] |
//!
//! A motion is sampled at 60 frames per second of its time, from 300 to 3000 in all, in single precision.
//! Ten seconds of a humanoid are about two megabytes.
//!
//! [`FitReport`] is a page about an identification, with charts and scenes in it.
//! [`Scene::save_glb`] writes bodies and animation for other programs, [`Scene::save_csv`] the poses.

mod arrows;
mod correlations;
mod csv;
mod element_forces;
mod events;
mod fit_report;
mod forces;
mod gltf;
mod mesh;
mod model;
mod motion;
mod page;
mod rays;
mod recording_charts;
mod rounding;
#[allow(clippy::module_inception)] // what the module is about
mod scene;
mod sensitivity;
mod signals;
mod steps;
mod symbols;

pub use fit_report::FitReport;
pub use scene::Scene;
