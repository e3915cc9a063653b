//! Mass, centre of mass and rotational inertia of a rigid body.

use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};

/// The mass properties of a body B.
///
/// The rotational inertia is about the centre of mass, so that the three members are independent
/// of each other and each is a parameter by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct SpatialInertia<T> {
    /// Mass in kg.
    pub mass: T,
    /// Position of the centre of mass `p_BoBcm_B`, in metres.
    pub center_of_mass: Vector3<T>,
    /// Rotational inertia `I_BBcm_B` about the centre of mass, expressed in B, in kg m²; symmetric.
    pub rotational_inertia: Matrix3<T>,
}

impl<T: Scalar> SpatialInertia<T> {
    /// The inertia of a body without mass.
    pub fn zero() -> Self {
        SpatialInertia {
            mass: T::zero(),
            center_of_mass: Vector3::zeros(),
            rotational_inertia: Matrix3::zeros(),
        }
    }

    /// A point mass at `p_BoBcm_B`.
    pub fn point_mass(mass: T, center_of_mass: Vector3<T>) -> Self {
        SpatialInertia {
            mass,
            center_of_mass,
            rotational_inertia: Matrix3::zeros(),
        }
    }

    /// A homogeneous sphere about the body origin.
    pub fn solid_sphere(mass: T, radius: T) -> Self {
        let moment = mass * radius * radius * 0.4;
        Self::principal(mass, Vector3::repeat(moment))
    }

    /// A homogeneous box about the body origin, with edges of the lengths `size` along its axes.
    #[inline(never)]
    pub fn solid_box(mass: T, size: &Vector3<T>) -> Self {
        let square = size.component_mul(size);
        let moments = Vector3::new(
            square.y + square.z,
            square.z + square.x,
            square.x + square.y,
        );
        Self::principal(mass, moments * (mass / 12.0))
    }

    /// A homogeneous cylinder about the body origin, with its axis along z.
    pub fn solid_cylinder(mass: T, radius: T, length: T) -> Self {
        let axial = mass * radius * radius * 0.5;
        let transverse = axial * 0.5 + mass * length * length / 12.0;
        Self::principal(mass, Vector3::new(transverse, transverse, axial))
    }

    /// A body with its centre of mass at the origin and its principal axes along the frame's.
    pub fn principal(mass: T, moments: Vector3<T>) -> Self {
        SpatialInertia {
            mass,
            center_of_mass: Vector3::zeros(),
            rotational_inertia: Matrix3::from_diagonal(&moments),
        }
    }

    /// The same body seen from a frame A in which B has the pose `R_AB`, `p_AoBo_A`.
    #[inline(never)]
    pub fn transformed(&self, rotation: &Matrix3<T>, translation: &Vector3<T>) -> Self {
        SpatialInertia {
            mass: self.mass,
            center_of_mass: rotation * self.center_of_mass + translation,
            rotational_inertia: rotation * self.rotational_inertia * rotation.transpose(),
        }
    }

    /// The body that consists of both, given in the same frame.
    ///
    /// A total mass of zero has its centre of mass at the mean of the two.
    #[inline(never)]
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let offset = other.center_of_mass - self.center_of_mass;
        let share = if mass.re() == 0.0 {
            T::from(0.5)
        } else {
            other.mass / mass
        };
        // Steiner: two masses at distance d turn about their centre with the reduced mass.
        let reduced = self.mass * share;
        SpatialInertia {
            mass,
            center_of_mass: self.center_of_mass + offset * share,
            rotational_inertia: self.rotational_inertia
                + other.rotational_inertia
                + point_inertia(&offset) * reduced,
        }
    }

    /// Rotational inertia `I_BBo_B` about the body origin.
    pub fn rotational_inertia_about_origin(&self) -> Matrix3<T> {
        self.rotational_inertia + point_inertia(&self.center_of_mass) * self.mass
    }

    /// Checks that a rigid body can have these properties.
    ///
    /// With the density ρ, `½ tr(I) 1 − I = ∫ ρ r rᵀ` is positive semidefinite, and every such matrix
    /// belongs to a distribution of mass: principal moments are not negative, and none exceeds the
    /// sum of the two others. Point masses, rods and plates lie on the boundary. (Wensing, Kim &
    /// Slotine 2018, *IEEE Robotics and Automation Letters* 3(1), 60–67.)
    ///
    /// # Errors
    /// [`InvalidInput`] when an entry is not finite, the mass is negative (or so small or large,
    /// below 1e-150 or above 1e150 kg, that products with it are not numbers any more), the
    /// rotational inertia is not symmetric or not positive semidefinite, or a principal moment
    /// exceeds the sum of the two others, each beyond `tolerance` relative to the trace.
    #[inline(never)]
    pub fn validate(&self, tolerance: f64) -> Result<(), InvalidInput> {
        self.check_entries(tolerance)?;
        let inertia = self.rotational_inertia.map(|x| x.re());
        let trace = inertia.trace();
        let slack = tolerance * trace.abs();
        let second_moments = Matrix3::from_diagonal_element(0.5 * trace) - inertia;
        if is_positive_semidefinite(&second_moments, 0.5 * slack) {
            return Ok(());
        }
        let mut moments = match super::decompose_symmetric(&inertia) {
            Some(decomposition) => decomposition.eigenvalues,
            None => Vector3::repeat(f64::NAN),
        };
        moments.as_mut_slice().sort_by(f64::total_cmp);
        InvalidInput::check_range(
            "principal moments",
            moments.as_slice(),
            "not negative",
            |m| m >= -slack,
        )?;
        InvalidInput::check_range(
            "largest principal moment less the sum of the others",
            &[moments[2] - moments[0] - moments[1]],
            "not positive",
            |excess| excess <= slack,
        )
    }

    /// The inertia of a body of the same shape with another mass in kg, as if its density changed: the rotational
    /// inertia about the centre of mass is multiplied by the ratio of the masses, and the centre of mass stays where it is.
    ///
    /// # Errors
    /// [`InvalidInput`] when one of the masses is not positive, and for a mass or a rotational inertia too large to
    /// compute with.
    pub fn with_mass(&self, mass: T) -> Result<Self, InvalidInput> {
        let is_positive = |m: f64| m > 0.0 && m.is_finite();
        InvalidInput::check_range("mass", &[mass], "a positive number", is_positive)?;
        let expected = "a positive number, with which the rotational inertia scales";
        InvalidInput::check_range("mass before", &[self.mass], expected, is_positive)?;
        let scaled = SpatialInertia {
            mass,
            center_of_mass: self.center_of_mass,
            rotational_inertia: self.rotational_inertia * (mass / self.mass),
        };
        scaled.check_entries(f64::MAX)?; // as symmetric as before
        Ok(scaled)
    }

    /// Checks that the entries can be computed with: finite, the mass not negative, the rotational
    /// inertia symmetric.
    pub(crate) fn check_entries(&self, tolerance: f64) -> Result<(), InvalidInput> {
        let (mass, inertia) = (&[self.mass], self.rotational_inertia.map(|x| x.re()));
        InvalidInput::check_finite("mass", mass)?;
        InvalidInput::check_range("mass", mass, "a number that is not negative", |m| m >= 0.0)?;
        let expected = "zero, or between 1e-150 and 1e150 kg";
        InvalidInput::check_range("mass", mass, expected, |m| {
            m == 0.0 || (1e-150..=1e150).contains(&m)
        })?;
        InvalidInput::check_finite("centre of mass", self.center_of_mass.as_slice())?;
        InvalidInput::check_finite("rotational inertia", inertia.as_slice())?;
        let asymmetry = (inertia - inertia.transpose()).amax();
        InvalidInput::check_range(
            "asymmetry of the rotational inertia",
            &[asymmetry],
            "zero",
            |a| a <= tolerance * inertia.amax(),
        )
    }

    /// The same inertia in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> SpatialInertia<U> {
        SpatialInertia {
            mass: U::from(self.mass.re()),
            center_of_mass: self.center_of_mass.map(|x| U::from(x.re())),
            rotational_inertia: self.rotational_inertia.map(|x| U::from(x.re())),
        }
    }
}

/// Rotational inertia of a unit point mass at `p`, about the origin: `(p·p) I − p pᵀ`.
pub(crate) fn point_inertia<T: Scalar>(p: &Vector3<T>) -> Matrix3<T> {
    Matrix3::from_diagonal_element(p.dot(p)) - p * p.transpose()
}

/// Whether no eigenvalue of a symmetric matrix is below `−slack`: the pivots of Gaussian elimination
/// of `m + slack 1` are then not negative.
fn is_positive_semidefinite(m: &Matrix3<f64>, slack: f64) -> bool {
    let mut m = m + Matrix3::from_diagonal_element(slack);
    for k in 0..3 {
        let pivot = m[(k, k)];
        if pivot < 0.0 || pivot.is_nan() {
            return false;
        }
        for i in k + 1..3 {
            if pivot == 0.0 {
                // Then the whole column must be zero.
                if m[(i, k)] != 0.0 {
                    return false;
                }
                continue;
            }
            let factor = m[(i, k)] / pivot;
            for j in k + 1..3 {
                m[(i, j)] -= factor * m[(k, j)];
            }
        }
    }
    true
}
