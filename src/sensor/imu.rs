//! An inertial measurement unit (IMU): specific force and angular rate, with noise and bias.

use super::context::SensorContext;
use super::element::{Sensor, visit_vector_names};
use super::error::SensorError;
use super::mounting::Mounting;
use crate::constants::{Constant, Domain};
use crate::erased::casts_by_list;
use crate::math::RigidTransform;
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar, constants};
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
/// `{name}/origin/{x,y,z}` (m), `{name}/rotation/{x,y,z}` (rad; the rotation vector φ of
/// `R_BI = exp φ`), `{name}/specific_force_bias/{x,y,z}` and `{name}/angular_rate_bias/{x,y,z}`, the
/// bias to start from, and the [deviations](ImuNoise) as `{name}/noise/{specific_force,…}`. With equal normal numbers,
/// outputs have derivatives by all of them.
///
/// White noise of a density ρ that is sampled every δt has the standard deviation `ρ/√δt`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct Imu<T> {
    pub(crate) name: String,
    pub(crate) mounting: Mounting<T>,
    specific_force_bias: Vector3<T>,
    angular_rate_bias: Vector3<T>,
    noise: ImuNoise<T>,
}

/// Standard deviations of an IMU's noise; zero by default.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct ImuNoise<T> {
    /// Of a sample of the specific force, in m/s².
    pub specific_force: T,
    /// Of a sample of the angular rate, in rad/s.
    pub angular_rate: T,
    /// Of the random walk of the first bias, in m/s²/√s.
    pub specific_force_walk: T,
    /// Of the random walk of the second bias, in rad/s/√s.
    pub angular_rate_walk: T,
}

impl<T: Scalar> ImuNoise<T> {
    fn cast<U: Scalar>(&self) -> ImuNoise<U> {
        let cast = |deviation: T| U::from(deviation.re());
        ImuNoise {
            specific_force: cast(self.specific_force),
            angular_rate: cast(self.angular_rate),
            specific_force_walk: cast(self.specific_force_walk),
            angular_rate_walk: cast(self.angular_rate_walk),
        }
    }

    fn visit_parameters(&mut self, prefix: &str, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        for (name, unit, deviation) in [
            ("specific_force", "m/s²", &mut self.specific_force),
            ("angular_rate", "rad/s", &mut self.angular_rate),
            (
                "specific_force_walk",
                "m/s²/√s",
                &mut self.specific_force_walk,
            ),
            ("angular_rate_walk", "rad/s/√s", &mut self.angular_rate_walk),
        ] {
            let name = format_args!("{prefix}/noise/{name}");
            deviation.visit(name, unit, Domain::NOT_NEGATIVE, visit);
        }
    }

    fn validate(&self) -> Result<(), InvalidInput> {
        let deviations = [
            self.specific_force,
            self.angular_rate,
            self.specific_force_walk,
            self.angular_rate_walk,
        ];
        Domain::NOT_NEGATIVE.check("noise", &deviations)
    }
}

impl<T: Scalar> Default for ImuNoise<T> {
    fn default() -> Self {
        ImuNoise {
            specific_force: T::zero(),
            angular_rate: T::zero(),
            specific_force_walk: T::zero(),
            angular_rate_walk: T::zero(),
        }
    }
}

impl<T: Scalar> Imu<T> {
    /// An IMU on a body, without noise or bias.
    ///
    /// `mounting` is the pose `X_BI`.
    ///
    /// # Errors
    /// [`SensorError`] when the tree has no such body, or the pose is not finite or not a rotation.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        body: BodyIndex,
        mounting: &RigidTransform<T>,
    ) -> Result<Self, SensorError> {
        let name = name.into();
        Imu {
            mounting: Mounting::new(body, mounting).map_err(SensorError::invalid(&name))?,
            name,
            specific_force_bias: Vector3::zeros(),
            angular_rate_bias: Vector3::zeros(),
            noise: ImuNoise::default(),
        }
        .validated(tree)
    }

    /// Sets the noise.
    ///
    /// # Errors
    /// [`SensorError::InvalidSensor`] when a standard deviation is negative or not finite.
    pub fn with_noise(mut self, noise: ImuNoise<T>) -> Result<Self, SensorError> {
        noise.validate().map_err(SensorError::invalid(&self.name))?;
        self.noise = noise;
        Ok(self)
    }

    /// Sets the bias to start from: of the specific force (m/s²) and of the angular rate (rad/s).
    pub fn with_bias(mut self, specific_force: Vector3<T>, angular_rate: Vector3<T>) -> Self {
        self.specific_force_bias = specific_force;
        self.angular_rate_bias = angular_rate;
        self
    }
}

impl<T: Scalar> Sensor<T> for Imu<T> {
    casts_by_list! {}
    constants! { Sensor for Imu {
        name;
        mounting: nested in_tree;
        specific_force_bias: any("m/s²");
        angular_rate_bias: any("rad/s");
        noise: nested;
    } }

    fn num_outputs(&self) -> usize {
        6
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit_vector_names(&self.name, ["specific_force", "angular_rate"], visit);
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
            out[i] = *x + state[i] + deviations[i / 3] * normal();
        }
        Ok(())
    }

    fn num_states(&self) -> usize {
        6
    }

    fn write_initial_state(&self, state: &mut [T]) {
        let bias = (self.specific_force_bias.iter()).chain(&self.angular_rate_bias);
        for (state, bias) in state.iter_mut().zip(bias) {
            *state = *bias;
        }
    }

    /// Biases move at samples only, if they do.
    fn state_derivative(
        &self,
        _: &SensorContext<'_, T>,
        _: &[T],
        rate: &mut [T],
    ) -> Result<(), SensorError> {
        rate.fill(T::zero());
        Ok(())
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
            *bias += root * (deviations[i / 3] * normal());
        }
        Ok(())
    }

    /// Whether the biases walk.
    fn is_sampled(&self) -> bool {
        self.noise.specific_force_walk.re() > 0.0 || self.noise.angular_rate_walk.re() > 0.0
    }
}
