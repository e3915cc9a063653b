//! The twelve constants of a bushing: stiffness and damping of torque and force.

use crate::parameter::Parameter;
use crate::{InvalidInput, Scalar};
use nalgebra::{Vector2, Vector3};

/// Stiffness and damping of a bushing, for the three angles and the three displacements.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct BushingConstants<T> {
    /// Torque stiffness `[k₀ k₁ k₂]` in N m/rad.
    pub torque_stiffness: Vector3<T>,
    /// Torque damping `[d₀ d₁ d₂]` in N m s/rad.
    pub torque_damping: Vector3<T>,
    /// Force stiffness `[k_x k_y k_z]` in N/m.
    pub force_stiffness: Vector3<T>,
    /// Force damping `[d_x d_y d_z]` in N s/m.
    pub force_damping: Vector3<T>,
}

impl<T: Scalar> BushingConstants<T> {
    /// A compliant revolute joint about z: no stiffness about z, and `free_damping` there.
    ///
    /// Stiffness and damping of the torques are those about x and y.
    ///
    /// # Errors
    /// [`InvalidInput`] for a constant that is negative or not finite.
    #[inline(never)]
    pub fn revolute(
        torque_stiffness: Vector2<T>,
        torque_damping: Vector2<T>,
        free_damping: T,
        force_stiffness: Vector3<T>,
        force_damping: Vector3<T>,
    ) -> Result<Self, InvalidInput> {
        Self::weld(
            torque_stiffness.push(T::zero()),
            torque_damping.push(free_damping),
            force_stiffness,
            force_damping,
        )
    }

    /// A compliant prismatic joint along x: no stiffness along x, and `free_damping` there.
    ///
    /// Stiffness and damping of the forces are those along y and z.
    ///
    /// # Errors
    /// [`InvalidInput`] for a constant that is negative or not finite.
    #[inline(never)]
    pub fn prismatic(
        torque_stiffness: Vector3<T>,
        torque_damping: Vector3<T>,
        force_stiffness: Vector2<T>,
        force_damping: Vector2<T>,
        free_damping: T,
    ) -> Result<Self, InvalidInput> {
        let after = |x: T, v: Vector2<T>| Vector3::new(x, v.x, v.y);
        Self::weld(
            torque_stiffness,
            torque_damping,
            after(T::zero(), force_stiffness),
            after(free_damping, force_damping),
        )
    }

    /// A compliant ball and socket: no torque stiffness, and `free_damping` about the three axes.
    ///
    /// # Errors
    /// [`InvalidInput`] for a constant that is negative or not finite.
    #[inline(never)]
    pub fn ball(
        free_damping: Vector3<T>,
        force_stiffness: Vector3<T>,
        force_damping: Vector3<T>,
    ) -> Result<Self, InvalidInput> {
        Self::weld(
            Vector3::zeros(),
            free_damping,
            force_stiffness,
            force_damping,
        )
    }

    /// A compliant weld: stiffness and damping in all directions.
    ///
    /// # Errors
    /// [`InvalidInput`] for a constant that is negative or not finite.
    #[inline(never)]
    pub fn weld(
        torque_stiffness: Vector3<T>,
        torque_damping: Vector3<T>,
        force_stiffness: Vector3<T>,
        force_damping: Vector3<T>,
    ) -> Result<Self, InvalidInput> {
        let constants = BushingConstants {
            torque_stiffness,
            torque_damping,
            force_stiffness,
            force_damping,
        };
        constants.validate()?;
        Ok(constants)
    }

    /// Checks that all constants are finite and not negative.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] with the first that is not.
    #[inline(never)]
    pub fn validate(&self) -> Result<(), InvalidInput> {
        for (quantity, values) in [
            ("torque stiffness", &self.torque_stiffness),
            ("torque damping", &self.torque_damping),
            ("force stiffness", &self.force_stiffness),
            ("force damping", &self.force_damping),
        ] {
            check_constants(quantity, values)?;
        }
        Ok(())
    }

    /// The same constants in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> BushingConstants<U> {
        let cast = |v: &Vector3<T>| v.map(|x| U::from(x.re()));
        BushingConstants {
            torque_stiffness: cast(&self.torque_stiffness),
            torque_damping: cast(&self.torque_damping),
            force_stiffness: cast(&self.force_stiffness),
            force_damping: cast(&self.force_damping),
        }
    }

    /// Names are that of the bushing, followed by `torque_stiffness/{0,1,2}`,
    /// `torque_damping/{0,1,2}`, `force_stiffness/{x,y,z}` and `force_damping/{x,y,z}`.
    pub(super) fn visit_parameters(&mut self, name: &str, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let (angles, axes) = (["0", "1", "2"], ["x", "y", "z"]);
        for (quantity, unit, directions, values) in [
            (
                "torque_stiffness",
                "N m/rad",
                angles,
                &mut self.torque_stiffness,
            ),
            (
                "torque_damping",
                "N m s/rad",
                angles,
                &mut self.torque_damping,
            ),
            ("force_stiffness", "N/m", axes, &mut self.force_stiffness),
            ("force_damping", "N s/m", axes, &mut self.force_damping),
        ] {
            for (direction, value) in directions.into_iter().zip(values.iter_mut()) {
                visit(Parameter {
                    name: format_args!("{name}/{quantity}/{direction}"),
                    unit,
                    lower: 0.0,
                    upper: f64::INFINITY,
                    value,
                });
            }
        }
    }
}

/// Checks that three constants are finite and not negative.
pub(super) fn check_constants<T: Scalar>(
    quantity: &'static str,
    values: &Vector3<T>,
) -> Result<(), InvalidInput> {
    InvalidInput::check_range(
        quantity,
        values.as_slice(),
        "a finite number, not negative",
        |x| x >= 0.0 && x.is_finite(),
    )
}
