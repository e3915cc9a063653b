//! Contact problems of the reference cases.

use super::reference::{matrix, number, vector};
use dualbody::Scalar;
use dualbody::solver::implicit_stribeck::{
    ImplicitStribeckSolverParameters, OneWayCoupledProblem, StribeckCurve, TwoWayCoupledProblem,
};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

/// The data of a problem, owned.
#[derive(Clone)]
pub struct Data<T: Scalar> {
    pub dt: T,
    pub mass: DMatrix<T>,
    pub jn: DMatrix<T>,
    pub jt: DMatrix<T>,
    pub v0: Vec<T>,
    pub p_star: Vec<T>,
    pub mu: Vec<T>,
    /// Of all contacts, or none.
    pub stribeck: Vec<StribeckCurve<T>>,
    /// Of all contacts, or none: whether the normal force of a contact only presses on its friction.
    pub friction_only: Vec<bool>,
    pub normal: Normal<T>,
    pub stiction_tolerance: T,
    pub relative_tolerance: f64,
}

#[derive(Clone)]
pub enum Normal<T> {
    Given(Vec<T>),
    Compliant {
        x0: Vec<T>,
        stiffness: Vec<T>,
        dissipation: Vec<T>,
    },
}

impl Data<f64> {
    pub fn read(case: &Value) -> Self {
        let nv = case["nv"].as_u64().expect("nv") as usize;
        let normal = if case["fn"].is_null() {
            Normal::Compliant {
                x0: vector(&case["x0"]),
                stiffness: vector(&case["stiffness"]),
                dissipation: vector(&case["dissipation"]),
            }
        } else {
            Normal::Given(vector(&case["fn"]))
        };
        Data {
            dt: number(&case["dt"]),
            mass: matrix(&case["M"], nv),
            jn: matrix(&case["Jn"], nv),
            jt: matrix(&case["Jt"], nv),
            v0: vector(&case["v0"]),
            p_star: vector(&case["p_star"]),
            mu: vector(&case["mu"]),
            stribeck: Vec::new(),
            friction_only: Vec::new(),
            normal,
            stiction_tolerance: number(&case["stiction_tolerance"]),
            relative_tolerance: number(&case["relative_tolerance"]),
        }
    }

    pub fn cast<T: Scalar>(&self) -> Data<T> {
        let list = |x: &[f64]| x.iter().map(|&x| T::from(x)).collect::<Vec<T>>();
        Data {
            dt: T::from(self.dt),
            mass: self.mass.map(T::from),
            jn: self.jn.map(T::from),
            jt: self.jt.map(T::from),
            v0: list(&self.v0),
            p_star: list(&self.p_star),
            mu: list(&self.mu),
            stribeck: self.stribeck.iter().map(|curve| curve.cast()).collect(),
            friction_only: self.friction_only.clone(),
            normal: match &self.normal {
                Normal::Given(fn_) => Normal::Given(list(fn_)),
                Normal::Compliant {
                    x0,
                    stiffness,
                    dissipation,
                } => Normal::Compliant {
                    x0: list(x0),
                    stiffness: list(stiffness),
                    dissipation: list(dissipation),
                },
            },
            stiction_tolerance: T::from(self.stiction_tolerance),
            relative_tolerance: self.relative_tolerance,
        }
    }

    /// `‖r‖_{M⁻¹} / ‖p*‖_{M⁻¹}` of the momentum balance with the given contact forces.
    pub fn relative_residual(&self, v: &DVector<f64>, contact_forces: &DVector<f64>) -> f64 {
        let p = DVector::from_column_slice(&self.p_star);
        let r = &self.mass * v - &p - contact_forces * self.dt;
        let cholesky = self
            .mass
            .clone()
            .cholesky()
            .expect("M is positive definite");
        let norm = |x: &DVector<f64>| x.dot(&cholesky.solve(x)).sqrt();
        norm(&r) / norm(&p)
    }
}

impl<T: Scalar> Data<T> {
    pub fn parameters(&self) -> ImplicitStribeckSolverParameters<T> {
        let mut parameters = ImplicitStribeckSolverParameters::default();
        parameters.stiction_tolerance = self.stiction_tolerance;
        parameters.relative_tolerance = self.relative_tolerance;
        parameters
    }

    pub fn one_way(&self) -> OneWayCoupledProblem<'_, T> {
        let Normal::Given(fn_) = &self.normal else {
            panic!("not a one-way problem");
        };
        let problem =
            OneWayCoupledProblem::new(&self.mass, &self.jn, &self.jt, &self.p_star, fn_, &self.mu)
                .expect("valid data");
        if self.stribeck.is_empty() {
            return problem;
        }
        problem.with_stribeck(&self.stribeck).expect("valid curves")
    }

    pub fn two_way(&self) -> TwoWayCoupledProblem<'_, T> {
        let Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } = &self.normal
        else {
            panic!("not a two-way problem");
        };
        let mut problem = TwoWayCoupledProblem::new(
            &self.mass,
            &self.jn,
            &self.jt,
            &self.p_star,
            x0,
            stiffness,
            dissipation,
            &self.mu,
        )
        .expect("valid data");
        if !self.friction_only.is_empty() {
            let flags = &self.friction_only;
            problem = problem.with_friction_only(flags).expect("valid flags");
        }
        if self.stribeck.is_empty() {
            return problem;
        }
        problem.with_stribeck(&self.stribeck).expect("valid curves")
    }
}
