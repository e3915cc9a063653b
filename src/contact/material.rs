//! Contact materials: stiffness, dissipation and friction of a surface.

use super::friction_rule::FrictionRule;
use super::rotational_friction::RotationalFriction;
use crate::parameter::Parameter;
use crate::solver::implicit_stribeck::{FrictionLaw, LARGEST_CONSTANT, NormalLaw, StribeckCurve};
use crate::{InvalidInput, Scalar};
use std::fmt;

/// How a surface gives way, dissipates and rubs.
///
/// Two surfaces in contact act like two springs in series, each with the dissipation of its own, and
/// a coefficient of friction that is their harmonic mean:
///
/// ```text
/// k = k₁ k₂/(k₁ + k₂)     d = (k₂ d₁ + k₁ d₂)/(k₁ + k₂)     μ = 2 μ₁ μ₂/(μ₁ + μ₂)
/// ```
///
/// (the rules of Drake's point contact; of friction there are [others](FrictionRule)). Static and dynamic
/// friction combine by the same rule, each for itself; a surface with one coefficient has it for both. A rigid
/// surface has infinite stiffness and leaves `k` and `d` to the other one.
///
/// ```
/// use dualbody::contact::ContactMaterial;
///
/// let rubber = ContactMaterial::<f64>::new(2e4, 0.8, 0.9)?;
/// let steel = ContactMaterial::rigid(0.3)?;
/// let pair = rubber.combined(&steel);
/// assert_eq!((pair.stiffness, pair.dissipation), (2e4, 0.8));
/// assert!((pair.friction - 0.45).abs() < 1e-15);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct ContactMaterial<T> {
    /// Stiffness `k` of a contact point in N/m, infinite for a rigid surface.
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub stiffness: T,
    /// Dissipation `d` of Hunt and Crossley's law in s/m: the contact force vanishes when the
    /// surfaces part at the speed `1/d`.
    pub dissipation: T,
    /// Coefficient of friction μ: static and dynamic, or dynamic where static friction is apart.
    pub friction: T,
    /// Static friction, and the slip speed at which it has turned half way into dynamic friction; `None` where
    /// they are the same.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub stribeck: Option<StribeckCurve<T>>,
    /// Coefficient of restitution e, from 0 to 1, of impacts of rigid contact. `None`: in a
    /// [`RigidBodyFlow`](crate::system::RigidBodyFlow) what follows from the
    /// [dissipation](Self::restitution_at), in rigid steps zero. Compliant contact does not look at it.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub restitution: Option<T>,
    /// Friction against spinning and rolling; `None` where nothing resists, or, of a surface, where the other
    /// one says it.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub rotational: Option<RotationalFriction<T>>,
}

impl<T: Scalar> ContactMaterial<T> {
    /// A compliant surface.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the stiffness is positive, the others not negative, and all at most 10¹⁰⁰.
    #[inline(never)]
    pub fn new(stiffness: T, dissipation: T, friction: T) -> Result<Self, InvalidInput> {
        let material = ContactMaterial {
            stiffness,
            dissipation,
            friction,
            stribeck: None,
            restitution: None,
            rotational: None,
        };
        InvalidInput::check_finite("stiffness", &[stiffness])?;
        material.validate()?;
        Ok(material)
    }

    /// A rigid surface: the other one gives way.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the friction is from 0 to 10¹⁰⁰.
    #[inline(never)]
    pub fn rigid(friction: T) -> Result<Self, InvalidInput> {
        let material = ContactMaterial {
            stiffness: T::from(f64::INFINITY),
            dissipation: T::zero(),
            friction,
            stribeck: None,
            restitution: None,
            rotational: None,
        };
        material.validate()?;
        Ok(material)
    }

    /// The same surface with static friction of its own: [`Self::friction`] is then that of fast sliding, and at
    /// the slip speed σ the coefficient is
    ///
    /// ```text
    /// μ(σ) = μ_d + (μ_s − μ_d) v_S²/(v_S² + σ²)
    /// ```
    ///
    /// Steps with rigid contact, impacts and rigid contact in continuous time take it at the slip speed
    /// before; steps with compliant contact solve for both.
    ///
    /// ```
    /// use dualbody::contact::ContactMaterial;
    ///
    /// let steel = ContactMaterial::new(1e6, 0.1, 0.3)?.with_static_friction(0.5, 0.02)?; // 1, m/s
    /// assert_eq!(steel.friction_at([0.0, 0.0]), 0.5);
    /// assert_eq!(steel.friction_at([0.02, 0.0]), 0.4);
    /// # Ok::<(), dualbody::InvalidInput>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`] unless the coefficient is from 0 to 10¹⁰⁰, and the velocity positive.
    #[inline(never)]
    pub fn with_static_friction(
        mut self,
        static_friction: T,
        stribeck_velocity: T,
    ) -> Result<Self, InvalidInput> {
        let curve = StribeckCurve {
            static_friction,
            velocity: stribeck_velocity,
        };
        curve.validate()?;
        self.stribeck = Some(curve);
        Ok(self)
    }

    /// The same surface with a coefficient of restitution of its own: rigid bodies that meet at the speed u part at
    /// e u, unless it is below
    /// [`SystemOptions::rebound_speed`](crate::system::SystemOptions::rebound_speed).
    ///
    /// # Errors
    /// [`InvalidInput`] unless it is between 0 and 1.
    pub fn with_restitution(mut self, restitution: T) -> Result<Self, InvalidInput> {
        self.restitution = Some(restitution);
        self.validate()?;
        Ok(self)
    }

    /// The same surface with torsional and rolling friction, whose coefficients are lengths in m: a contact that
    /// spins about its normal or rolls transmits the torque `μ_t fₙ` or `μ_r fₙ` against that.
    ///
    /// A contact of two such surfaces combines each by its [rule](FrictionRule); a surface without leaves them to
    /// the other. Only compliant contact has them: steps with rigid contact refuse them.
    ///
    /// # Errors
    /// [`InvalidInput`] unless both are from 0 to 10³ m.
    #[inline(never)]
    pub fn with_rotational_friction(
        mut self,
        torsional: T,
        rolling: T,
    ) -> Result<Self, InvalidInput> {
        let rotational = RotationalFriction { torsional, rolling };
        rotational.validate()?;
        self.rotational = Some(rotational);
        Ok(self)
    }

    /// Coefficient of static friction.
    pub fn static_friction(&self) -> T {
        self.stribeck
            .map_or(self.friction, |curve| curve.static_friction)
    }

    /// Coefficient of friction at a tangential velocity in m/s.
    pub fn friction_at(&self, [a, b]: [T; 2]) -> T {
        self.stribeck.map_or(self.friction, |curve| {
            curve.coefficient(self.friction, a * a + b * b)
        })
    }

    /// The law of the normal force of a point with this penetration.
    pub(crate) fn normal_law(&self, penetration: T) -> NormalLaw<T> {
        NormalLaw {
            x0: penetration,
            stiffness: self.stiffness,
            dissipation: self.dissipation,
        }
    }

    /// The regularised law of friction, with the stiction tolerance and the softening.
    pub(super) fn friction_law(&self, stiction_tolerance: T, softening: T) -> FrictionLaw<T> {
        FrictionLaw {
            mu: self.friction,
            stribeck: self.stribeck,
            stiction_tolerance,
            softening,
        }
    }

    /// Whether the stiffness is infinite.
    pub fn is_rigid(&self) -> bool {
        self.stiffness.re() == f64::INFINITY
    }

    /// The properties of a contact between this surface and another; rigid when both are.
    pub fn combined(&self, other: &Self) -> Self {
        self.combined_by(other, FrictionRule::default())
    }

    /// As [`Self::combined`], with another rule for the coefficients of friction.
    ///
    /// The slip speed at which static friction has turned half way into dynamic friction is the mean of those of
    /// the two surfaces, or that of the one that has one. So is the coefficient of restitution.
    #[inline(never)]
    pub fn combined_by(&self, other: &Self, rule: FrictionRule) -> Self {
        let friction = rule.combine(self.friction, other.friction);
        let velocity = match (self.stribeck, other.stribeck) {
            (Some(a), Some(b)) => Some((a.velocity + b.velocity) * 0.5),
            (a, b) => a.or(b).map(|curve| curve.velocity),
        };
        let stribeck = velocity.map(|velocity| StribeckCurve {
            static_friction: rule.combine(self.static_friction(), other.static_friction()),
            velocity,
        });
        let restitution = match (self.restitution, other.restitution) {
            (Some(a), Some(b)) => Some((a + b) * 0.5),
            (a, b) => a.or(b),
        };
        let rotational = RotationalFriction::combined([self, other], rule);
        if let Some(surface) = match (self.is_rigid(), other.is_rigid()) {
            (_, true) => Some(self),
            (true, false) => Some(other),
            (false, false) => None,
        } {
            return ContactMaterial {
                friction,
                stribeck,
                restitution,
                rotational,
                ..*surface
            };
        }
        let sum = self.stiffness + other.stiffness;
        ContactMaterial {
            stiffness: (self.stiffness * other.stiffness).div_lifted(sum),
            dissipation: (other.stiffness * self.dissipation + self.stiffness * other.dissipation)
                .div_lifted(sum),
            friction,
            stribeck,
            restitution,
            rotational,
        }
    }

    /// Share `k₁/(k₁ + k₂)` of this surface's stiffness in the sum with another's: a contact point
    /// lies that far from the other surface towards this one, in units of the penetration, because
    /// the softer surface gives way more. One half when both are rigid.
    pub fn stiffness_share(&self, other: &Self) -> T {
        match (self.is_rigid(), other.is_rigid()) {
            (true, true) => T::from(0.5),
            (true, false) => T::one(),
            (false, true) => T::zero(),
            (false, false) => self.stiffness.div_lifted(self.stiffness + other.stiffness),
        }
    }

    /// Checks the values, as the constructors do.
    ///
    /// # Errors
    /// [`InvalidInput`] with the first that does not make sense.
    #[inline(never)]
    pub fn validate(&self) -> Result<(), InvalidInput> {
        let in_range = |x: f64| (0.0..=LARGEST_CONSTANT).contains(&x);
        let words = "a number from 0 to 1e100";
        let stiffness = |k: f64| k > 0.0 && (in_range(k) || k == f64::INFINITY);
        let positive = "a positive number to 1e100, or infinite";
        InvalidInput::check_range("stiffness", &[self.stiffness], positive, stiffness)?;
        InvalidInput::check_range("dissipation", &[self.dissipation], words, in_range)?;
        InvalidInput::check_range("friction", &[self.friction], words, in_range)?;
        if let Some(e) = self.restitution {
            InvalidInput::check_range("restitution", &[e], "between 0 and 1", |e| {
                (0.0..=1.0).contains(&e)
            })?;
        }
        self.stribeck.map_or(Ok(()), |curve| curve.validate())?;
        (self.rotational).map_or(Ok(()), |friction| friction.validate())
    }

    /// The same material in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> ContactMaterial<U> {
        ContactMaterial {
            stiffness: U::from(self.stiffness.re()),
            dissipation: U::from(self.dissipation.re()),
            friction: U::from(self.friction.re()),
            stribeck: self.stribeck.map(|curve| curve.cast()),
            restitution: self.restitution.map(|e| U::from(e.re())),
            rotational: self.rotational.map(|friction| friction.cast()),
        }
    }

    /// Calls `visit` with `{prefix}/stiffness` and `{prefix}/dissipation`, unless the surface is
    /// rigid, `{prefix}/friction`, if static friction is apart, `{prefix}/static_friction` and
    /// `{prefix}/stribeck_velocity`, if turning is resisted, `{prefix}/torsional_friction` and
    /// `{prefix}/rolling_friction`, and `{prefix}/restitution` if it has one.
    pub fn visit_parameters(
        &mut self,
        prefix: impl fmt::Display,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        if let Some(restitution) = &mut self.restitution {
            visit(Parameter {
                name: format_args!("{prefix}/restitution"),
                unit: "1",
                lower: 0.0,
                upper: 1.0,
                value: restitution,
            });
        }
        let mut one = |name: fmt::Arguments, unit, lower, value| {
            visit(Parameter {
                name,
                unit,
                lower,
                upper: LARGEST_CONSTANT,
                value,
            });
        };
        if !self.is_rigid() {
            let stiffness = &mut self.stiffness;
            one(
                format_args!("{prefix}/stiffness"),
                "N/m",
                f64::MIN_POSITIVE,
                stiffness,
            );
            let dissipation = &mut self.dissipation;
            one(
                format_args!("{prefix}/dissipation"),
                "s/m",
                0.0,
                dissipation,
            );
        }
        one(
            format_args!("{prefix}/friction"),
            "1",
            0.0,
            &mut self.friction,
        );
        if let Some(curve) = &mut self.stribeck {
            let static_friction = &mut curve.static_friction;
            one(
                format_args!("{prefix}/static_friction"),
                "1",
                0.0,
                static_friction,
            );
            let velocity = &mut curve.velocity;
            one(
                format_args!("{prefix}/stribeck_velocity"),
                "m/s",
                StribeckCurve::<f64>::VELOCITIES.start().to_owned(),
                velocity,
            );
        }
        if let Some(rotational) = &mut self.rotational {
            rotational.visit_parameters(&prefix, visit);
        }
    }
}
