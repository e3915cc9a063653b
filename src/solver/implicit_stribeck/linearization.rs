//! First derivatives of a solution as matrices, and by the adjoint.
//!
//! Written once more by hand, because here the structure pays: with `A = ∂r/∂v` at the solution,
//! factored once, and `D_c = −∂(fₙ, fₜ)/∂(vₙ, vₜ)` of contact `c`,
//!
//! ```text
//! A = M + δt Σ J_cᵀ D_c J_c,        Z_c = A⁻¹ J_cᵀ   (nv×3)
//! ∂v/∂θ = δt Z_c ∂f_c/∂θ            for a parameter θ of contact c
//! ∂v/∂v₀ = A⁻¹ M = I − δt Σ Z_c D_c J_c   when p* = M v₀ + …
//! ```
//!
//! so the derivatives with respect to all velocities and all contact parameters cost three
//! back-substitutions for every contact that carries a force, and none for one that does not.
//! For a scalar `w·v` the adjoint `λ = A⁻ᵀ w` gives the derivatives with respect to everything,
//! the matrices included, for one back-substitution: `d(w·v) = −λ·dr` at fixed `v`.

use super::contact_law::NormalLaw;
use super::islands::Islands;
use super::newton_system::NewtonSystem;
use super::solution::Solution;
use super::sparse_problem::NormalForce;
use crate::InvalidInput;
use crate::math::{Factorization, RightHandSide, reset_matrix, reset_vector};
use nalgebra::{DMatrix, DVector};

/// Derivatives of the velocities at the end of the step; column `j` belongs to entry `j` of the
/// data. What a problem does not have (`x0` where normal forces are given) has no columns.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VelocityGradient {
    /// With respect to the velocities at the start, for `p* = M v₀ + …` (nv×nv): `A⁻¹ M`.
    pub dv_dv0: DMatrix<f64>,
    /// With respect to coefficients of friction (nv×nc).
    pub dv_dmu: DMatrix<f64>,
    /// With respect to static friction (nv×nc, no columns where it is not given).
    pub dv_dstatic_friction: DMatrix<f64>,
    /// With respect to the velocities of Stribeck curves (nv×nc, no columns where they are not given).
    pub dv_dstribeck_velocity: DMatrix<f64>,
    /// With respect to penetrations at the start (nv×nc).
    pub dv_dx0: DMatrix<f64>,
    /// With respect to stiffnesses (nv×nc).
    pub dv_dstiffness: DMatrix<f64>,
    /// With respect to dissipations (nv×nc).
    pub dv_ddissipation: DMatrix<f64>,
    /// With respect to given normal forces (nv×nc).
    pub dv_dnormal_forces: DMatrix<f64>,
    /// With respect to the time step, at fixed `p*` (nv).
    pub dv_ddt: DVector<f64>,
    /// With respect to the stiction tolerance (nv).
    pub dv_dstiction_tolerance: DVector<f64>,
}

/// Derivatives of a scalar `w·v` with respect to all data of the problem, in their shapes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProblemGradient {
    /// With respect to M, all entries independent (nv×nv).
    pub mass_matrix: DMatrix<f64>,
    /// With respect to `Jₙ` (nc×nv).
    pub normal_jacobian: DMatrix<f64>,
    /// With respect to `Jₜ` (2nc×nv).
    pub tangent_jacobian: DMatrix<f64>,
    /// With respect to `p*` (nv).
    pub p_star: DVector<f64>,
    /// With respect to coefficients of friction (nc).
    pub mu: DVector<f64>,
    /// With respect to static friction (nc, or 0 where it is not given).
    pub static_friction: DVector<f64>,
    /// With respect to the velocities of Stribeck curves (nc, or 0 where they are not given).
    pub stribeck_velocity: DVector<f64>,
    /// With respect to penetrations at the start (nc, or 0 where normal forces are given).
    pub x0: DVector<f64>,
    /// With respect to stiffnesses (nc or 0).
    pub stiffness: DVector<f64>,
    /// With respect to dissipations (nc or 0).
    pub dissipation: DVector<f64>,
    /// With respect to given normal forces (nc or 0).
    pub normal_forces: DVector<f64>,
    /// With respect to the time step, at fixed `p*`.
    pub dt: f64,
    /// With respect to the stiction tolerance.
    pub stiction_tolerance: f64,
}

impl VelocityGradient {
    fn check_finite(&self) -> Result<(), InvalidInput> {
        for (quantity, values) in [
            ("dv_dv0", self.dv_dv0.as_slice()),
            ("dv_dmu", self.dv_dmu.as_slice()),
            ("dv_dstatic_friction", self.dv_dstatic_friction.as_slice()),
            (
                "dv_dstribeck_velocity",
                self.dv_dstribeck_velocity.as_slice(),
            ),
            ("dv_dx0", self.dv_dx0.as_slice()),
            ("dv_dstiffness", self.dv_dstiffness.as_slice()),
            ("dv_ddissipation", self.dv_ddissipation.as_slice()),
            ("dv_dnormal_forces", self.dv_dnormal_forces.as_slice()),
            ("dv_ddt", self.dv_ddt.as_slice()),
            (
                "dv_dstiction_tolerance",
                self.dv_dstiction_tolerance.as_slice(),
            ),
        ] {
            InvalidInput::check_finite(quantity, values)?;
        }
        Ok(())
    }
}

impl ProblemGradient {
    fn check_finite(&self) -> Result<(), InvalidInput> {
        for (quantity, values) in [
            ("dw_dmass_matrix", self.mass_matrix.as_slice()),
            ("dw_dnormal_jacobian", self.normal_jacobian.as_slice()),
            ("dw_dtangent_jacobian", self.tangent_jacobian.as_slice()),
            ("dw_dp_star", self.p_star.as_slice()),
            ("dw_dmu", self.mu.as_slice()),
            ("dw_dstatic_friction", self.static_friction.as_slice()),
            ("dw_dstribeck_velocity", self.stribeck_velocity.as_slice()),
            ("dw_dx0", self.x0.as_slice()),
            ("dw_dstiffness", self.stiffness.as_slice()),
            ("dw_ddissipation", self.dissipation.as_slice()),
            ("dw_dnormal_forces", self.normal_forces.as_slice()),
            ("dw_ddt", &[self.dt]),
            ("dw_dstiction_tolerance", &[self.stiction_tolerance]),
        ] {
            InvalidInput::check_finite(quantity, values)?;
        }
        Ok(())
    }
}

/// Buffers for derivatives.
#[derive(Debug, Clone)]
pub(super) struct Buffers {
    gradient: VelocityGradient,
    adjoint: ProblemGradient,
    /// `Z_c` of one contact, by columns.
    z: [Vec<f64>; 3],
    lambda: Vec<f64>,
}

/// A solution whose Jacobian is factored.
#[derive(Debug)]
pub struct Linearization<'s> {
    pub(super) jacobian: &'s Islands,
    pub(super) solution: &'s Solution<f64>,
    pub(super) relative_tolerance: f64,
    pub(super) buffers: &'s mut Buffers,
}

/// Solves with `A = ∂r/∂v`: `A⁻¹ b` is the derivative of the velocities along a change `b` of `p*`.
impl Factorization for Linearization<'_> {
    fn size(&self) -> usize {
        self.jacobian.size()
    }

    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        self.jacobian.solve_in_place(b)
    }
}

impl Linearization<'_> {
    /// Replaces `b` by `A⁻ᵀ b`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `b` does not have nv entries.
    pub fn solve_transposed_in_place(&self, b: &mut [f64]) -> Result<(), InvalidInput> {
        self.jacobian.solve_transposed_in_place(b)
    }

    /// The solution.
    pub fn solution(&self) -> &Solution<f64> {
        self.solution
    }

    /// Derivatives with respect to velocities and contact parameters.
    ///
    /// # Errors
    /// [`InvalidInput::NotFinite`] with the first derivative that is not, at numbers whose products overflow.
    pub fn gradient(&mut self) -> Result<&VelocityGradient, InvalidInput> {
        let islands = self.jacobian;
        let Buffers { gradient, z, .. } = &mut *self.buffers;
        let nv = islands.nv();
        gradient.reset(nv, &Columns::of(islands));
        for i in 0..nv {
            gradient.dv_dv0[(i, i)] = 1.0;
        }
        let contacts = islands.systems().iter().flat_map(contacts_of);
        for (system, c, number) in contacts {
            let indices = islands.indices(system);
            if !system.has_slopes(c) {
                continue;
            }
            let damping = system.damping(c).unwrap_or_default();
            for (row, z) in z.iter_mut().enumerate() {
                z.clear();
                z.resize(system.nv(), 0.0);
                for (i, column) in system.jacobian(c) {
                    z[i] = column[row];
                }
                system.lu.solve_in_place(z);
            }
            let add = |target: &mut [f64], weights: [f64; 3]| {
                for (row, z) in z.iter().enumerate() {
                    let weight = weights[row] * system.dt();
                    if weight != 0.0 {
                        for (&i, &z) in indices.iter().zip(z) {
                            target[i] += weight * z;
                        }
                    }
                }
            };
            for (j, column) in system.jacobian(c) {
                let weights = damping
                    .map(|row| -(row[0] * column[0] + row[1] * column[1] + row[2] * column[2]));
                let j = indices[j];
                add(
                    &mut gradient.dv_dv0.as_mut_slice()[j * nv..(j + 1) * nv],
                    weights,
                );
            }
            let slopes = ForceSlopes::of(system, c, self.relative_tolerance);
            let range = number * nv..(number + 1) * nv;
            for (matrix, slope) in [
                (&mut gradient.dv_dmu, slopes.mu),
                (&mut gradient.dv_dstatic_friction, slopes.static_friction),
                (
                    &mut gradient.dv_dstribeck_velocity,
                    slopes.stribeck_velocity,
                ),
                (&mut gradient.dv_dx0, slopes.x0),
                (&mut gradient.dv_dstiffness, slopes.stiffness),
                (&mut gradient.dv_ddissipation, slopes.dissipation),
                (&mut gradient.dv_dnormal_forces, slopes.normal_force),
            ] {
                if !matrix.is_empty() {
                    add(&mut matrix.as_mut_slice()[range.clone()], slope);
                }
            }
            let [explicit, implicit] = [system.acting_force(c), slopes.dt];
            let dt = std::array::from_fn(|i| explicit[i] / system.dt() + implicit[i]);
            add(gradient.dv_ddt.as_mut_slice(), dt);
            add(
                gradient.dv_dstiction_tolerance.as_mut_slice(),
                slopes.stiction_tolerance,
            );
        }
        gradient.check_finite()?;
        Ok(gradient)
    }

    /// Derivatives of `weights·v` with respect to everything.
    ///
    /// # Errors
    /// [`InvalidInput`] when `weights` does not have nv finite entries, and with the first derivative that is not
    /// finite, at numbers whose products overflow.
    pub fn adjoint(&mut self, weights: &[f64]) -> Result<&ProblemGradient, InvalidInput> {
        let islands = self.jacobian;
        let Buffers {
            adjoint, lambda, ..
        } = &mut *self.buffers;
        let nv = islands.nv();
        InvalidInput::check_size("weights", weights.len(), nv)?;
        InvalidInput::check_finite("weights", weights)?;
        adjoint.reset(nv, &Columns::of(islands));
        lambda.clear();
        lambda.extend_from_slice(weights);
        islands.solve_transposed_in_place(lambda)?;
        adjoint.p_star.copy_from_slice(lambda);
        for (j, &v) in self.solution.velocities.iter().enumerate() {
            for (i, &l) in lambda.iter().enumerate() {
                adjoint.mass_matrix[(i, j)] = -l * v;
            }
        }
        let contacts = islands.systems().iter().flat_map(contacts_of);
        for (system, c, number) in contacts {
            let indices = islands.indices(system);
            if !system.has_slopes(c) {
                continue;
            }
            let damping = system.damping(c).unwrap_or_default();
            let u = (system.jacobian(c)).fold([0.0; 3], |sum, (i, column)| {
                std::array::from_fn(|row| sum[row] + column[row] * lambda[indices[i]])
            });
            let force = system.acting_force(c);
            let damped: [f64; 3] =
                std::array::from_fn(|a| (0..3).map(|b| damping[b][a] * u[b]).sum());
            for ((j, &l), &v) in (lambda.iter().enumerate()).zip(self.solution.velocities.iter()) {
                let row = |a: usize| system.dt() * (force[a] * l - damped[a] * v);
                adjoint.normal_jacobian[(number, j)] = row(0);
                adjoint.tangent_jacobian[(2 * number, j)] = row(1);
                adjoint.tangent_jacobian[(2 * number + 1, j)] = row(2);
            }
            let project = |f: [f64; 3]| f[0] * u[0] + f[1] * u[1] + f[2] * u[2];
            let slopes = ForceSlopes::of(system, c, self.relative_tolerance);
            for (vector, slope) in [
                (&mut adjoint.mu, slopes.mu),
                (&mut adjoint.static_friction, slopes.static_friction),
                (&mut adjoint.stribeck_velocity, slopes.stribeck_velocity),
                (&mut adjoint.x0, slopes.x0),
                (&mut adjoint.stiffness, slopes.stiffness),
                (&mut adjoint.dissipation, slopes.dissipation),
                (&mut adjoint.normal_forces, slopes.normal_force),
            ] {
                if !vector.is_empty() {
                    vector[number] = system.dt() * project(slope);
                }
            }
            adjoint.dt += project(force) + system.dt() * project(slopes.dt);
            adjoint.stiction_tolerance += system.dt() * project(slopes.stiction_tolerance);
        }
        adjoint.check_finite()?;
        Ok(adjoint)
    }
}

/// The contacts of an island, and their numbers in the problem.
fn contacts_of(system: &NewtonSystem) -> impl Iterator<Item = (&NewtonSystem, usize, usize)> {
    let numbers = system.numbers.iter().enumerate();
    numbers.map(move |(c, &number)| (system, c, number))
}

/// Derivatives of the force `(fₙ, fₜ₁, fₜ₂)` of a contact at fixed contact velocity.
struct ForceSlopes {
    normal_force: [f64; 3],
    mu: [f64; 3],
    static_friction: [f64; 3],
    stribeck_velocity: [f64; 3],
    x0: [f64; 3],
    stiffness: [f64; 3],
    dissipation: [f64; 3],
    dt: [f64; 3],
    stiction_tolerance: [f64; 3],
}

impl ForceSlopes {
    fn of(system: &NewtonSystem, c: usize, relative_tolerance: f64) -> Self {
        let [vn, vt0, vt1] = system.contact_velocities[c];
        let fn_ = system.contact_forces[c][0];
        let law = system.friction(c);
        let (h, _) = law.coefficient_and_slope([vt0, vt1]);
        let along = |dfn: f64| system.as_it_acts(c, [dfn, -h * vt0 * dfn, -h * vt1 * dfn]);
        let tangential = |dh: f64| [0.0, -fn_ * dh * vt0, -fn_ * dh * vt1];
        let [mu, static_friction, stribeck_velocity, stiction_tolerance] =
            law.parameter_slopes([vt0, vt1], relative_tolerance);
        let normal = match &system.contacts[c].normal {
            NormalForce::Given(_) => NormalSlopes::default(),
            NormalForce::Compliant(law) => NormalSlopes::of(law, system.dt(), vn),
        };
        ForceSlopes {
            normal_force: along(1.0),
            mu: tangential(mu),
            static_friction: tangential(static_friction),
            stribeck_velocity: tangential(stribeck_velocity),
            x0: along(normal.x0),
            stiffness: along(normal.stiffness),
            dissipation: along(normal.dissipation),
            dt: along(normal.dt),
            stiction_tolerance: tangential(stiction_tolerance),
        }
    }
}

/// Derivatives of the normal force of a contact.
#[derive(Default)]
struct NormalSlopes {
    x0: f64,
    stiffness: f64,
    dissipation: f64,
    dt: f64,
}

impl NormalSlopes {
    fn of(law: &NormalLaw<f64>, dt: f64, vn: f64) -> Self {
        let (damping, penetration) = law.factors(dt, vn);
        if damping <= 0.0 || penetration <= 0.0 {
            return NormalSlopes::default();
        }
        let k = law.stiffness;
        NormalSlopes {
            x0: k * damping,
            stiffness: damping * penetration,
            dissipation: -k * vn * penetration,
            dt: -k * damping * vn,
        }
    }
}

impl Buffers {
    pub fn new() -> Self {
        let matrix = || DMatrix::zeros(0, 0);
        let vector = || DVector::zeros(0);
        Buffers {
            gradient: VelocityGradient {
                dv_dv0: matrix(),
                dv_dmu: matrix(),
                dv_dstatic_friction: matrix(),
                dv_dstribeck_velocity: matrix(),
                dv_dx0: matrix(),
                dv_dstiffness: matrix(),
                dv_ddissipation: matrix(),
                dv_dnormal_forces: matrix(),
                dv_ddt: vector(),
                dv_dstiction_tolerance: vector(),
            },
            adjoint: ProblemGradient {
                mass_matrix: matrix(),
                normal_jacobian: matrix(),
                tangent_jacobian: matrix(),
                p_star: vector(),
                mu: vector(),
                static_friction: vector(),
                stribeck_velocity: vector(),
                x0: vector(),
                stiffness: vector(),
                dissipation: vector(),
                normal_forces: vector(),
                dt: 0.0,
                stiction_tolerance: 0.0,
            },
            z: [Vec::new(), Vec::new(), Vec::new()],
            lambda: Vec::new(),
        }
    }
}

/// Numbers of the data that contacts have.
struct Columns {
    contacts: usize,
    stribeck: usize,
    compliant: usize,
    given: usize,
}

impl Columns {
    fn of(islands: &Islands) -> Self {
        let contacts = islands.nc();
        let of = |has: bool| if has { contacts } else { 0 };
        Columns {
            contacts,
            stribeck: of(islands.have_stribeck()),
            compliant: of(!islands.have_given_forces()),
            given: of(islands.have_given_forces()),
        }
    }
}

impl VelocityGradient {
    fn reset(&mut self, nv: usize, columns: &Columns) {
        let Columns {
            contacts: nc,
            stribeck,
            compliant,
            given,
        } = *columns;
        for (matrix, columns) in [
            (&mut self.dv_dv0, nv),
            (&mut self.dv_dmu, nc),
            (&mut self.dv_dstatic_friction, stribeck),
            (&mut self.dv_dstribeck_velocity, stribeck),
            (&mut self.dv_dx0, compliant),
            (&mut self.dv_dstiffness, compliant),
            (&mut self.dv_ddissipation, compliant),
            (&mut self.dv_dnormal_forces, given),
        ] {
            reset_matrix(matrix, nv, columns);
        }
        reset_vector(&mut self.dv_ddt, nv);
        reset_vector(&mut self.dv_dstiction_tolerance, nv);
    }
}

impl ProblemGradient {
    fn reset(&mut self, nv: usize, columns: &Columns) {
        let Columns {
            contacts: nc,
            stribeck,
            compliant,
            given,
        } = *columns;
        reset_matrix(&mut self.mass_matrix, nv, nv);
        reset_matrix(&mut self.normal_jacobian, nc, nv);
        reset_matrix(&mut self.tangent_jacobian, 2 * nc, nv);
        for (vector, size) in [
            (&mut self.p_star, nv),
            (&mut self.mu, nc),
            (&mut self.static_friction, stribeck),
            (&mut self.stribeck_velocity, stribeck),
            (&mut self.x0, compliant),
            (&mut self.stiffness, compliant),
            (&mut self.dissipation, compliant),
            (&mut self.normal_forces, given),
        ] {
            reset_vector(vector, size);
        }
        self.dt = 0.0;
        self.stiction_tolerance = 0.0;
    }
}
