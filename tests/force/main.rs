//! Force elements: laws that hold for all of them, and how systems step with them.

#[path = "../support/mod.rs"]
mod support;

mod builtin;
mod bushing;
mod choosing;
mod conservative_bushing;
mod elements;
mod hostile;
mod laws;
mod singular;
mod stepping;
