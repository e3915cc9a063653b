//! Aerodynamic forces: drag of bodies and flat-plate wings.

use super::body_point::BodyPoint;
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::erased::casts_by_list;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, InvalidInput, Scalar, constants};
use nalgebra::Vector3;

/// Drag of a body in still air: `f = −½ ρ c_d A ‖v‖ v` at a point that moves with v.
///
/// Parameters: `name/density` (kg/m³), `name/drag_area` (m²), `name/point/{x,y,z}` (m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct AerodynamicDrag<T> {
    /// The name.
    pub name: String,
    /// Where the force acts.
    pub point: BodyPoint<T>,
    /// Density ρ of the air in kg/m³; about 1.2 at sea level.
    pub density: T,
    /// Drag coefficient times reference area, `c_d A`, in m².
    pub drag_area: T,
}

/// A thin flat plate in still air.
///
/// The pressure acts along the plate's normal n: with the velocity v of its centre,
///
/// ```text
/// f = −ρ A ‖v‖ (n·v) n
/// ```
///
/// which is the lift coefficient `2 sin α cos α` and the drag coefficient `2 sin² α` at any angle of
/// attack α, stall included (Cory & Tedrake 2008, *Experiments in fixed-wing UAV perching*, AIAA
/// Guidance, Navigation and Control Conference).
///
/// Parameters: `name/density` (kg/m³), `name/area` (m²), `name/point/{x,y,z}` (m) and
/// `name/normal/{x,y,z}`, of which only the direction counts.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct FlatPlateWing<T> {
    /// The name.
    pub name: String,
    /// The centre of the plate.
    pub point: BodyPoint<T>,
    /// The normal n, of any length but zero, expressed in the body.
    pub normal: Vector3<T>,
    /// Density ρ of the air in kg/m³.
    pub density: T,
    /// Area `A` of the plate in m².
    pub area: T,
}

/// The force is `‖v‖` times something: its second derivatives jump at rest.
fn kink_at_rest<'a, T: Scalar>(
    element: &'a str,
    point: &BodyPoint<T>,
    context: &ForceContext<'_, T>,
) -> Result<ElementKink<'a, T>, ForceError> {
    Ok(ElementKink {
        element,
        change: "rest",
        distance: T::norm_lifted(point.velocity(context)?.as_slice()),
        unit: "m/s",
        order: 2,
    })
}

impl<T: Scalar> AerodynamicDrag<T> {
    /// At a point, with the density ρ in kg/m³ and `c_d A` in m².
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such body, or a constant is negative or not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        point: BodyPoint<T>,
        density: T,
        drag_area: T,
    ) -> Result<Self, ForceError> {
        AerodynamicDrag {
            name: name.into(),
            point,
            density,
            drag_area,
        }
        .validated(tree)
    }
}

impl<T: Scalar> ForceElement<T> for AerodynamicDrag<T> {
    casts_by_list! {}
    constants! { ForceElement for AerodynamicDrag {
        name;
        density: not_negative("kg/m³");
        drag_area: not_negative("m²");
        point: any("m") in_tree;
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let v = self.point.velocity(context)?;
        let speed = T::norm_lifted(v.as_slice());
        let force = v * (-self.density * self.drag_area * speed * 0.5);
        self.point.add_force(context, forces, force)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        if (self.density * self.drag_area).re() > 0.0 {
            visit(kink_at_rest(&self.name, &self.point, context)?);
        }
        Ok(())
    }
}

impl<T: Scalar> FlatPlateWing<T> {
    /// With its centre, its normal n, the density ρ in kg/m³ and the area `A` in m².
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such body, the normal is zero, or a constant is not finite, or
    /// negative where it must not be.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        point: BodyPoint<T>,
        normal: Vector3<T>,
        density: T,
        area: T,
    ) -> Result<Self, ForceError> {
        FlatPlateWing {
            name: name.into(),
            point,
            normal,
            density,
            area,
        }
        .validated(tree)
    }

    fn check_normal(&self, _: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let length = T::norm_lifted(self.normal.as_slice());
        let usable = |l: f64| l > 0.0 && l.is_finite();
        InvalidInput::check_range("length of the normal", &[length], "positive", usable)
            .map_err(ForceError::invalid(&self.name))
    }
}

impl<T: Scalar> ForceElement<T> for FlatPlateWing<T> {
    casts_by_list! {}
    constants! { ForceElement for FlatPlateWing, checked by check_normal {
        name;
        density: not_negative("kg/m³");
        area: not_negative("m²");
        point: any("m") in_tree;
        normal: any("1");
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let v = self.point.velocity(context)?;
        let normal = self.normal / T::norm_lifted(self.normal.as_slice());
        let normal = context.body_pose(self.point.body)?.rotation * normal;
        let speed = T::norm_lifted(v.as_slice());
        let pressure = self.density * self.area * speed * normal.dot(&v);
        self.point.add_force(context, forces, normal * -pressure)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        if (self.density * self.area).re() > 0.0 {
            visit(kink_at_rest(&self.name, &self.point, context)?);
        }
        Ok(())
    }
}
