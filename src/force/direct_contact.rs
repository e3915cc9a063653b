//! Contact of a point with a plane as an explicit force of the state (penalty method).

use super::attachment::Attachment;
use super::body_point::BodyPoint;
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::erased::casts_by_list;
use crate::kink::{positive_part, unsigned};
use crate::math::SpatialForce;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, Scalar, constants};
use nalgebra::Vector3;

/// A point of a body on a plane, with friction that does not stick.
///
/// The plane is the xy plane of a frame, and the point's height above it is φ:
///
/// ```text
/// f_normal  = max(−k φ − b φ̇, 0)
/// f_tangent = min(b ‖v_t‖, μ f_normal) v_t/‖v_t‖      against the slip v_t
/// ```
///
/// The force follows from the state alone and is continuous in it: the damper begins to brake a point
/// at the height −b φ̇/k, before it arrives. On a slope it creeps; the contact of a
/// [system](crate::system) does not. The stored energy is ½ k φ² where φ < 0. Where the normal force
/// becomes zero derivatives are those of the free point, and where friction reaches its limit those of
/// the damper.
///
/// Parameters: `name/stiffness` (N/m), `name/damping` (N s/m), `name/friction` (1),
/// `name/point/{x,y,z}` (m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct DirectContact<T> {
    /// The name.
    pub name: String,
    /// The point that touches.
    pub point: BodyPoint<T>,
    /// The frame whose xy plane is touched, from the side of +z.
    pub plane: Attachment,
    /// Stiffness `k` in N/m.
    pub stiffness: T,
    /// Damping `b` in N s/m, normal and tangential.
    pub damping: T,
    /// Coefficient of friction μ.
    pub friction: T,
}

/// The motion of the point relative to the plane.
struct Approach<T> {
    normal: Vector3<T>,
    /// φ.
    height: T,
    /// −φ̇.
    rate: T,
    /// `v_t`.
    slip: Vector3<T>,
    /// Where the point is.
    position: Vector3<T>,
}

impl<T: Scalar> DirectContact<T> {
    /// Of a point with a plane, with stiffness `k`, damping `b` and friction μ.
    ///
    /// # Errors
    /// [`ForceError`] when the tree does not have the point's body or the frame, or a constant is
    /// negative or not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        point: BodyPoint<T>,
        plane: impl Into<Attachment>,
        stiffness: T,
        damping: T,
        friction: T,
    ) -> Result<Self, ForceError> {
        DirectContact {
            name: name.into(),
            point,
            plane: plane.into(),
            stiffness,
            damping,
            friction,
        }
        .validated(tree)
    }

    fn approach(&self, context: &ForceContext<'_, T>) -> Result<Approach<T>, ForceError> {
        let plane = self.plane.pose(context)?;
        let position = self.point.position_in_world(context)?;
        let offset = position - plane.translation;
        let normal: Vector3<T> = plane.rotation.column(2).into();
        let under = self.plane.velocity(context)?.shift(&offset).linear;
        let velocity = self.point.velocity(context)? - under;
        let rate = -normal.dot(&velocity);
        Ok(Approach {
            height: normal.dot(&offset),
            rate,
            slip: velocity + normal * rate,
            normal,
            position,
        })
    }

    /// `−k φ − b φ̇`.
    fn pressure(&self, approach: &Approach<T>) -> T {
        self.damping * approach.rate - self.stiffness * approach.height
    }
}

impl<T: Scalar> ForceElement<T> for DirectContact<T> {
    casts_by_list! {}
    constants! { ForceElement for DirectContact {
        name;
        stiffness: not_negative("N/m");
        damping: not_negative("N s/m");
        friction: not_negative("1");
        point: any("m") in_tree;
        plane: in_tree;
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let approach = self.approach(context)?;
        let pressure = self.pressure(&approach);
        if pressure.re() <= 0.0 {
            return Ok(());
        }
        let speed = T::norm_lifted(approach.slip.as_slice());
        let limit = self.friction * pressure;
        // min(b, limit/‖v_t‖); a limit of zero is zero at rest, too.
        let coefficient = if speed.re() == 0.0 && limit.re() <= 0.0 {
            T::zero()
        } else if (self.damping * speed).re() <= limit.re() {
            self.damping
        } else {
            limit.div_lifted(speed)
        };
        let force = approach.normal * pressure - approach.slip * coefficient;
        let force = SpatialForce::new(Vector3::zeros(), force);
        let plane = self.plane.body(context.tree())?;
        forces.add_between(
            context,
            [self.point.body, plane],
            &approach.position,
            &force,
        )
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let depth = positive_part(-self.approach(context)?.height);
        Ok(self.stiffness * depth * depth * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let Approach { height, rate, .. } = self.approach(context)?;
        Ok(-self.stiffness * positive_part(-height) * rate)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let approach = self.approach(context)?;
        let pressure = self.pressure(&approach);
        let mut kink = |change, distance: T| {
            visit(ElementKink {
                element: &self.name,
                change,
                distance: unsigned(distance),
                unit: "N",
                order: 1,
            });
        };
        let (damping, friction) = (self.damping, self.friction);
        if self.stiffness.re() > 0.0 || damping.re() > 0.0 {
            kink("touching", pressure);
        }
        if pressure.re() > 0.0 && friction.re() > 0.0 && damping.re() > 0.0 {
            let speed = T::norm_lifted(approach.slip.as_slice());
            kink("limit of friction", damping * speed - friction * pressure);
        }
        Ok(())
    }
}
