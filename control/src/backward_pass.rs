//! The Riccati recursion of differential dynamic programming, with limits of inputs.
//!
//! With the value function `½ δxᵀV δx + vᵀδx` of the next stage and its gap g,
//!
//! ```text
//! v′ = v + V g
//! Qx = lx + Aᵀv′,    Qu = lu + Bᵀv′
//! Qxx = lxx + AᵀV A,  Qux = lux + BᵀV A,  Quu = luu + BᵀV B
//! k = argmin ½ kᵀQuu k + Quᵀk within the limits,    K = −Quu⁻¹Qux in what is free
//! V = Qxx + KᵀQuu K + KᵀQux + QuxᵀK,    v = Qx + Kᵀ(Quu k + Qu) + Quxᵀk
//! ```
//!
//! (Jacobson and Mayne 1970; with gaps: Mastalli et al. 2020, *ICRA*, 2536–2542, and with limits Mastalli et al. 2022,
//! *Autonomous Robots* 46, 985–1005.) The diagonal of Quu is raised by the factor `1 + μ` where k and K are computed
//! (Marquardt 1963), so that regularisation does not depend on the units of inputs. Where states are to be held back, too, the
//! diagonal of Qxx is raised by μ.

use crate::bounds::Bounds;
use crate::box_qp::BoxQp;
use crate::matrix::{
    add_product, add_times, add_transposed_product, add_transposed_times, symmetrize,
};
use crate::stage::Stage;
use dualbody::math::{Factorization, Singular};
use nalgebra::DMatrix;

/// Memory of the recursion.
#[derive(Debug, Clone)]
pub(crate) struct BackwardPass {
    program: BoxQp,
    start: BoxQp,
    /// V and v of a member, where members start alike.
    start_value: DMatrix<f64>,
    start_slope: Vec<f64>,
    /// V and v.
    value: DMatrix<f64>,
    slope: Vec<f64>,
    va: DMatrix<f64>,
    vb: DMatrix<f64>,
    qxx: DMatrix<f64>,
    qux: DMatrix<f64>,
    quu: DMatrix<f64>,
    raised: DMatrix<f64>,
    qx: Vec<f64>,
    qu: Vec<f64>,
    /// Quu K + Qux.
    curved: DMatrix<f64>,
    /// Quu k + Qu.
    residual: Vec<f64>,
    /// δx and δu.
    both: Vec<f64>,
}

/// What the model expects of the whole step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExpectedChange {
    /// Derivative of the cost along the step.
    pub slope: f64,
    /// Second derivative of the model along the step.
    pub curvature: f64,
}

impl BackwardPass {
    /// For n displacements, m inputs, and so many members that start alike.
    pub fn new(n: usize, m: usize, members: usize) -> Self {
        let size = n / members;
        BackwardPass {
            program: BoxQp::new(m),
            start: BoxQp::new(size),
            start_value: DMatrix::zeros(size, size),
            start_slope: vec![0.0; size],
            value: DMatrix::zeros(n, n),
            slope: vec![0.0; n],
            va: DMatrix::zeros(n, n),
            vb: DMatrix::zeros(n, m),
            qxx: DMatrix::zeros(n, n),
            qux: DMatrix::zeros(m, n),
            quu: DMatrix::zeros(m, m),
            raised: DMatrix::zeros(m, m),
            qx: vec![0.0; n],
            qu: vec![0.0; m],
            curved: DMatrix::zeros(m, n),
            residual: vec![0.0; m],
            both: vec![0.0; n + m],
        }
    }

    /// Writes, with curvature if `is_exact`, the policies of all stages but the last, which is the final state's, with μ for inputs and for states, and δx₀
    /// within its limits.
    ///
    /// # Errors
    /// When the free part of a raised Quu is not positive definite, with the stage; of the raised V of the first state, without.
    pub fn run(
        &mut self,
        stages: &mut [Stage],
        inputs: &[Vec<f64>],
        bounds: &Bounds,
        [for_inputs, for_states]: [f64; 2],
        of_start: &[Vec<f64>; 2],
        is_exact: bool,
    ) -> Result<(), (Option<usize>, Singular)> {
        let last = stages.len() - 1;
        self.value.copy_from(&stages[last].hxx);
        if is_exact {
            self.value += &stages[last].curvature;
        }
        self.slope.copy_from_slice(&stages[last].gx);
        for k in (0..last).rev() {
            let (before, after) = stages.split_at_mut(k + 1);
            let stage = &mut before[k];
            self.expand(stage, &after[0].gap, is_exact);
            for i in 0..self.qx.len() {
                self.qxx[(i, i)] += for_states;
            }
            self.policy(stage, &inputs[k], bounds, for_inputs)
                .map_err(|singular| (Some(k), singular))?;
            self.improve(stage);
        }
        self.start(&mut stages[0], for_inputs, of_start)
            .map_err(|singular| (None, singular))
    }

    /// δx₀.
    fn start(
        &mut self,
        stage: &mut Stage,
        regularization: f64,
        [lower, upper]: &[Vec<f64>; 2],
    ) -> Result<(), Singular> {
        if lower == upper {
            stage.start.copy_from_slice(lower);
            return Ok(());
        }
        let BackwardPass {
            start,
            start_value,
            start_slope,
            ..
        } = self;
        let size = start_slope.len();
        start_value.fill(0.0);
        start_slope.fill(0.0);
        for j in 0..lower.len() {
            start_slope[j % size] += self.slope[j];
            for i in 0..lower.len() {
                start_value[(i % size, j % size)] += self.value[(i, j)];
            }
        }
        for i in 0..size {
            start_value[(i, i)] *= 1.0 + regularization;
        }
        start.x.copy_from_slice(&stage.start[..size]);
        start.solve(start_value, start_slope, |i| lower[i], |i| upper[i])?;
        for of_member in stage.start.chunks_exact_mut(size) {
            of_member.copy_from_slice(&start.x);
        }
        Ok(())
    }

    /// The derivatives of Q.
    fn expand(&mut self, stage: &Stage, gap: &[f64], is_exact: bool) {
        let Stage {
            a, b, curvature, ..
        } = stage;
        add_times(&mut self.slope, &self.value, gap);
        self.va.fill(0.0);
        add_product(&mut self.va, &self.value, a);
        self.vb.fill(0.0);
        add_product(&mut self.vb, &self.value, b);
        self.qxx.copy_from(&stage.hxx);
        add_transposed_product(&mut self.qxx, a, &self.va);
        self.qux.copy_from(&stage.hux);
        add_transposed_product(&mut self.qux, b, &self.va);
        self.quu.copy_from(&stage.huu);
        add_transposed_product(&mut self.quu, b, &self.vb);
        if is_exact {
            let (n, m) = b.shape();
            self.qxx += curvature.view((0, 0), (n, n));
            self.qux += curvature.view((n, 0), (m, n));
            self.quu += curvature.view((n, n), (m, m));
        }
        symmetrize(&mut self.quu);
        self.qx.copy_from_slice(&stage.gx);
        add_transposed_times(&mut self.qx, a, &self.slope);
        self.qu.copy_from_slice(&stage.gu);
        add_transposed_times(&mut self.qu, b, &self.slope);
    }

    fn policy(
        &mut self,
        stage: &mut Stage,
        input: &[f64],
        bounds: &Bounds,
        regularization: f64,
    ) -> Result<(), Singular> {
        self.raised.copy_from(&self.quu);
        for i in 0..input.len() {
            self.raised[(i, i)] *= 1.0 + regularization;
        }
        let BackwardPass {
            program, raised, ..
        } = self;
        program.x.copy_from_slice(&stage.feedforward);
        program.solve(
            raised,
            &self.qu,
            |i| bounds.lower[i] - input[i],
            |i| bounds.upper[i] - input[i],
        )?;
        stage.feedforward.copy_from_slice(&program.x);
        for (mut column, qux) in (stage.gain.column_iter_mut()).zip(self.qux.column_iter()) {
            for (i, gain) in column.iter_mut().enumerate() {
                *gain = if program.is_free[i] { -qux[i] } else { 0.0 };
            }
            // A factor solves for vectors of its own size.
            let _ = program.factor.solve_in_place(column.as_mut_slice());
        }
        Ok(())
    }

    /// The value function of the stage.
    fn improve(&mut self, stage: &Stage) {
        let Stage {
            feedforward, gain, ..
        } = stage;
        self.curved.copy_from(&self.qux);
        add_product(&mut self.curved, &self.quu, gain);
        self.residual.copy_from_slice(&self.qu);
        add_times(&mut self.residual, &self.quu, feedforward);
        self.value.copy_from(&self.qxx);
        add_transposed_product(&mut self.value, gain, &self.curved);
        add_transposed_product(&mut self.value, &self.qux, gain);
        symmetrize(&mut self.value);
        self.slope.copy_from_slice(&self.qx);
        add_transposed_times(&mut self.slope, gain, &self.residual);
        add_transposed_times(&mut self.slope, &self.qux, feedforward);
    }

    /// Follows the policies in the linear model, with all gaps closed.
    pub fn expected_change(&mut self, stages: &[Stage], is_exact: bool) -> ExpectedChange {
        let last = stages.len() - 1;
        let mut expected = ExpectedChange::default();
        // δx and δu in memory that is free now.
        let (dx, du) = (&mut self.qx, &mut self.qu);
        dx.copy_from_slice(&stages[0].start);
        for (k, stage) in stages.iter().enumerate() {
            expected.slope += crate::matrix::dot(&stage.gx, dx);
            expected.curvature += quadratic_form(&stage.hxx, dx, dx);
            if k == last {
                if is_exact {
                    expected.curvature += quadratic_form(&stage.curvature, dx, dx);
                }
                break;
            }
            du.copy_from_slice(&stage.feedforward);
            add_times(du, &stage.gain, dx);
            expected.slope += crate::matrix::dot(&stage.gu, du);
            expected.curvature += quadratic_form(&stage.huu, du, du);
            expected.curvature += 2.0 * quadratic_form(&stage.hux, du, dx);
            if is_exact {
                self.both.clear();
                self.both.extend(dx.iter().chain(&*du));
                expected.curvature += quadratic_form(&stage.curvature, &self.both, &self.both);
            }
            self.slope.copy_from_slice(&stages[k + 1].gap);
            add_times(&mut self.slope, &stage.a, dx);
            add_times(&mut self.slope, &stage.b, du);
            dx.copy_from_slice(&self.slope);
        }
        expected
    }
}

/// `xᵀM y`.
fn quadratic_form(m: &DMatrix<f64>, x: &[f64], y: &[f64]) -> f64 {
    (y.iter().enumerate())
        .map(|(j, y)| y * crate::matrix::dot(m.column(j).as_slice(), x))
        .sum()
}
