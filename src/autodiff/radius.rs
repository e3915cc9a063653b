//! The radius of a derivative: how far inputs may change before a decision changes.
//!
//! Decisions on the way to a result are taken by numbers `d_k(x)`, each by its sign: whether a contact has a force at the
//! end of a step, which features touch, whether a stop is reached. As long as none changes its sign, the result is a
//! smooth function of the inputs, with the derivative that duals give. Each number is known with its own derivatives,
//! in the state in which it decides, by the same duals: at the solution of a step by the implicit function theorem. So to
//! first order input i changes the decision k where
//!
//! ```text
//! d_k + hᵢ ∂d_k/∂xᵢ = 0,     hᵢ = −d_k/(∂d_k/∂xᵢ)
//! ```
//!
//! and the *radius* of the derivative by `xᵢ` is the smallest `|hᵢ|` of all decisions that were met. Where a vector v
//! decides by its length, as friction and slip do, it is the nearest root of
//!
//! ```text
//! ‖v + hᵢ ∂v/∂xᵢ‖ = b + hᵢ ∂b/∂xᵢ
//! ```
//!
//! Features that touch have no such number: along the motion `X exp(hᵢ ξᵢ)` of the shapes relative to each other, with the
//! twist ξᵢ from the duals, the search that found them is made again, each time as far ahead as it is known that nothing
//! changes (as a ray is marched through a distance field; Hart 1996, *The Visual Computer* 12(10), 527–545).
//!
//! The radius is of first order in the numbers that decide, so it is good where it is small against what bends them. It
//! says nothing of how straight the result is within.

use super::drivers::{CHUNK, ChunkDual, gradient_of, jacobian_of, slopes};
use crate::InvalidInput;
use crate::decision::{Decision, Margin, Observable, Observer};
use nalgebra::{DMatrix, DVector};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The part of an input (of 1 where it is zero) below which a radius is called small.
const SMALL: f64 = 1e-3;

/// The part of it that round-off may make.
const ROUND_OFF: f64 = 1e-12;

/// A slope below this part of those of other results is round-off.
const ROUND_OFF_SLOPE: f64 = 1e-10;

/// The decision that the smallest change of an input takes otherwise. Printed, it says what to do where that change is
/// less than a thousandth of the input, or of 1 where the input is zero.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NearestDecision {
    /// The change of the input, with its sign.
    pub change_of_input: f64,
    /// The number of the step in its rollout.
    pub step: usize,
    /// The time at the start of the step, or that of the instant.
    pub time: f64,
    /// Where it is taken: a pair of geometries as `ball|floor`, the name of an element, a constraint or a body.
    pub place: String,
    /// What changes there, in words.
    pub change: String,
    /// How far the number that decides is from where it decides otherwise, in `unit`; of features a bound from below.
    pub distance: f64,
    /// The SI unit of that.
    pub unit: &'static str,
    /// What the change is compared with, in the unit of the input; 0 where there is nothing to compare with.
    pub(crate) size_of_input: f64,
}

impl fmt::Display for NearestDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NearestDecision {
            step,
            place,
            change,
            distance,
            unit,
            ..
        } = self;
        write!(
            f,
            "step {step}: {place}, {change}, {distance:.3e} {unit} away"
        )?;
        let radius = self.change_of_input.abs();
        if radius <= ROUND_OFF * self.size_of_input {
            f.write_str(
                "; it is decided at this very state, and the derivative is that of one side: \
                 `averaged_gradient` has the slope over a width",
            )?;
        } else if radius < SMALL * self.size_of_input {
            write!(
                f,
                "; the derivative holds for ± {radius:.1e} only: `averaged_gradient` has the slope over a width"
            )?;
        }
        Ok(())
    }
}

/// Value and gradient of a function, and how far each derivative holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GradientWithRadius {
    /// The value.
    pub value: f64,
    /// `∂f/∂x` (n entries).
    pub gradient: DVector<f64>,
    /// For each input the largest change to either side, all others as they are, for which no decision changes, to first
    /// order; infinite where none depends on it.
    pub radius: DVector<f64>,
    /// For each input the decision that is taken otherwise there.
    pub nearest: Vec<Option<NearestDecision>>,
}

/// Value and Jacobian of a function, and how far its columns hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JacobianWithRadius {
    /// The value (m entries).
    pub value: DVector<f64>,
    /// `∂f/∂x` (m×n).
    pub jacobian: DMatrix<f64>,
    /// As [`GradientWithRadius::radius`].
    pub radius: DVector<f64>,
    /// As [`GradientWithRadius::nearest`].
    pub nearest: Vec<Option<NearestDecision>>,
}

/// Value and gradient of a closure, and how far it holds: as [`gradient_of`], of a function that shows its decisions to an
/// observer, by having models [observed](Observable::observe) or by itself.
/// [`gradient_with_radius!`](crate::gradient_with_radius!) calls it with a function and a model.
///
/// ```
/// use dualbody::autodiff::{ChunkDual, gradient_with_radius_of};
/// use dualbody::{Decision, InvalidInput, Margin, Observer};
///
/// // A ramp that ends at x = 3.
/// let ramp = |observer: &Observer<ChunkDual>, x: &[ChunkDual]| {
///     let beyond = x[0] - 3.0;
///     observer.show(&Decision {
///         step: 0,
///         time: 0.0,
///         place: format_args!("ramp"),
///         change: "end",
///         unit: "m",
///         margin: Margin::Sign(beyond),
///     });
///     Ok::<_, InvalidInput>(if beyond.re < 0.0 { x[0] * 0.5 } else { x[0] * 0.0 + 1.5 })
/// };
/// let found = gradient_with_radius_of(ramp, &[1.0])?;
/// assert_eq!((found.value, found.gradient[0], found.radius[0]), (0.5, 0.5, 2.0));
/// assert_eq!(found.nearest[0].as_ref().map(|kink| kink.change_of_input), Some(2.0));
/// # Ok::<(), InvalidInput>(())
/// ```
///
/// # Errors
/// As [`gradient_of`].
pub fn gradient_with_radius_of<E: From<InvalidInput>>(
    f: impl Fn(&Observer<ChunkDual>, &[ChunkDual]) -> Result<ChunkDual, E>,
    x: &[f64],
) -> Result<GradientWithRadius, E> {
    let chunks = Chunks::new(x.len());
    let observer = chunks.observer();
    let of_chunk = |x: &[ChunkDual]| {
        chunks.start(x);
        f(&observer, x)
    };
    let (value, gradient) = gradient_of(of_chunk, x)?;
    let (radius, nearest) = chunks.finish();
    Ok(GradientWithRadius {
        value,
        gradient,
        radius,
        nearest,
    })
}

/// Value and Jacobian of a closure, and how far it holds: as [`jacobian_of`] and [`gradient_with_radius_of`].
///
/// # Errors
/// As [`jacobian_of`].
pub fn jacobian_with_radius_of<Y: Into<DVector<ChunkDual>>, E: From<InvalidInput>>(
    f: impl Fn(&Observer<ChunkDual>, &[ChunkDual]) -> Result<Y, E>,
    x: &[f64],
) -> Result<JacobianWithRadius, E> {
    let chunks = Chunks::new(x.len());
    let observer = chunks.observer();
    let of_chunk = |x: &[ChunkDual]| {
        chunks.start(x);
        f(&observer, x)
    };
    let (value, jacobian) = jacobian_of(of_chunk, x)?;
    let (radius, nearest) = chunks.finish();
    Ok(JacobianWithRadius {
        value,
        jacobian,
        radius,
        nearest,
    })
}

/// A function of an observed model and numbers.
#[doc(hidden)]
pub fn with_observed_model<M: Observable<T> + Clone, T, Y>(
    model: M,
    f: impl Fn(&M, &[T]) -> Y,
) -> impl Fn(&Observer<T>, &[T]) -> Y {
    move |observer, x| {
        let mut model = model.clone();
        model.observe(Some(observer.clone()));
        f(&model, x)
    }
}

/// The nearest decisions of the inputs of a chunk, and of those before.
#[derive(Debug, Clone)]
struct Chunks(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    nearest: Vec<Option<NearestDecision>>,
    sizes: Vec<f64>,
    /// The inputs of the chunk that is evaluated.
    first: usize,
    count: usize,
}

impl Chunks {
    fn new(inputs: usize) -> Self {
        Chunks(Arc::new(Mutex::new(State {
            nearest: vec![None; inputs],
            sizes: Vec::new(),
            first: 0,
            count: 0,
        })))
    }

    fn observer(&self) -> Observer<ChunkDual> {
        let state = self.clone();
        Observer::new(move |decision| state.with(|state| state.see(decision)))
    }

    fn with<Y>(&self, act: impl FnOnce(&mut State) -> Y) -> Y {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The directions of a chunk are those of the inputs that vary.
    fn start(&self, x: &[ChunkDual]) {
        self.with(|state| {
            state.first = (x.iter())
                .position(|x| x.eps.0.is_some())
                .unwrap_or_default();
            state.count = CHUNK.min(x.len() - state.first);
            state.sizes.clear();
            (state.sizes).extend(x.iter().map(|x| if x.re == 0.0 { 1.0 } else { x.re.abs() }));
        });
    }

    fn finish(&self) -> (DVector<f64>, Vec<Option<NearestDecision>>) {
        let nearest = self.with(|state| std::mem::take(&mut state.nearest));
        let sizes = nearest.iter().map(|kink| size(kink.as_ref()));
        (DVector::from_iterator(nearest.len(), sizes), nearest)
    }
}

fn size(nearest: Option<&NearestDecision>) -> f64 {
    nearest.map_or(f64::INFINITY, |kink| kink.change_of_input.abs())
}

impl State {
    fn see(&mut self, decision: &Decision<'_, ChunkDual>) {
        for direction in 0..self.count {
            let place = &mut self.nearest[self.first + direction];
            let limit = size(place.as_ref());
            let Some(change) = change_along(&decision.margin, direction, limit) else {
                continue;
            };
            if change.abs() < limit {
                *place = Some(NearestDecision {
                    change_of_input: change,
                    step: decision.step,
                    time: decision.time,
                    place: decision.place.to_string(),
                    change: decision.change.to_owned(),
                    distance: distance(&decision.margin),
                    unit: decision.unit,
                    size_of_input: self.sizes[self.first + direction],
                });
            }
        }
    }
}

fn slope(x: &ChunkDual, direction: usize) -> f64 {
    slopes(x)[direction]
}

/// The smallest change along a direction at which a decision is taken otherwise, if it is smaller than a limit.
fn change_along(margin: &Margin<'_, ChunkDual>, direction: usize, limit: f64) -> Option<f64> {
    let slope = |x: &ChunkDual| slope(x, direction);
    match margin {
        Margin::Sign(x) => root(x.re, slope(x)),
        Margin::SignAmong { number, results } => {
            let (own, all) = (
                slope(number),
                results.iter().map(|x| slope(x).abs()).sum::<f64>(),
            );
            root(number.re, own).filter(|_| own.abs() > ROUND_OFF_SLOPE * all)
        }
        Margin::Length { vector, bound } => {
            let (b, db) = (bound.re, slope(bound));
            let of = |part: &dyn Fn(&ChunkDual) -> f64| vector.iter().map(part).sum::<f64>();
            let square = of(&|x| x.re * x.re) - b * b;
            let rate = of(&|x| x.re * slope(x)) - b * db;
            nearest_root(square, rate, of(&|x| slope(x).powi(2)) - db * db)
        }
        Margin::Search(search) => {
            let speed = search.moving.iter().map(|x| slope(x).powi(2)).sum::<f64>();
            let may_change = search.at_least < limit * speed.sqrt();
            (may_change && speed > 0.0)
                .then(|| (search.find)(&slope, limit))
                .flatten()
        }
    }
}

/// Where `a + b h` vanishes.
fn root(a: f64, b: f64) -> Option<f64> {
    let h = -a / b;
    (b != 0.0 && h.is_finite()).then_some(h)
}

/// The root of `a + 2 b h + c h²` that is nearest to zero.
fn nearest_root(a: f64, b: f64, c: f64) -> Option<f64> {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 || (b == 0.0 && c == 0.0) {
        return None;
    }
    // The one with the larger denominator.
    let h = -a / (b + discriminant.sqrt().copysign(b));
    h.is_finite().then_some(h)
}

fn distance(margin: &Margin<'_, ChunkDual>) -> f64 {
    match margin {
        Margin::Sign(x) | Margin::SignAmong { number: x, .. } => x.re.abs(),
        Margin::Length { vector, bound } => {
            let square: f64 = vector.iter().map(|x| x.re * x.re).sum();
            (square.sqrt() - bound.re).abs()
        }
        Margin::Search(search) => search.at_least,
    }
}
