//! Distances along rays.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use super::mounting::Mounting;
use crate::geometry::{Ray, RaySurface, cast_ray};
use crate::math::RigidTransform;
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;
use std::fmt;

/// Measures the distance to the nearest geometry along each ray of a fan or a table.
///
/// Rays start at the origin of the mounting frame L on a body; geometries of that body are not seen.
/// Output `{name}/range/{i}`, in metres, is the distance along ray `i`, with derivatives with respect
/// to the state, the mounting and the geometries. A ray that hits nothing within the range reads the
/// upper limit, one that hits something nearer than the lower limit reads the lower limit, both with
/// derivative zero. See [`geometry::ray`](crate::geometry::ray) for what counts as a hit.
///
/// Parameters are `{name}/origin/{x,y,z}` (m) and `{name}/rotation/{x,y,z}` (rad), a rotation vector φ
/// that turns the mounting to `R_BL exp φ`, initially zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Lidar<T> {
    name: String,
    mounting: Mounting<T>,
    directions: Vec<Vector3<f64>>,
    limits: [f64; 2],
}

impl Lidar<f64> {
    /// `count` directions in the xy plane, at equal angles from `first` to `last` (rad) about z from
    /// the x axis.
    pub fn fan(count: usize, first: f64, last: f64) -> Vec<Vector3<f64>> {
        let step = (last - first) / (count.max(2) - 1) as f64;
        (0..count)
            .map(|i| {
                let (sin, cos) = (first + step * i as f64).sin_cos();
                Vector3::new(cos, sin, 0.0)
            })
            .collect()
    }
}

impl<T: Scalar> Lidar<T> {
    /// A lidar with the mounting pose `X_BL` on a body, rays along `directions` (expressed in L, of any
    /// length), and the lower and upper limit of its range in metres.
    ///
    /// # Errors
    /// [`SensorError`] when the tree has no such body, the pose is not one, a direction is zero, or the limits are not
    /// `0 ≤ lower < upper < ∞`.
    pub fn new(
        name: &str,
        tree: &RigidBodyTree<T>,
        body: BodyIndex,
        mounting: &RigidTransform<T>,
        directions: &[Vector3<f64>],
        limits: [f64; 2],
    ) -> Result<Self, SensorError> {
        let lidar = Lidar {
            name: name.to_owned(),
            mounting: Mounting::new(body, mounting).map_err(SensorError::invalid(name))?,
            directions: directions.to_vec(),
            limits,
        };
        lidar.validate(tree)?;
        Ok(lidar)
    }

    /// The distance along a ray in the world.
    fn range(
        &self,
        context: &SensorContext<'_, T>,
        ray: &Ray<T>,
        r_max: f64,
    ) -> Result<T, SensorError> {
        let mut nearest: Option<(usize, RaySurface)> = None;
        let mut limit = r_max;
        let geometries = context.contact().geometries();
        let seen = |body: BodyIndex| body != self.mounting.body;
        for (i, geometry) in geometries.iter().enumerate().filter(|(_, g)| seen(g.body)) {
            let pose = context.body_pose(geometry.body)? * geometry.pose_in_body;
            if let Some(surface) = cast_ray(&geometry.shape, &pose, ray, limit) {
                limit = surface
                    .hit(&geometry.shape, &pose, ray)
                    .distance
                    .re()
                    .min(limit);
                nearest = Some((i, surface));
            }
        }
        let Some((i, surface)) = nearest else {
            return Ok(T::from(r_max));
        };
        let geometry = &geometries[i];
        let pose = context.body_pose(geometry.body)? * geometry.pose_in_body;
        let distance = surface.hit(&geometry.shape, &pose, ray).distance;
        Ok(if distance.re() < self.limits[0] {
            T::from(self.limits[0])
        } else {
            distance
        })
    }
}

impl<T: Scalar> Sensor<T> for Lidar<T> {
    type Cast<U: Scalar> = Lidar<U>;

    fn cast<U: Scalar>(&self) -> Lidar<U> {
        Lidar {
            name: self.name.clone(),
            mounting: self.mounting.cast(),
            directions: self.directions.clone(),
            limits: self.limits,
        }
    }

    fn num_outputs(&self) -> usize {
        self.directions.len()
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        (0..self.directions.len()).for_each(|i| visit(format_args!("{}/range/{i}", self.name)));
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), self.directions.len())?;
        let pose = context.body_pose(self.mounting.body)? * self.mounting.pose();
        for (out, direction) in out.iter_mut().zip(&self.directions) {
            let ray = Ray::new(pose.translation, pose.rotation * direction.map(T::from))?;
            *out = self.range(context, &ray, self.limits[1])?;
        }
        Ok(())
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.mounting.visit_parameters(&self.name, visit);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        self.mounting.validate(&self.name, tree)?;
        let invalid = SensorError::invalid(&self.name);
        let [lower, upper] = self.limits;
        InvalidInput::check_range("lower limit", &[lower], "not negative", |x| x >= 0.0)
            .map_err(&invalid)?;
        InvalidInput::check_range("upper limit", &[upper], "above the lower, finite", |x| {
            x > lower && x.is_finite()
        })
        .map_err(&invalid)?;
        for direction in &self.directions {
            Ray::new(Vector3::zeros(), *direction).map_err(&invalid)?;
        }
        Ok(())
    }
}
