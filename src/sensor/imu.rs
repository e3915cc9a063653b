//! Specific force and angular rate.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::math::{RigidTransform, rotation};
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, RigidBodyTree, check_pose};
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::fmt;

/// An accelerometer and a gyroscope at one point of a body.
///
/// With the mounting pose `X_BI`, the acceleration `a_WIo` of its origin and gravity `g`, expressed in
/// the frame I of the sensor,
///
/// ```text
/// specific force  f = R_IW (a_WIo − g) + b_f + noise      (m/s²)
/// angular rate    w = R_IW w_WB + b_w + noise             (rad/s)
/// ```
///
/// At rest it reads g upwards, in free fall nothing. Outputs are
/// `{name}/specific_force/{x,y,z}`, then `{name}/angular_rate/{x,y,z}`.
///
/// The state is the bias `[b_f, b_w]`, a random walk `b ← b + σ √δt n`. Parameters are
/// `{name}/origin/{x,y,z}` (m), `{name}/rotation/{x,y,z}` (rad; a rotation vector φ that turns the
/// mounting to `R_BI exp φ`, initially zero) and `{name}/bias/…`, the bias to start from.
///
/// White noise of a density ρ that is sampled every δt has the standard deviation `ρ/√δt`.
#[derive(Debug, Clone, PartialEq)]
pub struct Imu<T> {
    name: String,
    body: BodyIndex,
    orientation: Matrix3<f64>,
    rotation: Vector3<T>,
    origin: Vector3<T>,
    bias: [Vector3<T>; 2],
    noise: ImuNoise,
}

/// Standard deviations of an IMU's noise; zero by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImuNoise {
    /// Of a sample of the specific force, in m/s².
    pub specific_force: f64,
    /// Of a sample of the angular rate, in rad/s.
    pub angular_rate: f64,
    /// Of the random walk of the first bias, in m/s²/√s.
    pub specific_force_walk: f64,
    /// Of the random walk of the second bias, in rad/s/√s.
    pub angular_rate_walk: f64,
}

impl<T: Scalar> Imu<T> {
    /// An IMU on a body, without noise or bias.
    ///
    /// The orientation of the mounting pose `X_BI` becomes a constant; derivatives with respect to it
    /// are those with respect to the parameter `rotation`.
    ///
    /// # Errors
    /// [`SensorError`] when the tree has no such body, or the pose is not finite or not a rotation.
    pub fn new(
        name: &str,
        tree: &RigidBodyTree<T>,
        body: BodyIndex,
        mounting: &RigidTransform<T>,
    ) -> Result<Self, SensorError> {
        check_pose(mounting).map_err(SensorError::invalid(name))?;
        let imu = Imu {
            name: name.to_owned(),
            body,
            orientation: mounting.rotation.map(|x| x.re()),
            rotation: Vector3::zeros(),
            origin: mounting.translation,
            bias: [Vector3::zeros(); 2],
            noise: ImuNoise::default(),
        };
        imu.validate(tree)?;
        Ok(imu)
    }

    /// Sets the noise.
    ///
    /// # Errors
    /// [`SensorError::InvalidSensor`] when a standard deviation is negative or not finite.
    pub fn with_noise(mut self, noise: ImuNoise) -> Result<Self, SensorError> {
        self.noise = noise;
        self.check_noise()?;
        Ok(self)
    }

    /// Sets the bias to start from: of the specific force (m/s²) and of the angular rate (rad/s).
    pub fn with_bias(mut self, specific_force: Vector3<T>, angular_rate: Vector3<T>) -> Self {
        self.bias = [specific_force, angular_rate];
        self
    }

    fn check_noise(&self) -> Result<(), SensorError> {
        let noise = [
            self.noise.specific_force,
            self.noise.angular_rate,
            self.noise.specific_force_walk,
            self.noise.angular_rate_walk,
        ];
        InvalidInput::check_range("noise", &noise, "a number that is not negative", |x| {
            x >= 0.0 && x.is_finite()
        })
        .map_err(SensorError::invalid(&self.name))
    }
}

impl<T: Scalar> Sensor<T> for Imu<T> {
    type Cast<U: Scalar> = Imu<U>;

    fn cast<U: Scalar>(&self) -> Imu<U> {
        let vector = |v: &Vector3<T>| v.map(|x| U::from(x.re()));
        Imu {
            name: self.name.clone(),
            body: self.body,
            orientation: self.orientation,
            rotation: vector(&self.rotation),
            origin: vector(&self.origin),
            bias: [vector(&self.bias[0]), vector(&self.bias[1])],
            noise: self.noise,
        }
    }

    fn num_outputs(&self) -> usize {
        6
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        for quantity in ["specific_force", "angular_rate"] {
            for axis in ["x", "y", "z"] {
                visit(format_args!("{}/{quantity}/{axis}", self.name));
            }
        }
    }

    /// # Errors
    /// [`SensorError::Missing`] when the context holds no accelerations.
    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        normal: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("state of the IMU", state.len(), 6)?;
        InvalidInput::check_size("outputs", out.len(), 6)?;
        let r_wb = context.body_pose(self.body)?.rotation;
        let acceleration =
            (context.body_acceleration(self.body)).ok_or_else(|| SensorError::Missing {
                name: self.name.clone(),
                needed: "the accelerations of the bodies",
            })?;
        let w = context.point_velocity(self.body, &self.origin)?.angular;
        let a = acceleration.shift(&(r_wb * self.origin), &w).linear;
        let r_wi = r_wb * self.orientation.map(T::from) * rotation::exp(&self.rotation);
        let force = r_wi.tr_mul(&(a - context.tree().gravity()));
        let rate = r_wi.tr_mul(&w);
        let deviations = [self.noise.specific_force, self.noise.angular_rate];
        for (i, x) in force.iter().chain(rate.iter()).enumerate() {
            out[i] = *x + state[i] + normal() * deviations[i / 3];
        }
        Ok(())
    }

    fn num_states(&self) -> usize {
        6
    }

    fn write_initial_state(&self, state: &mut [T]) {
        let [force, rate] = &self.bias;
        for (state, bias) in state.iter_mut().zip(force.iter().chain(rate.iter())) {
            *state = *bias;
        }
    }

    fn advance(
        &self,
        _: &SensorContext<'_, T>,
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        let deviations = [self.noise.specific_force_walk, self.noise.angular_rate_walk];
        let root = dt.sqrt_lifted();
        for (i, bias) in state.iter_mut().enumerate().take(6) {
            *bias += root * (normal() * deviations[i / 3]);
        }
        Ok(())
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        let [force, rate] = &mut self.bias;
        for (quantity, unit, vector) in [
            ("origin", "m", &mut self.origin),
            ("rotation", "rad", &mut self.rotation),
            ("bias/specific_force", "m/s²", force),
            ("bias/angular_rate", "rad/s", rate),
        ] {
            for (axis, value) in ["x", "y", "z"].into_iter().zip(vector.iter_mut()) {
                visit(Parameter {
                    name: format_args!("{name}/{quantity}/{axis}"),
                    unit,
                    lower: f64::NEG_INFINITY,
                    upper: f64::INFINITY,
                    value,
                });
            }
        }
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        tree.body(self.body)?;
        let invalid = SensorError::invalid(&self.name);
        InvalidInput::check_finite("orientation", self.orientation.as_slice()).map_err(&invalid)?;
        for vector in [&self.origin, &self.rotation, &self.bias[0], &self.bias[1]] {
            InvalidInput::check_finite("mounting or bias", vector.as_slice()).map_err(&invalid)?;
        }
        self.check_noise()
    }
}
