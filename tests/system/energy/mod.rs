//! Energy and momentum.

mod energy_ledger;
mod energy_of_every_element;
mod energy_of_schemes;
mod fast_rotation;
mod free_flight;
mod mechanisms_in_flight;
mod momentum;
