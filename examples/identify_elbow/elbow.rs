//! The model: two blocks and a hinge over a table.

use crate::smoothing::Smoothing;
use crate::support::Failure;
use crate::tosses::Row;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::identification::Unknown;
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::system::{RigidBodySystem, State, SystemError, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, ParameterError, Parameters, Scalar};
use nalgebra::{DVector, Quaternion, Vector3};
use std::collections::VecDeque;

/// Length of a block along its x, and what errors of position are counted in, m.
pub const LENGTH: f64 = 0.1;
pub const SIZE: Vector3<f64> = Vector3::new(LENGTH, 0.05, 0.05);
const MASS: f64 = 0.37;
/// The hinge in block 1, and the centre of block 2 from the hinge, m.
pub const HINGE: Vector3<f64> = Vector3::new(-0.035, 0.06, 0.0);
pub const CENTER: Vector3<f64> = Vector3::new(0.035, 0.0, 0.0);
const NOMINAL: ContactMaterial<f64> = ContactMaterial {
    stiffness: 3e4,
    dissipation: 0.5,
    friction: 0.25,
    stribeck: None,
    restitution: None,
    rotational: None,
};

/// The blocks, and what is to be found out of them.
pub struct Elbow {
    system: TimeSteppingRigidBodySystem<f64>,
    /// The unknowns, with first guesses.
    pub unknowns: Vec<Unknown>,
    /// The parameters that each unknown is the value of.
    effects: Vec<Vec<usize>>,
    substeps: usize,
    smoothing: Smoothing,
}

/// The blocks for some values of the unknowns.
pub struct Trial<T: Scalar> {
    system: TimeSteppingRigidBodySystem<T>,
    substeps: usize,
    smoothing: Smoothing,
}

/// Number of entries of a correction.
pub const CORRECTIONS: usize = 14;

impl Elbow {
    /// Blocks whose corners touch the table; `interval` is the time between rows in s, `smoothing` the standard
    /// deviation of the filter that rows went through in s, `gravity` the acceleration of free fall along z in
    /// m/s², in measured lengths.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn new(
        interval: f64,
        substeps: usize,
        smoothing: f64,
        gravity: f64,
    ) -> Result<Self, Failure> {
        let time_step = interval / substeps as f64;
        let mut elbow = Elbow {
            system: system(time_step, gravity)?,
            unknowns: Vec::new(),
            effects: Vec::new(),
            substeps,
            smoothing: Smoothing::new(smoothing, time_step),
        };
        let moment = |axes: &'static [&'static str]| {
            move |name: &str| {
                name.contains("/rotational_inertia/") && axes.iter().any(|a| name.ends_with(a))
            }
        };
        elbow.add("stiffness", |name| name.ends_with("/stiffness"), 1e2, 1e7)?;
        elbow.add(
            "dissipation",
            |name| name.ends_with("/dissipation"),
            1e-3,
            1e2,
        )?;
        elbow.add(
            "friction",
            |name| name.starts_with("geometry/") && name.ends_with("/friction"),
            1e-3,
            3.0,
        )?;
        elbow.add(
            "hinge damping",
            |name| name == "joint/hinge/damping",
            1e-6,
            1.0,
        )?;
        elbow.add("inertia along", moment(&["/xx"]), 2e-5, 2e-3)?;
        elbow.add("inertia across", moment(&["/yy", "/zz"]), 5e-5, 4e-3)?;
        Ok(elbow)
    }

    /// Adds one unknown for all parameters whose names are `wanted`; they have the same value.
    fn add(
        &mut self,
        name: &str,
        wanted: impl Fn(&str) -> bool,
        lower: f64,
        upper: f64,
    ) -> Result<(), Failure> {
        let list = self.system.parameters();
        let indices: Vec<usize> = (0..list.len()).filter(|&i| wanted(&list[i].name)).collect();
        let first = indices
            .first()
            .ok_or_else(|| format!("no parameter for {name}"))?;
        let unknown = Unknown::new(name, list[*first].unit, list[*first].value)?;
        self.unknowns
            .push(unknown.bounds(lower, upper)?.logarithmic()?);
        self.effects.push(indices);
        Ok(())
    }

    /// The blocks with these values of the unknowns.
    ///
    /// # Errors
    /// [`ParameterError`] for values that make no sense.
    pub fn trial<T: DefaultScalar>(&self, values: &[T]) -> Result<Trial<T>, ParameterError> {
        let settings: Vec<(usize, T)> = (self.effects.iter().zip(values))
            .flat_map(|(effect, &value)| effect.iter().map(move |&i| (i, value)))
            .collect();
        let mut system = self.system.cast::<T>();
        system.set_parameters(&settings)?;
        Ok(Trial {
            system,
            substeps: self.substeps,
            smoothing: self.smoothing.clone(),
        })
    }
}

impl<T: Scalar> Trial<T> {
    /// What moves.
    pub fn system(&self) -> &RigidBodySystem<T> {
        self.system.system()
    }

    /// The same blocks in another scalar.
    pub fn cast<U: DefaultScalar>(&self) -> Trial<U> {
        Trial {
            system: self.system.cast(),
            substeps: self.substeps,
            smoothing: self.smoothing.clone(),
        }
    }

    /// Calls `visit` with the state that would be measured at each of `rows` rows, the first of which is the
    /// start. Before the start everything moves on as there.
    ///
    /// # Errors
    /// When a step fails.
    pub fn simulate(
        &self,
        start: &State<T>,
        rows: usize,
        mut visit: impl FnMut(usize, State<T>),
    ) -> Result<(), SystemError> {
        let (tree, reach) = (self.system.tree(), self.smoothing.reach());
        let mut states = VecDeque::with_capacity(2 * reach + 1);
        for step in (0..=reach).rev() {
            let time = T::from(-(step as f64)) * self.system.time_step();
            let mut before = start.clone();
            let (q, v) = (start.q.as_slice(), start.v.as_slice());
            tree.integrate_exponential(q, v, time, before.q.as_mut_slice())?;
            states.push_back(before);
        }
        let mut workspace = self.system.workspace()?;
        for row in 0..rows {
            let steps = if row == 0 { reach } else { self.substeps };
            for _ in 0..steps {
                let last = &states[states.len() - 1];
                let next = self.system.step(&mut workspace, last, &[])?.state().clone();
                if states.len() > 2 * reach {
                    states.pop_front();
                }
                states.push_back(next);
            }
            visit(row, self.smoothing.apply(&states));
        }
        Ok(())
    }
}

impl<T: Scalar> Trial<T> {
    /// Writes how far the rows after the first are predicted from a start, seven residuals each: by position, rotation
    /// and hinge, in units of these deviations in m and rad.
    ///
    /// # Errors
    /// When a step fails.
    pub fn write_residuals(
        &self,
        start: &State<T>,
        rows: &[Row],
        [length, angle]: [f64; 2],
        residuals: &mut [T],
    ) -> Result<(), SystemError> {
        let mut later = residuals.chunks_exact_mut(7);
        self.simulate(start, rows.len(), |i, state| {
            if i == 0 {
                return;
            }
            let Some(r) = later.next() else { return };
            let (p, turn, hinge) = deviation(&state, &rows[i]);
            for axis in 0..3 {
                r[axis] = p[axis] / T::from(length);
                r[axis + 3] = turn[axis] / T::from(angle);
            }
            r[6] = hinge / T::from(angle);
        })
    }
}

/// The state at a row, changed by a correction: rotation vector in world, position, angle of the hinge,
/// then their rates, each by what is added.
pub fn corrected_state<T: Scalar>(row: &Row, by: &[T; CORRECTIONS]) -> State<T> {
    let q = row.orientation;
    let turn = rotation::quaternion_exp(&Vector3::new(by[0], by[1], by[2]));
    let q = turn * Quaternion::new(q.w.into(), q.i.into(), q.j.into(), q.k.into());
    let (p, w, v) = (row.position, row.angular_velocity, row.velocity);
    State::new(
        DVector::from_vec(vec![
            q.w,
            q.i,
            q.j,
            q.k,
            by[3] + p.x,
            by[4] + p.y,
            by[5] + p.z,
            by[6] + row.angle,
        ]),
        DVector::from_vec(vec![
            by[7] + w.x,
            by[8] + w.y,
            by[9] + w.z,
            by[10] + v.x,
            by[11] + v.y,
            by[12] + v.z,
            by[13] + row.rate,
        ]),
    )
}

/// Deviation of a state from a row: of the position in m, the rotation vector in the body frame and
/// the angle of the hinge in rad.
pub fn deviation<T: Scalar>(state: &State<T>, row: &Row) -> (Vector3<T>, Vector3<T>, T) {
    let q = &state.q;
    let m = row.orientation;
    let measured = Quaternion::new(m.w.into(), m.i.into(), m.j.into(), m.k.into());
    let simulated = Quaternion::new(q[0], q[1], q[2], q[3]);
    let turn = rotation::log(&(measured.conjugate() * simulated));
    let position = q.fixed_rows::<3>(4) - row.position.map(T::from);
    let hinge = q[7] - row.angle;
    let turns = (hinge.re() / std::f64::consts::TAU).round();
    (position, turn, hinge - turns * std::f64::consts::TAU)
}

fn system(time_step: f64, gravity: f64) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let solid = SpatialInertia::solid_box(MASS, &SIZE);
    let one = tree.add_body("one", solid)?;
    let mut shifted = solid;
    shifted.center_of_mass = CENTER;
    let two = tree.add_body("two", shifted)?;
    let hinge = tree.add_joint(
        "hinge",
        JointKind::Continuous { axis: Vector3::y() },
        one,
        RigidTransform::from_translation(HINGE),
        two,
    )?;
    tree.set_damping(hinge, &[1e-3])?;
    tree.set_gravity(Vector3::new(0.0, 0.0, gravity))?;
    let tree = tree.finish()?;

    let mut contact = ContactModelBuilder::new();
    let mut add = |name: &str, body, position, shape, material| {
        contact.add_geometry(CollisionGeometry {
            name: name.to_owned(),
            body,
            pose_in_body: RigidTransform::from_translation(position),
            shape,
            material,
        })
    };
    let corners = || {
        let half = SIZE / 2.0;
        let corner = |i: usize| {
            Vector3::from_fn(|axis, _| {
                if i >> axis & 1 == 0 {
                    -half[axis]
                } else {
                    half[axis]
                }
            })
        };
        Shape::new_points((0..8).map(corner).collect())
    };
    add("one/corners", one, Vector3::zeros(), corners()?, NOMINAL)?;
    add("two/corners", two, CENTER, corners()?, NOMINAL)?;
    let table = ContactMaterial::rigid(NOMINAL.friction)?;
    add(
        "table",
        BodyIndex::WORLD,
        Vector3::zeros(),
        Shape::HalfSpace,
        table,
    )?;
    let contact = contact.finish(&tree)?;
    Ok(TimeSteppingRigidBodySystem::new(tree, contact, time_step)?)
}
