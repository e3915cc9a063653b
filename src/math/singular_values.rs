//! Singular value decomposition of a small matrix.

use nalgebra::{DMatrix, DVector};

/// Sweeps after which the iteration ends in any case; 10 are usual.
const MAX_SWEEPS: usize = 60;

/// `A V = W` with orthogonal `V` and orthogonal columns `W = U Σ`, largest first.
///
/// One-sided Jacobi (Hestenes 1958): plane rotations of pairs of columns until all are orthogonal.
/// It finds small singular values of a column-scaled matrix to high relative accuracy (Demmel &
/// Veselić 1992, *SIAM J. Matrix Anal. Appl.* 13(4), 1204–1245), which is what decides whether an
/// unknown is determined.
#[derive(Debug, Clone)]
pub(crate) struct SingularValues {
    /// `σ₁ ≥ σ₂ ≥ …`, the norms of the columns of `W`.
    pub values: Vec<f64>,
    /// `W = U Σ` (m×n).
    pub scaled_left: DMatrix<f64>,
    /// `V` (n×n).
    pub right: DMatrix<f64>,
}

impl SingularValues {
    /// Decomposes `a`, whose entries must be finite with finite squares; ends for any other matrix too.
    pub fn of(a: DMatrix<f64>) -> Self {
        let n = a.ncols();
        let (mut w, mut v) = (a, DMatrix::identity(n, n));
        let tolerance = (w.nrows() as f64).sqrt() * f64::EPSILON;
        for _ in 0..MAX_SWEEPS {
            let mut rotated = false;
            for p in 0..n {
                for q in p + 1..n {
                    if let Some((c, s)) = rotation(&w, p, q, tolerance) {
                        rotate(&mut w, p, q, c, s);
                        rotate(&mut v, p, q, c, s);
                        rotated = true;
                    }
                }
            }
            if !rotated {
                break;
            }
        }
        let norms: Vec<f64> = w.column_iter().map(|column| column.norm()).collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| norms[j].total_cmp(&norms[i]));
        SingularValues {
            values: order.iter().map(|&i| norms[i]).collect(),
            scaled_left: w.select_columns(&order),
            right: v.select_columns(&order),
        }
    }

    /// Number of singular values above `tolerance · σ₁`.
    pub fn rank(&self, tolerance: f64) -> usize {
        let largest = self.values.first().copied().unwrap_or(0.0);
        self.values
            .iter()
            .filter(|&&s| s > tolerance * largest)
            .count()
    }

    /// `Uᵀ b Σ`, the products of the columns of `W` with `b`.
    pub fn project(&self, b: &DVector<f64>) -> DVector<f64> {
        self.scaled_left.tr_mul(b)
    }
}

/// Cosine and sine of the rotation that makes columns `p` and `q` orthogonal, if they are not.
fn rotation(w: &DMatrix<f64>, p: usize, q: usize, tolerance: f64) -> Option<(f64, f64)> {
    let (a, b) = (w.column(p).norm_squared(), w.column(q).norm_squared());
    let product = w.column(p).dot(&w.column(q));
    if product.abs() <= tolerance * a.sqrt() * b.sqrt() {
        return None;
    }
    let zeta = (b - a) / (2.0 * product);
    let tangent = 1.0f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    Some((cosine, cosine * tangent))
}

fn rotate(a: &mut DMatrix<f64>, p: usize, q: usize, cosine: f64, sine: f64) {
    for i in 0..a.nrows() {
        let (x, y) = (a[(i, p)], a[(i, q)]);
        a[(i, p)] = cosine * x - sine * y;
        a[(i, q)] = sine * x + cosine * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposes_graded_and_singular_matrices() {
        for n in [1, 2, 5, 20] {
            // Columns of norm about one that are nearly parallel, and one pair that is parallel.
            let mut a = DMatrix::from_fn(n, n, |i, j| 1.0 / (1.0 + i as f64 + j as f64));
            if n > 2 {
                a.set_column(2, &(a.column(0) * -2.0));
            }
            let svd = SingularValues::of(a.clone());
            let identity = svd.right.tr_mul(&svd.right);
            assert!((identity - DMatrix::identity(n, n)).amax() < 1e-14);
            assert!((&a * &svd.right - &svd.scaled_left).amax() < 1e-14);
            assert!(svd.values.windows(2).all(|s| s[0] >= s[1]));
            for p in 0..n {
                for q in 0..p {
                    let cosine = svd.scaled_left.column(p).dot(&svd.scaled_left.column(q));
                    assert!(cosine.abs() <= 1e-14 * svd.values[p] * svd.values[q]);
                }
            }
            if n > 2 {
                assert!(svd.values[n - 1] < 1e-15 * svd.values[0]);
            }
        }
    }

    #[test]
    fn small_singular_values_are_relatively_accurate() {
        // diag(1, 1e-12) turned by a rotation from the right has these singular values exactly.
        let (s, c) = 0.3f64.sin_cos();
        let a = nalgebra::dmatrix![c, -s; 1e-12 * s, 1e-12 * c];
        let svd = SingularValues::of(a);
        assert!((svd.values[0] - 1.0).abs() < 1e-15);
        assert!(
            (svd.values[1] / 1e-12 - 1.0).abs() < 1e-4,
            "{:e}",
            svd.values[1]
        );
        assert_eq!((svd.rank(1e-11), svd.rank(1e-13)), (1, 2));
    }

    #[test]
    fn a_matrix_of_zeros_has_rank_zero() {
        let svd = SingularValues::of(DMatrix::zeros(3, 2));
        assert_eq!(
            (svd.values.as_slice(), svd.rank(1e-10)),
            (&[0.0, 0.0][..], 0)
        );
    }

    /// Implicit QR with shifts (nalgebra 0.35) never ends here.
    #[test]
    fn entries_of_extreme_sizes_end() {
        let mut a = DMatrix::zeros(6, 6);
        for (row, column, value) in [
            (0, 0, 0.22781725367558836),
            (1, 0, 3.8163412616724157e-156),
            (2, 0, -0.18166364233100152),
            (3, 0, -3.6243019945697085e-156),
            (4, 0, -3.4688814611481434e-156),
            (2, 1, 1.2647118925839252e-157),
            (4, 1, 3.505990816057972e-161),
            (0, 2, 1.3549515803385392e-156),
            (1, 2, 0.12063502606418453),
            (2, 2, 4.036020828321559e-151),
            (4, 2, 1.9264710792814855e-151),
            (5, 2, -9.708229737789419e-162),
            (1, 3, -3.902532063176384e-156),
            (2, 3, -4.581520435463205e-162),
            (3, 3, 4.819858045926762e-161),
            (4, 3, 0.26441234590904816),
            (0, 4, -3.3598275786545785e-161),
            (1, 4, 3.6856377724863165e-152),
            (2, 4, 2.0622148095528424e-157),
            (4, 4, -1.2362242378621934e-156),
            (0, 5, -0.480938682580062),
            (1, 5, 0.06725283213553124),
            (2, 5, -1.6441069580878376e-151),
            (3, 5, -4.3791527333913006e-161),
            (4, 5, -1.2601924094410576e-151),
            (5, 5, 2.8584874229725742e-161),
        ] {
            a[(row, column)] = value;
        }
        let svd = SingularValues::of(a.clone());
        assert_eq!(svd.rank(1e-12), 4);
        assert!((&a * &svd.right - &svd.scaled_left).amax() < 1e-15);
        for extreme in [f64::NAN, f64::INFINITY, f64::MAX, 1e-320] {
            a[(3, 1)] = extreme;
            SingularValues::of(a.clone());
        }
    }
}
