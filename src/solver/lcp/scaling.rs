//! Equilibration of a matrix by powers of two.

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
/// Maxima that are taken side by side.
const LANES: usize = 8;

impl Scaling {
    /// For the matrix (n×n, column-major) of which `matrix` are the entries.
    pub fn compute(&mut self, matrix: &[f64], n: usize) {
        self.factors.clear();
        self.factors.resize(n, 1.0);
        for _ in 0..SWEEPS {
            self.largest.clear();
            self.largest.resize(n, 0.0);
            for (j, column) in matrix.chunks_exact(n.max(1)).enumerate() {
                let in_column = measure(column, &self.factors, self.factors[j], &mut self.largest);
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

/// The largest entry of a column that is scaled by `own` and its rows by `factors`; raises the largest of each row.
fn measure(column: &[f64], factors: &[f64], own: f64, in_rows: &mut [f64]) -> f64 {
    let largest = |column: &[f64], factors: &[f64], in_rows: &mut [f64], lanes: &mut [f64]| {
        let rows = column.iter().zip(factors).zip(in_rows);
        for (((&m, &s), in_row), lane) in rows.zip(lanes) {
            let entry = (m * s).abs() * own;
            *lane = larger(*lane, entry);
            *in_row = larger(*in_row, entry);
        }
    };
    let mut lanes = [0.0; LANES];
    let mut columns = column.chunks_exact(LANES);
    let mut scales = factors.chunks_exact(LANES);
    let mut rows = in_rows.chunks_exact_mut(LANES);
    for ((column, factors), in_rows) in (&mut columns).zip(&mut scales).zip(&mut rows) {
        largest(column, factors, in_rows, &mut lanes);
    }
    let in_rows = rows.into_remainder();
    largest(columns.remainder(), scales.remainder(), in_rows, &mut lanes);
    lanes.into_iter().fold(0.0, larger)
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
