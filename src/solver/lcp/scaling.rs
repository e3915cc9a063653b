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

const SWEEPS: usize = 2;

impl Scaling {
    /// For the matrix (n×n, column-major) of which `matrix` are the entries.
    pub fn compute(&mut self, matrix: &[f64], n: usize) {
        self.factors.clear();
        self.factors.resize(n, 1.0);
        for _ in 0..SWEEPS {
            self.largest.clear();
            self.largest.resize(n, 0.0);
            for (j, column) in matrix.chunks_exact(n.max(1)).enumerate() {
                let own = self.factors[j];
                let mut in_column = 0.0;
                for ((&m, &s), in_row) in column.iter().zip(&self.factors).zip(&mut self.largest) {
                    let entry = (m * s).abs() * own;
                    in_column = larger(in_column, entry);
                    *in_row = larger(*in_row, entry);
                }
                self.largest[j] = larger(self.largest[j], in_column);
            }
            for (s, &largest) in self.factors.iter_mut().zip(&self.largest) {
                if largest > 0.0 && largest.is_finite() {
                    *s /= largest.sqrt();
                }
            }
        }
        for s in &mut self.factors {
            *s = nearest_power_of_two(*s);
        }
    }
}

/// The larger of two numbers that are not NaN; `f64::max` takes three times as long.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The power of two that is nearest to a positive number, by their ratio.
fn nearest_power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    const SMALLEST: f64 = f64::from_bits((1023 - 500) << 52); // 2⁻⁵⁰⁰
    let power = f64::from_bits((x * std::f64::consts::SQRT_2).to_bits() & EXPONENT);
    power.clamp(SMALLEST, 1.0 / SMALLEST)
}
