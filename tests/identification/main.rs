//! Identification of parameters from measurements.

mod bushing;
mod common;
mod failures;
mod fit;
mod multi_start;
mod nist;
mod oscillator;
mod robust;
