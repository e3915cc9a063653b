//! Force elements: laws that hold for all of them.

mod builtin;
mod bushing;
mod choosing;
mod conservative_bushing;
mod hostile;
mod laws;
mod singular;
