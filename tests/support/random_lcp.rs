//! Random linear complementarity problems.

use super::random_tree::Random;
use nalgebra::{DMatrix, DVector};

/// A matrix, a vector, and the number of free variables.
pub struct Lcp {
    pub matrix: DMatrix<f64>,
    pub vector: DVector<f64>,
    pub free: usize,
}

/// How many random problems a property is tested on: `DUALBODY_RANDOM_PROBLEMS`, or 1000.
pub fn number_of_problems() -> u64 {
    let wanted = std::env::var("DUALBODY_RANDOM_PROBLEMS");
    wanted.ok().and_then(|n| n.parse().ok()).unwrap_or(1000)
}

fn gaussian_like(random: &mut Random, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| {
        random.signed() + 0.5 * random.signed()
    })
}

/// Positive semidefinite of the given rank, not symmetric if `skew`; the inequalities can be
/// satisfied.
pub fn semidefinite(random: &mut Random, n: usize, rank: usize, skew: bool) -> Lcp {
    let a = gaussian_like(random, n, rank);
    let mut matrix = &a * a.transpose();
    if skew {
        let k = gaussian_like(random, n, n);
        matrix += &k - k.transpose();
    }
    let vector = solvable_vector(random, &matrix);
    Lcp {
        matrix,
        vector,
        free: 0,
    }
}

/// A vector for which some `z ≥ 0` has `M z + q ≥ 0`.
fn solvable_vector(random: &mut Random, matrix: &DMatrix<f64>) -> DVector<f64> {
    let n = matrix.nrows();
    let z = DVector::from_fn(n, |_, _| random.signed().max(0.0));
    let w = DVector::from_fn(n, |_, _| random.signed().max(0.0));
    w - matrix * z
}

/// Any matrix and vector: there may be no solution.
pub fn arbitrary(random: &mut Random, n: usize) -> Lcp {
    Lcp {
        matrix: gaussian_like(random, n, n),
        vector: DVector::from_fn(n, |_, _| random.signed()),
        free: 0,
    }
}

/// The impact problem of Anitescu and Potra: `contacts` with friction pyramids of four edges on
/// `nv` velocities, of which `equations` combinations are held: copositive, rank-deficient.
///
/// The variables are the forces of the equations, normal impulses, those along the edges, and the
/// slip speeds.
pub fn friction(random: &mut Random, contacts: usize, nv: usize, equations: usize) -> Lcp {
    let masses = DVector::from_fn(nv, |_, _| 10.0f64.powf(random.signed()));
    let inverse = DMatrix::from_diagonal(&masses.map(|m| 1.0 / m));
    // Every other contact repeats its predecessor: forces are not unique.
    let mut jacobian = gaussian_like(random, equations + 3 * contacts, nv);
    for c in (1..contacts).step_by(2) {
        for k in 0..3 {
            let row = jacobian.row(equations + 3 * (c - 1) + k).into_owned();
            jacobian.row_mut(equations + 3 * c + k).copy_from(&row);
        }
    }
    let v = DVector::from_fn(nv, |_, _| random.signed());
    let edges = 4 * contacts;
    let n = equations + contacts + edges + contacts;
    // Rows of the Jacobian, and their signs, in the order of the variables.
    let rows: Vec<(usize, f64)> = (0..equations)
        .map(|e| (e, 1.0))
        .chain((0..contacts).map(|c| (equations + 3 * c, 1.0)))
        .chain((0..edges).map(|e| {
            let sign = if e % 2 == 0 { 1.0 } else { -1.0 };
            (equations + 3 * (e / 4) + 1 + (e % 4) / 2, sign)
        }))
        .collect();
    let full = DMatrix::from_fn(rows.len(), nv, |i, j| jacobian[(rows[i].0, j)] * rows[i].1);
    let mut matrix = DMatrix::zeros(n, n);
    let delassus = &full * inverse * full.transpose();
    matrix
        .view_mut((0, 0), delassus.shape())
        .copy_from(&delassus);
    let mut vector = DVector::zeros(n);
    vector.rows_mut(0, rows.len()).copy_from(&(&full * v));
    for c in 0..contacts {
        let (normal, slip) = (equations + c, equations + contacts + edges + c);
        matrix[(slip, normal)] = 0.3 + 0.3 * (random.signed() + 1.0);
        for k in 0..4 {
            let edge = equations + contacts + 4 * c + k;
            matrix[(slip, edge)] = -1.0;
            matrix[(edge, slip)] = 1.0;
        }
    }
    Lcp {
        matrix,
        vector,
        free: equations,
    }
}
