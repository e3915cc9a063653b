//! Estimation of parameters from measurements, with exact Jacobians.
//!
//! An [`Experiment`] predicts measurements from [`Unknown`]s and returns the residuals, written once
//! for all scalars. [`LevenbergMarquardt`] finds the unknowns of a [`Problem`] that minimise the
//! residuals of many experiments, with derivatives from dual numbers, bounds kept, outliers
//! resisted by a robust [`Loss`], and says in a [`Fit`] how far each estimate can be trusted:
//! standard errors, correlations, and which combinations of unknowns the data do not determine.
//! [`MultiStart`] fits from many starts where there are several minima, [`MultipleShooting`] long
//! motions from poor guesses; a [`motion`] of a machine is an experiment as data. Measurements that are linear in their parameters are a
//! [`LinearExperiment`], whose [`BaseParameters`] are those that can be told apart.
//!
//! # From experiments to a step
//! 1. Every experiment is evaluated with `f64` for its residuals and, where the step is taken, with
//!    duals for its Jacobian, in any order or in parallel. Its rows `[J r]`, times the root of the
//!    weights of the [`Loss`], are reduced by Householder reflections to an R factor of the size of
//!    the unknowns.
//! 2. The R factors of neighbours are folded together along a binary tree over the experiments
//!    ([`Parts`]). Memory does not grow with the number of residuals beyond the largest experiment,
//!    the bits depend neither on the number of threads nor on the [`Executor`], which may be many
//!    machines, and the condition number is not squared as by normal equations.
//! 3. The singular values of the R factor with its columns scaled to norm 1 separate the directions
//!    that the data determine from those that they do not; the latter are never moved along.
//! 4. In the determined directions the step minimises the linear model over a trust region, inside
//!    the bounds.
//!
//! The unknowns that are not held by a bound enter the singular values, the test of convergence and
//! the covariance; those that are held are reported as such.

pub(crate) mod autocorrelation;
mod base_parameters;
mod block_elimination;
mod candidates;
mod covariance;
mod cross_validation;
mod design_search;
mod determinability;
mod error;
mod evaluation;
mod excitation;
mod execution;
mod experiment;
mod experiment_design;
mod extrapolation;
mod fit;
mod gauss_newton;
mod levenberg_marquardt;
mod linear_experiment;
mod log_cholesky;
mod loss;
mod minimization;
pub mod motion;
mod multi_start;
mod multiple_shooting;
mod parametrization;
mod prediction;
mod prior;
mod problem;
mod profile_likelihood;
mod question;
mod r_factor;
mod report;
mod requests;
mod residual_store;
mod robust_cost;
mod round_off;
mod segmented_trajectory;
mod shooting;
mod shooting_solution;
mod student;
mod trust_region;
mod unknown;
mod verdict;

pub use crate::Parallelism;
pub use autocorrelation::Autocorrelation;
pub use base_parameters::BaseParameters;
pub use candidates::{Candidate, compare_candidates};
pub use covariance::Noise;
pub use cross_validation::{CrossValidation, HeldOut, Predicted};
pub use design_search::ImprovedDesign;
pub use determinability::{Determinability, Direction};
pub use error::{EvaluationError, IdentificationError};
pub use evaluation::{Evaluator, Workspace};
pub use excitation::{Excitation, Moment};
pub use execution::{ExecutionError, Executor, Items, Part, Parts};
pub use experiment::Experiment;
pub use experiment_design::{DesignScore, Optimality, PlannedExperiment};
pub use fit::{
    Consequence, Estimate, Failure, Fit, FittedExperiment, Iteration, Status, StopReason,
};
pub use gauss_newton::Bound;
pub use levenberg_marquardt::LevenbergMarquardt;
pub use linear_experiment::LinearExperiment;
pub use log_cholesky::{InertiaEstimate, LogCholesky};
pub use loss::{Blocks, Loss};
pub use multi_start::{LocalFit, MultiStart, MultiStartFit};
pub use multiple_shooting::{FailedStage, MultipleShooting, MultipleShootingFit, Stage};
pub use parametrization::{ConsistentInertias, EqualityConstraints, Parametrization};
pub use prediction::PredictionBand;
pub use prior::Prior;
pub use problem::Problem;
pub use profile_likelihood::{Profile, ProfileEnd, ProfileLikelihood, ProfilePoint};
pub use question::{Answer, Question};
pub use segmented_trajectory::SegmentedTrajectory;
pub use shooting::Shooting;
pub use unknown::{Transform, Unknown};
pub use verdict::{Change, Verdict};
