//! Meshes in STL, OBJ, MSH and Collada, and what their points span.

#![no_main]

use dualbody::geometry::Shape;
use dualbody::io::mesh::Mesh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for read in [
        Mesh::from_stl,
        Mesh::from_obj,
        Mesh::from_msh,
        Mesh::from_collada,
    ] {
        if let Ok(mesh) = read("mesh", bytes) {
            let _ = Shape::<f64>::new_convex(&mesh.points);
        }
    }
});
