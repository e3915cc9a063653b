//! Symmetric 3×3 matrices.

use crate::Scalar;
use nalgebra::{Matrix3, Vector3};
use std::ops::AddAssign;

/// A symmetric matrix; rotational inertias are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symmetric3<T> {
    pub xx: T,
    pub yy: T,
    pub zz: T,
    pub xy: T,
    pub xz: T,
    pub yz: T,
}

impl<T: Scalar> Symmetric3<T> {
    pub fn zero() -> Self {
        Self::scalar(T::zero())
    }

    /// `s I`.
    pub fn scalar(s: T) -> Self {
        let zero = T::zero();
        Symmetric3 {
            xx: s,
            yy: s,
            zz: s,
            xy: zero,
            xz: zero,
            yz: zero,
        }
    }

    /// The matrix with the upper triangle of `m`.
    pub fn from_upper_triangle(m: &Matrix3<T>) -> Self {
        Symmetric3 {
            xx: m.m11,
            yy: m.m22,
            zz: m.m33,
            xy: m.m12,
            xz: m.m13,
            yz: m.m23,
        }
    }

    pub fn to_matrix(self) -> Matrix3<T> {
        Matrix3::new(
            self.xx, self.xy, self.xz, //
            self.xy, self.yy, self.yz, //
            self.xz, self.yz, self.zz,
        )
    }

    pub fn trace(&self) -> T {
        self.xx + self.yy + self.zz
    }

    pub fn times(&self, v: &Vector3<T>) -> Vector3<T> {
        Vector3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }

    /// `R S Rᵀ`.
    pub fn rotated(&self, r: &Matrix3<T>) -> Self {
        let row = |i: usize| self.times(&Vector3::new(r[(i, 0)], r[(i, 1)], r[(i, 2)]));
        let entry =
            |sr: &Vector3<T>, j: usize| sr.x * r[(j, 0)] + sr.y * r[(j, 1)] + sr.z * r[(j, 2)];
        let (x, y, z) = (row(0), row(1), row(2));
        Symmetric3 {
            xx: entry(&x, 0),
            yy: entry(&y, 1),
            zz: entry(&z, 2),
            xy: entry(&x, 1),
            xz: entry(&x, 2),
            yz: entry(&y, 2),
        }
    }

    /// `R S Rᵀ` of the rotation R about the axis I by an angle of which these are sine and cosine.
    #[inline]
    pub fn turned<const I: usize>(&self, sin: T, cos: T) -> Self {
        let [ii, jj, kk, ij, ik, jk] = self.cyclic::<I>();
        let (mean, half) = ((jj + kk) * 0.5, (jj - kk) * 0.5);
        let (cos_twice, sin_twice) = (cos * cos - sin * sin, sin * cos * 2.0);
        let along = half * cos_twice - jk * sin_twice;
        let [ij, ik] = [ij * cos - ik * sin, ij * sin + ik * cos];
        let jk = half * sin_twice + jk * cos_twice;
        let [jj, kk] = [mean + along, mean - along];
        match I {
            0 => Symmetric3 {
                xx: ii,
                yy: jj,
                zz: kk,
                xy: ij,
                xz: ik,
                yz: jk,
            },
            1 => Symmetric3 {
                xx: kk,
                yy: ii,
                zz: jj,
                xy: ik,
                xz: jk,
                yz: ij,
            },
            _ => Symmetric3 {
                xx: jj,
                yy: kk,
                zz: ii,
                xy: jk,
                xz: ij,
                yz: ik,
            },
        }
    }

    /// The entries of row I, from the diagonal on in cyclic order.
    #[inline]
    pub fn row<const I: usize>(&self) -> [T; 3] {
        let [ii, _, _, ij, ik, _] = self.cyclic::<I>();
        [ii, ij, ik]
    }

    /// The entries ii, jj, kk, ij, ik, jk of the axes i, j, k in cyclic order from I on.
    #[inline]
    fn cyclic<const I: usize>(&self) -> [T; 6] {
        let Symmetric3 {
            xx,
            yy,
            zz,
            xy,
            xz,
            yz,
        } = *self;
        match I {
            0 => [xx, yy, zz, xy, xz, yz],
            1 => [yy, zz, xx, yz, xy, xz],
            _ => [zz, xx, yy, xz, yz, xy],
        }
    }

    /// Subtracts `s u uᵀ`.
    pub fn downdate(&mut self, u: &Vector3<T>, s: T) {
        let su = Vector3::new(u.x * s, u.y * s, u.z * s);
        self.xx -= su.x * u.x;
        self.yy -= su.y * u.y;
        self.zz -= su.z * u.z;
        self.xy -= su.x * u.y;
        self.xz -= su.x * u.z;
        self.yz -= su.y * u.z;
    }

    /// The real parts.
    pub fn re(&self) -> Symmetric3<f64> {
        self.map(|x| x.re())
    }

    pub fn cast<U: Scalar>(&self) -> Symmetric3<U> {
        self.map(|x| U::from(x.re()))
    }

    fn map<U>(&self, f: impl Fn(T) -> U) -> Symmetric3<U> {
        Symmetric3 {
            xx: f(self.xx),
            yy: f(self.yy),
            zz: f(self.zz),
            xy: f(self.xy),
            xz: f(self.xz),
            yz: f(self.yz),
        }
    }
}

impl<T: Scalar> AddAssign for Symmetric3<T> {
    fn add_assign(&mut self, other: Self) {
        self.xx += other.xx;
        self.yy += other.yy;
        self.zz += other.zz;
        self.xy += other.xy;
        self.xz += other.xz;
        self.yz += other.yz;
    }
}
