//! Every command on an arm, a quadruped and an arm in MJCF.

use crate::run::{data, files, folder, run, run_with};

/// Each with what puts it where its commands make sense.
fn robots() -> [Vec<String>; 3] {
    [
        vec![data("models/arm7.urdf")],
        vec![data("models/quadruped.urdf"), "--floor".into()],
        vec![data("mjcf/actuators.xml")],
    ]
}

fn on(robot: &[String], command: &str, options: &[&str]) -> crate::run::Run {
    let robot = robot.iter().map(String::as_str);
    run(&std::iter::once(command)
        .chain(robot)
        .chain(options.iter().copied())
        .collect::<Vec<_>>())
}

#[test]
fn info_says_what_there_is() {
    for robot in robots() {
        let text = on(&robot, "info", &["--parameters"]);
        assert_eq!(text.code, 0, "{text:?}");
        let info = on(&robot, "info", &["--json"]).json();
        let joints = info["joints"].as_array().unwrap();
        assert!(!joints.is_empty());
        for joint in joints {
            assert!(text.out.contains(joint["name"].as_str().unwrap()));
        }
        assert!(!info["inputs"].as_array().unwrap().is_empty());
        for parameter in info["parameters"].as_array().unwrap() {
            assert!(text.out.contains(parameter["name"].as_str().unwrap()));
            assert!(parameter["unit"].is_string());
        }
    }
}

/// However long the list is.
#[test]
fn info_lists_every_repair() {
    let (_place, file) = folder();
    let path = file("arm.urdf");
    let pair = |i: usize| {
        format!(
            r#"<link name="l{i}"/><joint name="shoulder_of_the_arm_{i}" type="revolute"><parent link="base"/>
            <child link="l{i}"/><axis xyz="0 0 2"/><limit lower="1" upper="-1" effort="1" velocity="1"/></joint>"#
        )
    };
    let pairs: String = (0..10).map(pair).collect();
    let text = format!(r#"<robot name="arm"><link name="base"/>{pairs}</robot>"#);
    std::fs::write(&path, text).unwrap();
    let info = run(&["info", &path, "--lenient"]);
    assert_eq!(info.code, 0, "{info:?}");
    for i in 0..10 {
        for end in ["normalised", "swapped"] {
            let joint = format!("shoulder_of_the_arm_{i}\"");
            let is_told = |line: &str| line.contains(&joint) && line.ends_with(end);
            assert_eq!(
                info.out.lines().filter(|line| is_told(line)).count(),
                1,
                "{info:?}"
            );
        }
    }
}

#[test]
fn simulations_are_recorded_and_go_on_where_they_ended() {
    for robot in robots() {
        let (place, file) = folder();
        let [csv, page, glb, end] = ["a.csv", "a.html", "a.glb", "end.json"].map(&file);
        let options = [
            "--for", "0.05", "--step", "1e-3", "--output", &csv, "--page", &page, "--glb", &glb,
            "--end", &end, "--json",
        ];
        let first = on(&robot, "simulate", &options).json();
        assert_eq!(first["steps"], 50);
        assert_eq!(
            files(place.path()),
            ["a.csv", "a.glb", "a.html", "end.json"]
        );
        let rows = std::fs::read_to_string(&csv).unwrap().lines().count();
        assert_eq!(rows, 51);

        let second = on(
            &robot,
            "simulate",
            &["--for", "0.05", "--step", "1e-3", "--from", &end, "--json"],
        );
        let whole = on(
            &robot,
            "simulate",
            &["--for", "0.1", "--step", "1e-3", "--json"],
        )
        .json();
        assert_eq!(second.json()["end"]["q"], whole["end"]["q"]);
    }
}

#[test]
fn linear_models_are_the_jacobian_of_one_step() {
    for robot in robots() {
        let (_place, file) = folder();
        let table = file("model.csv");
        let model = on(&robot, "linearize", &["--json", "--output", &table]).json();
        let jacobian = on(&robot, "jacobian", &["--json"]).json();
        for matrix in ["A", "B", "C", "D"] {
            let numbers = |of: &serde_json::Value| -> Vec<f64> {
                let rows = of[matrix].as_array().unwrap();
                rows.iter()
                    .flat_map(|row| row.as_array().unwrap())
                    .map(|x| x.as_f64().unwrap())
                    .collect()
            };
            let (a, b) = (numbers(&model), numbers(&jacobian));
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(&b) {
                assert!(
                    (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
                    "{matrix}: {a} and {b}"
                );
            }
        }
        assert_eq!(model["states"], jacobian["states"]);
        let states = model["states"].as_array().unwrap().len();
        let outputs = model["outputs"].as_array().unwrap().len();
        let lines = std::fs::read_to_string(&table).unwrap().lines().count();
        assert_eq!(lines, 1 + states + outputs);
    }
}

#[test]
fn gradients_stand_beside_differences() {
    let arm = [data("models/arm7.urdf")];
    let info = on(&arm, "info", &["--json"]).json();
    let (joint, body) = (&info["joints"][1]["name"], &info["bodies"][6]["name"]);
    let (joint, body) = (joint.as_str().unwrap(), body.as_str().unwrap());
    let of = format!("\"{body}\".z + 2*\"{body}\".x - \"{joint}\".q^2");
    let by = format!("body/{body}/mass,{joint}/velocity");
    let posed = format!("{joint}=0.5");
    let options = [
        "--of", &of, "--by", &by, "--for", "0.1", "--joint", &posed, "--json",
    ];
    let found = on(&arm, "gradient", &options).json();
    let derivatives = found["derivatives"].as_array().unwrap();
    assert_eq!(derivatives.len(), 2);
    for derivative in derivatives {
        assert_eq!(
            derivative["difference"]["verdict"], "agrees",
            "{derivative}"
        );
        assert!(derivative["smoothed"]["value"].is_f64());
    }
    assert!(derivatives[1]["derivative"].as_f64().unwrap() != 0.0);
}

#[test]
fn gradients_at_bounds_stand_beside_differences_of_one_side() {
    let arm = [data("models/double_pendulum.urdf")];
    let options = [
        "--of",
        "\"elbow\".q",
        "--by",
        "elbow/damping",
        "--joint",
        "elbow=0.5",
        "--for",
        "0.3",
        "--json",
    ];
    let found = on(&arm, "gradient", &options).json();
    let derivative = &found["derivatives"][0];
    assert_eq!(derivative["at"], 0.0);
    assert_eq!(
        derivative["difference"]["verdict"], "agrees",
        "{derivative}"
    );
    assert!(derivative["smoothed"]["reason"].is_string());
}

#[test]
fn a_slide_depends_on_friction() {
    let cube = [data("models/cube.urdf"), "--floor=0.3".into()];
    let info = on(&cube, "info", &["--json"]).json();
    let body = info["bodies"][0]["name"].as_str().unwrap();
    let rest = format!("{body}=0,0,0.052");
    let of = format!("\"{body}\".x");
    let options = [
        "--place",
        &rest,
        "--of",
        &of,
        "--by",
        "floor/friction",
        "--for",
        "0.3",
        "--no-differences",
    ];
    let found = on(&cube, "gradient", &options);
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.contains("nearest kink"), "{found:?}");
}

#[test]
fn checks_find_derivatives_right() {
    for robot in robots() {
        let found = on(
            &robot,
            "check",
            &[
                "--states",
                "1",
                "--steps",
                "20",
                "--no-parameters",
                "--json",
            ],
        );
        assert_eq!(found.code, 0, "{found:?}");
        let findings = found.json()["findings"].as_array().unwrap().len();
        assert!(findings >= 3, "{found:?}");
    }
    let arm = [data("models/double_pendulum.urdf")];
    let found = on(&arm, "check", &["--states", "2", "--steps", "20"]);
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.contains("derivatives by parameters"));
}

#[test]
fn pages_are_written_without_a_browser() {
    for robot in robots() {
        let (place, file) = folder();
        let page = file("view.html");
        let found = on(&robot, "view", &["--no-open", "--page", &page]);
        assert_eq!(found.code, 0, "{found:?}");
        assert_eq!(files(place.path()), ["view.html"]);
        assert!(
            std::fs::read_to_string(&page)
                .unwrap()
                .ends_with("</html>\n")
        );
    }
}

#[test]
fn standard_input_is_a_file_too() {
    for robot in robots() {
        let text = std::fs::read_to_string(&robot[0]).unwrap();
        let from_input = run_with(&["info", "-", "--json"], &text).json();
        let from_file = run(&["info", &robot[0], "--json"]).json();
        for part in ["bodies", "joints", "parameters", "inputs", "format"] {
            assert_eq!(from_input[part], from_file[part]);
        }
    }
}

#[test]
fn robots_fall_to_the_ground() {
    let (place, file) = folder();
    let (out, table) = (file("pages"), file("robots.md"));
    let models = data("models");
    let options = [
        "ground", &models, "--steps", "20", "--out", &out, "--table", &table, "--json",
    ];
    let robots = run(&options).json();
    let robots = robots.as_array().unwrap();
    assert_eq!(robots.len(), 5);
    for robot in robots {
        assert!(robot["error"].is_null());
        assert_eq!(robot["steps"], 20);
    }
    assert_eq!(files(&place.path().join("pages")).len(), 6);
    assert_eq!(std::fs::read_to_string(&table).unwrap().lines().count(), 7);
}
