//! How well angles are predicted.

use std::collections::BTreeMap;

/// Mean squares of errors by joint, in rad².
#[derive(Default)]
pub struct Score {
    squares: Vec<(String, f64)>,
}

impl Score {
    /// Adds a joint.
    pub fn add(&mut self, joint: &str, predicted: &[f64], measured: &[f64]) {
        let errors = predicted.iter().zip(measured).map(|(a, b)| (a - b).powi(2));
        let mean = errors.sum::<f64>() / measured.len() as f64;
        self.squares.push((joint.to_owned(), mean));
    }

    /// Root mean squares in mrad: of all joints, and of each kind.
    pub fn by_kind(&self) -> BTreeMap<String, f64> {
        let mut kinds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (joint, square) in &self.squares {
            kinds.entry("all".to_owned()).or_default().push(*square);
            kinds
                .entry(kind(joint).to_owned())
                .or_default()
                .push(*square);
        }
        let root =
            |squares: Vec<f64>| 1e3 * (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        kinds
            .into_iter()
            .map(|(kind, squares)| (kind, root(squares)))
            .collect()
    }

    /// Root mean squares in mrad of each joint.
    pub fn by_joint(&self) -> impl Iterator<Item = (&str, f64)> {
        self.squares
            .iter()
            .map(|(joint, square)| (joint.as_str(), 1e3 * square.sqrt()))
    }

    /// Root mean square of all joints in mrad.
    pub fn all(&self) -> f64 {
        self.by_kind().get("all").copied().unwrap_or(f64::NAN)
    }
}

/// The kind of a joint: what its name says beside which leg it is of.
fn kind(joint: &str) -> &str {
    let joint = joint.strip_suffix("_joint").unwrap_or(joint);
    joint.rsplit(['_', '/']).next().unwrap_or(joint)
}

/// The sum of squares that a series would have if its values were independent and its mean as uncertain as it is: multiplied by
/// the integrated autocorrelation time `1 + 2 Σ ϱ_k`, summed up to the first `ϱ_k` that is not positive (Sokal 1997, *Monte
/// Carlo methods in statistical mechanics*, §3).
pub fn independent_square(series: &[f64]) -> f64 {
    let product = |lag: usize| {
        series
            .iter()
            .zip(&series[lag..])
            .map(|(a, b)| a * b)
            .sum::<f64>()
    };
    let square = product(0);
    let positive = (1..series.len())
        .map(product)
        .take_while(|product| *product > 0.0);
    square + 2.0 * positive.sum::<f64>()
}
