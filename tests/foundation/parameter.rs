//! Parameters by name: how they are found, and that they are set together or not at all.

use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{JointMotion, JointStops};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::parameter::{Parameter, ParameterError, Parameters};
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{InvalidInput, Scalar};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Names with numbers, and the sum of the numbers, which must stay below 10.
#[derive(Debug, Clone, PartialEq)]
struct Sum<T> {
    entries: Vec<(&'static str, T)>,
    sum: f64,
}

impl<T: Scalar> Sum<T> {
    fn new(names: &[&'static str]) -> Self {
        Sum {
            entries: names.iter().map(|&name| (name, T::one())).collect(),
            sum: names.len() as f64,
        }
    }
}

impl<T: Scalar> Parameters<T> for Sum<T> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        for (name, value) in &mut self.entries {
            visit(Parameter {
                name: format_args!("{name}"),
                unit: "N",
                lower: f64::MIN_POSITIVE,
                upper: f64::INFINITY,
                value,
            });
        }
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.sum = self.entries.iter().map(|(_, x)| x.re()).sum();
        let below = |x: f64| x < 10.0;
        Ok(InvalidInput::check_range(
            "sum",
            &[self.sum],
            "below 10",
            below,
        )?)
    }
}

/// A box on the floor.
fn sliding_box() -> TimeSteppingRigidBodySystem<f64> {
    let size = Vector3::repeat(0.1);
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(1.0, &size);
    let body = tree.add_body("robot/arm", inertia).unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e5, 0.5, 0.3).unwrap();
    for (name, body, shape) in [
        ("box", body, Shape::new_box(size).unwrap()),
        ("floor", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        let name = name.into();
        let pose_in_body = RigidTransform::identity();
        let geometry = CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        };
        contact.add_geometry(geometry).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).unwrap()
}

#[test]
fn the_end_of_a_path_is_enough_where_it_is_the_only_one() {
    let model = Sum::<f64>::new(&["a/left/knee", "a/right/knee", "left/knee", "a/hip", "waist"]);
    for (wanted, index) in [
        ("a/left/knee", 0),
        ("right/knee", 1),
        // The full name of one and the end of another.
        ("left/knee", 2),
        ("hip", 3),
        ("waist", 4),
    ] {
        assert_eq!(model.parameter_index(wanted), Ok(index), "{wanted}");
    }
    assert_eq!(model.parameter_indices(&["waist", "hip"]), Ok(vec![4, 3]));
    assert!(model.parameter_indices(&["waist", "head"]).is_err());
    let error = model.parameter("knee").unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"knee\" may be any of these: a/left/knee, a/right/knee, left/knee"
    );
    // An end that does not start at a segment is none.
    for wanted in ["ip", "nee", "", "/hip", "waist/"] {
        let error = model.clone().set_parameter(wanted, 2.0).unwrap_err();
        assert!(
            matches!(error, ParameterError::Unknown { .. }),
            "{wanted}: {error}"
        );
    }
}

#[test]
fn a_misspelt_name_is_answered_with_the_right_one() {
    let system = sliding_box();
    for (wanted, nearest) in [
        ("box/stifness", vec!["geometry/box/stiffness"]),
        ("box/stiffnes", vec!["geometry/box/stiffness"]),
        ("box/stiffnses", vec!["geometry/box/stiffness"]),
        (
            "flor/friction",
            vec!["geometry/floor/friction", "geometry/box/friction"],
        ),
        ("robot/arm/masss", vec!["body/robot/arm/mass"]),
        ("arm/masss", vec!["body/robot/arm/mass"]),
        ("gravity", vec!["gravity/x", "gravity/y", "gravity/z"]),
        ("robot/ellbow/damping/of/the/joint", vec![]),
        ("Ω", vec![]),
    ] {
        let expected = ParameterError::Unknown {
            name: wanted.to_owned(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
        };
        assert_eq!(system.parameter(wanted), Err(expected));
    }
    assert_eq!(system.parameter("arm/mass"), Ok(1.0));
    let pair = "pair/box|floor/friction";
    let pairs = Sum::<f64>::new(&["geometry/box/friction", "pair/box|wall/friction", pair]);
    for found in [
        "floor|box/friction",
        "pair/floor|box/friction",
        "box|floor/friction",
    ] {
        assert_eq!(pairs.parameter_index(found), Ok(2), "{found}");
    }
    for wanted in ["flor|box/friction", "box|flor/friction"] {
        let Err(ParameterError::Unknown { nearest, .. }) = pairs.parameter(wanted) else {
            panic!("{wanted}");
        };
        assert_eq!(nearest.first().map(String::as_str), Some(pair), "{wanted}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_three() {
    let text = |names: &[&'static str]| {
        let model = Sum::<f64>::new(names);
        model.parameter("knee").unwrap_err().to_string()
    };
    let unknown = r#"there is no parameter "knee""#;
    assert_eq!(text(&["hip"]), unknown);
    assert_eq!(text(&["kne"]), format!(r#"{unknown}, is it "kne"?"#));
    assert_eq!(
        text(&["kne", "a/nkee"]),
        format!(r#"{unknown}, is it "kne" or "a/nkee"?"#)
    );
    // In their order where they are equally near.
    assert_eq!(
        text(&["knie", "hip", "knees", "kneel", "knew"]),
        format!(r#"{unknown}, is it "knie", "knees" or "kneel"?"#)
    );
}

#[test]
fn the_nearest_names_of_a_long_list_or_to_a_long_name_are_found_at_once() {
    let names: Vec<&'static str> = (0..5000)
        .map(|k| &*format!("robot/module/{k}/joint/damping").leak())
        .collect();
    let model = Sum::<f64>::new(&names);
    for (wanted, expected) in [
        ("module/77/joint/dampign", "robot/module/77/joint/damping"),
        (&"x".repeat(1_000_000), ""),
        (&"|".repeat(1000), ""),
        (&"/".repeat(1000), ""),
    ] {
        let Err(ParameterError::Unknown { nearest, .. }) = model.parameter(wanted) else {
            panic!("{wanted}");
        };
        assert_eq!(nearest.first().map_or("", String::as_str), expected);
    }
}

#[test]
fn parameters_print_as_a_table() {
    let mut model = Sum::<f64>::new(&["a/length", "b"]);
    model.set_parameter("b", 1e-9).unwrap();
    assert_eq!(
        model.parameters().to_string(),
        "parameter  value  unit  bounds\n\
         a/length   1      N     (0, ∞)\n\
         b          1e-9   N     (0, ∞)"
    );
    let none = Sum::<f64>::new(&[]).parameters();
    assert_eq!(none.to_string(), "parameter  value  unit  bounds");
    let system = sliding_box();
    let table = system.parameters().to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + system.parameters().len());
    // Columns are aligned, with exponents in units, too.
    let column = |line: &str| line.chars().collect::<Vec<_>>()[lines[0].find("unit").unwrap()];
    let xx = (lines.iter()).find(|line| line.contains("rotational_inertia/xx"));
    assert_eq!((column(lines[0]), column(xx.unwrap())), ('u', 'k'));
    let gravity = (lines.iter()).find(|line| line.starts_with("gravity/z"));
    let words: Vec<&str> = gravity.unwrap().split_whitespace().collect();
    assert_eq!(words, ["gravity/z", "-9.81", "m/s²", "(-∞,", "∞)"]);
}

/// A sledge on a rail between two stops, whose limits must be in order.
fn sledge() -> TimeSteppingRigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(1.0, &Vector3::repeat(0.1));
    let sledge = tree.add_body("sledge", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::x() };
    let joint = tree
        .add_joint(
            "rail",
            kind,
            BodyIndex::WORLD,
            RigidTransform::identity(),
            sledge,
        )
        .unwrap();
    let stops = JointStops {
        name: "stops".into(),
        joint,
        motion: JointMotion::Translation,
        stiffness: 1e3,
        dissipation: 0.5,
        lower: -1.0,
        upper: 1.0,
    };
    TimeSteppingRigidBodySystem::new(tree.finish().unwrap(), ContactModel::none(), 1e-3)
        .unwrap()
        .with_forces([stops])
        .unwrap()
}

#[test]
fn what_fails_changes_nothing() {
    let system = sledge();
    let mut changed = system.clone();
    // Into the stop, with the numbers that are listed and with those that a step uses.
    let behaviour = |system: &TimeSteppingRigidBodySystem<f64>| {
        let mut state = system.neutral_state();
        (state.q[0], state.v[0]) = (1.01, 1.0);
        let mut workspace = system.workspace().unwrap();
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        (system.parameters(), step.state().clone())
    };
    let before = behaviour(&system);
    let at = |name: &str| system.parameter_index(name).unwrap();
    let (lower, stiffness, mass) = (at("stops/lower"), at("stops/stiffness"), at("sledge/mass"));
    for values in [
        // Each is within its bounds, all together are refused.
        vec![(stiffness, 2e5), (lower, 2.0), (mass, 3.0)],
        vec![(mass, 2.0), (mass, 3.0), (lower, 2.0), (mass, 4.0)],
        vec![(stiffness, 2e5), (stiffness, -1.0)],
        vec![(stiffness, 2e5), (usize::MAX, 1.0)],
        vec![(stiffness, f64::NAN)],
    ] {
        changed.set_parameters(&values).unwrap_err();
        assert_eq!(behaviour(&changed), before, "{values:?}");
    }
    changed
        .set_parameters(&[(lower, 2.0), (at("stops/upper"), 3.0)])
        .unwrap();
    assert_eq!(changed.parameter("stops/lower"), Ok(2.0));
    let mut sum = Sum::<f64>::new(&["a", "b"]);
    sum.set_parameter("a", 9.0).unwrap_err();
    assert_eq!(sum, Sum::new(&["a", "b"]));
    sum.set_parameters(&[(0, 2.0), (1, 3.0), (0, 4.0)]).unwrap();
    assert_eq!(
        (sum.entries[0].1, sum.entries[1].1, sum.sum),
        (4.0, 3.0, 7.0)
    );
}

#[test]
fn numbers_in_errors_are_short() {
    let mut model = Sum::<f64>::new(&["spring/stiffness"]);
    let error = model.set_parameter("stiffness", 0.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "spring/stiffness = 0 N is outside (0, ∞)"
    );
    let huge = InvalidInput::check_range("mass", &[1e300], "less", |_| false).unwrap_err();
    assert_eq!(huge.to_string(), "mass = 1e300, expected less");
    let bounds = [
        (f64::NEG_INFINITY, 2.0, "(-∞, 2]"),
        (-1e-300, 1.5, "[-1e-300, 1.5]"),
    ];
    for (lower, upper, text) in bounds {
        let (name, unit, value) = ("x".to_owned(), "m", 1e-310);
        let error = ParameterError::OutOfBounds {
            name,
            value,
            unit,
            lower,
            upper,
        };
        assert_eq!(error.to_string(), format!("x = 1e-310 m is outside {text}"));
    }
    let pure = ParameterError::OutOfBounds {
        name: "friction".to_owned(),
        value: -0.5,
        unit: "1",
        lower: 0.0,
        upper: f64::INFINITY,
    };
    assert_eq!(pure.to_string(), "friction = -0.5 is outside [0, ∞)");
}

proptest! {
    /// One edit of a long name is found, whatever it is.
    #[test]
    fn one_edit_is_forgiven(position in 0usize..13, edit in 0..3, letter in proptest::char::range('a', 'z')) {
        let model = Sum::<f64>::new(&["box/friction", "box/stiffness", "box/dissipation", "ball/mass"]);
        let mut name: Vec<char> = "box/stiffness".chars().collect();
        match edit {
            0 => { name.remove(position); }
            1 => name[position] = letter,
            _ => name.insert(position, letter),
        }
        let name: String = name.into_iter().collect();
        match model.parameter(&name) {
            Ok(_) => prop_assert_eq!(name, "box/stiffness"),
            Err(ParameterError::Unknown { nearest, .. }) => {
                prop_assert_eq!(nearest, ["box/stiffness"]);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
