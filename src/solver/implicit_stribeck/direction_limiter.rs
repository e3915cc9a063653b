//! Limiter of the direction of slip in a Newton step (Uchida et al. 2015).
//!
//! Far from the solution, Newton's method for Coulomb friction is misled by the direction of slip:
//! the linearised friction force belongs to the old direction, and a step that turns the slip
//! velocity a lot, or throws it across the small stiction region, lands where that force says
//! nothing. Limiting the change of direction per step (Uchida, Sherman & Delp 2015, *Proceedings of
//! the Royal Society A* 471:20140859) makes the iteration converge in almost every practical case.

/// What the limits depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct DirectionLimiter {
    pub cos_theta_max: f64,
    pub stiction_tolerance: f64,
    /// Velocities below ε count as zero.
    pub epsilon: f64,
}

impl DirectionLimiter {
    /// The largest fraction `α ∈ (0, 1]` of the step `dv` from `v` that is safe.
    pub fn step_fraction(&self, v: [f64; 2], dv: [f64; 2]) -> f64 {
        let step = norm(dv);
        if step <= self.epsilon {
            return 1.0;
        }
        let target = norm([v[0] + dv[0], v[1] + dv[1]]);
        if target <= self.stiction_tolerance {
            return 1.0;
        }
        if norm(v) <= self.epsilon {
            // Out of stiction: first to the middle of the region, where friction has a direction.
            return 0.5 * self.stiction_tolerance / step;
        }
        if let Some(alpha) = self.crosses_stiction_region(v, dv) {
            return alpha;
        }
        self.limit_angle(v, dv)
    }

    /// If the way from `v` to `v + dv` passes the origin at less than the stiction tolerance, the
    /// fraction at which it is nearest.
    fn crosses_stiction_region(&self, v: [f64; 2], dv: [f64; 2]) -> Option<f64> {
        let alpha = -dot(v, dv) / dot(dv, dv);
        let nearest = norm([v[0] + alpha * dv[0], v[1] + alpha * dv[1]]);
        (alpha > 0.0 && alpha < 1.0 && nearest < self.stiction_tolerance).then_some(alpha)
    }

    /// 1, or the fraction at which `v + α dv` has turned by θ_max.
    ///
    /// With `c = cos θ_max`, squaring `v·(v + α dv) = c ‖v‖ ‖v + α dv‖` gives a quadratic in α, of
    /// which the smallest positive root is the one that a growing α meets first.
    fn limit_angle(&self, v: [f64; 2], dv: [f64; 2]) -> f64 {
        let c = self.cos_theta_max;
        let (vv, vd, dd) = (dot(v, v), dot(v, dv), dot(dv, dv));
        let cos_theta = (vv + vd) / (vv * (vv + 2.0 * vd + dd)).sqrt();
        if cos_theta >= c {
            return 1.0;
        }
        let c2 = c * c;
        let a = vd * vd - c2 * vv * dd;
        let b = vv * vd * (1.0 - c2);
        let k = vv * vv * (1.0 - c2);
        // a α² + 2 b α + k = 0, solved without cancellation.
        let root = (b * b - a * k).max(0.0).sqrt();
        let q = if b > 0.0 { -b - root } else { -b + root };
        [q / a, k / q]
            .into_iter()
            .filter(|alpha| *alpha > 0.0)
            .fold(1.0, f64::min)
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

pub(super) fn norm(a: [f64; 2]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const THETA_MAX: f64 = std::f64::consts::FRAC_PI_3;
    const VS: f64 = 1e-4;

    fn limiter() -> DirectionLimiter {
        DirectionLimiter {
            cos_theta_max: THETA_MAX.cos(),
            stiction_tolerance: VS,
            epsilon: 1e-2 * VS,
        }
    }

    #[test]
    fn a_negligible_change_is_free() {
        assert_eq!(limiter().step_fraction([0.0, 0.0], [0.0, 0.0]), 1.0);
        assert_eq!(limiter().step_fraction([2e-6, 0.0], [0.0, 9e-7]), 1.0);
    }

    #[test]
    fn from_rest_a_large_step_stops_in_the_middle_of_the_stiction_region() {
        for v in [[0.0, 0.0], [0.5e-6, 0.0]] {
            let dv = [3.0, 4.0];
            let alpha = limiter().step_fraction(v, dv);
            assert_eq!(alpha * norm(dv), 0.5 * VS);
        }
    }

    #[test]
    fn from_rest_a_step_within_the_stiction_region_is_free() {
        assert_eq!(limiter().step_fraction([0.0, 0.0], [0.9 * VS, 0.0]), 1.0);
    }

    #[test]
    fn from_sliding_into_stiction_is_free_even_when_turning_back() {
        assert_eq!(
            limiter().step_fraction([0.5, 0.0], [-0.5 - 0.9 * VS, 0.0]),
            1.0
        );
        assert_eq!(limiter().step_fraction([0.5, 0.0], [-0.5, 0.0]), 1.0);
    }

    #[test]
    fn a_step_across_the_stiction_region_stops_where_it_is_nearest_to_the_origin() {
        let (v, dv) = ([0.3, 0.5 * VS], [-0.9, 0.0]);
        let alpha = limiter().step_fraction(v, dv);
        assert!((v[0] + alpha * dv[0]).abs() < 1e-16);
    }

    #[test]
    fn sliding_on_in_the_same_direction_is_free() {
        assert_eq!(limiter().step_fraction([0.5, 0.0], [7.0, 0.0]), 1.0);
        assert_eq!(limiter().step_fraction([0.5, 0.0], [0.0, 0.5]), 1.0);
    }

    #[test]
    fn a_sharp_turn_is_limited_to_theta_max() {
        let (v, dv) = ([0.5, 0.0], [-0.5, 2.0]);
        let alpha = limiter().step_fraction(v, dv);
        let w = [v[0] + alpha * dv[0], v[1] + alpha * dv[1]];
        assert!((w[1].atan2(w[0]) - THETA_MAX).abs() < 1e-12);
    }

    /// The line passes the origin at a distance, so the angle decides.
    #[test]
    fn a_reversal_past_the_stiction_region_is_limited_to_theta_max() {
        let (v, dv) = ([0.5, 0.01], [-1.5, 0.0]);
        let alpha = limiter().step_fraction(v, dv);
        let w = [v[0] + alpha * dv[0], v[1] + alpha * dv[1]];
        let angle = w[1].atan2(w[0]) - v[1].atan2(v[0]);
        assert!((angle - THETA_MAX).abs() < 1e-12, "{angle}");
    }

    /// `a = 0` in the quadratic: `dv` itself makes the angle θ_max with `v`, or its supplement.
    #[test]
    fn the_degenerate_quadratic_has_its_one_root() {
        let v = [0.5, 0.0];
        for sign in [1.0, -1.0] {
            let angle = std::f64::consts::PI - THETA_MAX;
            let dv = [3.0 * angle.cos(), sign * 3.0 * angle.sin()];
            let alpha = limiter().step_fraction(v, dv);
            let w = [v[0] + alpha * dv[0], v[1] + alpha * dv[1]];
            assert!((w[1].atan2(w[0]).abs() - THETA_MAX).abs() < 1e-9);
        }
    }

    /// Whatever the step: a fraction in (0, 1], and the limited step turns by θ_max at most,
    /// or ends in the stiction region.
    #[test]
    fn limited_steps_turn_little_or_stick() {
        for k in 0..5000 {
            // Multiples of square roots of primes, modulo 1: they fill the cube evenly (Weyl 1916).
            let x = [2.0, 3.0, 5.0, 7.0, 11.0].map(|p: f64| (f64::from(k) * p.sqrt()).fract());
            let size = 10f64.powf(-6.0 * x[4]);
            let v = [(2.0 * x[0] - 1.0) * size, (2.0 * x[1] - 1.0) * size];
            let dv = [6.0 * x[2] - 3.0, 6.0 * x[3] - 3.0];
            let alpha = limiter().step_fraction(v, dv);
            assert!(alpha > 0.0 && alpha <= 1.0, "{v:?}, {dv:?}");
            let w = [v[0] + alpha * dv[0], v[1] + alpha * dv[1]];
            let sticks = norm(w) <= 1.001 * VS;
            let cos = dot(v, w) / (norm(v) * norm(w));
            let turns_little = norm(v) <= VS * 1e-2 || cos >= THETA_MAX.cos() - 1e-9;
            assert!(sticks || turns_little, "{v:?}, {dv:?}");
        }
    }
}
