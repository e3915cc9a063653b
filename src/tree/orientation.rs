//! Orientations as parameters.

use crate::Scalar;
use crate::math::rotation;
use crate::parameter::{Parameter, visit_vector};
use nalgebra::{Matrix3, Vector3};
use std::fmt;

/// `R = R₀ exp φ`, with the orientation `R₀` that it was made with and a rotation vector φ, at first zero.
///
/// At every `R₀` the three components of φ turn about three different axes (angles of roll, pitch
/// and yaw lose one where the pitch is a right angle, as it often is), what is set is what is read,
/// and `φ = 0` gives `R₀` bit for bit.
#[derive(Debug, Clone)]
pub(crate) struct Orientation<T> {
    pub nominal: Matrix3<T>,
    pub rotation: Vector3<T>,
}

impl<T: Scalar> Orientation<T> {
    pub fn new(nominal: Matrix3<T>) -> Self {
        Orientation {
            nominal,
            rotation: Vector3::zeros(),
        }
    }

    /// Shows `path/rotation/{x,y,z}`.
    pub fn visit_parameters(
        &mut self,
        path: fmt::Arguments<'_>,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let rotation = &mut self.rotation;
        visit_vector(visit, format_args!("{path}/rotation"), "rad", rotation);
    }

    /// `R`.
    pub fn matrix(&self) -> Matrix3<T> {
        if T::NDERIV == 0 && self.rotation == Vector3::zeros() {
            self.nominal
        } else {
            self.nominal * rotation::exp(&self.rotation)
        }
    }

    pub fn cast<U: Scalar>(&self) -> Orientation<U> {
        Orientation {
            nominal: self.nominal.map(|x| U::from(x.re())),
            rotation: self.rotation.map(|x| U::from(x.re())),
        }
    }
}
