//! A lidar: distances along rays.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use super::mounting::Mounting;
use crate::contact::CollisionGeometry;
use crate::erased::casts_by_list;
use crate::geometry::{Ray, RaySurface, Shape, cast_ray, signed_distance};
use crate::kink::unsigned;
use crate::math::{RigidTransform, rotation};
use crate::tree::{BodyIndex, RigidBodyTree};
use crate::{ElementKink, InvalidInput, Scalar, constants};
use nalgebra::{Matrix3, Vector3};
use std::fmt;

/// Measures the distance to the nearest geometry along each ray of a fan or a table.
///
/// Rays start at the origin of the mounting frame L on a body; geometries of that body are not seen.
/// Output `{name}/range/{i}`, in metres, is the distance along ray `i`, with derivatives with respect
/// to the state, the mounting, the directions and the geometries. A ray that hits nothing within the range reads the
/// upper limit, one that hits something nearer than the lower limit reads the lower limit. See
/// [`geometry::ray`](crate::geometry::ray) for what counts as a hit.
///
/// Parameters are `{name}/origin/{x,y,z}` (m), `{name}/rotation/{x,y,z}` (rad), the rotation vector φ
/// of `R_BL = exp φ`, `{name}/directions/{i}/{x,y,z}` (whose length does not count), `{name}/lower_limit` and
/// `{name}/upper_limit` (m). Kinks are reported where the range
/// reaches a limit, and where it jumps: for each shape, how far a ray would have to move to graze it, of what it hits by the
/// shortest way out.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct Lidar<T> {
    pub(crate) name: String,
    pub(crate) mounting: Mounting<T>,
    pub(crate) directions: Vec<Vector3<T>>,
    lower_limit: T,
    upper_limit: T,
}

impl<T: Scalar> Lidar<T> {
    /// `count` directions in the xy plane, at equal angles from `first` to `last` (rad) about z from
    /// the x axis.
    pub fn fan(count: usize, first: T, last: T) -> Vec<Vector3<T>> {
        let step = (last - first) / (count.max(2) - 1) as f64;
        (0..count)
            .map(|i| {
                let (sin, cos) = (first + step * i as f64).sin_cos();
                Vector3::new(cos, sin, T::zero())
            })
            .collect()
    }

    /// A lidar with the mounting pose `X_BL` on a body, rays along `directions` (expressed in L, of any
    /// length), and the lower and upper limit of its range in metres.
    ///
    /// # Errors
    /// [`SensorError`] when the tree has no such body, the pose is not one, a direction is zero, or the limits are not
    /// `0 ≤ lower < upper < ∞`.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        body: BodyIndex,
        mounting: &RigidTransform<T>,
        directions: &[Vector3<T>],
        [lower_limit, upper_limit]: [T; 2],
    ) -> Result<Self, SensorError> {
        let name = name.into();
        Lidar {
            mounting: Mounting::new(body, mounting).map_err(SensorError::invalid(&name))?,
            name,
            directions: directions.to_vec(),
            lower_limit,
            upper_limit,
        }
        .validated(tree)
    }

    fn check_rays(&self, _: &RigidBodyTree<T>) -> Result<(), SensorError> {
        let lower = self.lower_limit.re();
        InvalidInput::check_range("upper_limit", &[self.upper_limit], "above the lower", |x| {
            x > lower
        })
        .and_then(|()| {
            (self.directions.iter()).try_for_each(|d| Ray::new(Vector3::zeros(), *d).map(|_| ()))
        })
        .map_err(SensorError::invalid(&self.name))
    }

    /// The rays in the world.
    fn rays(
        &self,
        context: &SensorContext<'_, T>,
    ) -> Result<impl Iterator<Item = Result<Ray<T>, InvalidInput>>, SensorError> {
        let pose = context.body_pose(self.mounting.body)? * self.mounting.pose();
        Ok((self.directions.iter()).map(move |d| Ray::new(pose.translation, pose.rotation * d)))
    }

    /// What rays can hit, by its index in the contact model: not the body that carries the sensor.
    fn visible<'c>(
        &self,
        context: &SensorContext<'c, T>,
    ) -> impl Iterator<Item = (usize, &'c CollisionGeometry<T>)> {
        let own = self.mounting.body;
        let geometries = context.contact().geometries().iter().enumerate();
        geometries.filter(move |(_, geometry)| geometry.body != own)
    }

    /// What a ray hits within the upper limit, by its index in the contact model, and the distance along the
    /// ray; if it does.
    fn hit(
        &self,
        context: &SensorContext<'_, T>,
        ray: &Ray<T>,
    ) -> Result<Option<(usize, T)>, SensorError> {
        let mut nearest: Option<(usize, RaySurface)> = None;
        let mut limit = self.upper_limit.re();
        for (i, geometry) in self.visible(context) {
            let pose = context.body_pose(geometry.body)? * geometry.pose_in_body;
            if let Some(surface) = cast_ray(&geometry.shape, &pose, ray, limit) {
                let distance = surface.hit(&geometry.shape, &pose, ray).distance;
                limit = distance.re().min(limit);
                nearest = Some((i, surface));
            }
        }
        let Some((i, surface)) = nearest else {
            return Ok(None);
        };
        let geometry = &context.contact().geometries()[i];
        let pose = context.body_pose(geometry.body)? * geometry.pose_in_body;
        Ok(Some((i, surface.hit(&geometry.shape, &pose, ray).distance)))
    }

    /// How far the ray would have to move, in m, to hit a shape that it misses or to miss one that it hits: the distance of
    /// the shape from the part of the ray that can see it, `length`; z turns into the direction of the ray by `turn`.
    fn clearance(
        (ray, turn): (&Ray<T>, &Matrix3<T>),
        length: T,
        (shape, pose): (&Shape<T>, &RigidTransform<T>),
    ) -> Option<T> {
        let middle = ray.origin() + ray.direction() * (length * 0.5);
        let line = Shape::Capsule {
            radius: T::zero(),
            length,
        };
        let distance = signed_distance(&line, &RigidTransform::new(*turn, middle), shape, pose);
        distance.ok().map(unsigned)
    }
}

impl<T: Scalar> Sensor<T> for Lidar<T> {
    casts_by_list! {}
    constants! { Sensor for Lidar, checked by check_rays {
        name;
        mounting: nested in_tree;
        directions: any("1");
        lower_limit: not_negative("m");
        upper_limit: positive("m");
    } }

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
        for (out, ray) in out.iter_mut().zip(self.rays(context)?) {
            *out = match self.hit(context, &ray?)?.map(|(_, distance)| distance) {
                Some(distance) if distance.re() < self.lower_limit.re() => self.lower_limit,
                Some(distance) => distance,
                None => self.upper_limit,
            };
        }
        Ok(())
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &SensorContext<'_, T>,
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), SensorError> {
        let mut shapes = Vec::new();
        for (i, geometry) in self.visible(context) {
            let pose = context.body_pose(geometry.body)? * geometry.pose_in_body;
            shapes.push((i, &geometry.shape, pose));
        }
        for ray in self.rays(context)? {
            let ray = ray?;
            let hit = self.hit(context, &ray)?;
            let turn = rotation::between(&Vector3::z(), ray.direction());
            let turn = rotation::matrix_from_quaternion(&turn);
            for (i, shape, pose) in &shapes {
                let length = match hit {
                    Some((seen, distance)) if seen != *i => distance,
                    _ => self.upper_limit,
                };
                if let Some(distance) = Self::clearance((&ray, &turn), length, (*shape, pose)) {
                    visit(ElementKink {
                        element: &self.name,
                        change: "grazing",
                        distance,
                        unit: "m",
                        order: 0,
                    });
                }
            }
            let Some((_, range)) = hit else {
                continue;
            };
            for (change, limit) in [
                ("lower limit", self.lower_limit),
                ("upper limit", self.upper_limit),
            ] {
                visit(ElementKink {
                    element: &self.name,
                    change,
                    distance: unsigned(range - limit),
                    unit: "m",
                    order: 1,
                });
            }
        }
        Ok(())
    }
}
