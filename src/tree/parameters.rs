//! The constants of a tree as named parameters.

use super::column::ColumnKind;
use super::rigid_body_tree::RigidBodyTree;
use crate::Scalar;
use crate::math::SpatialInertia;
use crate::parameter::{Parameter, ParameterError, Parameters, visit_vector};
use std::fmt;

type Visitor<'a, T> = dyn FnMut(Parameter<'_, T>) + 'a;

/// Names are those of the bodies, joints and frames, followed by the quantity:
///
/// | name | unit | of |
/// |---|---|---|
/// | `body/mass` | kg | every body but the world |
/// | `body/center_of_mass/{x,y,z}` | m | expressed in the body's frame |
/// | `body/rotational_inertia/{xx,yy,zz,xy,xz,yz}` | kg m² | about the centre of mass |
/// | `joint/origin/{x,y,z}` | m | translation of `X_PF` |
/// | `joint/damping`, `joint/friction` | N m s/rad or N s/m, N m or N | `…/damping/0`, `/1`, … if there are several degrees of freedom |
/// | `frame/origin/{x,y,z}` | m | translation of `X_BF` |
/// | `gravity/{x,y,z}` | m/s² | expressed in W |
impl<T: Scalar> Parameters<T> for RigidBodyTree<T> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        for body in self.bodies.iter_mut().skip(1) {
            visit_inertia(visit, &body.name, &mut body.inertia);
        }
        for joint in &mut self.joints {
            let name = &joint.name;
            visit_vector(
                visit,
                format_args!("{name}/origin"),
                "m",
                &mut joint.pose_in_parent.translation,
            );
            let columns = joint.kind.columns(0);
            let dofs = columns.len();
            for (k, column) in columns.iter().enumerate() {
                let (damping_unit, friction_unit) = match column.kind {
                    ColumnKind::Rotation => ("N m s/rad", "N m"),
                    ColumnKind::Translation => ("N s/m", "N"),
                };
                for (quantity, unit, value) in [
                    ("damping", damping_unit, &mut joint.damping[k]),
                    ("friction", friction_unit, &mut joint.friction[k]),
                ] {
                    match dofs {
                        1 => visit_one(visit, format_args!("{name}/{quantity}"), unit, 0.0, value),
                        _ => {
                            let path = format_args!("{name}/{quantity}/{k}");
                            visit_one(visit, path, unit, 0.0, value);
                        }
                    }
                }
            }
        }
        for frame in &mut self.frames {
            let path = format_args!("{}/origin", frame.name);
            visit_vector(visit, path, "m", &mut frame.pose_in_body.translation);
        }
        visit_vector(visit, format_args!("gravity"), "m/s²", &mut self.gravity);
    }

    /// Workspaces whose state was set before must have it set again.
    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        for body in &mut self.bodies {
            let inertia = &mut body.inertia.rotational_inertia;
            inertia.fill_lower_triangle_with_upper_triangle();
        }
        self.update_mobilized_bodies();
        let mut result = Ok(());
        self.visit_parameters(&mut |p| {
            let value = p.value.re();
            if !(value.is_finite() && (p.lower..=p.upper).contains(&value)) {
                result = Err(ParameterError::OutOfBounds {
                    name: p.name.to_string(),
                    value,
                    unit: p.unit,
                    lower: p.lower,
                    upper: p.upper,
                });
            }
        });
        result
    }
}

fn visit_inertia<T: Scalar>(
    visit: &mut Visitor<'_, T>,
    name: &str,
    inertia: &mut SpatialInertia<T>,
) {
    let mass = format_args!("{name}/mass");
    visit_one(visit, mass, "kg", 0.0, &mut inertia.mass);
    let center = format_args!("{name}/center_of_mass");
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
        let path = format_args!("{name}/rotational_inertia/{entry}");
        let lower = if i == j { 0.0 } else { f64::NEG_INFINITY };
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
