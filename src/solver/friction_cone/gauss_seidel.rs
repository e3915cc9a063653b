//! Projected Gauss–Seidel sweeps over rows and contacts.

use super::scaled::Scaled;
use nalgebra::{DVector, Vector2};

/// So many sweeps from the forces `f`.
pub(super) fn sweep(scaled: &Scaled, f: &mut DVector<f64>, sweeps: usize) {
    let row = |f: &DVector<f64>, i: usize| scaled.matrix.row(i).tr_dot(f) + scaled.vector[i];
    for _ in 0..sweeps {
        for i in 0..scaled.equations {
            f[i] -= row(f, i);
        }
        for (contact, &mu) in scaled.mu.iter().enumerate() {
            let i = scaled.normal(contact);
            f[i] = (f[i] - row(f, i)).max(0.0);
            let target = Vector2::new(f[i + 1] - row(f, i + 1), f[i + 2] - row(f, i + 2));
            let (radius, size) = (mu * f[i], target.norm());
            let share = if size > radius { radius / size } else { 1.0 };
            (f[i + 1], f[i + 2]) = (target.x * share, target.y * share);
        }
        for i in scaled.inequalities()..f.len() {
            f[i] = (f[i] - row(f, i)).max(0.0);
        }
    }
}
