//! Force elements: laws that hold for all of them, and how systems step with them.

mod builtin;
mod bushing;
mod choosing;
mod conservative_bushing;
mod elements;
mod hostile;
mod laws;
mod singular;
mod stepping;
