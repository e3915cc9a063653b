//! A body that hangs in a bushing: the model, and one release as an experiment.

use super::data::{NOISE, Release, Sample};
use dualbody::force::bushing::BushingConstants;
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces, LinearBushingRollPitchYaw};
use dualbody::identification::Experiment;
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder, TreeError, TreeWorkspace};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::{Quaternion, Vector3};

/// Integration steps between two samples.
const SUBSTEPS: usize = 2;
const SAMPLES_PER_SECOND: f64 = 200.0;
/// Number of constants of the bushing.
pub const CONSTANTS: usize = 12;
/// Where frame C sits on the body, in m; frame A is the world.
pub const TOP: [f64; 3] = [0.0, 0.0, 0.2];

/// Where a release is known to lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// Anywhere.
    Space,
    /// It stays in the plane y = 0.
    Plane,
}

impl Motion {
    /// The components of the initial pose that are unknown, of a rotation vector (0 to 2) and a
    /// displacement (3 to 5).
    pub fn components(self) -> &'static [usize] {
        match self {
            Motion::Space => &[0, 1, 2, 3, 4, 5],
            Motion::Plane => &[1, 3, 5],
        }
    }
}

/// The model cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Force(#[from] ForceError),
}

/// A box of 2 kg whose upper face hangs in a bushing on the world.
pub struct HangingBody {
    tree: RigidBodyTree<f64>,
    bushing: LinearBushingRollPitchYaw<f64>,
}

impl HangingBody {
    pub fn new() -> Result<Self, SimulationError> {
        let mut builder = RigidBodyTreeBuilder::new();
        let inertia = SpatialInertia::solid_box(2.0, &Vector3::new(0.2, 0.3, 0.4));
        let body = builder.add_body("body", inertia)?;
        let top = RigidTransform::from_translation(Vector3::from(TOP));
        let top = builder.add_frame("top", body, top)?;
        let tree = builder.finish()?;
        let constants = BushingConstants {
            torque_stiffness: Vector3::zeros(),
            torque_damping: Vector3::zeros(),
            force_stiffness: Vector3::zeros(),
            force_damping: Vector3::zeros(),
        };
        let bushing = LinearBushingRollPitchYaw::new("bushing", BodyIndex::WORLD, top, constants)?;
        Ok(HangingBody { tree, bushing })
    }

    /// The bushing, whose constants are zero.
    pub fn bushing(&self) -> &LinearBushingRollPitchYaw<f64> {
        &self.bushing
    }

    /// The body.
    pub fn tree(&self) -> &RigidBodyTree<f64> {
        &self.tree
    }

    /// Simulates a release from rest and visits every sample with quaternion and position.
    fn simulate<T: DefaultScalar>(
        &self,
        constants: &[T],
        start: [T; 7],
        samples: usize,
        mut visit: impl FnMut(usize, &[T]),
    ) -> Result<(), SimulationError> {
        let mut dynamics = Dynamics::new(self, constants);
        let mut x = [T::zero(); 13];
        x[..7].copy_from_slice(&start);
        for sample in 0..samples {
            visit(sample, &x[..7]);
            if sample + 1 < samples {
                for _ in 0..SUBSTEPS {
                    dynamics.step(&mut x, 1.0 / (SAMPLES_PER_SECOND * SUBSTEPS as f64))?;
                }
            }
        }
        Ok(())
    }
}

/// Runge and Kutta's classical method for `[q, v]` of one free body.
struct Dynamics<T: Scalar> {
    tree: RigidBodyTree<T>,
    bushing: LinearBushingRollPitchYaw<T>,
    workspace: TreeWorkspace<T>,
    forces: Forces<T>,
}

impl<T: DefaultScalar> Dynamics<T> {
    fn new(model: &HangingBody, constants: &[T]) -> Self {
        let tree = model.tree.cast::<T>();
        let mut bushing = ForceElement::<f64>::cast::<T>(&model.bushing);
        let mut values = constants.iter();
        bushing.visit_parameters(&mut |p| {
            if let Some(&value) = values.next() {
                *p.value = value;
            }
        });
        Dynamics {
            workspace: tree.workspace(),
            forces: Forces::new(&tree),
            tree,
            bushing,
        }
    }

    fn rate(&mut self, x: &[T; 13]) -> Result<[T; 13], SimulationError> {
        let (q, v) = x.split_at(7);
        let Dynamics {
            tree,
            bushing,
            workspace,
            forces,
        } = self;
        tree.set_state(workspace, q, v)?;
        forces.clear();
        bushing.add_forces(&ForceContext::new(tree, workspace), forces)?;
        let mut rate = [T::zero(); 13];
        let (qdot, vdot) = rate.split_at_mut(7);
        let on_bodies = Some(forces.on_bodies());
        tree.forward_dynamics(workspace, forces.generalized(), on_bodies, vdot)?;
        tree.map_velocity_to_qdot(q, v, qdot)?;
        Ok(rate)
    }

    fn step(&mut self, x: &mut [T; 13], dt: f64) -> Result<(), SimulationError> {
        let mut sum = *x;
        let mut k = [T::zero(); 13];
        for (share, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            let at = std::array::from_fn(|i| x[i] + k[i] * (share * dt));
            k = self.rate(&at)?;
            for (sum, k) in sum.iter_mut().zip(k) {
                *sum += k * (weight / 6.0 * dt);
            }
        }
        *x = sum;
        let norm = T::norm_lifted(&x[..4]);
        x[..4].iter_mut().for_each(|q| *q /= norm);
        Ok(())
    }
}

/// One release: the residuals of its poses, in standard deviations of the measurement.
pub struct RingDown<'a> {
    pub model: &'a HangingBody,
    pub release: &'a Release,
    pub motion: Motion,
    /// Where the unknowns of its initial pose start.
    pub first_unknown: usize,
}

impl RingDown<'_> {
    /// The initial pose: that of the first sample, turned and displaced by the unknowns.
    fn start<T: Scalar>(&self, unknowns: &[T]) -> [T; 7] {
        let mut change = [T::zero(); 6];
        for (&component, &u) in
            (self.motion.components().iter()).zip(&unknowns[self.first_unknown..])
        {
            change[component] = u;
        }
        let Sample {
            mut orientation,
            mut position,
            ..
        } = self.release.samples[0];
        if self.motion == Motion::Plane {
            (orientation.i, orientation.k, position.y) = (0.0, 0.0, 0.0);
            orientation.normalize_mut();
        }
        let [turn, displacement] = [0, 3].map(|i| Vector3::from_column_slice(&change[i..i + 3]));
        let q = rotation::quaternion_exp(&turn) * lift(&orientation);
        let p = position.map(T::from) + displacement;
        [q.w, q.i, q.j, q.k, p.x, p.y, p.z]
    }

    /// The poses that the unknowns predict.
    pub fn predict(&self, unknowns: &[f64]) -> Result<Vec<Sample>, SimulationError> {
        let mut samples = Vec::new();
        let count = self.release.samples.len();
        let start = self.start(unknowns);
        (self.model).simulate(&unknowns[..CONSTANTS], start, count, |index, q| {
            samples.push(Sample {
                time: self.release.samples[index].time,
                orientation: Quaternion::new(q[0], q[1], q[2], q[3]),
                position: Vector3::new(q[4], q[5], q[6]),
            });
        })?;
        Ok(samples)
    }
}

impl Experiment for RingDown<'_> {
    type Error = SimulationError;

    fn residual_count(&self) -> usize {
        6 * self.release.samples.len()
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), SimulationError> {
        let count = self.release.samples.len();
        let start = self.start(unknowns);
        (self.model).simulate(&unknowns[..CONSTANTS], start, count, |index, q| {
            let measured = &self.release.samples[index];
            let predicted = Quaternion::new(q[0], q[1], q[2], q[3]);
            let turn = rotation::log(&(predicted * lift(&measured.orientation.conjugate())));
            for i in 0..3 {
                residuals[6 * index + i] = turn[i] / NOISE.0;
                residuals[6 * index + 3 + i] = (q[4 + i] - measured.position[i]) / NOISE.1;
            }
        })
    }
}

/// The rotation vector that turns one pose into another, in the world frame.
pub fn turn_between(from: &Sample, to: &Sample) -> Vector3<f64> {
    rotation::log(&(to.orientation * from.orientation.conjugate()))
}

/// A quaternion of constants in another scalar.
fn lift<T: Scalar>(q: &Quaternion<f64>) -> Quaternion<T> {
    Quaternion::from(q.coords.map(T::from))
}
