//! Check that operators and their transposes are adjoint to each other.

use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use crate::Scalar;

/// Largest difference of two products, relative to the sum of the moduli of their terms.
const TOLERANCE: f64 = 1e-9;

/// Checks `G`, `N`, `F`, `L` of the given numbers of rows, the inverse inertia, and, where contacts slide, that the force
/// of those that do not is along their normals.
pub(super) fn check<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    [nb, nc, nnr, nu]: [usize; 4],
    sliding: &[usize],
) -> Result<(), ConstraintError> {
    let nv = operators.num_velocities();
    // Of bilateral constraints those whose forces act along their rows.
    let of_g = ("G", nb, nv);
    pair_without(
        of_g,
        operators,
        O::has_own_direction,
        O::g_mult,
        O::g_transpose_mult,
    )?;
    pair("N", nc, nv, operators, O::n_mult, O::n_transpose_mult)?;
    if !sliding.is_empty() {
        let (of_n, slides) = (("N − μQ", nc, nv), |_: &O, contact| {
            sliding.contains(&contact)
        });
        let transpose = O::n_minus_mu_q_transpose_mult;
        pair_without(of_n, operators, slides, O::n_mult, transpose)?;
    }
    pair("F", nnr, nv, operators, O::f_mult, O::f_transpose_mult)?;
    pair("L", nu, nv, operators, O::l_mult, O::l_transpose_mult)?;
    let solve = |o: &mut O, b: &[T], out: &mut [T]| {
        out.copy_from_slice(b);
        o.solve_inertia(out)
    };
    pair("inertia", nv, nv, operators, solve, solve)?;
    let b = probe::<T>(nv, 3);
    let mut x = b.clone();
    operators.solve_inertia(&mut x)?;
    let (energy, _) = product(&b, &x);
    if nv == 0 || energy > 0.0 {
        Ok(())
    } else {
        Err(ConstraintError::NotAdjoint {
            operator: "inertia",
            forward: energy,
            transpose: energy,
        })
    }
}

/// As [`pair`], without some of the rows.
fn pair_without<T: Scalar, O>(
    (operator, rows, nv): (&'static str, usize, usize),
    operators: &mut O,
    is_left_out: impl Fn(&O, usize) -> bool,
    forward: impl Fn(&mut O, &[T], &mut [T]) -> Result<(), ConstraintError>,
    transpose: impl Fn(&mut O, &[T], &mut [T]) -> Result<(), ConstraintError>,
) -> Result<(), ConstraintError> {
    let leave_out = |o: &O, x: &mut [T]| {
        let left_out = x
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| is_left_out(o, *row));
        left_out.for_each(|(_, x)| *x = T::zero());
    };
    let forward = |o: &mut O, v: &[T], out: &mut [T]| {
        forward(o, v, out)?;
        leave_out(o, out);
        Ok(())
    };
    let transpose = |o: &mut O, f: &[T], out: &mut [T]| {
        let mut f = f.to_vec();
        leave_out(o, &mut f);
        transpose(o, &f, out)
    };
    pair(operator, rows, nv, operators, forward, transpose)
}

fn pair<T: Scalar, O>(
    operator: &'static str,
    rows: usize,
    nv: usize,
    operators: &mut O,
    forward: impl Fn(&mut O, &[T], &mut [T]) -> Result<(), ConstraintError>,
    transpose: impl Fn(&mut O, &[T], &mut [T]) -> Result<(), ConstraintError>,
) -> Result<(), ConstraintError> {
    // Operators are not called for constraints that there are none of.
    let checks = if rows > 0 { 2 } else { 0 };
    for number in 0..checks {
        let (v, f) = (probe::<T>(nv, number), probe::<T>(rows, number + 10));
        let (mut av, mut atf) = (vec![T::zero(); rows], vec![T::zero(); nv]);
        forward(operators, &v, &mut av)?;
        transpose(operators, &f, &mut atf)?;
        let ((a, a_terms), (b, b_terms)) = (product(&av, &f), product(&v, &atf));
        // Written so that NaN fails.
        let agree = (a - b).abs() <= TOLERANCE * a_terms.max(b_terms);
        if !agree {
            return Err(ConstraintError::NotAdjoint {
                operator,
                forward: a,
                transpose: b,
            });
        }
    }
    Ok(())
}

/// Numbers between 0.5 and 1.5, or their negatives, that repeat no pattern.
fn probe<T: Scalar>(size: usize, number: u32) -> Vec<T> {
    let entry = |i: usize| {
        let x =
            ((i as f64 + 1.0) * 0.618_033_988_749_895 + f64::from(number) * 0.414_213_6).fract();
        T::from(if i % 3 == 1 { -0.5 - x } else { 0.5 + x })
    };
    (0..size).map(entry).collect()
}

/// The scalar product of the real parts, and the sum of the moduli of its terms.
fn product<T: Scalar>(a: &[T], b: &[T]) -> (f64, f64) {
    let terms = a.iter().zip(b).map(|(a, b)| a.re() * b.re());
    terms.fold((0.0, 0.0), |(sum, moduli), t| (sum + t, moduli + t.abs()))
}
