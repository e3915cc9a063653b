//! Forces of the air.

use super::body_point::BodyPoint;
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;

/// How far the length of a normal may be from 1.
const NORMAL_TOLERANCE: f64 = 1e-6;

/// Drag of a body in still air: `f = −½ ρ c_d A ‖v‖ v` at a point that moves with v.
///
/// Parameters: `name/density` (kg/m³), `name/drag_area` (m²), `name/point/{x,y,z}` (m).
#[derive(Debug, Clone, PartialEq)]
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
/// Parameters: `name/density` (kg/m³), `name/area` (m²), `name/point/{x,y,z}` (m). The normal carries
/// derivatives, but is not listed: no component can change alone.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatPlateWing<T> {
    /// The name.
    pub name: String,
    /// The centre of the plate.
    pub point: BodyPoint<T>,
    /// The unit normal, expressed in the body.
    pub normal: Vector3<T>,
    /// Density ρ of the air in kg/m³.
    pub density: T,
    /// Area `A` of the plate in m².
    pub area: T,
}

impl<T: Scalar> ForceElement<T> for AerodynamicDrag<T> {
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
}

impl<T: Scalar> FlatPlateWing<T> {
    fn check_normal(&self, _: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let length = self.normal.map(|x| x.re()).norm();
        let is_unit = |l: f64| (l - 1.0).abs() <= NORMAL_TOLERANCE;
        InvalidInput::check_range("length of the normal", &[length], "1", is_unit)
            .map_err(ForceError::invalid(&self.name))
    }
}

impl<T: Scalar> ForceElement<T> for FlatPlateWing<T> {
    constants! { ForceElement for FlatPlateWing, checked by check_normal {
        name;
        density: not_negative("kg/m³");
        area: not_negative("m²");
        point: any("m") in_tree;
        normal: value;
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let v = self.point.velocity(context)?;
        let normal = context.body_pose(self.point.body)?.rotation * self.normal;
        let speed = T::norm_lifted(v.as_slice());
        let pressure = self.density * self.area * speed * normal.dot(&v);
        self.point.add_force(context, forces, normal * -pressure)
    }
}
