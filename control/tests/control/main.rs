//! Regulators, estimators and plans, against closed forms and other solvers.

mod annealing;
mod averaged_slopes;
mod constraints;
mod designs;
mod distance_force;
mod ensembles;
mod estimators;
mod exact_hessians;
mod free_start;
mod hopper;
mod hostile;
mod limits;
mod line_steps;
mod linear_quadratic;
mod machines;
mod mpc;
mod properties;
mod regulators;
mod residuals;
mod scalar_residual;
mod scalar_step;
mod scenes;
