//! Rotations in three dimensions: matrices, quaternions, rotation vectors.
//!
//! `R_AB` takes components in B to components in A: `v_A = R_AB v_B`. A quaternion `w + xi + yj + zk`
//! stands for the rotation of `q/‖q‖`, so `q` and `−q` for the same one.
//!
//! # The exponential map without its removable singularity
//! A rotation vector `φ = θ a` (unit axis `a`) gives `R = exp[φ]× = I + A(θ²)[φ]× + B(θ²)[φ]×²` with
//! `A(u) = sin√u/√u` and `B(u) = (1 − cos√u)/u` (Rodrigues). Both are entire functions of `u = θ²`,
//! which is a polynomial in φ; written like this, nothing is singular at `φ = 0` and derivatives of
//! every order are right there. For `u` below 1 rad² their derivatives come from the
//! Taylor series, above it from `2u A′ = cos√u − A`, `u B′ = A/2 − B` and the derivatives of these
//! two relations.

use crate::Scalar;
use nalgebra::{Matrix3, Quaternion, Vector3};

/// Where the Taylor series of A and B hand over to the closed forms, in rad².
const SERIES_LIMIT: f64 = 1.0;

/// `A B`, term by term: the general product of `nalgebra` takes four times as long in dual numbers.
pub(crate) fn product<T: Scalar>(a: &Matrix3<T>, b: &Matrix3<T>) -> Matrix3<T> {
    Matrix3::from_fn(|i, j| a[(i, 0)] * b[(0, j)] + a[(i, 1)] * b[(1, j)] + a[(i, 2)] * b[(2, j)])
}

/// `A v`, as [`product`].
pub(crate) fn applied<T: Scalar>(a: &Matrix3<T>, v: &Vector3<T>) -> Vector3<T> {
    Vector3::from_fn(|i, _| a[(i, 0)] * v.x + a[(i, 1)] * v.y + a[(i, 2)] * v.z)
}

/// The matrix `[v]×` with `[v]× w = v × w`.
pub fn skew<T: Scalar>(v: &Vector3<T>) -> Matrix3<T> {
    let zero = T::zero();
    Matrix3::new(
        zero, -v.z, v.y, //
        v.z, zero, -v.x, //
        -v.y, v.x, zero,
    )
}

/// The rotation matrix of `q/‖q‖`; `q` must not be zero.
///
/// As a function of all four components it is constant along `q`, so its derivatives are those on
/// the unit sphere.
pub fn matrix_from_quaternion<T: Scalar>(q: &Quaternion<T>) -> Matrix3<T> {
    let (w, x, y, z) = (q.w, q.i, q.j, q.k);
    let s = T::from(2.0) / (w * w + x * x + y * y + z * z);
    let (sx, sy, sz) = (x * s, y * s, z * s);
    let (wx, wy, wz) = (w * sx, w * sy, w * sz);
    let (xx, xy, xz) = (x * sx, x * sy, x * sz);
    let (yy, yz, zz) = (y * sy, y * sz, z * sz);
    let one = T::one();
    Matrix3::new(
        one - yy - zz,
        xy - wz,
        xz + wy, //
        xy + wz,
        one - xx - zz,
        yz - wx, //
        xz - wy,
        yz + wx,
        one - xx - yy,
    )
}

/// A unit quaternion of the rotation matrix `r`; its largest component is positive.
///
/// Divides by the largest component (Shepperd 1978, *Journal of Guidance and Control* 1(3),
/// 223–224), so it is accurate for every rotation.
pub fn quaternion_from_matrix<T: Scalar>(r: &Matrix3<T>) -> Quaternion<T> {
    let trace = r.trace();
    let candidates = [trace.re(), r[(0, 0)].re(), r[(1, 1)].re(), r[(2, 2)].re()];
    let mut largest = 0;
    for (i, candidate) in candidates.iter().enumerate() {
        if *candidate > candidates[largest] {
            largest = i;
        }
    }
    let (w, x, y, z);
    if largest == 0 {
        let four_w_squared = trace + 1.0;
        w = four_w_squared.sqrt_lifted() * 0.5;
        let f = T::from(0.25) / w;
        x = (r[(2, 1)] - r[(1, 2)]) * f;
        y = (r[(0, 2)] - r[(2, 0)]) * f;
        z = (r[(1, 0)] - r[(0, 1)]) * f;
    } else {
        let i = largest - 1;
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let four_squared = r[(i, i)] - r[(j, j)] - r[(k, k)] + 1.0;
        let mut v = [T::zero(); 3];
        v[i] = four_squared.sqrt_lifted() * 0.5;
        let f = T::from(0.25) / v[i];
        v[j] = (r[(j, i)] + r[(i, j)]) * f;
        v[k] = (r[(k, i)] + r[(i, k)]) * f;
        w = (r[(k, j)] - r[(j, k)]) * f;
        [x, y, z] = v;
    }
    Quaternion::new(w, x, y, z)
}

/// `exp[φ]×`, the rotation by the angle `‖φ‖` about `φ`.
pub fn exp<T: Scalar>(phi: &Vector3<T>) -> Matrix3<T> {
    let u = phi.dot(phi);
    let (a, b) = rodrigues_coefficients(u);
    let k = skew(phi);
    Matrix3::identity() + k * a + k * k * b
}

/// `J(φ)` with `w = J(φ) φ̇`, the angular velocity `w_AB_A` of `R_AB = exp[φ]×`.
///
/// `J = I + B [φ]× + C [φ]×²` with `C(u) = (1 − A)/u`.
pub fn left_jacobian<T: Scalar>(phi: &Vector3<T>) -> Matrix3<T> {
    let u = phi.dot(phi);
    let (a, b) = rodrigues_coefficients(u);
    let c = if u.re() < SERIES_LIMIT {
        series(&JACOBIAN_SERIES, u)
    } else {
        (-a + 1.0).div_lifted(u)
    };
    let k = skew(phi);
    Matrix3::identity() + k * b + k * k * c
}

/// `J(φ)⁻¹` with `φ̇ = J(φ)⁻¹ w`; `‖φ‖` must be less than 2π.
///
/// `J⁻¹ = I − ½ [φ]× + E [φ]×²` with `E(u) = (1 − ½ A/B)/u` (Bullo & Murray 1995, *Proportional
/// derivative (PD) control on the Euclidean group*, European Control Conference).
pub fn inverse_left_jacobian<T: Scalar>(phi: &Vector3<T>) -> Matrix3<T> {
    let u = phi.dot(phi);
    let e = if u.re() < SERIES_LIMIT {
        series(&INVERSE_JACOBIAN_SERIES, u)
    } else {
        let (a, b) = rodrigues_coefficients(u);
        (-a.div_lifted(b) * 0.5 + 1.0).div_lifted(u)
    };
    let k = skew(phi);
    Matrix3::identity() - k * T::from(0.5) + k * k * e
}

/// Taylor coefficients of `(1 − A(u))/u`: `(−1)ⁿ/(2n + 3)!`.
const JACOBIAN_SERIES: [f64; 9] = [
    1.0 / 6.0,
    -1.0 / 120.0,
    1.0 / 5040.0,
    -1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    -1.0 / 6_227_020_800.0,
    1.0 / 1_307_674_368_000.0,
    -1.0 / 355_687_428_096_000.0,
    1.0 / 121_645_100_408_832_000.0,
];

/// Taylor coefficients of `(1 − ½ A/B)/u`: `|B₂ₙ₊₂|/(2n + 2)!` with Bernoulli's numbers, which are
/// `2 ζ(2n + 2)/(2π)²ⁿ⁺²`.
const INVERSE_JACOBIAN_SERIES: [f64; 13] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    174_611.0 / 802_857_662_698_291_200_000.0,
    5.5090028283602295e-18,
    1.3954464685812522e-19,
    3.534707039629467e-21,
];

/// A polynomial by its coefficients, the constant first.
fn series<T: Scalar>(coefficients: &[f64], u: T) -> T {
    (coefficients.iter().rev()).fold(T::zero(), |sum, &c| sum * u + c)
}

/// The unit quaternion of the rotation by the angle `‖φ‖` about `φ`.
pub fn quaternion_exp<T: Scalar>(phi: &Vector3<T>) -> Quaternion<T> {
    let half = phi * T::from(0.5);
    let u = half.dot(&half);
    let (sinc, b) = rodrigues_coefficients(u);
    let v = half * sinc;
    Quaternion::new(T::one() - b * u, v.x, v.y, v.z)
}

/// The rotation vector `φ` of `q/‖q‖`, with `‖φ‖ ≤ π`: `exp(φ)` is the rotation of `q`.
///
/// At an angle of exactly π both `φ` and `−φ` are right; one is returned.
pub fn log<T: Scalar>(q: &Quaternion<T>) -> Vector3<T> {
    let sign = if q.w.re() < 0.0 { -1.0 } else { 1.0 };
    let (w, v) = (q.w * sign, Vector3::new(q.i, q.j, q.k) * T::from(sign));
    // φ = 2 atan(‖t‖)/‖t‖ t with t = v/w.
    if v.iter().all(|x| x.re().abs() < 0.05 * w.re()) {
        let t = v.map(|x| x.div_lifted(w));
        return t * (atan_over_argument(t.dot(&t)) * 2.0);
    }
    let norm = T::norm_lifted(v.as_slice());
    let angle = norm.atan2_lifted(w) * 2.0;
    v.map(|x| x.div_lifted(norm) * angle)
}

/// The angle `‖log(q)‖` of a rotation, in [0, π]; its derivative at the identity is taken as zero.
pub fn angle<T: Scalar>(q: &Quaternion<T>) -> T {
    T::norm_lifted(&[q.i, q.j, q.k]).atan2_lifted(q.w.abs_lifted()) * 2.0
}

/// The rotation that lies at the fraction `t` of the way from `a` to `b` along the shorter arc:
/// `a exp(t log(a⁻¹ b))` (spherical linear interpolation). `a` and `b` are unit quaternions.
pub fn interpolate<T: Scalar>(a: &Quaternion<T>, b: &Quaternion<T>, t: T) -> Quaternion<T> {
    a * quaternion_exp(&(log(&(a.conjugate() * b)) * t))
}

/// The unit quaternion of the smallest rotation that takes the direction of `a` to that of `b`.
///
/// The half-angle formula `q ∝ (1 + a·b, a × b)` of the directions is smooth where the directions coincide. For
/// opposite directions, where the axis is not determined, it is one perpendicular to `a`, with
/// derivative zero. Neither vector may be zero.
pub fn between<T: Scalar>(a: &Vector3<T>, b: &Vector3<T>) -> Quaternion<T> {
    let (a, b) = (unit(a), unit(b));
    let w = a.dot(&b) + 1.0;
    let v = a.cross(&b);
    if w.re() > 1e-14 {
        let norm = T::norm_lifted(&[w, v.x, v.y, v.z]);
        let [w, x, y, z] = [w, v.x, v.y, v.z].map(|x| x.div_lifted(norm));
        return Quaternion::new(w, x, y, z);
    }
    let a = a.map(|x| x.re());
    let helper = Vector3::ith(a.iamin(), 1.0);
    let axis = a.cross(&helper).normalize().map(T::from);
    Quaternion::new(T::zero(), axis.x, axis.y, axis.z)
}

/// The direction of a vector that is not zero.
pub(crate) fn unit<T: Scalar>(v: &Vector3<T>) -> Vector3<T> {
    let norm = T::norm_lifted(v.as_slice());
    v.map(|x| x.div_lifted(norm))
}

/// A right-handed frame whose z axis is the unit vector `normal`.
///
/// The first tangent is normal to the coordinate axis that is furthest from the normal.
pub(crate) fn frame_about<T: Scalar>(normal: &Vector3<T>) -> Matrix3<T> {
    let [x, y, z] = [normal.x, normal.y, normal.z];
    let furthest = normal.map(|x| x.re()).iamin();
    let across = match furthest {
        0 => [y, z],
        1 => [x, z],
        _ => [x, y],
    };
    let length = T::norm_lifted(&across);
    let [a, b] = across.map(|x| x.div_lifted(length));
    let first = match furthest {
        0 => Vector3::new(T::zero(), -b, a),
        1 => Vector3::new(b, T::zero(), -a),
        _ => Vector3::new(-b, a, T::zero()),
    };
    Matrix3::from_columns(&[first, normal.cross(&first), *normal])
}

/// `atan(√u)/√u`, for small `u`, by its series.
fn atan_over_argument<T: Scalar>(u: T) -> T {
    let x = u.re();
    // Σ (−u)ⁿ/(2n + 1); sixteen terms reach round-off for u < 0.01 in the third derivative.
    let mut derivatives = [0.0; 4];
    for n in (0..16).rev() {
        let coefficient = if n % 2 == 0 { 1.0 } else { -1.0 } / (2 * n + 1) as f64;
        add_power(&mut derivatives, coefficient, n, x);
    }
    u.lift(derivatives)
}

/// `A(u) = sin√u/√u` and `B(u) = (1 − cos√u)/u`.
pub(crate) fn rodrigues_coefficients<T: Scalar>(u: T) -> (T, T) {
    let x = u.re();
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    if x < SERIES_LIMIT {
        // A = Σ (−u)ⁿ/(2n + 1)!, B = Σ (−u)ⁿ/(2n + 2)!.
        const TERMS: usize = 12;
        let mut coefficients = [(1.0, 0.5); TERMS];
        for n in 1..TERMS {
            let k = 2.0 * n as f64;
            let (a, b) = coefficients[n - 1];
            coefficients[n] = (-a / (k * (k + 1.0)), -b / ((k + 1.0) * (k + 2.0)));
        }
        for (n, &(ca, cb)) in coefficients.iter().enumerate().rev() {
            add_power(&mut a, ca, n, x);
            add_power(&mut b, cb, n, x);
        }
    } else {
        let theta = x.sqrt();
        let (sin, cos) = theta.sin_cos();
        a[0] = sin / theta;
        a[1] = (cos - a[0]) / (2.0 * x);
        a[2] = (-0.5 * a[0] - 3.0 * a[1]) / (2.0 * x);
        a[3] = (-0.5 * a[1] - 5.0 * a[2]) / (2.0 * x);
        b[0] = (1.0 - cos) / x;
        b[1] = (0.5 * a[0] - b[0]) / x;
        b[2] = (0.5 * a[1] - 2.0 * b[1]) / x;
        b[3] = (0.5 * a[2] - 3.0 * b[2]) / x;
    }
    (u.lift(a), u.lift(b))
}

/// Adds `c xⁿ` and its first three derivatives.
fn add_power(derivatives: &mut [f64; 4], c: f64, n: usize, x: f64) {
    let mut factor = c;
    for (order, d) in derivatives.iter_mut().enumerate() {
        if order > n {
            break;
        }
        *d += factor * x.powi((n - order) as i32);
        factor *= (n - order) as f64;
    }
}
