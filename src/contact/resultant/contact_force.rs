//! A contact force between two surfaces: point, normal, force, torque.

use crate::math::SpatialForce;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// How far the length of a normal may be from 1.
const NORMAL_TOLERANCE: f64 = 1e-6;

/// A contact force: where it acts, its normal and tangential parts, and a torque besides.
///
/// All vectors are expressed in one frame, and points measured from its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce<T> {
    application_point: Vector3<T>,
    normal: Vector3<T>,
    force: Vector3<T>,
    pure_torque: Vector3<T>,
}

impl<T: Scalar> ContactForce<T> {
    /// A force in N at a point in m, where the surface has the unit normal `normal`.
    ///
    /// # Errors
    /// [`InvalidInput`] when an entry is not finite or the normal not of unit length.
    pub fn new(
        application_point: Vector3<T>,
        normal: Vector3<T>,
        force: Vector3<T>,
    ) -> Result<Self, InvalidInput> {
        Self::with_torque(application_point, normal, force, Vector3::zeros())
    }

    /// A force with a torque in N m that does not come from the force (of torsional friction, say).
    ///
    /// # Errors
    /// As [`ContactForce::new`].
    #[inline(never)]
    pub fn with_torque(
        application_point: Vector3<T>,
        normal: Vector3<T>,
        force: Vector3<T>,
        pure_torque: Vector3<T>,
    ) -> Result<Self, InvalidInput> {
        InvalidInput::check_finite("application point", application_point.as_slice())?;
        InvalidInput::check_finite("contact force", force.as_slice())?;
        InvalidInput::check_finite("pure torque", pure_torque.as_slice())?;
        let length = normal.map(|x| x.re()).norm();
        InvalidInput::check_range("length of the normal", &[length], "1", |l| {
            (l - 1.0).abs() <= NORMAL_TOLERANCE
        })?;
        Ok(ContactForce {
            application_point,
            normal,
            force,
            pure_torque,
        })
    }

    /// Where the force acts, in m.
    pub fn application_point(&self) -> &Vector3<T> {
        &self.application_point
    }

    /// The unit normal.
    pub fn normal(&self) -> &Vector3<T> {
        &self.normal
    }

    /// The force in N: its normal and tangential parts together.
    pub fn force(&self) -> &Vector3<T> {
        &self.force
    }

    /// The part of the force along the normal.
    pub fn normal_force(&self) -> Vector3<T> {
        self.normal * self.force.dot(&self.normal)
    }

    /// The part of the force across the normal: friction.
    pub fn tangential_force(&self) -> Vector3<T> {
        self.force - self.normal_force()
    }

    /// The torque in N m that acts besides the force.
    pub fn pure_torque(&self) -> &Vector3<T> {
        &self.pure_torque
    }

    /// Torque about the point at `p` and force.
    pub fn spatial_force_about(&self, p: &Vector3<T>) -> SpatialForce<T> {
        let moment = (self.application_point - p).cross(&self.force);
        SpatialForce::new(self.pure_torque + moment, self.force)
    }

    /// The force on the other body.
    #[inline(never)]
    pub fn reaction(&self) -> Self {
        ContactForce {
            application_point: self.application_point,
            normal: -self.normal,
            force: -self.force,
            pure_torque: -self.pure_torque,
        }
    }

    /// A force whose normal is known to have unit length.
    pub(super) fn assemble(
        application_point: Vector3<T>,
        normal: Vector3<T>,
        sum: &SpatialForce<T>,
    ) -> Self {
        ContactForce {
            application_point,
            normal,
            force: sum.force,
            pure_torque: sum.torque,
        }
    }
}
