//! The solution of a contact problem.

use super::islands::Islands;
use super::kink::{Kink, KinkKind};
use super::lifted::Lifted;
use super::statistics::IterationStatistics;
use crate::math::{compare_fields, reset_vector};
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// Velocities and forces at the end of the step.
///
/// Everything carries the derivatives with respect to the data of the problem; real parts are those
/// that `f64` has converged to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T: Scalar> {
    /// Generalized velocities `v` (nv).
    pub velocities: DVector<T>,
    /// Separation velocities `vₙ = Jₙ v` (nc) in m/s, positive when bodies part.
    pub normal_velocities: DVector<T>,
    /// Tangential velocities `vₜ = Jₜ v` (2nc) in m/s.
    pub tangential_velocities: DVector<T>,
    /// Normal forces `fₙ` (nc) in N, never negative, those that only press on friction included.
    pub normal_forces: DVector<T>,
    /// Friction forces `fₜ` (2nc) in N, along the tangents of `Jₜ`, opposing slip.
    pub friction_forces: DVector<T>,
    /// Generalized friction forces `Jₜᵀ fₜ` (nv).
    pub generalized_friction_forces: DVector<T>,
    /// Generalized contact forces `Jₙᵀ fₙ + Jₜᵀ fₜ` (nv).
    pub generalized_contact_forces: DVector<T>,
    /// For each kind of kink, the contact nearest to it; at most three entries.
    pub kinks: Vec<Kink>,
    /// What the solver did.
    pub statistics: IterationStatistics,
}

compare_fields! {
    Solution {;
        velocities, normal_velocities, tangential_velocities, normal_forces, friction_forces,
        generalized_friction_forces, generalized_contact_forces
    }
}

impl<T: Scalar> Solution<T> {
    /// The nearest kink at which derivatives of the given order jump; `None` if there is no contact
    /// that could reach one. First derivatives do not see [`KinkKind::Sticking`].
    #[inline(never)]
    pub fn nearest_kink(&self, order: usize) -> Option<&Kink> {
        self.kinks
            .iter()
            .filter(|k| order >= 2 || k.kind != KinkKind::Sticking)
            .min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    pub(super) fn empty() -> Self {
        let none = || DVector::zeros(0);
        Solution {
            velocities: none(),
            normal_velocities: none(),
            tangential_velocities: none(),
            normal_forces: none(),
            friction_forces: none(),
            generalized_friction_forces: none(),
            generalized_contact_forces: none(),
            kinks: Vec::new(),
            statistics: IterationStatistics::default(),
        }
    }

    /// That velocities and forces at contacts are finite, where those of bodies are.
    pub(super) fn check_finite(&self) -> Result<(), InvalidInput> {
        for (quantity, values) in [
            ("normal velocities", &self.normal_velocities),
            ("tangential velocities", &self.tangential_velocities),
            ("normal forces", &self.normal_forces),
            ("friction forces", &self.friction_forces),
            (
                "generalized contact forces",
                &self.generalized_contact_forces,
            ),
        ] {
            InvalidInput::check_finite(quantity, values.as_slice())?;
        }
        Ok(())
    }

    fn vectors_mut(&mut self) -> [&mut DVector<T>; 7] {
        [
            &mut self.velocities,
            &mut self.normal_velocities,
            &mut self.tangential_velocities,
            &mut self.normal_forces,
            &mut self.friction_forces,
            &mut self.generalized_friction_forces,
            &mut self.generalized_contact_forces,
        ]
    }

    /// Gives all vectors their sizes and zeros, reusing their memory.
    fn reset(&mut self, nv: usize, nc: usize) {
        let sizes = [nv, nc, 2 * nc, nc, 2 * nc, nv, nv];
        for (vector, size) in self.vectors_mut().into_iter().zip(sizes) {
            reset_vector(vector, size);
        }
    }

    /// The derivatives of everything that follows from the velocities, on the real parts of `real`.
    ///
    /// `root` are the velocities with derivatives.
    pub(super) fn differentiate(&mut self, real: &Solution<f64>, lifted: &Lifted<T>, root: &[T]) {
        let (nv, nc) = (lifted.common.nv(), lifted.common.nc());
        self.reset(nv, nc);
        self.velocities.copy_from_slice(root);
        let (jn, jt) = (
            lifted.common.normal_jacobian,
            lifted.common.tangent_jacobian,
        );
        for c in 0..nc {
            let velocity = lifted.contact_velocity(c, root);
            let force = lifted.contact_force(c, velocity);
            self.normal_velocities[c] = velocity[0];
            self.normal_forces[c] = force[0];
            for t in 0..2 {
                self.tangential_velocities[2 * c + t] = velocity[1 + t];
                self.friction_forces[2 * c + t] = force[1 + t];
            }
            let acting = lifted.acting_force(c, velocity);
            for i in 0..nv {
                let friction = jt[(2 * c, i)] * force[1] + jt[(2 * c + 1, i)] * force[2];
                self.generalized_friction_forces[i] += friction;
                self.generalized_contact_forces[i] += friction + jn[(c, i)] * acting[0];
            }
        }
        self.attach_to(real);
    }

    /// Replaces all real parts by those of `real`, of the same size, and takes over the rest.
    fn attach_to(&mut self, real: &Solution<f64>) {
        let sources = [
            &real.velocities,
            &real.normal_velocities,
            &real.tangential_velocities,
            &real.normal_forces,
            &real.friction_forces,
            &real.generalized_friction_forces,
            &real.generalized_contact_forces,
        ];
        for (vector, source) in self.vectors_mut().into_iter().zip(sources) {
            for (x, &re) in vector.iter_mut().zip(source.iter()) {
                *x = x.with_real(re);
            }
        }
        self.kinks.clone_from(&real.kinks);
        let IterationStatistics {
            history,
            strategy,
            residual,
            rounded_residual,
        } = &real.statistics;
        self.statistics.reset();
        self.statistics.history.extend_from_slice(history);
        self.statistics.strategy = *strategy;
        self.statistics.residual = *residual;
        self.statistics.rounded_residual = *rounded_residual;
    }

    /// The same numbers as constants.
    pub(super) fn copy_real(&mut self, real: &Solution<f64>) {
        self.reset(real.velocities.len(), real.normal_forces.len());
        self.attach_to(real);
    }
}

impl Solution<f64> {
    /// Writes down the velocities at which the islands are evaluated, and the kinks there.
    pub(super) fn read_velocities(&mut self, islands: &Islands) {
        reset_vector(&mut self.velocities, islands.nv());
        self.kinks.clear();
        for system in islands.systems() {
            for (&i, &v) in islands.indices(system).iter().zip(&system.v) {
                self.velocities[i] = v;
            }
            for (c, &contact) in system.numbers.iter().enumerate() {
                for (kind, distance) in system.kinks(c) {
                    let kink = Kink {
                        kind,
                        contact,
                        distance,
                    };
                    match self.kinks.iter_mut().find(|k| k.kind == kind) {
                        Some(nearest) if nearest.distance <= distance => {}
                        Some(nearest) => *nearest = kink,
                        None => self.kinks.push(kink),
                    }
                }
            }
        }
    }

    /// Writes down everything at the point at which the islands are evaluated.
    pub(super) fn read(&mut self, islands: &Islands) {
        self.reset(islands.nv(), islands.nc());
        self.read_velocities(islands);
        for system in islands.systems() {
            let indices = islands.indices(system);
            for (c, &contact) in system.numbers.iter().enumerate() {
                let velocity = system.contact_velocities[c];
                let force = system.contact_forces[c];
                self.normal_velocities[contact] = velocity[0];
                self.normal_forces[contact] = force[0];
                for t in 0..2 {
                    self.tangential_velocities[2 * contact + t] = velocity[1 + t];
                    self.friction_forces[2 * contact + t] = force[1 + t];
                }
                let acting = system.acting_force(c);
                for (i, column) in system.jacobian(c) {
                    let i = indices[i];
                    let friction = column[1] * force[1] + column[2] * force[2];
                    self.generalized_friction_forces[i] += friction;
                    self.generalized_contact_forces[i] += friction + column[0] * acting[0];
                }
            }
        }
    }
}
