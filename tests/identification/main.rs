//! Identification of parameters from measurements.

#[path = "../support/mod.rs"]
mod support;

mod bushing;
mod bushings_in_a_row;
mod common;
mod convergence;
mod coverage;
mod cross_validation;
mod data_contract;
mod excitation;
mod execution;
mod experiment_design;
mod failures;
mod fit;
mod hostile_input;
mod linear;
mod log_cholesky;
mod mgh;
mod motion;
mod multi_start;
mod multiple_shooting;
mod nist;
mod oscillator;
mod own_rates;
mod priors;
mod profile_likelihood;
mod recording_files;
mod recording_noise;
mod reference_parquet;
mod robust;
mod verdicts;
