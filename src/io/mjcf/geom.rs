//! MJCF: the element `<geom>`, shape, mass and contact properties.

use super::alignment::principal_frame;
use super::body::BodyReader;
use super::compiler::span;
use super::contact::SurfaceFriction;
use super::defaults::Item;
use super::error::{MjcfError, MjcfProblem};
use super::shell_inertia;
use crate::Scalar;
use crate::contact::RotationalFriction;
use crate::geometry::Shape;
use crate::math::{RigidTransform, SpatialInertia};
use nalgebra::Vector3;
use std::f64::consts::PI;
use std::slice;

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
    /// Whether it can touch anything, by its bits or in a pair of those that are listed.
    pub can_touch: bool,
    pub friction: SurfaceFriction,
    pub priority: f64,
}

/// Sliding, torsional and rolling friction of the format where nothing is said.
pub(super) const FRICTION: [f64; 3] = [1.0, 0.005, 0.0001];

/// `condim`: with 1 contacts have no friction, with 4 they resist spinning, with 6 rolling, too.
pub(super) fn contact_dimension(item: &Item) -> Result<u8, MjcfError> {
    match item.number("condim")? {
        None => Ok(3),
        Some(x) if [1.0, 3.0, 4.0, 6.0].contains(&x) => Ok(x as u8),
        Some(_) => Err(item.holder("condim").value("condim", "1, 3, 4 or 6")),
    }
}

/// The friction against turning of a contact dimension.
pub(super) fn rotational_friction<T: Scalar>(
    dimension: u8,
    torsional: T,
    rolling: T,
) -> Option<RotationalFriction<T>> {
    (dimension >= 4).then_some(RotationalFriction {
        torsional,
        rolling: if dimension >= 6 { rolling } else { T::zero() },
    })
}

/// Shapes that there are here, and those that there are not.
pub(super) enum Form {
    Shape(Shape<f64>),
    /// The convex hull of a mesh, or those of its parts.
    Hulls(Vec<Shape<f64>>),
    /// A mesh that touches nothing or has no hull.
    Mesh,
    /// A height field that touches nothing or whose file is not found.
    HeightField,
}

impl Form {
    /// The shapes that stand for it.
    pub fn shapes(&self) -> &[Shape<f64>] {
        match self {
            Form::Shape(shape) => slice::from_ref(shape),
            Form::Hulls(shapes) => shapes,
            Form::Mesh | Form::HeightField => &[],
        }
    }
}

/// Reads `<geom>`, with the mass that it has if it `weighs`.
pub(super) fn geom<'a>(
    item: Item<'a>,
    reader: &BodyReader<'a, '_>,
    weighs: bool,
) -> Result<Geom<'a>, MjcfError> {
    let compiler = reader.compilers.of(&item.node);
    let mut pose = compiler.pose(&item)?;
    let mut size = [0.0; 3];
    item.overlay("size", &mut size)?;
    let kind = item.text("type").unwrap_or("sphere");
    let fitted_kind = item.text("mesh").map(|_| "mesh");
    if let Some((between, length)) = span(&item, fitted_kind.unwrap_or(kind))? {
        pose = between;
        size = spanned(kind, size, length);
    }
    let bits = |name| -> Result<u32, MjcfError> {
        let bits = item.number(name)?.unwrap_or(1.0);
        let is_integer = bits.fract() == 0.0 && (-2147483648.0..=4294967295.0).contains(&bits);
        match is_integer {
            true => Ok(bits as i64 as u32),
            false => Err(item.holder(name).value(name, "an integer of 32 bits")),
        }
    };
    let touches = [bits("contype")?, bits("conaffinity")?];
    let is_listed = (item.node.text("name")).is_some_and(|name| reader.listed.contains(name));
    let can_touch = touches != [0, 0] || is_listed;
    let group = item.number("group")?.unwrap_or(0.0);
    let [first, last] = compiler.inertia_groups;
    let is_solid = kind != "plane" && (first..=last).contains(&group);
    let explicit = item.number("mass")?;
    let density = item.number("density")?.unwrap_or(1000.0);
    for (name, value) in [("mass", explicit), ("density", Some(density))] {
        if value.is_some_and(|value| value < 0.0) {
            return Err(item
                .holder(name)
                .value(name, "a number that is not negative"));
        }
    }
    let has_mass = weighs && is_solid && explicit.unwrap_or(density) > 0.0;
    let is_primitive = matches!(
        kind,
        "sphere" | "capsule" | "ellipsoid" | "cylinder" | "box"
    );
    let mesh = match (kind, item.text("mesh")) {
        // Of a plugin without a mesh.
        ("sdf", None) => None,
        ("mesh", None) => Some(item.node.required("mesh")?),
        ("plane" | "hfield", _) => None,
        (_, mesh) => mesh,
    };
    let is_shell = item.flag("shellinertia")? == Some(true);
    if is_shell && mesh.is_some() && !is_primitive {
        let expected = "no mesh beside it, whose own inertia says what has a mass";
        return Err(item.holder("shellinertia").value("shellinertia", expected));
    }
    // With density 1.
    let of_mesh = match mesh {
        Some(mesh) if has_mass || is_primitive => reader.meshes.inertia(&item.node, mesh)?,
        _ => None,
    };
    let scale = item.number("fitscale")?.unwrap_or(1.0);
    let field = match item.text("hfield") {
        None if kind == "hfield" => Some(item.node.required("hfield")?),
        name => name,
    };
    let of_field = match field {
        Some(name) => Some(reader.meshes.height_fields.solid(&item.node, name)?),
        None => None,
    };
    let mut form = Form::Mesh;
    if is_primitive && let Some(inertia) = of_mesh {
        if !reader.compilers.of_model().fits_boxes {
            let (frame, fitted_size) = fitted(kind, &inertia, scale);
            pose = pose * frame;
            form = shape(&item, kind, fitted_size)?;
        }
    } else if let Some(mesh) = mesh.filter(|_| kind == "mesh" && can_touch) {
        let hulls = reader.meshes.hulls(&item.node, mesh)?;
        if !hulls.is_empty() {
            form = Form::Hulls(hulls);
        }
    } else if kind == "hfield" {
        form = Form::HeightField;
        if let Some(name) = field.filter(|_| can_touch) {
            let field = reader.meshes.height_fields.shape(&item.node, name)?;
            form = field.map_or(form, Form::Shape);
        }
    } else if mesh.is_none() && kind != "sdf" {
        form = shape(&item, kind, size)?;
    }
    if has_mass
        && !reader.is_lenient
        && let Some(path) = mesh.and_then(|mesh| reader.meshes.missing_file(&item.node, mesh))
    {
        let reason = format!("the mass of the body is that of a mesh, {path} is not found");
        return Err(item.node.error(MjcfProblem::LeftOut { reason }));
    }
    let solid = match &form {
        _ if kind == "hfield" => of_field.as_ref(),
        Form::Shape(shape) => Some(shape),
        _ => None,
    };
    let inertia = match (solid, of_mesh) {
        _ if !has_mass => None,
        (_, Some(unit)) if !is_primitive => {
            let mass = explicit.unwrap_or(density * unit.mass);
            Some(SpatialInertia {
                mass,
                rotational_inertia: unit.rotational_inertia * (mass / unit.mass),
                ..unit
            })
        }
        (Some(shape), _) if is_shell => {
            let area = shell_inertia::area(shape).unwrap_or_default();
            shell_inertia::shell_inertia(shape, explicit.unwrap_or(density * area))
        }
        (Some(shape), _) => {
            let mass = explicit.unwrap_or(density * volume(shape));
            Some(shape.solid_inertia(mass).map_err(|e| item.node.error(e))?)
        }
        _ => None,
    };
    let mut coefficients = FRICTION;
    item.overlay("friction", &mut coefficients)?;
    let friction = SurfaceFriction {
        // Below zero there is none, as in the format.
        coefficients: coefficients.map(|x| x.max(0.0)),
        dimension: contact_dimension(&item)?,
    };
    let priority = item.number("priority")?.unwrap_or(0.0);
    Ok(Geom {
        item,
        pose,
        lacks_inertia: has_mass && inertia.is_none(),
        inertia: inertia.map(|i| i.transformed(&pose.rotation, &pose.translation)),
        form,
        touches,
        can_touch,
        friction,
        priority,
    })
}

/// The size of a shape between two points.
pub(super) fn spanned(kind: &str, [radius, ..]: [f64; 3], length: f64) -> [f64; 3] {
    match kind {
        "box" | "ellipsoid" => [radius, radius, length / 2.0],
        _ => [radius, length / 2.0, 0.0],
    }
}

pub(super) fn shape(item: &Item, kind: &str, size: [f64; 3]) -> Result<Form, MjcfError> {
    let [a, b, _] = size;
    let shape = match kind {
        "plane" => Ok(Shape::HalfSpace),
        "sphere" => Shape::new_sphere(a),
        "capsule" => Shape::new_capsule(a, 2.0 * b),
        "cylinder" => Shape::new_cylinder(a, 2.0 * b),
        "box" => Shape::new_box(Vector3::from(size) * 2.0),
        "ellipsoid" => Shape::new_ellipsoid(Vector3::from(size)),
        _ => return Err(item.holder("type").value("type", TYPES)),
    };
    shape
        .map(Form::Shape)
        .map_err(|e| item.holder("size").error(e))
}

fn volume(shape: &Shape<f64>) -> f64 {
    match shape {
        Shape::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
        Shape::Capsule { radius, length } => PI * radius * radius * (length + 4.0 / 3.0 * radius),
        Shape::Cylinder { radius, length } => PI * radius * radius * length,
        Shape::Ellipsoid { semi_axes } => 4.0 / 3.0 * PI * semi_axes.product(),
        Shape::Box { size } => size.product(),
        _ => 0.0,
    }
}

/// Pose and size of a shape in place of a mesh: about its centre of mass, along its principal axes (that
/// of the least moment is z), as large as the box that has its mass and principal moments.
fn fitted(kind: &str, mesh: &SpatialInertia<f64>, scale: f64) -> (RigidTransform<f64>, [f64; 3]) {
    let frame = principal_frame(mesh);
    let axes = frame.rotation;
    let moments = <[f64; 3]>::from(axes.tr_mul(&(mesh.rotational_inertia * axes)).diagonal());
    let sum: f64 = moments.iter().sum();
    let [a, b, c] = moments.map(|m| (1.5 * (sum - 2.0 * m) / mesh.mass).max(0.0).sqrt());
    let size = match kind {
        "sphere" => [(a + b + c) / 3.0, 0.0, 0.0],
        "capsule" => [(a + b) / 2.0, c - (a + b) / 4.0, 0.0],
        "cylinder" => [(a + b) / 2.0, c, 0.0],
        _ => [a, b, c],
    };
    (frame, size.map(|x| x * scale))
}
