//! Ray casts against shapes.
//!
//! As for contacts, what the ray meets is decided on real parts ([`cast_ray`]), as a [`RaySurface`];
//! then distance, point and normal are evaluated in the scalar `T` ([`RaySurface::hit`]), with
//! derivatives with respect to ray, pose and dimensions.
//!
//! # Formulas
//! In the frame of the shape, with origin `o` and unit direction `d` of the ray,
//!
//! ```text
//! plane  n·p = c:                t = (c − n·o)/(n·d)
//! sphere about c, radius r:      t = −b − √(r² − ‖o − c − b d‖²),        b = (o − c)·d
//! tube about z, radius r:        t = −b − √((r² − ‖o − b d‖²)/d·d),      b = o·d/d·d, all in (x, y)
//! ellipsoid:                     as a ball of radius 1, with o and d divided by the semi-axes
//! ```
//!
//! the entering ones of both roots. Every shape but the capsule is an intersection of such balls,
//! tubes and slabs between planes, so that the line of the ray enters it where it enters the last of
//! them, if it has not left another one by then. No gap opens where surfaces meet.
//!
//! # What counts as a hit
//! A ray meets a shape where it enters it. One that starts inside a shape, or only touches it, does
//! not meet it; nor does any ray meet a set of points. The distance of a ray that all but touches a
//! round surface has a derivative without bound.

use super::{ConvexPolyhedron, End, Shape};
use crate::math::{RigidTransform, rotation};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// A half line, with a direction of unit length, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray<T> {
    origin: Vector3<T>,
    direction: Vector3<T>,
}

impl<T: Scalar> Ray<T> {
    /// The ray from a point `p_WO` along a direction of any length.
    ///
    /// # Errors
    /// [`InvalidInput`] for entries that are not finite, and a direction of length zero.
    #[inline(never)]
    pub fn new(origin: Vector3<T>, direction: Vector3<T>) -> Result<Self, InvalidInput> {
        InvalidInput::check_finite("origin of the ray", origin.as_slice())?;
        InvalidInput::check_finite("direction of the ray", direction.as_slice())?;
        let length = T::norm_lifted(direction.as_slice());
        InvalidInput::check_range(
            "length of the direction of the ray",
            &[length],
            "a positive finite number",
            |x| x > 0.0 && x.is_finite(),
        )?;
        Ok(Ray {
            origin,
            direction: direction.map(|x| x.div_lifted(length)),
        })
    }

    /// The origin `p_WO`.
    pub fn origin(&self) -> &Vector3<T> {
        &self.origin
    }

    /// The direction, of unit length, expressed in W.
    pub fn direction(&self) -> &Vector3<T> {
        &self.direction
    }
}

/// The surface of a shape that a ray enters through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RaySurface {
    /// The surface of a sphere.
    Sphere,
    /// The round side of a capsule or a cylinder.
    Tube,
    /// The cap of a capsule.
    Cap(End),
    /// The flat end of a cylinder.
    Disc(End),
    /// The face of a box whose outward normal is along this axis (0, 1, 2), and in its direction.
    Face {
        /// The axis.
        axis: u8,
        /// Whether the outward normal points along it.
        positive: bool,
    },
    /// The surface of an ellipsoid.
    Ellipsoid,
    /// A face of a convex polyhedron, by its position.
    Facet(usize),
    /// A face of a height field, by its number as in [`FieldFeature::Face`](super::FieldFeature::Face).
    Ground(u32),
    /// The boundary of a half space.
    Plane,
}

/// Where a ray enters a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit<T> {
    /// Distance from the origin of the ray, in metres.
    pub distance: T,
    /// The point `p_WQ`, in metres.
    pub point: Vector3<T>,
    /// Outward normal of the shape, of unit length, expressed in W.
    pub normal: Vector3<T>,
}

/// The surface through which a ray enters a shape with the pose `X_WS` first, within a distance of at
/// most `max_distance` (metres); `None` for a miss, and where the distance is beyond all numbers.
///
/// Looks at real parts only.
///
/// ```
/// use dualbody::geometry::{Ray, Shape, cast_ray};
/// use dualbody::math::RigidTransform;
/// use nalgebra::Vector3;
/// use num_dual::Dual64;
///
/// // A ray along x at a ball 2 m away: the hit comes nearer as the ball grows.
/// let ball = Shape::new_sphere(Dual64::from(0.5).derivative())?;
/// let X_WS = RigidTransform::from_translation(Vector3::new(2.0, 0.3, 0.0)).cast();
/// let ray = Ray::new(Vector3::zeros(), Vector3::x())?;
/// let surface = cast_ray(&ball, &X_WS, &ray, f64::INFINITY).expect("the ball is in the way");
/// let hit = surface.hit(&ball, &X_WS, &ray);
/// assert!((hit.distance.re - 1.6).abs() < 1e-15);
/// assert!((hit.distance.eps + 0.5 / 0.4).abs() < 1e-15); // −r/√(r² − 0.3²)
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[inline(never)]
pub fn cast_ray<T: Scalar>(
    shape: &Shape<T>,
    X_WS: &RigidTransform<T>,
    ray: &Ray<T>,
    max_distance: f64,
) -> Option<RaySurface> {
    let local = LocalRay::new(&X_WS.cast::<f64>(), &real(ray));
    let chord = match shape {
        Shape::Sphere { radius } => local.chord_of_sphere(RaySurface::Sphere, 0.0, radius.re()),
        Shape::Capsule { radius, length } => local.chord_of_capsule(radius.re(), 0.5 * length.re()),
        Shape::Cylinder { radius, length } => {
            let discs = [End::Lower, End::Upper].map(RaySurface::Disc);
            let slab = local.chord_of_slab(discs, 2, 0.5 * length.re());
            local
                .chord_of_tube(radius.re())
                .and_then(|tube| slab?.within(tube))
        }
        Shape::Box { size } => {
            let slab = |axis: u8| {
                let faces = [false, true].map(|positive| RaySurface::Face { axis, positive });
                let axis = usize::from(axis);
                local.chord_of_slab(faces, axis, 0.5 * size[axis].re())
            };
            slab(0).and_then(|x| x.within(slab(1)?)?.within(slab(2)?))
        }
        Shape::Ellipsoid { semi_axes } => local.chord_of_ellipsoid(&semi_axes.map(|x| x.re())),
        Shape::Convex { polyhedron } => local.chord_of_convex(polyhedron),
        Shape::Points { .. } => None,
        Shape::HeightField { field } => {
            return field.cast_ray((&local.o, &local.d), max_distance);
        }
        Shape::HalfSpace => local.chord_of_half_space(),
    };
    chord
        .filter(|chord| (0.0..=max_distance.min(f64::MAX)).contains(&chord.enter))
        .map(|chord| chord.surface)
}

impl RaySurface {
    /// Evaluates where a ray enters through this surface of a shape with the pose `X_WS`.
    ///
    /// The surface must be one that [`cast_ray`] has found for these arguments or near ones. Where
    /// the ray does not meet the surface (or the shape has no such surface) numbers are not finite
    /// or those of the nearest approach.
    pub fn hit<T: Scalar>(
        &self,
        shape: &Shape<T>,
        X_WS: &RigidTransform<T>,
        ray: &Ray<T>,
    ) -> RayHit<T> {
        let local = LocalRay::new(X_WS, ray);
        let half = T::from(0.5);
        let nowhere = || (T::from(f64::NAN), Vector3::zeros());
        let (distance, normal) = match (self, shape) {
            (RaySurface::Sphere, Shape::Sphere { radius }) => local.sphere(T::zero(), *radius),
            (RaySurface::Cap(end), Shape::Capsule { radius, length }) => {
                local.sphere(*length * end.sign() * half, *radius)
            }
            (RaySurface::Tube, Shape::Capsule { radius, .. } | Shape::Cylinder { radius, .. }) => {
                local.tube(*radius)
            }
            (RaySurface::Disc(end), Shape::Cylinder { length, .. }) => {
                local.plane(2, end.sign(), *length * half)
            }
            (RaySurface::Face { axis, positive }, Shape::Box { size }) => {
                let (axis, sign) = (
                    usize::from(*axis).min(2),
                    if *positive { 1.0 } else { -1.0 },
                );
                local.plane(axis, sign, size[axis] * half)
            }
            (RaySurface::Ellipsoid, Shape::Ellipsoid { semi_axes }) => local.ellipsoid(semi_axes),
            (&RaySurface::Facet(face), Shape::Convex { polyhedron })
                if face < polyhedron.faces().len() =>
            {
                local.facet(&polyhedron.face_plane(face))
            }
            (&RaySurface::Ground(face), Shape::HeightField { field }) => {
                (field.face_plane(face)).map_or_else(nowhere, |plane| local.facet(&plane))
            }
            (RaySurface::Plane, Shape::HalfSpace) => local.plane(2, 1.0, T::zero()),
            _ => nowhere(),
        };
        RayHit {
            distance,
            point: ray.origin + ray.direction * distance,
            normal: X_WS.rotation * normal,
        }
    }
}

fn real<T: Scalar>(ray: &Ray<T>) -> Ray<f64> {
    Ray {
        origin: ray.origin.map(|x| x.re()),
        direction: ray.direction.map(|x| x.re()),
    }
}

/// A ray in the frame of a shape.
struct LocalRay<T> {
    o: Vector3<T>,
    d: Vector3<T>,
}

impl<T: Scalar> LocalRay<T> {
    fn new(X_WS: &RigidTransform<T>, ray: &Ray<T>) -> Self {
        LocalRay {
            o: X_WS.inverse_transform_point(&ray.origin),
            d: X_WS.rotation.tr_mul(&ray.direction),
        }
    }

    /// Distance to the plane at `offset` along the outward normal `sign · axis`, and the normal.
    fn plane(&self, axis: usize, sign: f64, offset: T) -> (T, Vector3<T>) {
        let distance = (offset - self.o[axis] * sign).div_lifted(self.d[axis] * sign);
        let mut normal = Vector3::zeros();
        normal[axis] = T::from(sign);
        (distance, normal)
    }

    /// Distance to the plane with a normal of any length through a point, and the unit normal.
    fn facet(&self, (normal, through): &(Vector3<T>, Vector3<T>)) -> (T, Vector3<T>) {
        let distance = normal
            .dot(&(through - self.o))
            .div_lifted(normal.dot(&self.d));
        (distance, rotation::unit(normal))
    }

    /// Distance to the sphere about a point on the z axis, and the normal.
    fn sphere(&self, z: T, radius: T) -> (T, Vector3<T>) {
        let o = self.o - Vector3::new(T::zero(), T::zero(), z);
        let b = o.dot(&self.d);
        let nearest = o - self.d * b;
        let distance = -b - (radius * radius - nearest.dot(&nearest)).sqrt_lifted();
        (
            distance,
            (o + self.d * distance).map(|x| x.div_lifted(radius)),
        )
    }

    /// Distance to the ellipsoid about the origin, and the normal.
    fn ellipsoid(&self, semi_axes: &Vector3<T>) -> (T, Vector3<T>) {
        let scaled = |v: &Vector3<T>| v.zip_map(semi_axes, |x, axis| x.div_lifted(axis));
        let (o, d) = (scaled(&self.o), scaled(&self.d));
        let dd = d.dot(&d);
        let b = o.dot(&d).div_lifted(dd);
        let nearest = o - d * b;
        let distance = -b - (-nearest.dot(&nearest) + 1.0).div_lifted(dd).sqrt_lifted();
        let normal = scaled(&(o + d * distance));
        (distance, rotation::unit(&normal))
    }

    /// Distance to the tube about the z axis, and the normal.
    fn tube(&self, radius: T) -> (T, Vector3<T>) {
        let (o, d) = (self.o.xy(), self.d.xy());
        let dd = d.dot(&d);
        let b = o.dot(&d).div_lifted(dd);
        let nearest = o - d * b;
        let distance = -b
            - (radius * radius - nearest.dot(&nearest))
                .div_lifted(dd)
                .sqrt_lifted();
        let normal = (o + d * distance).map(|x| x.div_lifted(radius));
        (distance, Vector3::new(normal.x, normal.y, T::zero()))
    }
}

/// The part of the line of a ray that lies in a convex shape, by distances from the origin.
#[derive(Clone, Copy)]
struct Chord {
    enter: f64,
    exit: f64,
    /// Where the line enters.
    surface: RaySurface,
}

impl Chord {
    /// The part in two shapes.
    fn within(self, other: Chord) -> Option<Chord> {
        let exit = self.exit.min(other.exit);
        let last = if other.enter > self.enter {
            other
        } else {
            self
        };
        (last.enter < exit).then_some(Chord { exit, ..last })
    }
}

/// Chords; `None` when the line misses the shape or only touches it.
impl LocalRay<f64> {
    fn chord_of_half_space(&self) -> Option<Chord> {
        let surface = RaySurface::Plane;
        (self.d.z < 0.0).then(|| Chord {
            enter: self.plane(2, 1.0, 0.0).0,
            exit: f64::INFINITY,
            surface,
        })
    }

    /// Of the points within `half` of the origin along an axis, between a lower and an upper face.
    fn chord_of_slab(&self, faces: [RaySurface; 2], axis: usize, half: f64) -> Option<Chord> {
        let [lower, upper] = faces;
        let d = self.d[axis];
        if d == 0.0 {
            // Along the faces: the other sides of the shape decide.
            return (self.o[axis].abs() < half).then_some(Chord {
                enter: f64::NEG_INFINITY,
                exit: f64::INFINITY,
                surface: lower,
            });
        }
        let sign = -d.signum();
        Some(Chord {
            enter: self.plane(axis, sign, half).0,
            exit: self.plane(axis, -sign, half).0,
            surface: if sign > 0.0 { upper } else { lower },
        })
    }

    /// Between the last plane that the line enters and the first that it leaves.
    fn chord_of_convex<T: Scalar>(&self, polyhedron: &ConvexPolyhedron<T>) -> Option<Chord> {
        let mut chord: Option<Chord> = None;
        let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        for face in 0..polyhedron.faces().len() {
            let (normal, through) = polyhedron.face_plane(face);
            let (normal, through) = (normal.map(|x| x.re()), through.map(|x| x.re()));
            let (rate, above) = (normal.dot(&self.d), normal.dot(&(self.o - through)));
            if rate == 0.0 && above >= 0.0 {
                return None;
            }
            let distance = -above / rate;
            if rate > 0.0 {
                exit = exit.min(distance);
            } else if rate < 0.0 && distance > enter {
                enter = distance;
                let surface = RaySurface::Facet(face);
                chord = Some(Chord {
                    enter,
                    exit,
                    surface,
                });
            }
        }
        chord
            .map(|chord| Chord { exit, ..chord })
            .filter(|chord| chord.enter < chord.exit)
    }

    fn chord_of_sphere(&self, surface: RaySurface, z: f64, radius: f64) -> Option<Chord> {
        let o = self.o - Vector3::new(0.0, 0.0, z);
        let b = o.dot(&self.d);
        let half = (radius * radius - (o - self.d * b).norm_squared()).sqrt();
        (half > 0.0).then_some(Chord {
            enter: -b - half,
            exit: -b + half,
            surface,
        })
    }

    fn chord_of_ellipsoid(&self, semi_axes: &Vector3<f64>) -> Option<Chord> {
        let (o, d) = (
            self.o.component_div(semi_axes),
            self.d.component_div(semi_axes),
        );
        let dd = d.norm_squared();
        let b = o.dot(&d) / dd;
        let half = ((1.0 - (o - d * b).norm_squared()) / dd).sqrt();
        (half > 0.0).then_some(Chord {
            enter: -b - half,
            exit: -b + half,
            surface: RaySurface::Ellipsoid,
        })
    }

    fn chord_of_tube(&self, radius: f64) -> Option<Chord> {
        let (o, d) = (self.o.xy(), self.d.xy());
        let dd = d.norm_squared();
        let surface = RaySurface::Tube;
        if dd == 0.0 {
            return (o.norm() < radius).then_some(Chord {
                enter: f64::NEG_INFINITY,
                exit: f64::INFINITY,
                surface,
            });
        }
        let b = o.dot(&d) / dd;
        let half = ((radius * radius - (o - d * b).norm_squared()) / dd).sqrt();
        (half > 0.0).then_some(Chord {
            enter: -b - half,
            exit: -b + half,
            surface,
        })
    }

    /// The line enters by the tube between the centres of the caps, or else by the first cap.
    fn chord_of_capsule(&self, radius: f64, half: f64) -> Option<Chord> {
        let tube = self.chord_of_tube(radius)?;
        if (self.o.z + self.d.z * tube.enter).abs() <= half {
            return Some(tube);
        }
        let [lower, upper] = End::ALL
            .map(|end| self.chord_of_sphere(RaySurface::Cap(end), end.sign() * half, radius));
        match (lower, upper) {
            (Some(lower), Some(upper)) => Some(if lower.enter <= upper.enter {
                lower
            } else {
                upper
            }),
            (one, other) => one.or(other),
        }
    }
}
