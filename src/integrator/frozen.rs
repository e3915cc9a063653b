//! One Runge–Kutta step of a few states, with everything else held constant.

use crate::Scalar;

/// As many states as are brought over a step without memory from the heap.
const INLINE: usize = 16;

/// Whether `advance` moves a state whose rate is zero.
pub(crate) fn moves_at_rest<T: Scalar, E>(
    state: &[T],
    rate: &[T],
    advance: &mut dyn FnMut(&mut [T]) -> Result<(), E>,
) -> bool {
    let mut end = state.to_vec();
    rate.iter().all(|x| x.re() == 0.0)
        && advance(&mut end).is_ok()
        && end.iter().zip(state).any(|(x, y)| x.re() != y.re())
}

/// Writes the rates of a state.
type Rate<'a, T, E> = &'a mut dyn FnMut(&[T], &mut [T]) -> Result<(), E>;

/// Brings `x` over a step of `h` seconds with the classical Runge–Kutta method, by the rates that
/// `rate` writes of a state; everything else is constant.
///
/// # Errors
/// Those of `rate`.
pub(crate) fn classical_step<T: Scalar, E>(
    h: T,
    x: &mut [T],
    rate: Rate<'_, T, E>,
) -> Result<(), E> {
    let n = x.len();
    if n == 0 {
        return Ok(());
    }
    let (mut inline, mut heap) = ([T::zero(); 3 * INLINE], Vec::new());
    let memory = if n <= INLINE {
        &mut inline[..3 * n]
    } else {
        heap.resize(3 * n, T::zero());
        heap.as_mut_slice()
    };
    let (stage, rest) = memory.split_at_mut(n);
    let (k, sum) = rest.split_at_mut(n);
    stage.copy_from_slice(x);
    for (weight, ahead) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
        rate(stage, k)?;
        for i in 0..n {
            sum[i] += k[i] * weight;
            stage[i] = x[i] + h * k[i] * ahead;
        }
    }
    for (x, &sum) in x.iter_mut().zip(&*sum) {
        *x += h * sum / 6.0;
    }
    Ok(())
}
