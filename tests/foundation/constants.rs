//! Elements outside the crate whose casts, parameters and checks come from `constants!`.

use dualbody::actuator::{Actuator, Propeller};
use dualbody::constants::{Constant, Domain};
use dualbody::constraint::{ConstraintError, ConstraintRows, TreeConstraint};
use dualbody::force::{BodyPoint, ForceContext, ForceElement, ForceError, Forces};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::parameter::Parameter;
use dualbody::sensor::{Sensor, SensorContext, SensorError};
use dualbody::tree::{BodyIndex, FrameIndex, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace};
use dualbody::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;
use num_dual::Dual64;
use std::fmt;

/// A fluid, as a part of several elements.
#[derive(Debug, Clone, PartialEq)]
struct Fluid<T> {
    label: &'static str,
    density: T,
    temperature: T,
}

impl<T: Scalar> Fluid<T> {
    constants! { struct Fluid, checked by check_temperature {
        label;
        density: not_negative("kg/m³");
        temperature: any("K");
    } }

    fn check_temperature(&self) -> Result<(), InvalidInput> {
        let valid = |x: f64| x > 0.0;
        InvalidInput::check_range("temperature", &[self.temperature], "above zero", valid)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Medium {
    Air,
    Water,
}

impl Medium {
    fn unit(&self) -> &'static str {
        match self {
            Medium::Air => "m/s",
            Medium::Water => "kn",
        }
    }
}

/// A field of every kind.
#[derive(Debug, Clone, PartialEq)]
struct Everything<T> {
    name: String,
    body: BodyIndex,
    medium: Medium,
    fluid: Fluid<T>,
    stream: Vector3<T>,
    limit: Option<T>,
    time_constant: T,
    efficiency: T,
    stop: T,
    gains: [T; 2],
    coefficients: Vec<T>,
    normal: Vector3<T>,
    point: BodyPoint<T>,
}

impl<T: Scalar> Everything<T> {
    fn check_normal(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        tree.body(self.body)?;
        InvalidInput::check_range("normal", self.normal.as_slice(), "at most 1", |x| x <= 1.0)?;
        Ok(())
    }
}

impl<T: Scalar> ForceElement<T> for Everything<T> {
    constants! { ForceElement for Everything, checked by check_normal {
        name;
        body: in_tree;
        medium;
        fluid: nested;
        stream: any(medium.unit());
        limit: not_negative("N");
        time_constant: positive("s");
        efficiency: between("1", 0.0, 1.0);
        stop: extended("m");
        gains: any("1");
        coefficients: any("1");
        normal: value;
        point: any("m") in_tree;
    } }

    fn add_forces(&self, _: &ForceContext<'_, T>, _: &mut Forces<T>) -> Result<(), ForceError> {
        Ok(())
    }
}

fn tree<T: Scalar>() -> RigidBodyTree<T> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(T::one(), T::one());
    builder.add_body("ball", inertia).unwrap();
    builder.finish().unwrap()
}

fn everything<T: Scalar>() -> Everything<T> {
    let body = tree::<T>().body_by_name("ball").unwrap();
    Everything {
        name: "it".into(),
        body,
        medium: Medium::Water,
        fluid: Fluid {
            label: "brine",
            density: T::from(1.0),
            temperature: T::from(2.0),
        },
        stream: Vector3::new(3.0, 4.0, 5.0).map(T::from),
        limit: Some(T::from(6.0)),
        time_constant: T::from(7.0),
        efficiency: T::from(0.5),
        stop: T::from(f64::INFINITY),
        gains: [8.0, 9.0].map(T::from),
        coefficients: vec![T::from(10.0)],
        normal: Vector3::new(0.5, 0.25, 0.125).map(T::from),
        point: BodyPoint::new(body, Vector3::new(11.0, 12.0, 13.0).map(T::from)),
    }
}

type Row = (String, &'static str, f64, f64, f64);

fn rows(visit: impl FnOnce(&mut dyn FnMut(Parameter<'_, f64>))) -> Vec<Row> {
    let mut rows = Vec::new();
    visit(&mut |p| rows.push((p.name.to_string(), p.unit, p.lower, p.upper, *p.value)));
    rows
}

#[test]
fn parameters_are_listed_in_the_order_of_the_fields() {
    let inf = f64::INFINITY;
    let mut element = everything::<f64>();
    let listed = rows(|visit| element.visit_parameters(visit));
    let expected = [
        ("it/density", "kg/m³", 0.0, inf, 1.0),
        ("it/temperature", "K", -inf, inf, 2.0),
        ("it/stream/x", "kn", -inf, inf, 3.0),
        ("it/stream/y", "kn", -inf, inf, 4.0),
        ("it/stream/z", "kn", -inf, inf, 5.0),
        ("it/limit", "N", 0.0, inf, 6.0),
        ("it/time_constant", "s", f64::MIN_POSITIVE, inf, 7.0),
        ("it/efficiency", "1", 0.0, 1.0, 0.5),
        ("it/stop", "m", -inf, inf, inf),
        ("it/gains/0", "1", -inf, inf, 8.0),
        ("it/gains/1", "1", -inf, inf, 9.0),
        ("it/coefficients/0", "1", -inf, inf, 10.0),
        ("it/point/x", "m", -inf, inf, 11.0),
        ("it/point/y", "m", -inf, inf, 12.0),
        ("it/point/z", "m", -inf, inf, 13.0),
    ];
    let listed: Vec<_> = (listed.iter())
        .map(|(n, u, l, h, x)| (n.as_str(), *u, *l, *h, *x))
        .collect();
    assert_eq!(listed, expected);

    element.limit = None;
    element.medium = Medium::Air;
    let listed = rows(|visit| element.visit_parameters(visit));
    assert_eq!(listed.len(), expected.len() - 1);
    assert_eq!(listed[2].1, "m/s");
    assert_eq!(element.name(), "it");
}

#[test]
fn a_cast_keeps_every_real_part_and_no_derivative() {
    let mut element = everything::<Dual64>();
    element.visit_parameters(&mut |p| p.value.eps = 1.0);
    element.normal.x.eps = 1.0;
    assert_eq!(ForceElement::cast::<f64>(&element), everything());
    let again: Everything<Dual64> = ForceElement::cast(&element);
    assert_eq!(again, everything());
    let mut again = again;
    again.visit_parameters(&mut |p| assert_eq!(p.value.eps, 0.0));
    assert_eq!(again.normal.x.eps, 0.0);
}

#[test]
fn every_constant_is_checked() {
    type Spoil = fn(&mut Everything<f64>);
    let tree = tree::<f64>();
    everything::<f64>().validate(&tree).unwrap();
    let cases: [(Spoil, &str); 13] = [
        (|e| e.fluid.density = -1.0, "density"),
        (|e| e.fluid.temperature = f64::NAN, "temperature"),
        (|e| e.fluid.temperature = -1.0, "above zero"),
        (|e| e.stream.y = f64::INFINITY, "stream[1]"),
        (|e| e.limit = Some(-1.0), "limit"),
        (|e| e.time_constant = 0.0, "time_constant"),
        (|e| e.efficiency = 1.5, "efficiency"),
        (|e| e.stop = f64::NAN, "stop"),
        (|e| e.gains[1] = f64::NAN, "gains[1]"),
        (|e| e.coefficients.push(f64::INFINITY), "coefficients[1]"),
        (|e| e.normal.z = f64::NAN, "normal[2]"),
        (|e| e.point.position.x = f64::NAN, "point"),
        (|e| e.normal.z = 2.0, "at most 1"),
    ];
    for (spoil, expected) in cases {
        let mut element = everything();
        spoil(&mut element);
        let text = element.validate(&tree).unwrap_err().to_string();
        assert!(text.contains(expected), "{text} lacks {expected}");
    }
    let empty = RigidBodyTreeBuilder::<f64>::new().finish().unwrap();
    assert!(matches!(
        everything().validate(&empty),
        Err(ForceError::Tree(_))
    ));
    let mut element = everything();
    element.body = BodyIndex::WORLD;
    assert!(matches!(element.validate(&empty), Err(ForceError::Tree(_))));
    element.point.body = BodyIndex::WORLD;
    element.validate(&empty).unwrap();

    let mut element = everything();
    element.limit = Some(-2.0);
    let source = InvalidInput::OutOfRange {
        quantity: "limit",
        index: None,
        value: -2.0,
        expected: "a finite number, not negative",
    };
    let name = "it".to_owned();
    let invalid = ForceError::InvalidElement { name, source };
    assert_eq!(element.validate(&tree), Err(invalid));
}

/// Holds another actuator, and has no field for its name.
#[derive(Debug, Clone)]
struct Geared<T, A> {
    ratio: T,
    frames: Vec<FrameIndex>,
    actuator: A,
}

impl<T: Scalar, A: Actuator<T>> Actuator<T> for Geared<T, A> {
    constants! { Actuator for Geared as Geared<U, A::Cast<U>>, named "gear" {
        ratio: positive("1");
        frames: in_tree;
        actuator: element;
    } }

    fn num_inputs(&self) -> usize {
        self.actuator.num_inputs()
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        self.actuator.visit_input_names(visit);
    }

    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        _: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct Thermometer<T> {
    name: String,
    fluid: Fluid<T>,
}

impl<T: Scalar> Sensor<T> for Thermometer<T> {
    constants! { Sensor for Thermometer {
        name;
        fluid: nested;
    } }

    fn num_outputs(&self) -> usize {
        1
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/temperature", self.name));
    }

    fn measure(
        &self,
        _: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        out[0] = self.fluid.temperature;
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct Rod<T> {
    body: BodyIndex,
    length: T,
}

impl<T: Scalar> Rod<T> {
    constants! { struct Rod {
        body;
        length: positive("m");
    } }
}

/// Constants whose unit the constraint knows.
#[derive(Debug, Clone)]
struct Stretch<T> {
    rate: T,
}

impl<T: Scalar> Stretch<T> {
    fn cast<U: Scalar>(&self) -> Stretch<U> {
        let rate = U::from(self.rate.re());
        Stretch { rate }
    }

    fn visit_parameters(
        &mut self,
        prefix: &str,
        unit: &'static str,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let name = format_args!("{prefix}/rate");
        self.rate.visit(name, unit, Domain::ANY, visit);
    }

    fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::check_finite("rate", &[self.rate])
    }
}

#[derive(Debug, Clone)]
struct Tied<T> {
    name: String,
    unit: &'static str,
    frames: [FrameIndex; 1],
    rod: Rod<T>,
    stretch: Stretch<T>,
    lowest: T,
    highest: T,
}

impl<T: Scalar> Tied<T> {
    fn check_order(&self, _: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        let in_order = |x| x <= self.highest.re();
        InvalidInput::check_range("lowest", &[self.lowest], "not above the highest", in_order)
            .map_err(ConstraintError::invalid(&self.name))
    }
}

impl<T: Scalar> TreeConstraint<T> for Tied<T> {
    constants! { TreeConstraint for Tied, checked by check_order {
        name;
        unit;
        frames: in_tree;
        rod: nested;
        stretch: nested(unit);
        lowest: unchecked("m");
        highest: unchecked("m", 0.0, 1.0);
    } }

    fn num_rows(&self) -> usize {
        0
    }

    fn evaluate(
        &self,
        _: &RigidBodyTree<T>,
        _: &TreeWorkspace<T>,
        _: T,
        _: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        Ok(())
    }
}

/// The names of the parameters of an element, and whether it is valid.
fn names(visit: impl FnOnce(&mut dyn FnMut(Parameter<'_, f64>))) -> Vec<String> {
    rows(visit).into_iter().map(|row| row.0).collect()
}

#[test]
fn an_actuator_that_holds_another_lists_and_checks_both() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let ball = builder
        .add_body("ball", SpatialInertia::solid_sphere(1.0, 1.0))
        .unwrap();
    let frame = builder
        .add_frame("rotor", ball, RigidTransform::identity())
        .unwrap();
    let with_frame = builder.finish().unwrap();
    let without = tree::<f64>();
    let actuator = Propeller::new("fan", &with_frame, frame, 1.0, 0.1).unwrap();
    let mut geared = Geared {
        ratio: 2.0,
        frames: vec![frame],
        actuator,
    };
    let listed = names(|visit| Actuator::visit_parameters(&mut geared, visit));
    assert_eq!(
        listed,
        [
            "gear/ratio",
            "fan/thrust_coefficient",
            "fan/torque_coefficient"
        ]
    );
    geared.validate(&with_frame).unwrap();
    assert!(matches!(
        geared.validate(&without),
        Err(ForceError::Tree(_))
    ));
    geared.frames.clear();
    // The propeller still needs it.
    assert!(matches!(
        geared.validate(&without),
        Err(ForceError::Tree(_))
    ));
    geared.ratio = -1.0;
    let text = geared.validate(&with_frame).unwrap_err().to_string();
    assert!(
        text.contains("\"gear\"") && text.contains("ratio"),
        "{text}"
    );
    let cast: Geared<Dual64, Propeller<Dual64>> = Actuator::cast(&geared);
    assert_eq!(cast.ratio, Dual64::from(-1.0));
}

#[test]
fn a_sensor_is_checked_with_its_name() {
    let fluid = everything().fluid;
    let mut sensor = Thermometer {
        name: "probe".into(),
        fluid,
    };
    let listed = names(|visit| Sensor::visit_parameters(&mut sensor, visit));
    assert_eq!(listed, ["probe/density", "probe/temperature"]);
    sensor.validate(&tree()).unwrap();
    sensor.fluid.density = -1.0;
    let error = sensor.validate(&tree()).unwrap_err();
    assert!(matches!(error, SensorError::InvalidSensor { name, .. } if name == "probe"));
    let cast: Thermometer<Dual64> = Sensor::cast(&sensor);
    assert_eq!(cast.fluid.density, Dual64::from(-1.0));
}

#[test]
fn a_constraint_is_listed_and_checked_with_its_name() {
    let rod = Rod {
        body: BodyIndex::WORLD,
        length: 0.5,
    };
    assert!(rod.validate().is_ok() && Rod { length: 0.0, ..rod }.validate().is_err());
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let pose = RigidTransform::identity();
    let frame = builder.add_frame("hook", BodyIndex::WORLD, pose).unwrap();
    let with_frame = builder.finish().unwrap();
    let tied = Tied {
        name: "tie".into(),
        unit: "m/s",
        frames: [frame],
        rod,
        stretch: Stretch { rate: 0.25 },
        lowest: 0.5,
        highest: 0.75,
    };
    assert_eq!(TreeConstraint::name(&tied), "tie");

    let listed = rows(|visit| TreeConstraint::visit_parameters(&mut tied.clone(), visit));
    let infinite = f64::INFINITY;
    let expected = [
        ("tie/length", "m", f64::MIN_POSITIVE, infinite, 0.5),
        ("tie/rate", "m/s", -infinite, infinite, 0.25),
        ("tie/lowest", "m", -infinite, infinite, 0.5),
        ("tie/highest", "m", 0.0, 1.0, 0.75),
    ];
    let expected = expected.map(|(name, unit, l, u, x)| (name.to_owned(), unit, l, u, x));
    assert_eq!(listed, expected);
    let cast: Tied<Dual64> = TreeConstraint::cast(&tied);
    assert_eq!(cast.rod.body, BodyIndex::WORLD);
    let constants = [cast.rod.length, cast.stretch.rate, cast.lowest];
    assert_eq!(constants, [0.5, 0.25, 0.5].map(Dual64::from));

    tied.validate(&with_frame).unwrap();
    let error = tied.validate(&tree()).unwrap_err();
    assert!(matches!(error, ConstraintError::Tree(_)), "{error}");
    type Change = fn(&mut Tied<f64>);
    let changes: [(Change, &str); 4] = [
        (|t| t.rod.length = 0.0, "length = 0"),
        (|t| t.stretch.rate = f64::NAN, "rate = NaN"),
        (|t| t.lowest = 0.875, "not above the highest"),
        (|t| t.highest = f64::NAN, "not above the highest"),
    ];
    for (change, expected) in changes {
        let mut wrong = tied.clone();
        change(&mut wrong);
        let text = wrong.validate(&with_frame).unwrap_err().to_string();
        assert!(
            text.contains("constraint \"tie\"") && text.contains(expected),
            "{text}"
        );
    }
}
