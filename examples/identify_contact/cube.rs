//! The model: a cube over a table.

use crate::support::Failure;
use crate::tosses::Sample;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::identification::Unknown;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, ParameterError, Parameters, Scalar};
use nalgebra::{DVector, Vector3};

/// Width of the cube, m.
pub const WIDTH: f64 = 0.1048;
const MASS: f64 = 0.37;
const INERTIA: f64 = 0.00081;
const NOMINAL: ContactMaterial<f64> = ContactMaterial {
    stiffness: 2e4,
    dissipation: 0.5,
    friction: 0.3,
    stribeck: None,
    restitution: None,
    rotational: None,
};

/// What may be estimated besides stiffness, dissipation and friction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Extras {
    /// Ratio of measured to true lengths.
    pub scale: bool,
    /// Moment of inertia.
    pub inertia: bool,
    /// Radius of the rounding of the corners.
    pub radius: bool,
    /// Slope of the table.
    pub tilt: bool,
    /// Static friction apart from dynamic friction.
    pub static_friction: bool,
}

impl Extras {
    /// What predicts measured tosses best.
    pub const BEST: Extras = Extras {
        scale: true,
        inertia: true,
        radius: true,
        tilt: false,
        static_friction: false,
    };
}

/// What an unknown changes.
#[derive(Debug, Clone)]
enum Effect {
    /// Parameters of the system, all of which take its value.
    Parameters(Vec<usize>),
    /// The rounding: parameters that take its value, and coordinates of the centres of the
    /// roundings with the signs of their corners.
    Radius(Vec<usize>, Vec<(usize, f64)>),
    /// The ratio of measured to true lengths.
    Scale,
}

/// The cube, and what is to be found out of it.
pub struct Cube {
    system: TimeSteppingRigidBodySystem<f64>,
    /// The unknowns, with first guesses.
    pub unknowns: Vec<Unknown>,
    effects: Vec<Effect>,
    /// Steps between samples.
    pub substeps: usize,
}

/// The cube for some values of the unknowns.
pub struct Trial<T: Scalar> {
    /// The system in true lengths.
    pub system: TimeSteppingRigidBodySystem<T>,
    scale: T,
}

impl Cube {
    /// A cube whose corners touch the table: points, or spheres when their radius is asked for.
    ///
    /// `interval` is the time between samples in s.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn new(interval: f64, substeps: usize, extras: Extras) -> Result<Self, Failure> {
        let radius = if extras.radius { 0.002 } else { 0.0 };
        let material = if extras.static_friction {
            NOMINAL.with_static_friction(0.4, 0.1)?
        } else {
            NOMINAL
        };
        let system = system(interval / substeps as f64, radius, material)?;
        let mut cube = Cube {
            system,
            unknowns: Vec::new(),
            effects: Vec::new(),
            substeps,
        };
        let ending = |ending: &'static str| move |name: &str| name.ends_with(ending);
        cube.add_parameters("stiffness", ending("/stiffness"), 1e2, 1e7)?;
        cube.add_parameters("dissipation", ending("/dissipation"), 1e-3, 1e2)?;
        cube.add_parameters("friction", ending("/friction"), 1e-3, 3.0)?;
        if extras.static_friction {
            for (name, wanted, upper) in [
                ("static friction", "/static_friction", 3.0),
                ("Stribeck velocity", "/stribeck_velocity", 1e1),
            ] {
                cube.add_parameters(name, ending(wanted), 1e-3, upper)?;
            }
        }
        if extras.inertia {
            let moment = |name: &str| {
                ["xx", "yy", "zz"]
                    .iter()
                    .any(|m| name == format!("body/cube/rotational_inertia/{m}"))
            };
            cube.add_parameters("inertia", moment, 3e-4, 3e-3)?;
        }
        if extras.radius {
            let radii = cube.indices(ending("/radius"));
            let mut centers = Vec::new();
            for (index, p) in cube.system.parameters().iter().enumerate() {
                if p.name.starts_with("geometry/cube/corner") && p.name.contains("/origin/") {
                    centers.push((index, p.value.signum()));
                }
            }
            let unknown = Unknown::new("corner radius", "m", radius)?.bounds(1e-5, 0.02)?;
            cube.unknowns.push(unknown.logarithmic()?);
            cube.effects.push(Effect::Radius(radii, centers));
        }
        if extras.scale {
            let unknown = Unknown::new("length scale", "1", 1.0)?.bounds(0.8, 1.2)?;
            cube.unknowns.push(unknown.scale(0.01)?);
            cube.effects.push(Effect::Scale);
        }
        if extras.tilt {
            for axis in ["gravity/x", "gravity/y"] {
                let index = cube.system.parameter_index(axis)?;
                let unknown = Unknown::new(axis, "m/s²", 0.0)?.bounds(-2.0, 2.0)?;
                cube.unknowns.push(unknown.scale(0.1)?);
                cube.effects.push(Effect::Parameters(vec![index]));
            }
        }
        Ok(cube)
    }

    fn indices(&self, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let list = self.system.parameters();
        (0..list.len()).filter(|&i| wanted(&list[i].name)).collect()
    }

    /// Adds one unknown for all parameters whose names are `wanted`; they have the same value.
    fn add_parameters(
        &mut self,
        name: &str,
        wanted: impl Fn(&str) -> bool,
        lower: f64,
        upper: f64,
    ) -> Result<(), Failure> {
        let indices = self.indices(wanted);
        let list = self.system.parameters();
        let first = &list[*indices
            .first()
            .ok_or_else(|| format!("no parameter for {name}"))?];
        let unknown = Unknown::new(name, first.unit, first.value)?.bounds(lower, upper)?;
        self.unknowns.push(unknown.logarithmic()?);
        self.effects.push(Effect::Parameters(indices));
        Ok(())
    }

    /// The ratio of measured to true lengths among some values of the unknowns; 1 if it is not unknown.
    pub fn scale(&self, values: &[f64]) -> f64 {
        let scale = |(effect, _): &(&Effect, &f64)| matches!(effect, Effect::Scale);
        (self.effects.iter().zip(values))
            .find(scale)
            .map_or(1.0, |(_, &value)| value)
    }

    /// The cube with these values of the unknowns.
    ///
    /// # Errors
    /// [`ParameterError`] for values that make no sense.
    pub fn trial<T: DefaultScalar>(&self, values: &[T]) -> Result<Trial<T>, ParameterError> {
        let mut settings = Vec::new();
        let mut scale = T::one();
        for (effect, &value) in self.effects.iter().zip(values) {
            match effect {
                Effect::Parameters(indices) => settings.extend(indices.iter().map(|&i| (i, value))),
                Effect::Radius(radii, centers) => {
                    settings.extend(radii.iter().map(|&i| (i, value)));
                    let inset = -value + WIDTH / 2.0;
                    settings.extend(centers.iter().map(|&(i, sign)| (i, inset * sign)));
                }
                Effect::Scale => scale = value,
            }
        }
        let mut system = self.system.cast::<T>();
        system.set_parameters(&settings)?;
        Ok(Trial { system, scale })
    }
}

impl<T: Scalar> Trial<T> {
    /// The state of the cube at a sample, in true lengths.
    pub fn state(&self, sample: &Sample) -> State<T> {
        let q = sample.orientation;
        let lengths = |x: &Vector3<f64>| x.map(|x| T::from(x) / self.scale);
        let (p, v) = (lengths(&sample.position), lengths(&sample.velocity));
        let w = sample.angular_velocity.map(T::from);
        State::new(
            DVector::from_iterator(
                7,
                [q.w, q.i, q.j, q.k]
                    .map(T::from)
                    .into_iter()
                    .chain(p.iter().copied()),
            ),
            DVector::from_iterator(6, w.iter().chain(v.iter()).copied()),
        )
    }

    /// The position that would be measured in a state.
    pub fn measured_position(&self, state: &State<T>) -> Vector3<T> {
        state.q.fixed_rows::<3>(4) * self.scale
    }
}

fn system(
    time_step: f64,
    radius: f64,
    material: ContactMaterial<f64>,
) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(MASS, Vector3::repeat(INERTIA));
    let cube = tree.add_body("cube", inertia)?;
    let tree = tree.finish()?;

    let half = WIDTH / 2.0 - radius;
    let corners = (0..8).map(|corner| {
        Vector3::from_fn(|axis, _| if corner >> axis & 1 == 0 { -half } else { half })
    });
    let mut contact = ContactModelBuilder::new();
    let mut add = |name: String, body, position, shape, material| {
        contact.add_geometry(CollisionGeometry {
            name,
            body,
            pose_in_body: RigidTransform::from_translation(position),
            shape,
            material,
        })
    };
    if radius > 0.0 {
        for (i, corner) in corners.enumerate() {
            let name = format!("cube/corner{i}");
            add(name, cube, corner, Shape::new_sphere(radius)?, material)?;
        }
    } else {
        let points = Shape::new_points(corners.collect())?;
        add(
            "cube/corners".to_owned(),
            cube,
            Vector3::zeros(),
            points,
            material,
        )?;
    }
    let table = ContactMaterial {
        stiffness: f64::INFINITY,
        ..material
    };
    add(
        "table".to_owned(),
        BodyIndex::WORLD,
        Vector3::zeros(),
        Shape::HalfSpace,
        table,
    )?;
    let contact = contact.finish(&tree)?;
    Ok(TimeSteppingRigidBodySystem::new(tree, contact, time_step)?)
}
