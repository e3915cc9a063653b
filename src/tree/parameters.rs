//! The constants of a tree as named parameters.

use super::body::Body;
use super::column::ColumnKind;
use super::error::{TreeError, invalid};
use super::index::BodyIndex;
use super::joint::{Joint, JointKind};
use super::rigid_body_tree::RigidBodyTree;
use super::validation::{check_axes, check_inertia, check_position_limits};
use crate::math::SpatialInertia;
use crate::parameter::{Parameter, ParameterError, Parameters, visit_vector};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;
use std::fmt;

type Visitor<'a, T> = dyn FnMut(Parameter<'_, T>) + 'a;

/// Names say what a constant belongs to, `body/NAME/mass`:
///
/// | name | unit | of |
/// |---|---|---|
/// | `body/NAME/mass` | kg | every body but the world |
/// | `body/NAME/center_of_mass/{x,y,z}` | m | expressed in the body's frame |
/// | `body/NAME/rotational_inertia/{xx,yy,zz,xy,xz,yz}` | kg m² | about the centre of mass |
/// | `joint/NAME/origin/{x,y,z}` | m | translation of `X_PF` |
/// | `joint/NAME/rotation/{x,y,z}` | rad | rotation vector φ of `R_PF = R₀ exp φ` with the orientation `R₀` that the joint was built with; at first zero |
/// | `joint/NAME/axis/{x,y,z}` | 1 | axis of a joint with one degree of freedom, expressed in F; its length does not count |
/// | `joint/NAME/{x_axis,y_axis}/{x,y,z}` | 1 | axes of a planar joint; of the second the part perpendicular to the first counts |
/// | `joint/NAME/damping`, `joint/NAME/friction` | N m s/rad or N s/m, N m or N | |
/// | `joint/NAME/armature` | kg m² or kg | |
/// | `joint/NAME/lower_limit`, `…/upper_limit`, `…/velocity_limit`, `…/effort_limit` | rad or m, rad/s or m/s, N m or N | limits that are finite |
/// | `joint/NAME/mimic/multiplier`, `…/mimic/offset` | 1, rad or m | of a joint that follows the one that [`Joint::mimic`] names |
/// | `frame/NAME/origin/{x,y,z}`, `frame/NAME/rotation/{x,y,z}` | m, rad | pose `X_BF`, as that of a joint |
/// | `gravity/{x,y,z}` | m/s² | expressed in W |
///
/// Damping, friction, armature and limits of a joint with several degrees of freedom are `…/damping/0`,
/// `…/damping/1`, ….
///
/// Together the values must make a tree that the [builder](super::RigidBodyTreeBuilder) accepts: no
/// lower limit above the upper, axes with a direction, mass properties that a distribution of mass
/// can have.
impl<T: Scalar> Parameters<T> for RigidBodyTree<T> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        for body in self.bodies.iter_mut().skip(1) {
            visit_inertia(visit, &body.name, body.is_checked, &mut body.inertia);
        }
        for joint in &mut self.joints {
            visit_joint(visit, joint);
        }
        for frame in &mut self.frames {
            let path = format_args!("frame/{}", frame.name);
            frame.mounting.visit_parameters(path, visit);
        }
        visit_vector(visit, format_args!("gravity"), "m/s²", &mut self.gravity);
    }

    /// Workspaces whose state was set before must have it set again.
    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        for body in &mut self.bodies {
            let inertia = &mut body.inertia.rotational_inertia;
            inertia.fill_lower_triangle_with_upper_triangle();
        }
        for joint in &mut self.joints {
            joint.mounting.update();
        }
        for frame in &mut self.frames {
            frame.mounting.update();
        }
        self.update_mobilized_bodies();
        let mut result = Ok(());
        self.visit_parameters(&mut |p| {
            let value = p.value.re();
            if result.is_ok() && !(value.is_finite() && (p.lower..=p.upper).contains(&value)) {
                result = Err(ParameterError::OutOfBounds {
                    name: p.name.to_string(),
                    value,
                    unit: p.unit,
                    lower: p.lower,
                    upper: p.upper,
                });
            }
        });
        result?;
        self.check_elements().map_err(|e| ParameterError::Rejected {
            reason: e.to_string(),
        })
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// Sets the acceleration of gravity, expressed in W, in m/s². Workspaces must have their state set again.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when an entry is not finite; the tree is then as before.
    #[inline(never)]
    pub fn set_gravity(&mut self, gravity: Vector3<T>) -> Result<(), TreeError> {
        InvalidInput::check_finite("gravity", gravity.as_slice())?;
        self.gravity = gravity;
        self.update_mobilized_bodies();
        Ok(())
    }

    /// Sets the mass of a body in kg, and with it the rotational inertia, as
    /// [`SpatialInertia::with_mass`]. Workspaces must have their state set again.
    ///
    /// The parameter `body/NAME/mass` changes the mass alone.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`], and [`TreeError::InvalidElement`] for a mass that is not positive, and for a body
    /// without mass, as the world is; the tree is then as before.
    #[inline(never)]
    pub fn set_body_mass(&mut self, body: BodyIndex, mass: T) -> Result<(), TreeError> {
        let Body { name, inertia, .. } = self.body(body)?;
        let scaled = (inertia.with_mass(mass)).map_err(|e| invalid("body", name, e))?;
        self.bodies[body.get()].inertia = scaled;
        self.update_mobilized_bodies();
        Ok(())
    }

    /// Checks what the bounds of single parameters do not say.
    fn check_elements(&self) -> Result<(), TreeError> {
        for body in &self.bodies {
            check_inertia(&body.inertia, body.is_checked)
                .map_err(|e| invalid("body", &body.name, e))?;
        }
        for joint in &self.joints {
            check_axes(&joint.kind)
                .and_then(|()| check_position_limits(&joint.limits.lower, &joint.limits.upper))
                .map_err(|e| invalid("joint", &joint.name, e))?;
        }
        Ok(())
    }
}

fn visit_joint<T: Scalar>(visit: &mut Visitor<'_, T>, joint: &mut Joint<T>) {
    let name = &joint.name;
    (joint.mounting).visit_parameters(format_args!("joint/{name}"), visit);
    match &mut joint.kind {
        JointKind::Fixed | JointKind::Ball | JointKind::Floating => {}
        JointKind::Revolute { axis }
        | JointKind::Continuous { axis }
        | JointKind::Prismatic { axis } => {
            visit_vector(visit, format_args!("joint/{name}/axis"), "1", axis);
        }
        JointKind::Planar { x_axis, y_axis } => {
            visit_vector(visit, format_args!("joint/{name}/x_axis"), "1", x_axis);
            visit_vector(visit, format_args!("joint/{name}/y_axis"), "1", y_axis);
        }
    }
    let kinds = joint.kind.column_kinds();
    let limits = &mut joint.limits;
    let none = f64::NEG_INFINITY;
    // Of a coordinate: quantity, lower bound, values, units of a rotation and of a translation.
    let quantities = [
        ("damping", 0.0, &mut joint.damping, ["N m s/rad", "N s/m"]),
        ("friction", 0.0, &mut joint.friction, ["N m", "N"]),
        ("armature", 0.0, &mut joint.armature, ["kg m²", "kg"]),
        ("lower_limit", none, &mut limits.lower, ["rad", "m"]),
        ("upper_limit", none, &mut limits.upper, ["rad", "m"]),
        (
            "velocity_limit",
            0.0,
            &mut limits.velocity,
            ["rad/s", "m/s"],
        ),
        ("effort_limit", 0.0, &mut limits.effort, ["N m", "N"]),
    ];
    for (quantity, lower, values, units) in quantities {
        let count = values.len();
        for (k, value) in values.iter_mut().enumerate() {
            if value.re().is_infinite() {
                continue; // no limit
            }
            // Quaternions have one coordinate more than velocities.
            let surplus = count - kinds.len();
            let unit = match kinds[k.saturating_sub(surplus)] {
                _ if k < 4 * surplus => "1",
                ColumnKind::Rotation => units[0],
                ColumnKind::Translation => units[1],
            };
            match count {
                1 => {
                    let path = format_args!("joint/{name}/{quantity}");
                    visit_one(visit, path, unit, lower, value);
                }
                _ => {
                    let path = format_args!("joint/{name}/{quantity}/{k}");
                    visit_one(visit, path, unit, lower, value);
                }
            }
        }
    }
    if let Some(mimic) = &mut joint.mimic {
        let unit = match kinds {
            [ColumnKind::Translation] => "m",
            _ => "rad",
        };
        for (quantity, unit, value) in [
            ("multiplier", "1", &mut mimic.multiplier),
            ("offset", unit, &mut mimic.offset),
        ] {
            let path = format_args!("joint/{name}/mimic/{quantity}");
            visit_one(visit, path, unit, f64::NEG_INFINITY, value);
        }
    }
}

fn visit_inertia<T: Scalar>(
    visit: &mut Visitor<'_, T>,
    name: &str,
    is_checked: bool,
    inertia: &mut SpatialInertia<T>,
) {
    let mass = format_args!("body/{name}/mass");
    visit_one(visit, mass, "kg", 0.0, &mut inertia.mass);
    let center = format_args!("body/{name}/center_of_mass");
    visit_vector(visit, center, "m", &mut inertia.center_of_mass);
    let entries = [
        ("xx", 0, 0),
        ("yy", 1, 1),
        ("zz", 2, 2),
        ("xy", 0, 1),
        ("xz", 0, 2),
        ("yz", 1, 2),
    ];
    for (entry, i, j) in entries {
        let path = format_args!("body/{name}/rotational_inertia/{entry}");
        let lower = if i == j && is_checked {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        let value = &mut inertia.rotational_inertia[(i, j)];
        visit_one(visit, path, "kg m²", lower, value);
    }
}

fn visit_one<T: Scalar>(
    visit: &mut Visitor<'_, T>,
    name: fmt::Arguments<'_>,
    unit: &'static str,
    lower: f64,
    value: &mut T,
) {
    visit(Parameter {
        name,
        unit,
        lower,
        upper: f64::INFINITY,
        value,
    });
}
