//! MJCF: mass properties of triangle meshes.

use super::defaults::Item;
use super::error::MjcfError;
use crate::io::mesh::Mesh;
use crate::math::SpatialInertia;
use nalgebra::{Matrix3, Vector3};

/// What of a mesh has the density of a geom.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Filling {
    /// Pyramids between the triangles and a point in the middle, whichever side the triangles look to:
    /// where a mesh is not convex, some of the space counts several times.
    Legacy,
    /// What the triangles enclose.
    Exact,
    /// What the convex hull encloses.
    Convex,
    /// The surface.
    Shell,
}

impl Filling {
    pub fn new(item: &Item) -> Result<Self, MjcfError> {
        match item.text("inertia") {
            None | Some("legacy") => Ok(Filling::Legacy),
            Some("exact") => Ok(Filling::Exact),
            Some("convex") => Ok(Filling::Convex),
            Some("shell") => Ok(Filling::Shell),
            Some(_) => {
                let expected = "legacy, exact, convex or shell";
                Err(item.holder("inertia").value("inertia", expected))
            }
        }
    }

    /// The mass properties of a mesh with density 1 per volume, of a shell per area; none if that is not
    /// positive.
    ///
    /// With the corners D, E, F of a triangle, seen from the centre of mass, and S = D + E + F, the pyramid
    /// of volume `v` below it adds `v (D Dᵀ + E Eᵀ + F Fᵀ + S Sᵀ)/20` to the second moments, and the
    /// triangle itself, of area `v`, the same divided by 12. The centre of mass of the pyramid is a quarter
    /// of the way up from its apex, which is the centroid of the surface; once the centre of mass of all is
    /// known, it is the apex instead, and it is these volumes that the format adds up to the mass. For
    /// all but the legacy filling both sums are the same.
    pub fn inertia(self, mesh: &Mesh) -> Option<SpatialInertia<f64>> {
        let share = match self {
            Filling::Shell => 12.0,
            _ => 20.0,
        };
        let triangles = || (mesh.triangles.iter()).map(|t| t.map(|i| mesh.points[i]));
        let (mut area, mut surface) = (0.0, Vector3::zeros());
        for [d, e, f] in triangles() {
            let a = (e - d).cross(&(f - d)).norm() / 2.0;
            area += a;
            surface += (d + e + f) * (a / 3.0);
        }
        let apex = surface / area;
        let (mut total, mut first) = (0.0, Vector3::zeros());
        for corners in triangles() {
            let v = self.measure(&corners, &apex);
            let [d, e, f] = corners;
            total += v;
            first += (d + e + f + apex) * (v / 4.0);
        }
        let center = match self {
            Filling::Shell => apex,
            _ => first / total,
        };
        let (mut mass, mut second) = (0.0, Matrix3::zeros());
        for corners in triangles() {
            let v = self.measure(&corners, &center);
            let [d, e, f] = corners.map(|p| p - center);
            mass += v;
            for r in [d, e, f, d + e + f] {
                second += r * r.transpose() * (v / share);
            }
        }
        let is_solid = mass > 0.0 && mass.is_finite() && second.iter().all(|x| x.is_finite());
        is_solid.then(|| SpatialInertia {
            mass,
            center_of_mass: center,
            rotational_inertia: Matrix3::from_diagonal_element(second.trace()) - second,
        })
    }

    /// The area of a triangle, or the volume between it and a point.
    fn measure(self, &[d, e, f]: &[Vector3<f64>; 3], apex: &Vector3<f64>) -> f64 {
        let normal = (e - d).cross(&(f - d));
        let volume = normal.dot(&(d - apex)) / 6.0;
        match self {
            Filling::Shell => normal.norm() / 2.0,
            Filling::Legacy => volume.abs(),
            _ => volume,
        }
    }
}
