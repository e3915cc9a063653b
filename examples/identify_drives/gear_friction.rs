//! Friction of a gear or linkage that depends on where its joint stands.

use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
use dualbody::tree::JointIndex;
use dualbody::{ElementKink, Scalar, constants};

/// Dry friction `F(q)` and a torque `b(q)` at a joint,
///
/// ```text
/// τ = b(q) − F(q) q̇/√(q̇² + v_s²)
/// ```
///
/// both linear from knot to knot, with knots evenly over a range of the joint, and constant beyond it.
#[derive(Debug, Clone)]
pub struct GearFriction<T> {
    pub name: String,
    pub joint: JointIndex,
    /// The angles of the first and of the last knot, rad.
    pub range: [f64; 2],
    /// `v_s` in rad/s.
    pub speed: f64,
    /// `F` at the knots.
    pub friction: Vec<T>,
    /// `b` at the knots.
    pub offset: Vec<T>,
}

impl<T: Scalar> ForceElement<T> for GearFriction<T> {
    constants! { ForceElement for GearFriction {
        name;
        joint: in_tree;
        range;
        speed;
        friction: not_negative("N m");
        offset: any("N m");
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let joint = context.tree().joint(self.joint)?;
        let (q, k) = (context.q()[joint.position_start()], joint.velocity_start());
        let v = context.v()[k];
        let share = v.div_lifted(T::soft_norm(&[v], T::from(self.speed)));
        let friction = between_knots(&self.friction, self.place(q));
        let offset = between_knots(&self.offset, self.place(q));
        forces.add_generalized(k, offset - friction * share)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let joint = context.tree().joint(self.joint)?;
        let q = context.q()[joint.position_start()];
        let [lower, upper] = self.range;
        for values in [&self.friction, &self.offset] {
            for knot in 0..values.len() {
                if values.len() > 1 {
                    let at = lower + (upper - lower) * knot as f64 / (values.len() - 1) as f64;
                    let distance = if q.re() < at { -q + at } else { q - at };
                    visit(ElementKink {
                        element: &self.name,
                        change: "a knot of the friction",
                        distance,
                        unit: "rad",
                        order: 1,
                    });
                }
            }
        }
        Ok(())
    }
}

impl<T: Scalar> GearFriction<T> {
    /// Where an angle is in the range, from 0 to 1.
    fn place(&self, q: T) -> T {
        let [lower, upper] = self.range;
        (q - lower) / (upper - lower)
    }
}

/// What values at knots evenly from 0 to 1 are at a place.
pub fn between_knots<T: Scalar>(values: &[T], place: T) -> T {
    let last = values.len() - 1;
    let at = place * last as f64;
    let before = at.re().floor().clamp(0.0, last as f64) as usize;
    match values.get(before + 1) {
        Some(&after) if at.re() >= 0.0 => {
            values[before] + (after - values[before]) * (at - before as f64)
        }
        _ => values[before],
    }
}
