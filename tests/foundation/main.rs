//! Scalars, mathematics, parameters; pages and documents.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../examples/support/arguments.rs"]
#[allow(dead_code)]
mod arguments;
#[path = "../../examples/support/output.rs"]
#[allow(dead_code)]
mod output;

mod arbitrary;
mod constants;
mod documents;
mod errors;
mod example_arguments;
mod fit_page;
mod jacobian_checker;
mod math;
mod parameter;
mod radius;
mod remedies;
mod scalar;
mod scene;
mod scene_of_elements;
mod template;
