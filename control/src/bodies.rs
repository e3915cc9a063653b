//! Residuals of poses and velocities of bodies, and of the centre of mass.

use crate::ControlError;
use crate::by_duals::{Configuration, MachineFunction};
use dualbody::DefaultScalar;
use dualbody::math::rotation;
use dualbody::tree::BodyIndex;
use nalgebra::{Matrix3, Vector3};

/// `p_WQ − p_WT` in W, m: where a point Q of a body is from a target T. Three entries.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPosition {
    /// The body.
    pub body: BodyIndex,
    /// The point, `p_BoQ_B`, m.
    pub point: Vector3<f64>,
    /// The target, `p_WT`, m.
    pub target: Vector3<f64>,
}

impl MachineFunction for BodyPosition {
    fn size(&self) -> usize {
        3
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let position = at
            .body_pose(self.body)?
            .transform_point(&self.point.map(T::from));
        let from_target = position - self.target.map(T::from);
        out.copy_from_slice(from_target.as_slice());
        Ok(())
    }
}

/// `log(R_WB R_WTᵀ)` in W, rad: the rotation vector from a target T to a body. Three entries.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyTurn {
    /// The body.
    pub body: BodyIndex,
    /// The target, `R_WT`.
    pub target: Matrix3<f64>,
}

impl MachineFunction for BodyTurn {
    fn size(&self) -> usize {
        3
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let turn = at.body_pose(self.body)?.rotation * self.target.map(T::from).transpose();
        let vector = rotation::log(&rotation::quaternion_from_matrix(&turn));
        out.copy_from_slice(vector.as_slice());
        Ok(())
    }
}

/// `[w_WB; v_WBo]` less a target, in W, rad/s and m/s. Six entries.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyVelocity {
    /// The body.
    pub body: BodyIndex,
    /// The target: rotation first.
    pub target: [f64; 6],
}

impl MachineFunction for BodyVelocity {
    fn size(&self) -> usize {
        6
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let velocity = at.body_velocity(self.body)?.to_vector();
        for (out, (v, &target)) in out.iter_mut().zip(velocity.iter().zip(&self.target)) {
            *out = *v - target;
        }
        Ok(())
    }
}

/// `p_WC − p_WT` in W, m: where the centre of mass of all bodies is from a target T. Three entries.
#[derive(Debug, Clone, PartialEq)]
pub struct CenterOfMass {
    /// The target, `p_WT`, m.
    pub target: Vector3<f64>,
}

impl MachineFunction for CenterOfMass {
    fn size(&self) -> usize {
        3
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let from_target = at.center_of_mass()? - self.target.map(T::from);
        out.copy_from_slice(from_target.as_slice());
        Ok(())
    }
}
