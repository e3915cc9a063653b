//! Shapes, signed distances and contact points.

#![allow(non_snake_case)] // Monogram notation.

mod arbitrary;
#[path = "../support/arbitrary_number.rs"]
mod arbitrary_number;
mod box_box;
#[path = "../support/cases.rs"]
#[allow(dead_code)] // each test binary uses its part
mod cases;
mod closed_form;
mod convex_decomposition;
mod convex_pair;
mod convex_polyhedron;
mod coverage;
mod derivatives;
mod feature_margin;
mod flat_ties;
mod flush_faces;
mod height_field;
mod invariance;
mod line_contact;
mod meshes;
mod narrow_overlaps;
mod oracle;
mod points;
mod rays;
mod reference_distances;
mod reference_height_fields;
mod reference_special_distances;
mod shallow_overlaps;
mod shapes;
mod singular;
mod standing_cylinder;
mod support;
