//! Momentum, and the centre of mass.
//!
//! With mass `m`, first moment `h = m p_BoBcm` and rotational inertia `J` about Bo, the momentum of
//! a body is `p = m v_Bo + w × h`, and about Bo its angular momentum `J w + h × v_Bo`.

use super::error::TreeError;
use super::index::BodyIndex;
use super::inertia::Inertia;
use super::position_kinematics::Position;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::{SpatialVelocity, rotation};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// Angular momentum about a point, in N m s, and linear momentum, in N s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialMomentum<T> {
    /// Angular momentum about the point.
    pub angular: Vector3<T>,
    /// Linear momentum.
    pub linear: Vector3<T>,
}

impl<T: Scalar> Position<T> {
    /// The momentum of a mobilized body about its origin, expressed in W.
    pub fn momentum(
        &self,
        inertia: &Inertia<T>,
        velocity: &SpatialVelocity<T>,
    ) -> SpatialMomentum<T> {
        let SpatialVelocity { angular, linear } = velocity;
        let (r, h) = (&self.pose.rotation, &self.first_moment);
        SpatialMomentum {
            angular: rotation::applied(r, &inertia.rotational.times(&r.tr_mul(angular)))
                + h.cross(linear),
            linear: linear * inertia.mass + angular.cross(h),
        }
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// Position of the centre of mass of all bodies, `p_WCcm`, expressed in W. Bodies that are
    /// [anchored](Self::is_anchored) count.
    ///
    /// # Errors
    /// [`TreeError::NoMass`] when there is none, [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when numbers overflow.
    #[inline(never)]
    pub fn center_of_mass(&self, workspace: &TreeWorkspace<T>) -> Result<Vector3<T>, TreeError> {
        self.check_workspace(workspace)?;
        let mut moment = Vector3::zeros();
        for (m, position) in self.mobilized.iter().zip(&workspace.positions) {
            moment += position.pose.translation * m.inertia.mass + position.first_moment;
        }
        mean(&moment, self.total_mass())
    }

    /// Position of the centre of mass of the given bodies, `p_WCcm`, expressed in W.
    ///
    /// # Errors
    /// [`TreeError::NoMass`] when they have none, [`TreeError::NoSuchBody`],
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when
    /// numbers overflow.
    pub fn center_of_mass_of(
        &self,
        workspace: &TreeWorkspace<T>,
        bodies: impl IntoIterator<Item = BodyIndex>,
    ) -> Result<Vector3<T>, TreeError> {
        let (mut moment, mut mass) = (Vector3::zeros(), T::zero());
        for index in bodies {
            let body = self.body(index)?.inertia();
            let center = self.point_position(workspace, index, &body.center_of_mass)?;
            moment += center * body.mass;
            mass += body.mass;
        }
        mean(&moment, mass)
    }

    /// Velocity of the centre of mass of all bodies in W, expressed in W.
    ///
    /// # Errors
    /// As [`Self::center_of_mass`].
    #[inline(never)]
    pub fn center_of_mass_velocity(
        &self,
        workspace: &TreeWorkspace<T>,
    ) -> Result<Vector3<T>, TreeError> {
        let momentum = self.momentum(workspace, &Vector3::zeros())?;
        mean(&momentum.linear, self.total_mass())
    }

    /// The momentum of all bodies, about the point at `p_WQ`, expressed in W.
    ///
    /// # Errors
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when
    /// numbers overflow or `p_wq` is not finite.
    #[inline(never)]
    pub fn momentum(
        &self,
        workspace: &TreeWorkspace<T>,
        p_wq: &Vector3<T>,
    ) -> Result<SpatialMomentum<T>, TreeError> {
        self.check_workspace(workspace)?;
        let mut sum = SpatialMomentum {
            angular: Vector3::zeros(),
            linear: Vector3::zeros(),
        };
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let position = &workspace.positions[i];
            let momentum = position.momentum(&m.inertia, &workspace.velocities[i].spatial);
            let p = position.pose.translation - p_wq;
            sum.angular += momentum.angular + p.cross(&momentum.linear);
            sum.linear += momentum.linear;
        }
        InvalidInput::check_finite("angular momentum", sum.angular.as_slice())?;
        InvalidInput::check_finite("linear momentum", sum.linear.as_slice())?;
        Ok(sum)
    }

    /// The momentum of all bodies, about their centre of mass, expressed in W.
    ///
    /// # Errors
    /// As [`Self::center_of_mass`].
    #[inline(never)]
    pub fn momentum_about_center_of_mass(
        &self,
        workspace: &TreeWorkspace<T>,
    ) -> Result<SpatialMomentum<T>, TreeError> {
        self.momentum(workspace, &self.center_of_mass(workspace)?)
    }
}

fn mean<T: Scalar>(moment: &Vector3<T>, mass: T) -> Result<Vector3<T>, TreeError> {
    if mass.re() <= 0.0 {
        return Err(TreeError::NoMass);
    }
    let mean = moment / mass;
    InvalidInput::check_finite("mean over masses", mean.as_slice())?;
    Ok(mean)
}
