//! A body that hangs in a bushing: the model, and one release as an experiment.

use crate::data::{Release, Sample};
use dualbody::Scalar;
use dualbody::force::bushing::BushingConstants;
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces, LinearBushingRollPitchYaw};
use dualbody::identification::Experiment;
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder, TreeError, TreeWorkspace};
use nalgebra::{Quaternion, Vector3};

/// Standard deviations of the measured poses: orientation in rad, position in m.
pub const NOISE: (f64, f64) = (2e-3, 2e-4);
/// Integration steps between two samples.
const SUBSTEPS: usize = 2;
/// Number of constants of the bushing.
pub const CONSTANTS: usize = 12;
/// Unknowns of the initial pose of a release: a rotation vector and a displacement.
pub const POSE: usize = 6;

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
    pub fn new(constants: BushingConstants<f64>) -> Result<Self, SimulationError> {
        let mut builder = RigidBodyTreeBuilder::new();
        let inertia = SpatialInertia::solid_box(2.0, &Vector3::new(0.2, 0.3, 0.4));
        let body = builder.add_body("body", inertia)?;
        let top = RigidTransform::from_translation(Vector3::new(0.0, 0.0, 0.2));
        let top = builder.add_frame("top", body, top)?;
        let tree = builder.finish()?;
        let bushing = LinearBushingRollPitchYaw::new("bushing", BodyIndex::WORLD, top, constants)?;
        Ok(HangingBody { tree, bushing })
    }

    /// Simulates a release from rest and visits every sample with quaternion and position.
    fn simulate<T: Scalar>(
        &self,
        constants: &[T],
        start: [T; 7],
        samples: usize,
        mut visit: impl FnMut(usize, &[T]),
    ) -> Result<(), SimulationError> {
        let mut motion = Motion::new(self, constants);
        let mut x = [T::zero(); 13];
        x[..7].copy_from_slice(&start);
        for sample in 0..samples {
            visit(sample, &x[..7]);
            if sample + 1 < samples {
                for _ in 0..SUBSTEPS {
                    motion.step(&mut x, 1.0 / (200.0 * SUBSTEPS as f64))?;
                }
            }
        }
        Ok(())
    }
}

/// Runge and Kutta's classical method for `[q, v]` of one free body.
struct Motion<T: Scalar> {
    tree: RigidBodyTree<T>,
    bushing: LinearBushingRollPitchYaw<T>,
    workspace: TreeWorkspace<T>,
    forces: Forces<T>,
}

impl<T: Scalar> Motion<T> {
    fn new(model: &HangingBody, constants: &[T]) -> Self {
        let tree = model.tree.cast::<T>();
        let mut bushing = ForceElement::<f64>::cast::<T>(&model.bushing);
        let mut values = constants.iter();
        bushing.visit_parameters(&mut |p| {
            if let Some(&value) = values.next() {
                *p.value = value;
            }
        });
        Motion {
            workspace: tree.workspace(),
            forces: Forces::new(&tree),
            tree,
            bushing,
        }
    }

    fn rate(&mut self, x: &[T; 13]) -> Result<[T; 13], SimulationError> {
        let (q, v) = x.split_at(7);
        let Motion {
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

/// One release: the residuals of its poses.
pub struct RingDown<'a> {
    pub model: &'a HangingBody,
    /// Where the unknowns of its initial pose start.
    pub first_unknown: usize,
    pub release: &'a Release,
}

impl RingDown<'_> {
    /// The initial pose: that of the first sample, turned and displaced by the unknowns.
    fn start<T: Scalar>(&self, unknowns: &[T]) -> [T; 7] {
        let u = &unknowns[self.first_unknown..self.first_unknown + POSE];
        let first = &self.release.samples[0];
        let turn = rotation::quaternion_exp(&Vector3::new(u[0], u[1], u[2]));
        let q = turn * first.orientation.map_scalar();
        let p = first.position;
        [q.w, q.i, q.j, q.k, u[3] + p.x, u[4] + p.y, u[5] + p.z]
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

    fn residuals<T: Scalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), SimulationError> {
        let count = self.release.samples.len();
        let start = self.start(unknowns);
        (self.model).simulate(&unknowns[..CONSTANTS], start, count, |index, q| {
            let sample = &self.release.samples[index];
            let predicted = Quaternion::new(q[0], q[1], q[2], q[3]);
            let measured = sample.orientation.map_scalar::<T>();
            let turn = rotation::log(&(predicted * measured.conjugate()));
            for i in 0..3 {
                residuals[6 * index + i] = turn[i] * (1.0 / NOISE.0);
                residuals[6 * index + 3 + i] = (q[4 + i] - sample.position[i]) * (1.0 / NOISE.1);
            }
        })
    }
}

/// A quaternion of constants in another scalar.
trait MapScalar {
    fn map_scalar<T: Scalar>(&self) -> Quaternion<T>;
}

impl MapScalar for Quaternion<f64> {
    fn map_scalar<T: Scalar>(&self) -> Quaternion<T> {
        Quaternion::new(
            T::from(self.w),
            T::from(self.i),
            T::from(self.j),
            T::from(self.k),
        )
    }
}
