//! Powers of two that bring the entries of a matrix to the size of one.

/// A diagonal `S` such that the largest entries of the rows and columns of `S M S` are near 1.
///
/// Scaling rows and columns alike keeps what the theory of complementarity knows of `M`: symmetry,
/// definiteness, copositivity. Powers of two keep the digits. The iteration is that of Ruiz 2001, *A
/// scaling algorithm to equilibrate both rows and columns norms in matrices*, RAL-TR-2001-034.
#[derive(Debug, Clone, Default)]
pub(super) struct Scaling {
    /// The diagonal.
    pub factors: Vec<f64>,
    largest: Vec<f64>,
}

const SWEEPS: usize = 3;

impl Scaling {
    /// For the matrix (n×n, column-major) of which `matrix` are the entries.
    pub fn compute(&mut self, matrix: &[f64], n: usize) {
        self.factors.clear();
        self.factors.resize(n, 1.0);
        for _ in 0..SWEEPS {
            self.largest.clear();
            self.largest.resize(n, 0.0);
            for (j, column) in matrix.chunks_exact(n.max(1)).enumerate() {
                let mut in_column = 0.0f64;
                for ((&m, &s), in_row) in column.iter().zip(&self.factors).zip(&mut self.largest) {
                    let entry = (m * s).abs();
                    in_column = in_column.max(entry);
                    *in_row = in_row.max(entry * self.factors[j]);
                }
                self.largest[j] = self.largest[j].max(in_column * self.factors[j]);
            }
            for (s, &largest) in self.factors.iter_mut().zip(&self.largest) {
                if largest > 0.0 && largest.is_finite() {
                    *s /= largest.sqrt();
                }
            }
        }
        for s in &mut self.factors {
            *s = s.log2().round().clamp(-500.0, 500.0).exp2();
        }
    }
}
