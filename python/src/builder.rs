//! Small machines in a few words.

use crate::array::vector;
use crate::error::{Failure, Outcome};
use crate::source::scheme;
use crate::system::System;
use dualbody::contact::ContactMaterial;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, rotation};
use dualbody::nalgebra::Vector3;
use dualbody::system::{SystemBuilder, TimeSteppingRigidBodySystem};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A surface: ``stiffness`` of contact in N/m, ``dissipation`` in s/m, coefficient of ``friction``.
#[pyclass(frozen, module = "dualbody", from_py_object)]
#[derive(Clone)]
pub struct Material {
    material: ContactMaterial<f64>,
}

#[pymethods]
impl Material {
    #[new]
    #[pyo3(signature = (stiffness=1e5, dissipation=0.5, friction=0.7, *, restitution=None))]
    fn new(
        stiffness: f64,
        dissipation: f64,
        friction: f64,
        restitution: Option<f64>,
    ) -> Outcome<Self> {
        let mut material = ContactMaterial::new(stiffness, dissipation, friction)?;
        if let Some(restitution) = restitution {
            material = material.with_restitution(restitution)?;
        }
        Ok(Material { material })
    }

    fn __repr__(&self) -> String {
        let ContactMaterial {
            stiffness,
            dissipation,
            friction,
            ..
        } = self.material;
        format!("Material(stiffness={stiffness}, dissipation={dissipation}, friction={friction})")
    }
}

/// Puts a machine of free bodies and fixed surfaces together: what more it needs, a file has.
///
/// Methods return the builder, so that calls follow each other. A shape is ``("sphere", radius)``, ``("box", x, y, z)``,
/// ``("capsule", radius, length)``, ``("cylinder", radius, length)``, ``("ellipsoid", a, b, c)`` with half its extents, or
/// ``("half_space",)``, in m.
#[pyclass(frozen, module = "dualbody", name = "SystemBuilder")]
pub struct Builder(Mutex<SystemBuilder<f64>>);

fn shape(value: &Bound<'_, PyAny>) -> Outcome<Shape<f64>> {
    let wrong = || {
        Failure::argument("shape: expected a tuple such as (\"sphere\", radius), see SystemBuilder")
    };
    let kind: String = value
        .get_item(0)
        .and_then(|kind| kind.extract())
        .map_err(|_| wrong())?;
    let count = value.len().map_err(|_| wrong())?;
    let numbers = (1..count).map(|k| value.get_item(k)?.extract::<f64>());
    let numbers = numbers.collect::<PyResult<Vec<_>>>().map_err(|_| wrong())?;
    Ok(match (kind.as_str(), &numbers[..]) {
        ("sphere", &[radius]) => Shape::new_sphere(radius)?,
        ("box", &[x, y, z]) => Shape::new_box(Vector3::new(x, y, z))?,
        ("capsule", &[radius, length]) => Shape::new_capsule(radius, length)?,
        ("cylinder", &[radius, length]) => Shape::new_cylinder(radius, length)?,
        ("ellipsoid", &[a, b, c]) => Shape::new_ellipsoid(Vector3::new(a, b, c))?,
        ("half_space", &[]) => Shape::HalfSpace,
        _ => return Err(wrong()),
    })
}

impl Builder {
    fn update(&self, change: impl FnOnce(SystemBuilder<f64>) -> SystemBuilder<f64>) {
        let mut builder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::take(&mut *builder);
        *builder = change(taken);
    }
}

#[pymethods]
impl Builder {
    #[new]
    fn new() -> Self {
        Builder(Mutex::new(SystemBuilder::new()))
    }

    /// Adds the ground z ≤ 0.
    fn floor<'py>(slf: Bound<'py, Self>, name: String, material: Material) -> Bound<'py, Self> {
        slf.get()
            .update(|builder| builder.floor(name, material.material));
        slf
    }

    /// Adds a shape that is fixed in the world, at a ``position`` (3,) in m and turned by a ``quaternion`` (4,), w, x, y, z.
    #[pyo3(signature = (name, shape, material, *, position=None, quaternion=None))]
    fn fixed<'py>(
        slf: Bound<'py, Self>,
        name: String,
        shape: &Bound<'py, PyAny>,
        material: Material,
        position: Option<&Bound<'py, PyAny>>,
        quaternion: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, Self>> {
        let shape = self::shape(shape)?;
        let mut pose = RigidTransform::identity();
        if let Some(position) = position {
            pose.translation = Vector3::from_vec(vector(position, "position", 3)?);
        }
        if let Some(quaternion) = quaternion {
            let q = vector(quaternion, "quaternion", 4)?;
            pose.rotation = matrix_of([q[0], q[1], q[2], q[3]])?;
        }
        slf.get()
            .update(|builder| builder.fixed(name, shape, pose, material.material));
        Ok(slf)
    }

    /// Adds a free body of uniform density with the mass ``mass`` in kg.
    fn free_body<'py>(
        slf: Bound<'py, Self>,
        name: String,
        shape: &Bound<'py, PyAny>,
        mass: f64,
        material: Material,
    ) -> Outcome<Bound<'py, Self>> {
        let shape = self::shape(shape)?;
        slf.get()
            .update(|builder| builder.free_body(name, shape, mass, material.material));
        Ok(slf)
    }

    /// Sets the material of the contact of two geometries, in place of the combination of theirs.
    fn pair_material<'py>(
        slf: Bound<'py, Self>,
        first: &str,
        second: &str,
        material: Material,
    ) -> Bound<'py, Self> {
        slf.get()
            .update(|builder| builder.pair_material(first, second, material.material));
        slf
    }

    /// The system, in steps of ``time_step`` s.
    #[pyo3(signature = (time_step=1e-3, scheme="compliant"))]
    fn build(&self, time_step: f64, scheme: &str) -> Outcome<System> {
        let builder = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let scheme = self::scheme(scheme)?;
        let stepper =
            TimeSteppingRigidBodySystem::with_scheme(builder.build()?, time_step, scheme)?;
        Ok(System::new(stepper, None, Vec::new()))
    }

    fn __repr__(&self) -> &'static str {
        "<dualbody.SystemBuilder>"
    }
}

/// The rotation matrix of a quaternion, w, x, y, z, of any length but zero.
fn matrix_of(q: [f64; 4]) -> Outcome<dualbody::nalgebra::Matrix3<f64>> {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(norm > 0.0 && norm.is_finite()) {
        return Err(Failure::argument(
            "quaternion: expected finite numbers, not all zero",
        ));
    }
    let [w, x, y, z] = q.map(|x| x / norm);
    let quaternion = dualbody::nalgebra::Quaternion::new(w, x, y, z);
    Ok(rotation::matrix_from_quaternion(&quaternion))
}
