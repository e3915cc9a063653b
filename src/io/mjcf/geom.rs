//! What `<geom>` says: shape, mass, what it touches.

use super::compiler::{Compiler, from_z_axis};
use super::defaults::Item;
use super::error::MjcfError;
use crate::InvalidInput;
use crate::geometry::Shape;
use crate::math::{RigidTransform, SpatialInertia};
use nalgebra::Vector3;
use std::collections::HashSet;
use std::f64::consts::PI;

const TYPES: &str = "plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh or sdf";

/// The contents of `<geom>`.
pub(super) struct Geom<'a> {
    pub item: Item<'a>,
    /// Pose in the body.
    pub pose: RigidTransform<f64>,
    pub form: Form,
    /// About the body's origin, expressed in the body; none of what has no mass.
    pub inertia: Option<SpatialInertia<f64>>,
    /// Whether mass that is not known would count for the body.
    pub lacks_inertia: bool,
    /// `contype` and `conaffinity`.
    pub touches: [u32; 2],
    pub friction: f64,
}

impl Geom<'_> {
    /// Whether it can touch anything, by its bits or in a pair of those that are listed.
    pub fn can_touch(&self, listed: &HashSet<&str>) -> bool {
        let name = self.item.node.text("name");
        self.touches != [0, 0] || name.is_some_and(|name| listed.contains(name))
    }
}

/// Shapes that there are here, and those that there are not.
pub(super) enum Form {
    Shape(Shape<f64>),
    Mesh,
    /// A height field.
    Other,
}

/// Reads `<geom>`.
pub(super) fn geom<'a>(item: Item<'a>, compiler: &Compiler) -> Result<Geom<'a>, MjcfError> {
    let mut pose = compiler.pose(&item)?;
    let mut size = [0.0; 3];
    item.overlay("size", &mut size)?;
    let kind = item.text("type").unwrap_or("sphere");
    if let Some([a, b, c, d, e, f]) = item.array("fromto")? {
        let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
        let span = from - to;
        let length = span.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(item
                .holder("fromto")
                .value("fromto", "two different points"));
        }
        pose = RigidTransform::new(from_z_axis(&(span / length)), (from + to) / 2.0);
        size = match kind {
            "box" | "ellipsoid" => [size[0], size[0], length / 2.0],
            _ => [size[0], length / 2.0, 0.0],
        };
    }
    let mesh = item.text("mesh");
    let invalid = |e: InvalidInput| item.holder("size").error(e);
    let [a, b, c] = size;
    let form = match (kind, mesh) {
        ("mesh" | "sdf", _)
        | ("sphere" | "capsule" | "ellipsoid" | "cylinder" | "box", Some(_)) => Form::Mesh,
        ("plane", _) => Form::Shape(Shape::HalfSpace),
        ("sphere", _) => Form::Shape(Shape::new_sphere(a).map_err(invalid)?),
        ("capsule", _) => Form::Shape(Shape::new_capsule(a, 2.0 * b).map_err(invalid)?),
        ("cylinder", _) => Form::Shape(Shape::new_cylinder(a, 2.0 * b).map_err(invalid)?),
        ("box", _) => Form::Shape(Shape::new_box(Vector3::from(size) * 2.0).map_err(invalid)?),
        ("ellipsoid", _) => {
            Form::Shape(Shape::new_ellipsoid(Vector3::from(size)).map_err(invalid)?)
        }
        ("hfield", _) => Form::Other,
        _ => return Err(item.holder("type").value("type", TYPES)),
    };
    let group = item.number("group")?.unwrap_or(0.0);
    let [first, last] = compiler.inertia_groups;
    let is_solid = !matches!(kind, "plane" | "hfield") && (first..=last).contains(&group);
    let explicit = item.number("mass")?;
    let density = item.number("density")?.unwrap_or(1000.0);
    for (name, value) in [("mass", explicit), ("density", Some(density))] {
        if value.is_some_and(|value| value < 0.0) {
            return Err(item
                .holder(name)
                .value(name, "a number that is not negative"));
        }
    }
    let is_shell = item.flag("shellinertia")? == Some(true);
    let has_mass = is_solid && explicit.unwrap_or(density) > 0.0;
    let volume = match &form {
        Form::Mesh => None,
        _ if is_shell => None,
        _ => match kind {
            "sphere" => Some(4.0 / 3.0 * PI * a * a * a),
            "capsule" => Some(PI * a * a * (2.0 * b + 4.0 / 3.0 * a)),
            "cylinder" => Some(2.0 * PI * a * a * b),
            "box" => Some(8.0 * a * b * c),
            "ellipsoid" => Some(4.0 / 3.0 * PI * a * b * c),
            _ => None,
        },
    };
    let inertia = match (&form, volume, has_mass) {
        (Form::Shape(shape), Some(volume), true) => {
            let mass = explicit.unwrap_or(density * volume);
            let inertia = shape.solid_inertia(mass).map_err(|e| item.node.error(e))?;
            Some(inertia.transformed(&pose.rotation, &pose.translation))
        }
        _ => None,
    };
    let mut friction = [1.0, 0.0, 0.0];
    item.overlay("friction", &mut friction)?;
    if friction[0] < 0.0 {
        return Err(item
            .holder("friction")
            .value("friction", "numbers that are not negative"));
    }
    let bits = |name| -> Result<u32, MjcfError> {
        let bits = item.number(name)?.unwrap_or(1.0);
        let is_integer = bits.fract() == 0.0 && (-2147483648.0..=4294967295.0).contains(&bits);
        match is_integer {
            true => Ok(bits as i64 as u32),
            false => Err(item.holder(name).value(name, "an integer of 32 bits")),
        }
    };
    Ok(Geom {
        item,
        pose,
        lacks_inertia: has_mass && inertia.is_none(),
        inertia,
        form,
        touches: [bits("contype")?, bits("conaffinity")?],
        friction: friction[0],
    })
}
