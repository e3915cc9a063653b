//! The one-way and the two-way coupled problem.

use super::stribeck_curve::StribeckCurve;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;
use std::ops::RangeInclusive;

/// Masses whose squares and reciprocals are far from overflow.
pub(super) const MASSES: RangeInclusive<f64> = 1e-100..=1e100;

/// Known normal forces: find `v` with `M v = p* + δt (Jₙᵀ fₙ + Jₜᵀ fₜ(v))`.
///
/// Data are borrowed; `nv` is the number of generalized velocities, `nc` of contact points.
#[derive(Debug, Clone, Copy)]
pub struct OneWayCoupledProblem<'a, T> {
    common: Common<'a, T>,
    normal_forces: &'a [T],
}

/// Compliant normal forces: find `v` with `M v = p* + δt (Jₙᵀ fₙ(v) + Jₜᵀ fₜ(fₙ(v), v))`.
///
/// Data are borrowed; `nv` is the number of generalized velocities, `nc` of contact points.
#[derive(Debug, Clone, Copy)]
pub struct TwoWayCoupledProblem<'a, T> {
    common: Common<'a, T>,
    x0: &'a [T],
    stiffness: &'a [T],
    dissipation: &'a [T],
}

/// What both problems have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common<'a, T> {
    pub mass_matrix: &'a DMatrix<T>,
    pub normal_jacobian: &'a DMatrix<T>,
    pub tangent_jacobian: &'a DMatrix<T>,
    pub p_star: &'a [T],
    pub mu: &'a [T],
    pub stribeck: Option<&'a [StribeckCurve<T>]>,
    pub friction_only: Option<&'a [bool]>,
    /// Whether damping has been added to the mass matrix.
    pub damped: bool,
}

/// Where normal forces come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum NormalForces<'a, T> {
    Given(&'a [T]),
    Compliant {
        x0: &'a [T],
        stiffness: &'a [T],
        dissipation: &'a [T],
    },
}

/// A [`OneWayCoupledProblem`] or a [`TwoWayCoupledProblem`], which convert into it.
#[derive(Debug, Clone, Copy)]
pub struct ContactProblem<'a, T> {
    pub(super) common: Common<'a, T>,
    pub(super) normal_forces: NormalForces<'a, T>,
}

impl<'a, T: Scalar> OneWayCoupledProblem<'a, T> {
    /// A problem from its data.
    ///
    /// - `mass_matrix`: `M` (nv×nv), symmetric and positive definite, which the solver checks; see
    ///   [`Self::with_damped_mass`] for one that need not be; diagonal entries from 10⁻¹⁰⁰ to 10¹⁰⁰
    /// - `normal_jacobian`: `Jₙ` (nc×nv), separation velocities `vₙ = Jₙ v`
    /// - `tangent_jacobian`: `Jₜ` (2nc×nv), two tangential velocities a contact, `vₜ = Jₜ v`
    /// - `p_star`: `p*` (nv), the momentum that the system would have without contact
    /// - `normal_forces`: `fₙ` (nc) in N, not negative
    /// - `mu`: coefficients of friction (nc), not negative; static and dynamic are the same unless
    ///   [`Self::with_stribeck`] says otherwise
    ///
    /// # Errors
    /// [`InvalidInput`] when sizes do not fit, an entry is not finite, or one is negative that must
    /// not be.
    #[inline(never)]
    pub fn new(
        mass_matrix: &'a DMatrix<T>,
        normal_jacobian: &'a DMatrix<T>,
        tangent_jacobian: &'a DMatrix<T>,
        p_star: &'a [T],
        normal_forces: &'a [T],
        mu: &'a [T],
    ) -> Result<Self, InvalidInput> {
        let common = Common {
            mass_matrix,
            normal_jacobian,
            tangent_jacobian,
            p_star,
            mu,
            stribeck: None,
            friction_only: None,
            damped: false,
        };
        common.validate()?;
        check_contact_data("normal forces", normal_forces, mu.len())?;
        Ok(OneWayCoupledProblem {
            common,
            normal_forces,
        })
    }

    /// The same problem, where δt times the damping of other forces has been added to `M`: the solver
    /// takes it as it is, symmetric and positive definite or not.
    ///
    /// If `M + Mᵀ` is not positive definite there may be no solution.
    pub fn with_damped_mass(mut self) -> Self {
        self.common.damped = true;
        self
    }

    /// The same problem with static friction of its own (nc): `mu` is then that of fast sliding.
    ///
    /// Where friction falls steeply with speed there may be several solutions.
    ///
    /// # Errors
    /// [`InvalidInput`] when the number does not fit, or a curve makes no sense.
    pub fn with_stribeck(mut self, curves: &'a [StribeckCurve<T>]) -> Result<Self, InvalidInput> {
        self.common.set_stribeck(curves)?;
        Ok(self)
    }
}

impl<'a, T: Scalar> TwoWayCoupledProblem<'a, T> {
    /// A problem from its data.
    ///
    /// - `mass_matrix`, `normal_jacobian`, `tangent_jacobian`, `p_star`, `mu`: as in
    ///   [`OneWayCoupledProblem::new`]
    /// - `x0`: penetrations at the start of the step (nc) in m, positive when bodies overlap
    /// - `stiffness`: `k` (nc) in N/m, not negative
    /// - `dissipation`: `d` (nc) in s/m, not negative
    ///
    /// # Errors
    /// [`InvalidInput`] when sizes do not fit, an entry is not finite, or one is negative that must
    /// not be.
    #[allow(clippy::too_many_arguments)] // the data of the equation, by their names in it
    #[inline(never)]
    pub fn new(
        mass_matrix: &'a DMatrix<T>,
        normal_jacobian: &'a DMatrix<T>,
        tangent_jacobian: &'a DMatrix<T>,
        p_star: &'a [T],
        x0: &'a [T],
        stiffness: &'a [T],
        dissipation: &'a [T],
        mu: &'a [T],
    ) -> Result<Self, InvalidInput> {
        let common = Common {
            mass_matrix,
            normal_jacobian,
            tangent_jacobian,
            p_star,
            mu,
            stribeck: None,
            friction_only: None,
            damped: false,
        };
        common.validate()?;
        InvalidInput::check_size("x0", x0.len(), mu.len())?;
        InvalidInput::check_finite("x0", x0)?;
        check_contact_data("stiffness", stiffness, mu.len())?;
        check_contact_data("dissipation", dissipation, mu.len())?;
        Ok(TwoWayCoupledProblem {
            common,
            x0,
            stiffness,
            dissipation,
        })
    }

    /// The same problem, where δt times the damping of other forces has been added to `M`: the solver
    /// takes it as it is, symmetric and positive definite or not.
    ///
    /// If `M + Mᵀ` is not positive definite there may be no solution.
    pub fn with_damped_mass(mut self) -> Self {
        self.common.damped = true;
        self
    }

    /// The same problem with static friction of its own (nc): `mu` is then that of fast sliding.
    ///
    /// Where friction falls steeply with speed there may be several solutions.
    ///
    /// # Errors
    /// [`InvalidInput`] when the number does not fit, or a curve makes no sense.
    pub fn with_stribeck(mut self, curves: &'a [StribeckCurve<T>]) -> Result<Self, InvalidInput> {
        self.common.set_stribeck(curves)?;
        Ok(self)
    }

    /// The same problem, where the normal force of some contacts (nc flags) only presses on their friction, and does
    /// not act along `Jₙ`: friction of another kind under the normal force of another contact, whose `Jₙ`, `x₀`,
    /// `k` and `d` are repeated.
    ///
    /// With rows of `Jₜ` that are angular velocities in rad/s this is friction against spinning or rolling. Its
    /// coefficient is then a length in m, its force a torque in N m, and the stiction tolerance counts in rad/s. See
    /// [`RotationalFriction`](crate::contact::RotationalFriction).
    ///
    /// # Errors
    /// [`InvalidInput`] when the number does not fit.
    pub fn with_friction_only(mut self, flags: &'a [bool]) -> Result<Self, InvalidInput> {
        InvalidInput::check_size("friction only", flags.len(), self.common.nc())?;
        self.common.friction_only = Some(flags);
        Ok(self)
    }
}

impl<'a, T: Scalar> Common<'a, T> {
    pub fn nv(&self) -> usize {
        self.p_star.len()
    }

    pub fn nc(&self) -> usize {
        self.mu.len()
    }

    fn validate(&self) -> Result<(), InvalidInput> {
        let (nv, nc) = (self.nv(), self.nc());
        for (quantity, matrix, rows) in [
            ("M", self.mass_matrix, nv),
            ("Jn", self.normal_jacobian, nc),
            ("Jt", self.tangent_jacobian, 2 * nc),
        ] {
            InvalidInput::check_size(quantity, matrix.nrows(), rows)?;
            InvalidInput::check_size(quantity, matrix.ncols(), nv)?;
            InvalidInput::check_finite(quantity, matrix.as_slice())?;
        }
        for i in 0..nv {
            let m = self.mass_matrix[(i, i)].re();
            if !MASSES.contains(&m) {
                return Err(InvalidInput::OutOfRange {
                    quantity: "diagonal of M",
                    index: Some(i),
                    value: m,
                    expected: "a positive number from 1e-100 to 1e100",
                });
            }
        }
        InvalidInput::check_finite("p*", self.p_star)?;
        check_contact_data("mu", self.mu, nc)
    }

    /// Whether the normal force of a contact only presses on friction.
    pub fn is_friction_only(&self, c: usize) -> bool {
        self.friction_only.is_some_and(|flags| flags[c])
    }

    fn set_stribeck(&mut self, curves: &'a [StribeckCurve<T>]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("Stribeck curves", curves.len(), self.nc())?;
        curves.iter().try_for_each(StribeckCurve::validate)?;
        self.stribeck = Some(curves);
        Ok(())
    }
}

fn check_contact_data<T: Scalar>(
    quantity: &'static str,
    values: &[T],
    nc: usize,
) -> Result<(), InvalidInput> {
    InvalidInput::check_size(quantity, values.len(), nc)?;
    InvalidInput::check_range(quantity, values, "a finite number, not negative", |x| {
        x >= 0.0 && x.is_finite()
    })
}

impl<'a, T> From<OneWayCoupledProblem<'a, T>> for ContactProblem<'a, T> {
    fn from(problem: OneWayCoupledProblem<'a, T>) -> Self {
        ContactProblem {
            common: problem.common,
            normal_forces: NormalForces::Given(problem.normal_forces),
        }
    }
}

impl<'a, T> From<TwoWayCoupledProblem<'a, T>> for ContactProblem<'a, T> {
    fn from(problem: TwoWayCoupledProblem<'a, T>) -> Self {
        ContactProblem {
            common: problem.common,
            normal_forces: NormalForces::Compliant {
                x0: problem.x0,
                stiffness: problem.stiffness,
                dissipation: problem.dissipation,
            },
        }
    }
}
