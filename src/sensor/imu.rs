//! Specific force and angular rate.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use super::mounting::Mounting;
use crate::math::RigidTransform;
use crate::parameter::{Parameter, visit_vector};
use crate::tree::{BodyIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;
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
    mounting: Mounting<T>,
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
        let imu = Imu {
            name: name.to_owned(),
            mounting: Mounting::new(body, mounting).map_err(SensorError::invalid(name))?,
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
            mounting: self.mounting.cast(),
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
        let (body, pose) = (self.mounting.body, self.mounting.pose());
        let r_wb = context.body_pose(body)?.rotation;
        let acceleration =
            (context.body_acceleration(body)).ok_or_else(|| SensorError::Missing {
                name: self.name.clone(),
                needed: "the accelerations of the bodies",
            })?;
        let w = context.point_velocity(body, &pose.translation)?.angular;
        let a = acceleration.shift(&(r_wb * pose.translation), &w).linear;
        let r_wi = r_wb * pose.rotation;
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

    fn update(
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

    fn is_sampled(&self) -> bool {
        true
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        self.mounting.visit_parameters(name, visit);
        let [force, rate] = &mut self.bias;
        let path = format_args!("{name}/bias/specific_force");
        visit_vector(visit, path, "m/s²", force);
        let path = format_args!("{name}/bias/angular_rate");
        visit_vector(visit, path, "rad/s", rate);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        self.mounting.validate(&self.name, tree)?;
        for bias in &self.bias {
            InvalidInput::check_finite("bias", bias.as_slice())
                .map_err(SensorError::invalid(&self.name))?;
        }
        self.check_noise()
    }
}
