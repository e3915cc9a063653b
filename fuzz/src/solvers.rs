//! Contact problems and complementarity problems with any numbers: solved to the promised residual, or an error.

#![no_main]

mod numbers;

use arbitrary::Unstructured;
use dualbody::nalgebra::DMatrix;
use dualbody::solver::ImplicitStribeckSolver;
use dualbody::solver::implicit_stribeck::{ImplicitStribeckSolverParameters, TwoWayCoupledProblem};
use dualbody::solver::lcp::{LcpSolver, LinearComplementarityProblem};
use libfuzzer_sys::fuzz_target;
use numbers::{number, numbers};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let _ = match bytes.arbitrary() {
        Ok(true) => solve_contact(&mut bytes),
        _ => solve_complementarity(&mut bytes),
    };
});

/// Symmetric with a diagonal that leads, or any numbers.
fn mass(n: usize, bytes: &mut Unstructured) -> arbitrary::Result<DMatrix<f64>> {
    let any = DMatrix::from_vec(n, n, numbers(n * n, bytes)?);
    if bytes.ratio(1, 8)? {
        return Ok(any);
    }
    Ok(&any * any.transpose() + DMatrix::identity(n, n))
}

fn solve_contact(bytes: &mut Unstructured) -> arbitrary::Result<()> {
    let (nv, nc) = (bytes.int_in_range(1..=6)?, bytes.int_in_range(0..=4)?);
    let mass = mass(nv, bytes)?;
    let jn = DMatrix::from_vec(nc, nv, numbers(nc * nv, bytes)?);
    let jt = DMatrix::from_vec(2 * nc, nv, numbers(2 * nc * nv, bytes)?);
    let [p, guess] = [numbers(nv, bytes)?, numbers(nv, bytes)?];
    let mut list = || numbers(nc, bytes);
    let (x0, stiffness, dissipation, mu) = (list()?, list()?, list()?, list()?);
    let dt = number(bytes)?;
    let Ok(problem) =
        TwoWayCoupledProblem::new(&mass, &jn, &jt, &p, &x0, &stiffness, &dissipation, &mu)
    else {
        return Ok(());
    };
    let Ok(mut solver) = ImplicitStribeckSolver::new(ImplicitStribeckSolverParameters::default())
    else {
        return Ok(());
    };
    if let Ok(solution) = solver.solve(problem, dt, &guess) {
        assert!(solution.velocities.iter().all(|v| v.is_finite()));
        assert!(solution.statistics.residual <= 1e-9);
    }
    Ok(())
}

fn solve_complementarity(bytes: &mut Unstructured) -> arbitrary::Result<()> {
    let n = bytes.int_in_range(0..=6)?;
    let matrix = DMatrix::from_vec(n, n, numbers(n * n, bytes)?);
    let q = numbers(n, bytes)?;
    let Ok(problem) = LinearComplementarityProblem::new(&matrix, &q) else {
        return Ok(());
    };
    let Ok(mut solver) = LcpSolver::new(Default::default()) else {
        return Ok(());
    };
    if let Ok(solution) = solver.solve(problem) {
        assert!(solution.z.iter().all(|z| z.is_finite() && *z >= 0.0));
    }
    Ok(())
}
