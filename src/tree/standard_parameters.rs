//! Standard inertial parameters, in which the dynamics are linear.
//!
//! Mass `m`, first moment `h = m p_BoBcm` and rotational inertia `J` about Bo, expressed in B, are
//! integrals over the mass distribution of a body, so every force, momentum and energy is linear in
//! them: these are the *standard parameters* (Atkeson, An & Hollerbach 1986, *Int. J. Robotics
//! Research* 5(3), 101–119; Khalil & Dombre 2002, *Modeling, Identification and Control of Robots*,
//! ch. 12). Damping, dry friction and armature of the joints join them.

use super::error::TreeError;
use super::index::BodyIndex;
use super::joint::Joint;
use super::rigid_body_tree::RigidBodyTree;
use crate::math::SpatialInertia;
use crate::parameter::{ParameterError, ParameterInfo, ParameterList, Parameters};
use crate::{InvalidInput, Scalar};
use nalgebra::{DVector, Matrix3, Vector3};
use std::ops::Range;

/// Standard parameters of a body.
pub(super) const PER_BODY: usize = 10;
/// Standard parameters of a degree of freedom.
pub(super) const PER_DOF: usize = 3;
/// Rows and columns of the entries of the inertia, in order.
pub(super) const ENTRIES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// Names and units of those of a body.
const OF_BODY: [(&str, &str); PER_BODY] = [
    ("mass", "kg"),
    ("first_moment/x", "kg m"),
    ("first_moment/y", "kg m"),
    ("first_moment/z", "kg m"),
    ("inertia_about_origin/xx", "kg m²"),
    ("inertia_about_origin/yy", "kg m²"),
    ("inertia_about_origin/zz", "kg m²"),
    ("inertia_about_origin/xy", "kg m²"),
    ("inertia_about_origin/xz", "kg m²"),
    ("inertia_about_origin/yz", "kg m²"),
];
/// Names, and units for a rotation and a translation, of those of a degree of freedom.
const OF_DOF: [(&str, [&str; 2]); PER_DOF] = [
    ("damping", ["N m s/rad", "N s/m"]),
    ("friction", ["N m", "N"]),
    ("armature", ["kg m²", "kg"]),
];

impl<T: Scalar> SpatialInertia<T> {
    /// The standard parameters `m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz`: mass in kg, first
    /// moment `m p_BoBcm_B` in kg m, rotational inertia about Bo in kg m².
    #[inline(never)]
    pub fn to_standard_parameters(&self) -> [T; 10] {
        let h = self.center_of_mass * self.mass;
        let j = self.rotational_inertia_about_origin();
        let [xx, yy, zz, xy, xz, yz] = ENTRIES.map(|entry| j[entry]);
        [self.mass, h.x, h.y, h.z, xx, yy, zz, xy, xz, yz]
    }

    /// The inertia with these standard parameters, in the order of
    /// [`to_standard_parameters`](Self::to_standard_parameters). Least squares may come to some that no
    /// body has; [`validate`](Self::validate) tells.
    ///
    /// # Errors
    /// [`InvalidInput`] for a first moment without mass, which has no centre.
    pub fn from_standard_parameters(parameters: &[T; 10]) -> Result<Self, InvalidInput> {
        let [mass, hx, hy, hz, xx, yy, zz, xy, xz, yz] = *parameters;
        let moment = Vector3::new(hx, hy, hz);
        let center_of_mass = if mass.re() == 0.0 {
            let expected = "zero, as the mass is";
            InvalidInput::check_range("first moment", moment.as_slice(), expected, |h| h == 0.0)?;
            Vector3::zeros()
        } else {
            moment * (T::one() / mass)
        };
        let about_origin = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let mut inertia = SpatialInertia::point_mass(mass, center_of_mass);
        inertia.rotational_inertia = about_origin - inertia.rotational_inertia_about_origin();
        Ok(inertia)
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// The parameters in which the dynamics are linear, in the order of the columns of
    /// [regressors](Self::torque_regressor). `NAME` is the full name of a body or joint.
    ///
    /// | name | unit | of |
    /// |---|---|---|
    /// | `body/NAME/mass` | kg | every body but the world, in their order |
    /// | `body/NAME/first_moment/{x,y,z}` | kg m | `m p_BoBcm_B` |
    /// | `body/NAME/inertia_about_origin/{xx,yy,zz,xy,xz,yz}` | kg m² | about Bo, expressed in B |
    /// | `joint/NAME/damping`, `…/friction`, `…/armature` | N m s/rad, N m, kg m²; N s/m, N, kg | every degree of freedom of every joint; `…/damping/0`, … of a joint with several |
    #[inline(never)]
    pub fn standard_parameters(&self) -> ParameterList {
        let values = self.standard_parameter_values();
        let bodies = self.bodies.iter().skip(1).flat_map(|body| {
            OF_BODY.iter().enumerate().map(|(k, &(quantity, unit))| {
                let lower = if k == 0 || (4..7).contains(&k) {
                    0.0
                } else {
                    f64::NEG_INFINITY
                };
                (format!("body/{}/{quantity}", body.name), unit, lower)
            })
        });
        let joints = self.joints.iter().flat_map(|joint| {
            let kinds = joint.kind.column_kinds();
            kinds.iter().enumerate().flat_map(move |(k, &kind)| {
                OF_DOF.iter().map(move |(quantity, units)| {
                    let name = match kinds.len() {
                        1 => format!("joint/{}/{quantity}", joint.name),
                        _ => format!("joint/{}/{quantity}/{k}", joint.name),
                    };
                    (name, units[kind as usize], 0.0)
                })
            })
        });
        (bodies.chain(joints).zip(&values))
            .map(|((name, unit, lower), value)| ParameterInfo {
                name,
                unit,
                lower,
                upper: f64::INFINITY,
                value: value.re(),
            })
            .collect()
    }

    /// Number of [standard parameters](Self::standard_parameters): ten a body and three a degree of
    /// freedom of a joint.
    pub fn num_standard_parameters(&self) -> usize {
        self.joint_parameters_start() + (self.joints.iter()).map(dof_parameters).sum::<usize>()
    }

    /// Where the ten [standard parameters](Self::standard_parameters) of a body are; none of the
    /// world.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`].
    #[inline(never)]
    pub fn standard_parameters_of(&self, body: BodyIndex) -> Result<Range<usize>, TreeError> {
        self.body(body)?;
        let end = PER_BODY * body.get();
        Ok(end.saturating_sub(PER_BODY)..end)
    }

    /// Values of the [standard parameters](Self::standard_parameters).
    #[inline(never)]
    pub fn standard_parameter_values(&self) -> DVector<T> {
        let bodies = (self.bodies.iter().skip(1)).flat_map(|b| b.inertia.to_standard_parameters());
        let joints = self.joints.iter().flat_map(|joint| {
            (0..joint.damping.len())
                .flat_map(|k| [joint.damping[k], joint.friction[k], joint.armature[k]])
        });
        let values = bodies.chain(joints).collect::<Vec<_>>();
        DVector::from_vec(values)
    }

    /// Sets the [standard parameters](Self::standard_parameters). Workspaces must have their state set
    /// again.
    ///
    /// # Errors
    /// [`ParameterError`] for values that no body or joint can have, as those of least squares may be;
    /// the tree is then as before.
    #[inline(never)]
    pub fn set_standard_parameters(&mut self, values: &[T]) -> Result<(), ParameterError> {
        let rejected = |e: InvalidInput| ParameterError::Rejected {
            reason: e.to_string(),
        };
        let count = self.num_standard_parameters();
        InvalidInput::check_size("standard parameters", values.len(), count).map_err(rejected)?;
        InvalidInput::check_finite("standard parameters", values).map_err(rejected)?;
        let start = self.joint_parameters_start();
        let (bodies, joints) = values.split_at(start);
        let mut changes = Vec::with_capacity(count);
        // The parameters of bodies come first there, too.
        for (body, parameters) in bodies.as_chunks().0.iter().enumerate() {
            let inertia = SpatialInertia::from_standard_parameters(parameters).map_err(rejected)?;
            let (c, j) = (&inertia.center_of_mass, &inertia.rotational_inertia);
            let entries = ENTRIES.map(|entry| j[entry]);
            let members = [inertia.mass, c.x, c.y, c.z].into_iter().chain(entries);
            changes.extend((PER_BODY * body..).zip(members));
        }
        let names: Vec<String> = (self.standard_parameters().into_iter().skip(start))
            .map(|p| p.name)
            .collect();
        let indices = self.parameter_indices(&names)?;
        changes.extend(indices.into_iter().zip(joints.iter().copied()));
        self.set_parameters(&changes)
    }

    /// Number of standard parameters of the bodies, which those of the joints follow.
    pub(super) fn joint_parameters_start(&self) -> usize {
        PER_BODY * (self.bodies.len() - 1)
    }
}

/// Number of standard parameters of a joint.
pub(super) fn dof_parameters<T>(joint: &Joint<T>) -> usize {
    PER_DOF * joint.damping.len()
}
