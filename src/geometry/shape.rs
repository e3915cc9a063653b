//! Shapes and their dimensions.

use super::{ConvexPolyhedron, HeightField};
use crate::{InvalidInput, Scalar, parameter::Parameter};
use nalgebra::Vector3;
use std::fmt;

/// The shape of a body, or of a part of it, in a frame of its own.
///
/// Dimensions are numbers of the scalar `T`, in metres: contacts are differentiable with respect to
/// them. The constructors check them; [`Shape::validate`] checks them again after they have been
/// changed through [`Shape::visit_parameters`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub enum Shape<T> {
    /// A ball about the origin.
    #[non_exhaustive]
    Sphere {
        /// Its radius.
        radius: T,
    },
    /// All points nearer than the radius to a segment on the z axis, centred at the origin.
    #[non_exhaustive]
    Capsule {
        /// Radius of the tube and of its caps.
        radius: T,
        /// Length of the segment, between the centres of the caps.
        length: T,
    },
    /// A solid circular cylinder about the z axis, centred at the origin.
    #[non_exhaustive]
    Cylinder {
        /// Its radius.
        radius: T,
        /// Its extent along z.
        length: T,
    },
    /// A solid box centred at the origin, with edges along the axes.
    #[non_exhaustive]
    Box {
        /// Lengths of its edges along x, y and z.
        size: Vector3<T>,
    },
    /// A solid ellipsoid centred at the origin, with its axes along those of the frame.
    #[non_exhaustive]
    Ellipsoid {
        /// Half its extents along x, y and z.
        semi_axes: Vector3<T>,
    },
    /// A solid convex polyhedron, the hull of points or of a mesh.
    #[non_exhaustive]
    Convex {
        /// Its vertices and faces.
        polyhedron: ConvexPolyhedron<T>,
    },
    /// Single points.
    #[non_exhaustive]
    Points {
        /// Their positions.
        points: Vec<Vector3<T>>,
    },
    /// Ground given by heights on a grid.
    #[non_exhaustive]
    HeightField {
        /// The heights.
        field: HeightField<T>,
    },
    /// All points with z ≤ 0; +z is the outward normal.
    HalfSpace,
}

/// Which of the shapes a [`Shape`] is.
///
/// Pairs are implemented for kinds in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ShapeKind {
    /// [`Shape::Sphere`].
    Sphere,
    /// [`Shape::Capsule`].
    Capsule,
    /// [`Shape::Cylinder`].
    Cylinder,
    /// [`Shape::Box`].
    Box,
    /// [`Shape::Ellipsoid`].
    Ellipsoid,
    /// [`Shape::Convex`].
    Convex,
    /// [`Shape::Points`].
    Points,
    /// [`Shape::HeightField`].
    HeightField,
    /// [`Shape::HalfSpace`].
    HalfSpace,
}

impl fmt::Display for ShapeKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            ShapeKind::Sphere => "sphere",
            ShapeKind::Capsule => "capsule",
            ShapeKind::Cylinder => "cylinder",
            ShapeKind::Box => "box",
            ShapeKind::Ellipsoid => "ellipsoid",
            ShapeKind::Convex => "convex polyhedron",
            ShapeKind::Points => "points",
            ShapeKind::HeightField => "height field",
            ShapeKind::HalfSpace => "half space",
        })
    }
}

impl<T: Scalar> Shape<T> {
    /// A sphere.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless the radius is positive and finite.
    pub fn new_sphere(radius: T) -> Result<Self, InvalidInput> {
        Shape::Sphere { radius }.validated()
    }

    /// A capsule; `length` is that of the segment between the centres of the caps.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless both are positive and finite.
    pub fn new_capsule(radius: T, length: T) -> Result<Self, InvalidInput> {
        Shape::Capsule { radius, length }.validated()
    }

    /// A cylinder.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless both are positive and finite.
    pub fn new_cylinder(radius: T, length: T) -> Result<Self, InvalidInput> {
        Shape::Cylinder { radius, length }.validated()
    }

    /// A box from the lengths of its edges.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless all are positive and finite.
    pub fn new_box(size: Vector3<T>) -> Result<Self, InvalidInput> {
        Shape::Box { size }.validated()
    }

    /// An ellipsoid from its semi-axes, half the extents along x, y and z.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless all are positive and finite.
    pub fn new_ellipsoid(semi_axes: Vector3<T>) -> Result<Self, InvalidInput> {
        Shape::Ellipsoid { semi_axes }.validated()
    }

    /// The convex hull of points; see [`ConvexPolyhedron`] for one with fewer vertices.
    ///
    /// # Errors
    /// [`InvalidInput`] for coordinates that are not finite, and points that enclose no volume.
    pub fn new_convex(points: &[Vector3<T>]) -> Result<Self, InvalidInput> {
        Ok(ConvexPolyhedron::hull_of(points)?.into())
    }

    /// A set of points.
    ///
    /// # Errors
    /// [`InvalidInput`] when there is no point, or a coordinate is not finite.
    pub fn new_points(points: Vec<Vector3<T>>) -> Result<Self, InvalidInput> {
        Shape::Points { points }.validated()
    }

    fn validated(self) -> Result<Self, InvalidInput> {
        self.validate()?;
        Ok(self)
    }

    /// Checks that the dimensions make sense, as the constructors do.
    ///
    /// # Errors
    /// [`InvalidInput`] with the first that does not.
    #[inline(never)]
    pub fn validate(&self) -> Result<(), InvalidInput> {
        let positive = |quantity, values: &[T]| {
            InvalidInput::check_range(quantity, values, "a positive finite number", |x| {
                x > 0.0 && x.is_finite()
            })
        };
        match self {
            Shape::Sphere { radius } => positive("radius", &[*radius]),
            Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
                positive("radius", &[*radius])?;
                positive("length", &[*length])
            }
            Shape::Box { size } => positive("size", size.as_slice()),
            Shape::Ellipsoid { semi_axes } => positive("semi_axes", semi_axes.as_slice()),
            Shape::Convex { polyhedron } => polyhedron.validate(),
            Shape::Points { points } => {
                let count = points.len() as f64;
                InvalidInput::check_range("number of points", &[count], "at least 1", |n| {
                    n >= 1.0
                })?;
                let mut coordinates = points.iter().flat_map(|p| p.iter()).enumerate();
                match coordinates.find(|(_, x)| !x.re().is_finite()) {
                    None => Ok(()),
                    Some((index, x)) => Err(InvalidInput::NotFinite {
                        quantity: "points",
                        index: Some(index),
                        value: x.re(),
                    }),
                }
            }
            Shape::HeightField { field } => field.validate(),
            Shape::HalfSpace => Ok(()),
        }
    }

    /// Which of the shapes this is.
    pub fn kind(&self) -> ShapeKind {
        match self {
            Shape::Sphere { .. } => ShapeKind::Sphere,
            Shape::Capsule { .. } => ShapeKind::Capsule,
            Shape::Cylinder { .. } => ShapeKind::Cylinder,
            Shape::Box { .. } => ShapeKind::Box,
            Shape::Ellipsoid { .. } => ShapeKind::Ellipsoid,
            Shape::Convex { .. } => ShapeKind::Convex,
            Shape::Points { .. } => ShapeKind::Points,
            Shape::HeightField { .. } => ShapeKind::HeightField,
            Shape::HalfSpace => ShapeKind::HalfSpace,
        }
    }

    /// The same shape in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> Shape<U> {
        let scalar = |x: &T| U::from(x.re());
        let vector = |v: &Vector3<T>| v.map(|x| U::from(x.re()));
        match self {
            Shape::Sphere { radius } => Shape::Sphere {
                radius: scalar(radius),
            },
            Shape::Capsule { radius, length } => Shape::Capsule {
                radius: scalar(radius),
                length: scalar(length),
            },
            Shape::Cylinder { radius, length } => Shape::Cylinder {
                radius: scalar(radius),
                length: scalar(length),
            },
            Shape::Box { size } => Shape::Box { size: vector(size) },
            Shape::Ellipsoid { semi_axes } => Shape::Ellipsoid {
                semi_axes: vector(semi_axes),
            },
            Shape::Convex { polyhedron } => Shape::Convex {
                polyhedron: polyhedron.cast(),
            },
            Shape::Points { points } => Shape::Points {
                points: points.iter().map(vector).collect(),
            },
            Shape::HeightField { field } => Shape::HeightField {
                field: field.cast(),
            },
            Shape::HalfSpace => Shape::HalfSpace,
        }
    }

    /// Calls `visit` with every dimension, for a model that owns shapes and lists its
    /// [`Parameters`](crate::Parameters).
    ///
    /// Names are `{prefix}/radius`, `{prefix}/length`, `{prefix}/size/x` …, `{prefix}/semi_axes/x` … and, for the coordinates
    /// of points and vertices, `{prefix}/points/0/x` and `{prefix}/vertices/0/x` …; of a height field `{prefix}/spacing/x`,
    /// `{prefix}/spacing/y` and `{prefix}/heights/0` …. Dimensions have a positive lower bound.
    ///
    /// ```
    /// use dualbody::geometry::Shape;
    /// let mut foot = Shape::new_capsule(0.02, 0.1)?;
    /// let mut names = Vec::new();
    /// foot.visit_parameters("robot/foot", &mut |p| names.push(p.name.to_string()));
    /// assert_eq!(names, ["robot/foot/radius", "robot/foot/length"]);
    /// # Ok::<(), dualbody::InvalidInput>(())
    /// ```
    pub fn visit_parameters(
        &mut self,
        prefix: impl fmt::Display,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let mut dimension = |name: fmt::Arguments, value| {
            visit(Parameter {
                name,
                unit: "m",
                lower: f64::MIN_POSITIVE,
                upper: f64::INFINITY,
                value,
            });
        };
        match self {
            Shape::Sphere { radius } => dimension(format_args!("{prefix}/radius"), radius),
            Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
                dimension(format_args!("{prefix}/radius"), radius);
                dimension(format_args!("{prefix}/length"), length);
            }
            Shape::Box { size } => {
                for (axis, value) in ["x", "y", "z"].iter().zip(size.iter_mut()) {
                    dimension(format_args!("{prefix}/size/{axis}"), value);
                }
            }
            Shape::Ellipsoid { semi_axes } => {
                for (axis, value) in ["x", "y", "z"].iter().zip(semi_axes.iter_mut()) {
                    dimension(format_args!("{prefix}/semi_axes/{axis}"), value);
                }
            }
            Shape::Convex { polyhedron } => {
                visit_points(prefix, "vertices", polyhedron.vertices_mut(), visit);
            }
            Shape::Points { points } => visit_points(prefix, "points", points, visit),
            Shape::HeightField { field } => field.visit_parameters(prefix, visit),
            Shape::HalfSpace => {}
        }
    }
}

impl<T> From<ConvexPolyhedron<T>> for Shape<T> {
    fn from(polyhedron: ConvexPolyhedron<T>) -> Self {
        Shape::Convex { polyhedron }
    }
}

impl<T> From<HeightField<T>> for Shape<T> {
    fn from(field: HeightField<T>) -> Self {
        Shape::HeightField { field }
    }
}

fn visit_points<T: Scalar>(
    prefix: impl fmt::Display,
    list: &str,
    points: &mut [Vector3<T>],
    visit: &mut dyn FnMut(Parameter<'_, T>),
) {
    for (i, point) in points.iter_mut().enumerate() {
        for (axis, value) in ["x", "y", "z"].iter().zip(point.iter_mut()) {
            visit(Parameter {
                name: format_args!("{prefix}/{list}/{i}/{axis}"),
                unit: "m",
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                value,
            });
        }
    }
}
