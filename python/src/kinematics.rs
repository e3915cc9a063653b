//! Kinematics and dynamics of the tree of a machine.

use crate::array::{array, array1, matrix, vector, wrong_shape};
use crate::error::Outcome;
use crate::system::{Stepper, System};
use dualbody::math::{RigidTransform, SpatialForce};
use dualbody::nalgebra::{DMatrix, Vector3};
use dualbody::tree::{BodyIndex, FrameIndex, RigidBodyTree, TreeError, TreeWorkspace};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

type Array1<'py> = Outcome<Bound<'py, PyArray1<f64>>>;
type Array<'py> = Outcome<Bound<'py, PyArrayDyn<f64>>>;

/// A frame, or a body.
#[derive(Clone, Copy)]
pub enum Place {
    /// That is fixed to a body.
    Frame(FrameIndex),
    /// Itself.
    Body(BodyIndex),
}

impl Place {
    /// That of a name.
    pub fn find(tree: &RigidBodyTree<f64>, name: &str) -> Outcome<Self> {
        let no_frame = match tree.frame_by_name(name) {
            Ok(frame) => return Ok(Place::Frame(frame)),
            Err(error) => error,
        };
        // Of two errors that with a proposal.
        let body = tree.body_by_name(name).map_err(|error| match error {
            TreeError::UnknownName { ref nearest, .. } if nearest.is_empty() => no_frame,
            error => error,
        });
        Ok(Place::Body(body?))
    }

    fn pose(
        self,
        tree: &RigidBodyTree<f64>,
        placed: &TreeWorkspace<f64>,
    ) -> Outcome<RigidTransform<f64>> {
        Ok(match self {
            Place::Frame(frame) => tree.frame_pose(placed, frame)?,
            Place::Body(body) => tree.body_pose(placed, body)?,
        })
    }

    /// The body, and the pose on it.
    pub fn on_body(self, tree: &RigidBodyTree<f64>) -> Outcome<(BodyIndex, RigidTransform<f64>)> {
        Ok(match self {
            Place::Frame(frame) => {
                let frame = tree.frame(frame)?;
                (frame.body(), *frame.pose_in_body())
            }
            Place::Body(body) => (body, RigidTransform::identity()),
        })
    }

    /// The body, and the place of the origin on it.
    fn point(self, tree: &RigidBodyTree<f64>) -> Outcome<(BodyIndex, Vector3<f64>)> {
        let (body, pose) = self.on_body(tree)?;
        Ok((body, pose.translation))
    }
}

/// A pose as a homogeneous matrix, row by row.
fn homogeneous(pose: &RigidTransform<f64>) -> [f64; 16] {
    let (r, p) = (&pose.rotation, &pose.translation);
    let mut out = [0.0; 16];
    for i in 0..3 {
        for j in 0..3 {
            out[4 * i + j] = r[(i, j)];
        }
        out[4 * i + 3] = p[i];
    }
    out[15] = 1.0;
    out
}

/// The derivatives of inverse dynamics: ``tau`` (nv,), ``dtau_dq`` (nv, nv), ``dtau_dv`` (nv, nv), ``dtau_dvdot`` (nv, nv),
/// which is the mass matrix. Positions are displaced in tangent space.
#[pyclass(frozen, get_all, module = "dualbody")]
pub struct InverseDynamicsDerivatives {
    tau: Py<PyArray1<f64>>,
    dtau_dq: Py<PyArrayDyn<f64>>,
    dtau_dv: Py<PyArrayDyn<f64>>,
    dtau_dvdot: Py<PyArrayDyn<f64>>,
}

/// The derivatives of forward dynamics: ``vdot`` (nv,), ``dvdot_dq`` (nv, nv), ``dvdot_dv`` (nv, nv), ``dvdot_dtau`` (nv, nv),
/// which is the inverse of the mass matrix. Positions are displaced in tangent space.
#[pyclass(frozen, get_all, module = "dualbody")]
pub struct ForwardDynamicsDerivatives {
    vdot: Py<PyArray1<f64>>,
    dvdot_dq: Py<PyArrayDyn<f64>>,
    dvdot_dv: Py<PyArrayDyn<f64>>,
    dvdot_dtau: Py<PyArrayDyn<f64>>,
}

impl System {
    /// Does something with the tree at positions, and at velocities if there are any.
    fn placed<R>(
        &self,
        q: &Bound<'_, PyAny>,
        v: Option<&Bound<'_, PyAny>>,
        act: impl FnOnce(&Arc<Stepper>, &mut TreeWorkspace<f64>) -> Outcome<R>,
    ) -> Outcome<R> {
        let stepper = self.stepper();
        let tree = stepper.tree();
        let q = vector(q, "q", tree.num_positions())?;
        let v = v
            .map(|v| vector(v, "v", tree.num_velocities()))
            .transpose()?;
        self.with_tree(&stepper, |placed| {
            match v {
                None => tree.set_positions(placed, &q)?,
                Some(v) => tree.set_state(placed, &q, &v)?,
            }
            act(&stepper, placed)
        })
    }
}

/// Forces on bodies, an array with a row of torque and force for each.
fn external(
    value: Option<&Bound<'_, PyAny>>,
    tree: &RigidBodyTree<f64>,
) -> Outcome<Option<Vec<SpatialForce<f64>>>> {
    let Some(value) = value else { return Ok(None) };
    let read = crate::array::numbers(value, "external")?;
    if read.shape != [tree.num_bodies(), 6] {
        let expected = format!("({}, 6)", tree.num_bodies());
        return Err(wrong_shape("external", &read.shape, &expected));
    }
    let values = read.finite("external")?;
    let forces = values.chunks_exact(6).map(|f| {
        SpatialForce::new(
            Vector3::new(f[0], f[1], f[2]),
            Vector3::new(f[3], f[4], f[5]),
        )
    });
    Ok(Some(forces.collect()))
}

#[pymethods]
impl System {
    /// The poses of all bodies in the world, by name: homogeneous matrices (4, 4), m.
    fn forward_kinematics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyDict>> {
        self.placed(q, None, |stepper, placed| {
            let poses = PyDict::new(py);
            for body in stepper.tree().bodies() {
                let index = body.index();
                let pose = homogeneous(&stepper.tree().body_pose(placed, index)?);
                poses.set_item(body.name(), array(py, pose.to_vec(), &[4, 4])?)?;
            }
            Ok(poses)
        })
    }

    /// The pose of a frame or a body in the world: a homogeneous matrix (4, 4), m.
    fn frame_pose<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>, name: &str) -> Array<'py> {
        self.placed(q, None, |stepper, placed| {
            let place = Place::find(stepper.tree(), name)?;
            array(
                py,
                homogeneous(&place.pose(stepper.tree(), placed)?).to_vec(),
                &[4, 4],
            )
        })
    }

    /// The velocity (6,) of a frame or a body about its origin: angular velocity (rad/s), velocity (m/s), in the world.
    fn frame_velocity<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        name: &str,
    ) -> Array1<'py> {
        self.placed(q, Some(v), |stepper, placed| {
            let (body, point) = Place::find(stepper.tree(), name)?.point(stepper.tree())?;
            let velocity = stepper.tree().point_velocity(placed, body, &point)?;
            let entries = velocity.angular.iter().chain(velocity.linear.iter());
            Ok(array1(py, entries.copied().collect()))
        })
    }

    /// The Jacobian (6, nv) of the velocity of a frame or a body about its origin, in the world: three rows of angular
    /// velocity, three of velocity.
    fn frame_jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        name: &str,
    ) -> Array<'py> {
        self.placed(q, None, |stepper, placed| {
            let tree = stepper.tree();
            let (body, point) = Place::find(tree, name)?.point(tree)?;
            let mut jacobian = DMatrix::zeros(6, tree.num_velocities());
            tree.spatial_jacobian(placed, body, &point, &mut jacobian)?;
            matrix(py, &jacobian)
        })
    }

    /// The centre of mass (3,) in the world, m.
    fn center_of_mass<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> Array1<'py> {
        self.placed(q, None, |stepper, placed| {
            Ok(array1(
                py,
                stepper.tree().center_of_mass(placed)?.as_slice().to_vec(),
            ))
        })
    }

    /// The mass matrix (nv, nv).
    fn mass_matrix<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> Array<'py> {
        self.placed(q, None, |stepper, placed| {
            let nv = stepper.tree().num_velocities();
            let mut mass = DMatrix::zeros(nv, nv);
            stepper.tree().mass_matrix(placed, &mut mass)?;
            matrix(py, &mass)
        })
    }

    /// The forces (nv,) of Coriolis and centrifugal accelerations, without gravity.
    fn bias_forces<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> Array1<'py> {
        self.placed(q, Some(v), |stepper, placed| {
            let mut out = vec![0.0; stepper.tree().num_velocities()];
            stepper.tree().bias_forces(placed, &mut out)?;
            Ok(array1(py, out))
        })
    }

    /// The forces (nv,) of gravity on the coordinates.
    fn gravity_forces<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> Array1<'py> {
        self.placed(q, None, |stepper, placed| {
            let mut out = vec![0.0; stepper.tree().num_velocities()];
            stepper.tree().gravity_forces(placed, &mut out)?;
            Ok(array1(py, out))
        })
    }

    /// The forces (nv,) that give the accelerations ``vdot`` (nv,), of the tree alone: without contact and elements.
    ///
    /// ``external`` (nbodies, 6) are torques about the origins of bodies and forces on them, in the world.
    #[pyo3(signature = (q, v, vdot, external=None))]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        vdot: &Bound<'py, PyAny>,
        external: Option<&Bound<'py, PyAny>>,
    ) -> Array1<'py> {
        self.placed(q, Some(v), |stepper, placed| {
            let tree = stepper.tree();
            let vdot = vector(vdot, "vdot", tree.num_velocities())?;
            let forces = self::external(external, tree)?;
            let mut tau = vec![0.0; vdot.len()];
            tree.inverse_dynamics(placed, &vdot, forces.as_deref(), &mut tau)?;
            Ok(array1(py, tau))
        })
    }

    /// The forces (joints, 6) across the joints when the velocities change at the rate ``vdot`` (nv,), of the tree alone: those
    /// that the inboard body exerts on the outboard one, torque about the origin of that and force, in the axes of the world.
    #[pyo3(signature = (q, v, vdot, external=None))]
    fn joint_reactions<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        vdot: &Bound<'py, PyAny>,
        external: Option<&Bound<'py, PyAny>>,
    ) -> Array<'py> {
        self.placed(q, Some(v), |stepper, placed| {
            let tree = stepper.tree();
            let vdot = vector(vdot, "vdot", tree.num_velocities())?;
            let forces = self::external(external, tree)?;
            let mut across = vec![SpatialForce::zero(); tree.num_joints()];
            tree.joint_reactions(placed, &vdot, forces.as_deref(), &mut across)?;
            let rows = across.iter().flat_map(|f| f.to_vector().data.0[0]);
            array(py, rows.collect(), &[across.len(), 6])
        })
    }

    /// The accelerations (nv,) under the forces ``tau`` (nv,), of the tree alone: without contact and elements.
    #[pyo3(signature = (q, v, tau, external=None))]
    fn forward_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: &Bound<'py, PyAny>,
        external: Option<&Bound<'py, PyAny>>,
    ) -> Array1<'py> {
        self.placed(q, Some(v), |stepper, placed| {
            let tree = stepper.tree();
            let tau = vector(tau, "tau", tree.num_velocities())?;
            let forces = self::external(external, tree)?;
            let mut vdot = vec![0.0; tau.len()];
            tree.forward_dynamics(placed, &tau, forces.as_deref(), &mut vdot)?;
            Ok(array1(py, vdot))
        })
    }

    /// The derivatives of :meth:`inverse_dynamics`.
    #[pyo3(signature = (q, v, vdot, external=None))]
    fn inverse_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        vdot: &Bound<'py, PyAny>,
        external: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<InverseDynamicsDerivatives> {
        self.placed(q, Some(v), |stepper, placed| {
            let tree = stepper.tree();
            let vdot = vector(vdot, "vdot", tree.num_velocities())?;
            let forces = self::external(external, tree)?;
            let mut out = tree.new_inverse_dynamics_derivatives();
            tree.inverse_dynamics_derivatives(placed, &vdot, forces.as_deref(), &mut out)?;
            Ok(InverseDynamicsDerivatives {
                tau: array1(py, out.tau.as_slice().to_vec()).unbind(),
                dtau_dq: matrix(py, &out.dtau_dq)?.unbind(),
                dtau_dv: matrix(py, &out.dtau_dv)?.unbind(),
                dtau_dvdot: matrix(py, &out.mass_matrix)?.unbind(),
            })
        })
    }

    /// The derivatives of :meth:`forward_dynamics`.
    #[pyo3(signature = (q, v, tau, external=None))]
    fn forward_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: &Bound<'py, PyAny>,
        external: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<ForwardDynamicsDerivatives> {
        self.placed(q, Some(v), |stepper, placed| {
            let tree = stepper.tree();
            let tau = vector(tau, "tau", tree.num_velocities())?;
            let forces = self::external(external, tree)?;
            let mut out = tree.new_forward_dynamics_derivatives();
            tree.forward_dynamics_derivatives(placed, &tau, forces.as_deref(), &mut out)?;
            Ok(ForwardDynamicsDerivatives {
                vdot: array1(py, out.vdot.as_slice().to_vec()).unbind(),
                dvdot_dq: matrix(py, &out.dvdot_dq)?.unbind(),
                dvdot_dv: matrix(py, &out.dvdot_dv)?.unbind(),
                dvdot_dtau: matrix(py, &out.inverse_mass_matrix)?.unbind(),
            })
        })
    }

    /// The matrix (nv, np) that takes :attr:`standard_parameters` to the forces of :meth:`inverse_dynamics` and those of
    /// damping and dry friction of joints.
    fn regressor<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        vdot: &Bound<'py, PyAny>,
    ) -> Array<'py> {
        self.placed(q, Some(v), |stepper, placed| {
            let tree = stepper.tree();
            let vdot = vector(vdot, "vdot", tree.num_velocities())?;
            let mut out = DMatrix::zeros(tree.num_velocities(), tree.num_standard_parameters());
            tree.torque_regressor(placed, &vdot, &mut out)?;
            matrix(py, &out)
        })
    }

    /// The parameters in which forces are linear, by name, in the order of the columns of :meth:`regressor`.
    #[getter]
    fn standard_parameters<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        for parameter in self.stepper().tree().standard_parameters() {
            parameters.set_item(parameter.name, parameter.value)?;
        }
        Ok(parameters)
    }

    /// The kinetic energy in J.
    fn kinetic_energy(&self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> Outcome<f64> {
        self.placed(q, Some(v), |stepper, placed| {
            Ok(stepper.tree().kinetic_energy(placed)?)
        })
    }

    /// The potential energy of gravity in J, zero at the origin.
    fn potential_energy(&self, q: &Bound<'_, PyAny>) -> Outcome<f64> {
        self.placed(q, None, |stepper, placed| {
            Ok(stepper.tree().potential_energy(placed)?)
        })
    }

    /// The points at which bodies overlap, or are nearer to each other than ``margin`` in m: a list of
    /// ``(body, body, position (3,), normal (3,), penetration)``, the normal from the second into the first.
    #[pyo3(signature = (q, margin=0.0))]
    #[allow(clippy::type_complexity)]
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        margin: f64,
    ) -> Outcome<
        Vec<(
            String,
            String,
            Bound<'py, PyArray1<f64>>,
            Bound<'py, PyArray1<f64>>,
            f64,
        )>,
    > {
        self.placed(q, None, |stepper, placed| {
            let tree = stepper.tree();
            let points = stepper.contact().contacts(tree, placed, margin)?;
            let list = points.iter().map(|point| {
                let name =
                    |body| Ok::<_, crate::error::Failure>(tree.body(body)?.name().to_owned());
                let [position, normal] =
                    [point.position, point.normal()].map(|v| array1(py, v.as_slice().to_vec()));
                Ok((
                    name(point.body_a)?,
                    name(point.body_b)?,
                    position,
                    normal,
                    point.penetration,
                ))
            });
            list.collect()
        })
    }
}
