//! Gravity and the masses of bodies, set without the names of their parameters.

use super::error::SystemError;
use super::force_laws::DrivenDynamics;
use super::rigid_body_system::RigidBodySystem;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::Scalar;
use nalgebra::Vector3;

impl<T: Scalar> RigidBodySystem<T> {
    /// Sets the acceleration of gravity, expressed in W, in m/s²: the parameters `gravity/{x,y,z}`.
    ///
    /// # Errors
    /// [`SystemError::Tree`] when an entry is not finite. The machine is then as before.
    #[inline(never)]
    pub fn set_gravity(&mut self, gravity: Vector3<T>) -> Result<(), SystemError> {
        self.tree.set_gravity(gravity)?;
        self.driven = DrivenDynamics::default();
        Ok(())
    }

    /// Sets the mass of a body in kg, as if its density changed: the rotational inertia about the centre of mass is
    /// multiplied by the ratio of the masses, and the centre of mass stays where it is.
    ///
    /// The parameter `body/NAME/mass` changes the mass alone.
    ///
    /// # Errors
    /// [`SystemError::Tree`] for an unknown name, a mass that is not positive, and a body without mass. The machine is
    /// then as before.
    ///
    /// ```
    /// use dualbody::prelude::*;
    ///
    /// let material = ContactMaterial::new(1e5, 0.5, 0.3)?;
    /// let mut system = SystemBuilder::new()
    ///     .free_body("box", Shape::new_box(Vector3::repeat(0.6))?, 1.0, material)
    ///     .compliant(1e-3)?;
    /// system.set_gravity(vector![0.0, 0.0, -1.62])?; // m/s², on the moon
    /// system.set_body_mass("box", 5.0)?; // kg
    /// let moment: f64 = system.parameter("box/rotational_inertia/xx")?;
    /// assert!((moment - 5.0 * 0.06).abs() < 1e-12); // m a²/6, in kg m²
    /// # Ok::<(), dualbody::Error>(())
    /// ```
    #[inline(never)]
    pub fn set_body_mass(&mut self, body: &str, mass: T) -> Result<(), SystemError> {
        let body = self.tree.body_by_name(body)?;
        self.tree.set_body_mass(body, mass)?;
        self.driven = DrivenDynamics::default();
        Ok(())
    }
}

impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
    /// As [`RigidBodySystem::set_gravity`].
    ///
    /// # Errors
    /// As there.
    #[inline(never)]
    pub fn set_gravity(&mut self, gravity: Vector3<T>) -> Result<(), SystemError> {
        self.system.set_gravity(gravity)?;
        self.take_description();
        Ok(())
    }

    /// As [`RigidBodySystem::set_body_mass`].
    ///
    /// # Errors
    /// As there.
    #[inline(never)]
    pub fn set_body_mass(&mut self, body: &str, mass: T) -> Result<(), SystemError> {
        self.system.set_body_mass(body, mass)?;
        self.take_description();
        Ok(())
    }
}
