//! A machine in steps.

use crate::array::{array1, vector, vector_or_zeros};
use crate::derivatives::borrowed;
use crate::error::{Failure, Outcome};
use crate::parameters::Parameters;
use crate::random::{quaternion, within};
use crate::source::{self, Reading};
use dualbody::Parameters as _;
use dualbody::Random;
use dualbody::nalgebra::DVector;
use dualbody::scene::Scene;
use dualbody::system::{
    Batch, State, StepDifferentiator, StepWorkspace, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{JointKind, TreeWorkspace};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The machine of the library.
pub type Stepper = TimeSteppingRigidBodySystem<f64>;

/// Memory that is kept for the next call.
const KEPT: usize = 16;

/// A machine of rigid bodies with contact, in steps of fixed length.
///
/// A state is an array ``x = [q, v, a, s]`` of ``nx`` entries: positions (``nq``), velocities (``nv``), states of actuators
/// (``na``) and of sensors (``ns``). Units are SI; quaternions are w, x, y, z; a body that floats has ``q = [quaternion,
/// position]`` and ``v = [angular velocity, velocity]`` in the world. All arrays are of ``float64``.
///
/// ``System(json)`` reads what :meth:`to_json` has written; ``start`` (nq,) is where it then starts, ``configurations`` are
/// positions (nq,) by name.
#[pyclass(frozen, module = "dualbody", subclass)]
pub struct System {
    stepper: RwLock<Arc<Stepper>>,
    steps: Pool<StepWorkspace<f64>>,
    trees: Pool<TreeWorkspace<f64>>,
    differentiators: Pool<(Vec<String>, StepDifferentiator)>,
    batches: Pool<Batch>,
    notes: Vec<String>,
    /// Where it stands before anything happens.
    start: Vec<f64>,
    /// Positions by name.
    configurations: Vec<(String, Vec<f64>)>,
}

/// Memory of calls on one machine, in boxes, because it is large and moved.
struct Pool<M>(Mutex<Vec<(Arc<Stepper>, Box<M>)>>);

impl<M> Pool<M> {
    fn take(&self, stepper: &Arc<Stepper>) -> Option<Box<M>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, _)| Arc::ptr_eq(of, stepper))?;
        Some(kept.swap_remove(at).1)
    }

    fn give(&self, stepper: &Arc<Stepper>, memory: Box<M>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, _)| Arc::ptr_eq(of, stepper));
        if kept.len() < KEPT {
            kept.push((stepper.clone(), memory));
        }
    }

    fn clear(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

impl System {
    pub fn new(stepper: Stepper, start: Option<Vec<f64>>, notes: Vec<String>) -> Self {
        let start = start.unwrap_or_else(|| stepper.initial_state().q.as_slice().to_vec());
        System {
            stepper: RwLock::new(Arc::new(stepper)),
            steps: Pool(Mutex::default()),
            trees: Pool(Mutex::default()),
            differentiators: Pool(Mutex::default()),
            batches: Pool(Mutex::default()),
            notes,
            start,
            configurations: Vec::new(),
        }
    }

    /// The same with positions (nq) by name.
    pub fn with_configurations(self, configurations: Vec<(String, Vec<f64>)>) -> Self {
        System {
            configurations,
            ..self
        }
    }

    /// The machine as it is now.
    pub fn stepper(&self) -> Arc<Stepper> {
        self.stepper
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The same with another machine.
    pub fn with(&self, stepper: Stepper) -> Self {
        System::new(stepper, Some(self.start.clone()), self.notes.clone())
            .with_configurations(self.configurations.clone())
    }

    /// Sets all, or none.
    pub fn set_parameters(&self, values: &[(String, f64)]) -> Outcome<()> {
        self.steps.clear();
        self.trees.clear();
        self.differentiators.clear();
        self.batches.clear();
        let mut stepper = self.stepper.write().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<&String> = values.iter().map(|(name, _)| name).collect();
        let indices = stepper.parameter_indices(&names)?;
        for (&index, (name, _)) in (indices.iter().zip(values)).filter(|(_, (_, x))| *x != 0.0) {
            check_acts(&stepper, name, index)?;
        }
        let values: Vec<_> = indices
            .into_iter()
            .zip(values.iter().map(|(_, value)| *value))
            .collect();
        Ok(Arc::make_mut(&mut stepper).set_parameters(&values)?)
    }

    /// Does something with memory for steps.
    pub fn with_steps<R>(
        &self,
        stepper: &Arc<Stepper>,
        act: impl FnOnce(&mut StepWorkspace<f64>) -> Outcome<R>,
    ) -> Outcome<R> {
        let kept = self.steps.take(stepper);
        let new = || stepper.workspace().map(Box::new);
        let mut workspace = kept.map_or_else(new, Ok)?;
        let done = act(&mut workspace);
        self.steps.give(stepper, workspace);
        done
    }

    /// Does something with what differentiates steps by the parameters of these names.
    pub fn with_differentiator<R>(
        &self,
        stepper: &Arc<Stepper>,
        names: &[String],
        act: impl FnOnce(&mut StepDifferentiator) -> Outcome<R>,
    ) -> Outcome<R> {
        let kept = self.differentiators.take(stepper);
        let kept = kept.filter(|kept| kept.0 == names);
        let new = || {
            let differentiator = StepDifferentiator::new(stepper, &borrowed(names))?;
            Ok::<_, Failure>(Box::new((names.to_vec(), differentiator)))
        };
        let mut kept = kept.map_or_else(new, Ok)?;
        let done = act(&mut kept.1);
        self.differentiators.give(stepper, kept);
        done
    }

    /// Does something with a batch of one, of which derivatives are taken by the parameters of these names.
    pub fn with_batch<R>(
        &self,
        stepper: &Arc<Stepper>,
        names: &[String],
        act: impl FnOnce(&mut Batch) -> Outcome<R>,
    ) -> Outcome<R> {
        let kept = self.batches.take(stepper);
        let new = || Batch::new(stepper, &[]).map(Box::new);
        let mut batch = kept.map_or_else(new, Ok)?;
        batch.select(&borrowed(names), &[])?;
        let done = act(&mut batch);
        self.batches.give(stepper, batch);
        done
    }

    /// Does something with memory of the tree.
    pub fn with_tree<R>(
        &self,
        stepper: &Arc<Stepper>,
        act: impl FnOnce(&mut TreeWorkspace<f64>) -> Outcome<R>,
    ) -> Outcome<R> {
        let kept = self.trees.take(stepper);
        let mut workspace = kept.unwrap_or_else(|| Box::new(stepper.tree().workspace()));
        let done = act(&mut workspace);
        self.trees.give(stepper, workspace);
        done
    }
}

/// Number of entries of a state.
pub fn state_size(stepper: &Stepper) -> usize {
    let sizes = [
        stepper.tree().num_positions(),
        stepper.tree().num_velocities(),
    ];
    let start = stepper.initial_state();
    sizes.iter().sum::<usize>() + start.actuators.len() + start.sensors.len()
}

/// The state of these entries.
pub fn state_of(stepper: &Stepper, entries: &[f64], time: f64) -> State<f64> {
    let (nq, nv) = (
        stepper.tree().num_positions(),
        stepper.tree().num_velocities(),
    );
    let mut state = stepper.initial_state();
    let na = state.actuators.len();
    let (q, rest) = entries.split_at(nq);
    let (v, rest) = rest.split_at(nv);
    let (a, s) = rest.split_at(na);
    state.q.copy_from_slice(q);
    state.v.copy_from_slice(v);
    state.actuators.copy_from_slice(a);
    state.sensors.copy_from_slice(s);
    state.time = time;
    state
}

/// The entries of a state.
pub fn entries(state: &State<f64>) -> impl Iterator<Item = f64> + '_ {
    state.iter().skip(1).copied()
}

/// Refuses dry friction of a joint, a parameter of this name, in a machine whose file has none, and in whose steps none acts.
pub fn check_acts(stepper: &Stepper, name: &str, index: usize) -> Outcome<()> {
    if !name.ends_with("friction") {
        return Ok(());
    }
    let listed = stepper.parameters();
    let name = &listed[index].name;
    let is_friction = name.starts_with("joint/") && name.ends_with("/friction");
    if is_friction && !listed.iter().any(|p| p.name.ends_with("friction/speed")) {
        return Err(Failure::argument(format!(
            "{name}: no dry friction acts in this system, give a joint some in its file (friction of a URDF, frictionloss of an MJCF)"
        )));
    }
    Ok(())
}

/// What [`System::of_text`] takes.
type NewArguments<'py> = (String, Vec<f64>, Bound<'py, PyDict>, Vec<String>);

#[pymethods]
impl System {
    #[new]
    #[pyo3(signature = (json, start=None, configurations=None, notes=vec![]))]
    fn of_text(
        py: Python<'_>,
        json: &str,
        start: Option<&Bound<'_, PyAny>>,
        configurations: Option<&Bound<'_, PyDict>>,
        notes: Vec<String>,
    ) -> Outcome<Self> {
        let mut system = py.detach(|| source::json_text(json))?;
        system.notes = notes;
        let nq = system.start.len();
        if let Some(start) = start {
            system.start = vector(start, "start", nq)?;
        }
        for (name, q) in configurations.into_iter().flatten() {
            let name: String = name.extract()?;
            let q = vector(&q, &name, nq)?;
            system.configurations.push((name, q));
        }
        Ok(system)
    }

    /// Reads a robot description.
    ///
    /// ``source`` is a path, or a text that starts with ``<``. ``base`` is ``"fixed"``, ``"floating"``, or as the robot asks
    /// for. ``floor`` puts it on the ground z = 0 with this coefficient of friction, where a robot that floats starts with its lowest
    /// point. ``drive`` says what its inputs are:
    /// ``"joints"``, a torque (N m) or force (N) at each joint of one coordinate; ``"all"``, a force on every velocity
    /// coordinate; ``"none"``. ``self_contact`` lets its bodies touch each other, but for those that overlap at zero.
    /// ``scheme`` is ``"compliant"``, ``"rigid"``, ``"continuous"``, ``"rk4"``, ``"midpoint"`` or ``"radau3"``; ``time_step`` is in
    /// s. ``lenient`` mends what can be mended; :attr:`notes` says what.
    #[staticmethod]
    #[pyo3(signature = (source, *, base=None, floor=None, drive="joints", self_contact=false, mesh_folders=vec![], lenient=false, scheme="compliant", time_step=1e-3))]
    #[allow(clippy::too_many_arguments)]
    fn from_urdf(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        base: Option<&str>,
        floor: Option<f64>,
        drive: &str,
        self_contact: bool,
        mesh_folders: Vec<PathBuf>,
        lenient: bool,
        scheme: &str,
        time_step: f64,
    ) -> Outcome<Self> {
        let reading = Reading::of(source)?;
        py.detach(|| {
            let options = source::UrdfOptions {
                base,
                floor,
                drive,
                self_contact,
                mesh_folders,
                lenient,
            };
            source::urdf(&reading, &options, scheme, time_step)
        })
    }

    /// Reads a model of MuJoCo: a path, or a text that starts with ``<``.
    ///
    /// The time step is that of the model unless one is given in s. ``lenient`` leaves out bodies that are not read.
    #[staticmethod]
    #[pyo3(signature = (source, *, lenient=false, scheme="compliant", time_step=None))]
    fn from_mjcf(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        lenient: bool,
        scheme: &str,
        time_step: Option<f64>,
    ) -> Outcome<Self> {
        let reading = Reading::of(source)?;
        py.detach(|| source::mjcf(&reading, lenient, scheme, time_step))
    }

    /// Reads a machine of this library: a path, or a text that starts with ``{``.
    #[staticmethod]
    fn from_json(py: Python<'_>, source: &Bound<'_, PyAny>) -> Outcome<Self> {
        let reading = Reading::of(source)?;
        py.detach(|| source::json(&reading))
    }

    /// The machine as JSON; :meth:`from_json` brings back every bit.
    fn to_json(&self, py: Python<'_>) -> Outcome<String> {
        let stepper = self.stepper();
        py.detach(|| Ok(stepper.to_json()?))
    }

    /// Writes the machine as JSON, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> Outcome<()> {
        let stepper = self.stepper();
        py.detach(|| Ok(stepper.save(path)?))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> Outcome<NewArguments<'py>> {
        let (configurations, notes) = (self.configurations(py)?, self.notes.clone());
        Ok((self.to_json(py)?, self.start.clone(), configurations, notes))
    }

    /// A copy, with parameters of its own.
    fn copy(&self) -> Self {
        self.with((*self.stepper()).clone())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// A copy with other values of parameters.
    fn with_parameters(&self, values: &Bound<'_, PyDict>) -> Outcome<Self> {
        let list = values
            .iter()
            .map(|(name, value)| Ok((name.extract()?, value.extract()?)));
        let list = list.collect::<PyResult<Vec<(String, f64)>>>()?;
        let copy = self.copy();
        copy.set_parameters(&list)?;
        Ok(copy)
    }

    fn __repr__(&self) -> String {
        let stepper = self.stepper();
        format!(
            "<dualbody.System: {} bodies, nq={}, nv={}, nu={}, ny={}, {} parameters, {:?} steps of {} s>",
            stepper.tree().num_bodies() - 1,
            stepper.tree().num_positions(),
            stepper.tree().num_velocities(),
            stepper.num_inputs(),
            stepper.num_outputs(),
            stepper.parameters().len(),
            stepper.scheme(),
            stepper.time_step(),
        )
    }

    /// The machine at its initial state, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> Outcome<String> {
        let stepper = self.stepper();
        let x = self.start_entries(&stepper);
        let page = py.detach(|| {
            let state = state_of(&stepper, &x, 0.0);
            Ok::<_, Failure>(Scene::of_states(&stepper, &[state])?.html())
        })?;
        Ok(crate::rollout::frame(&page))
    }

    /// What was left out, mended, or needs attention when it was read.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Configurations (nq,) by name: the key frames of an MJCF.
    #[getter]
    fn configurations<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let by_name = PyDict::new(py);
        for (name, q) in &self.configurations {
            by_name.set_item(name, array1(py, q.clone()))?;
        }
        Ok(by_name)
    }

    /// Number of position coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.stepper().tree().num_positions()
    }

    /// Number of velocity coordinates.
    #[getter]
    fn nv(&self) -> usize {
        self.stepper().tree().num_velocities()
    }

    /// Number of states of actuators.
    #[getter]
    fn na(&self) -> usize {
        self.stepper().initial_state().actuators.len()
    }

    /// Number of states of sensors.
    #[getter]
    fn ns(&self) -> usize {
        self.stepper().initial_state().sensors.len()
    }

    /// Number of entries of a state.
    #[getter]
    fn nx(&self) -> usize {
        state_size(&self.stepper())
    }

    /// Number of inputs.
    #[getter]
    fn nu(&self) -> usize {
        self.stepper().num_inputs()
    }

    /// Number of outputs.
    #[getter]
    fn ny(&self) -> usize {
        self.stepper().num_outputs()
    }

    /// Length of a step in s.
    #[getter]
    fn time_step(&self) -> f64 {
        self.stepper().time_step()
    }

    /// How steps are made.
    #[getter]
    fn scheme(&self) -> String {
        source::scheme_name(self.stepper().scheme()).to_owned()
    }

    /// The longest time step in s for what depends on impacts, if there are any.
    #[getter]
    fn recommended_time_step(&self) -> Option<f64> {
        self.stepper()
            .recommended_time_step()
            .map(|step| step.time_step)
    }

    /// The mass of all bodies in kg.
    #[getter]
    fn total_mass(&self) -> f64 {
        self.stepper().tree().total_mass()
    }

    /// Names of the bodies, the world first.
    #[getter]
    fn body_names(&self) -> Vec<String> {
        self.stepper()
            .tree()
            .bodies()
            .map(|body| body.name().to_owned())
            .collect()
    }

    /// Names of the joints, those too that weld bodies and have no coordinates, in the order of ``joint_reactions``.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.stepper()
            .tree()
            .joints()
            .map(|joint| joint.name().to_owned())
            .collect()
    }

    /// Names of the frames: sites of an MJCF.
    #[getter]
    fn frame_names(&self) -> Vec<String> {
        self.stepper()
            .tree()
            .frames()
            .map(|frame| frame.name().to_owned())
            .collect()
    }

    /// Names of the collision geometries.
    #[getter]
    fn geometry_names(&self) -> Vec<String> {
        self.stepper()
            .contact()
            .geometries()
            .iter()
            .map(|geometry| geometry.name.clone())
            .collect()
    }

    /// Names of the inputs, in their order.
    #[getter]
    fn input_names(&self) -> Vec<String> {
        self.stepper().input_names()
    }

    /// Names of the outputs, in their order.
    #[getter]
    fn output_names(&self) -> Vec<String> {
        self.stepper().output_names()
    }

    /// Where the coordinates of a joint are in ``q`` and in ``v``: two slices.
    fn joint_slices<'py>(
        &self,
        py: Python<'py>,
        joint: &str,
    ) -> Outcome<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let stepper = self.stepper();
        let joint = stepper.tree().joint(stepper.tree().joint_by_name(joint)?)?;
        let slice = py.import("builtins")?.getattr("slice")?;
        let (q, v) = (joint.position_start(), joint.velocity_start());
        Ok((
            slice.call1((q, q + joint.num_positions()))?,
            slice.call1((v, v + joint.num_velocities()))?,
        ))
    }

    /// The parameters, a mapping that is read and written.
    #[getter]
    fn parameters(slf: Py<Self>) -> Parameters {
        Parameters::of(slf)
    }

    /// The configuration in which all coordinates are zero and quaternions turn nothing: (nq,).
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array1(
            py,
            self.stepper()
                .tree()
                .neutral_configuration()
                .as_slice()
                .to_vec(),
        )
    }

    /// The state to start from, (nx,): at rest where the file says, else at zero.
    fn initial_state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array1(py, self.start_entries(&self.stepper()))
    }

    /// A state (nx,) of these positions (nq,) and velocities (nv,), with the rest as at the start.
    #[pyo3(signature = (q=None, v=None))]
    fn state<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'py, PyAny>>,
        v: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let (nq, nv) = (
            stepper.tree().num_positions(),
            stepper.tree().num_velocities(),
        );
        let mut x = self.start_entries(&stepper);
        if let Some(q) = q {
            x[..nq].copy_from_slice(&vector(q, "q", nq)?);
        }
        if let Some(v) = v {
            x[nq..nq + nv].copy_from_slice(&vector(v, "v", nv)?);
        }
        Ok(array1(py, x))
    }

    /// A configuration (nq,) drawn evenly within the limits of the joints, the same for the same seed.
    ///
    /// Where there are no limits angles are within half a turn, lengths within 1 m, and orientations are even.
    #[pyo3(signature = (seed=0))]
    fn random_configuration<'py>(&self, py: Python<'py>, seed: u64) -> Bound<'py, PyArray1<f64>> {
        let stepper = self.stepper();
        let mut random = Random::new(seed);
        let mut q = stepper.tree().neutral_configuration();
        for joint in stepper
            .tree()
            .joints()
            .filter(|joint| joint.mimic().is_none())
        {
            let own = &mut q.as_mut_slice()[joint.position_start()..][..joint.num_positions()];
            if joint.kind().has_quaternion() {
                let quaternion = quaternion(&mut random);
                own[..4].copy_from_slice(&quaternion);
                own[4..]
                    .iter_mut()
                    .for_each(|x| *x = within(&mut random, -1.0, 1.0));
                continue;
            }
            let reach = |k: usize| match (joint.kind(), k) {
                (JointKind::Prismatic { .. }, _) | (JointKind::Planar { .. }, 0 | 1) => 1.0,
                _ => std::f64::consts::PI,
            };
            let limits = joint.limits();
            for (k, x) in own.iter_mut().enumerate() {
                let limit = |limits: &[f64], default: f64| {
                    limits
                        .get(k)
                        .copied()
                        .filter(|x| x.is_finite())
                        .unwrap_or(default)
                };
                let lower = limit(&limits.lower, -reach(k));
                let upper = limit(&limits.upper, reach(k));
                *x = within(&mut random, lower.min(upper), upper);
            }
        }
        array1(py, q.as_slice().to_vec())
    }

    /// The configuration (nq,) that a velocity ``v`` (nv,) leads to from ``q`` in ``dt`` seconds.
    #[pyo3(signature = (q, v, dt=1.0))]
    fn integrate<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        dt: f64,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let tree = stepper.tree();
        let q = vector(q, "q", tree.num_positions())?;
        let v = vector(v, "v", tree.num_velocities())?;
        let mut out = vec![0.0; q.len()];
        tree.integrate_exponential(&q, &v, dt, &mut out)?;
        Ok(array1(py, out))
    }

    /// The velocity (nv,) that leads from one configuration to another in 1 s.
    fn difference<'py>(
        &self,
        py: Python<'py>,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let tree = stepper.tree();
        let (q0, q1) = (
            vector(q0, "q0", tree.num_positions())?,
            vector(q1, "q1", tree.num_positions())?,
        );
        let mut out = vec![0.0; tree.num_velocities()];
        tree.difference(&q0, &q1, &mut out)?;
        Ok(array1(py, out))
    }

    /// The state (nx,) after a step from the state ``x`` (nx,) with the inputs ``u`` (nu,), zero if not given.
    #[pyo3(signature = (x, u=None, *, time=0.0))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        time: f64,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let (state, input) = self.at(&stepper, x, u, time)?;
        let next = py.detach(|| {
            self.with_steps(&stepper, |workspace| {
                let step = stepper.step(workspace, &state, &input)?;
                Ok(entries(step.state()).collect::<Vec<_>>())
            })
        })?;
        Ok(array1(py, next))
    }

    /// The outputs (ny,) of the step from the state ``x`` (nx,) with the inputs ``u`` (nu,).
    #[pyo3(signature = (x, u=None, *, time=0.0))]
    fn output<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        time: f64,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let (state, input) = self.at(&stepper, x, u, time)?;
        let output = py.detach(|| {
            self.with_steps(&stepper, |workspace| {
                Ok(stepper
                    .step(workspace, &state, &input)?
                    .output()
                    .as_slice()
                    .to_vec())
            })
        })?;
        Ok(array1(py, output))
    }

    /// The state (nx,) at rest that is found from ``x`` (nx,) with the inputs ``u`` (nu,): accelerations are below the
    /// tolerance, in rad/s² and m/s².
    #[pyo3(signature = (x, u=None, *, tolerance=1e-9))]
    fn equilibrium<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        tolerance: f64,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let (state, input) = self.at(&stepper, x, u, 0.0)?;
        let found = py.detach(|| stepper.equilibrium(&state, &input, tolerance))?;
        Ok(array1(py, entries(&found).collect()))
    }
}

impl System {
    /// The entries of the state to start from.
    pub fn start_entries(&self, stepper: &Stepper) -> Vec<f64> {
        let mut state = stepper.initial_state();
        state.q = DVector::from_column_slice(&self.start);
        entries(&state).collect()
    }

    /// A state and inputs from arrays.
    pub fn at(
        &self,
        stepper: &Stepper,
        x: &Bound<'_, PyAny>,
        u: Option<&Bound<'_, PyAny>>,
        time: f64,
    ) -> Outcome<(State<f64>, Vec<f64>)> {
        let x = vector(x, "x", state_size(stepper))?;
        let input = vector_or_zeros(u, "u", stepper.num_inputs())?;
        Ok((state_of(stepper, &x, time), input))
    }
}
