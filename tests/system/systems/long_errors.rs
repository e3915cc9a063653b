//! Errors are short, whatever they are about.

use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::UrdfReader;
use dualbody::prelude::*;
use dualbody::system::{Batch, BatchError, BatchPlan, BatchRollouts};
use dualbody::tree::{BodyIndex, JointKind};
use nalgebra::DMatrix;
use std::error::Error;

/// More than any error has letters.
const MOST: usize = 8000;
const LONG: usize = 1_000_000;

/// The error and its sources, in words and as programs that end with them print them.
fn check(error: &(dyn Error + 'static), what: &str) {
    let mut next = Some(error);
    while let Some(error) = next {
        for text in [
            error.to_string(),
            format!("{error:?}"),
            format!("{error:#?}"),
        ] {
            assert!(
                !text.is_empty() && text.len() < MOST,
                "{what}: {}",
                text.len()
            );
        }
        next = error.source();
    }
}

#[test]
fn errors_of_files_do_not_repeat_them() {
    let long = "x".repeat(LONG);
    let model = |inside: &str| format!("<mujoco>{inside}</mujoco>");
    let body = |inside: &str| {
        model(&format!(
            r#"<worldbody><body name="b"><joint name="j"/><geom name="g" size="1"/>{inside}</body></worldbody>"#
        ))
    };
    for (what, text) in [
        ("element", format!("<{long}/>")),
        ("attribute", body(&format!(r#"<geom size="{long}"/>"#))),
        (
            "expression",
            body(&format!(r#"<geom size="${{{long}}}"/>"#)),
        ),
        (
            "numbers",
            body(&format!(r#"<geom size="{}"/>"#, "1 ".repeat(LONG))),
        ),
        ("class", body(&format!(r#"<geom class="{long}"/>"#))),
        (
            "two bodies",
            body(&format!(r#"<body name="{long}"/><body name="{long}"/>"#)),
        ),
        (
            "place",
            body(&format!(r#"<body name="{long}"><geom size="-1"/></body>"#)),
        ),
        (
            "joint",
            model(&format!(r#"<actuator><motor joint="{long}"/></actuator>"#)),
        ),
        ("include", model(&format!(r#"<include file="{long}"/>"#))),
        (
            "mesh",
            model(&format!(
                r#"<asset><mesh name="m" file="{long}.stl"/></asset><worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody>"#
            )),
        ),
        (
            "attach",
            model(&format!(
                r#"<asset><model name="m" file="{long}"/></asset>"#
            )),
        ),
        ("not closed", format!("<mujoco><{long}>")),
        ("end", format!("<mujoco></{long}>")),
        (
            "names",
            body(&format!(r#"<joint name="{long}" damping="-1"/>"#)),
        ),
    ] {
        let error = MjcfReader::new().tree_from_str::<f64>(&text).err();
        check(&error.unwrap_or_else(|| panic!("{what} is read")), what);
    }
    let robot = |inside: &str| format!(r#"<robot name="r"><link name="a"/>{inside}</robot>"#);
    let circle: String = (0..3000)
        .map(|k| {
            let next = (k + 1) % 3000;
            format!(
                r#"<link name="l{k}"/><joint name="j{k}" type="continuous"><parent link="a"/><child link="l{k}"/><mimic joint="j{next}"/></joint>"#
            )
        })
        .collect();
    for (what, text) in [
        ("element", format!("<{long}/>")),
        (
            "two links",
            robot(&format!(r#"<link name="{long}"/><link name="{long}"/>"#)),
        ),
        ("two roots", robot(&format!(r#"<link name="{long}"/>"#))),
        (
            "joint type",
            robot(&format!(r#"<joint name="{long}" type="{long}"/>"#)),
        ),
        (
            "shape",
            robot(&format!(
                r#"<link name="c"><collision><geometry><{long}/></geometry></collision></link>"#
            )),
        ),
        ("circle", robot(&circle)),
    ] {
        let error = UrdfReader::new().tree_from_str::<f64>(&text).err();
        check(&error.unwrap_or_else(|| panic!("{what} is read")), what);
    }
}

#[test]
fn errors_of_large_machines_do_not_repeat_them() -> Result<()> {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let mut parent = BodyIndex::WORLD;
    for k in 0..2000 {
        let body = builder.add_body(
            format!("arm {k}/link"),
            SpatialInertia::solid_sphere(1.0, 0.1),
        )?;
        let kind = JointKind::Continuous { axis: Vector3::z() };
        builder.add_joint(
            format!("arm {k}/joint"),
            kind,
            parent,
            RigidTransform::identity(),
            body,
        )?;
        parent = body;
    }
    let tree = builder.finish()?;
    check(&tree.body_by_name("link").unwrap_err(), "bodies");
    let error = tree.parameter_index("mass").unwrap_err();
    check(&error, "parameters");
    assert!(error.to_string().ends_with(" and 1992 more"), "{error}");
    let long = "x".repeat(LONG);
    check(&tree.body_by_name(&long).unwrap_err(), "name");
    check(&tree.parameter(&long).unwrap_err(), "parameter");
    Ok(())
}

#[test]
fn errors_of_batches_tell_of_one_member() -> Result<()> {
    let rubber = ContactMaterial::new(1e4, 0.1, 0.5)?;
    let machine = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body("ball", Shape::new_sphere(0.1)?, 1.0, rubber)
        .compliant(1e-3)?;
    let members = 3000;
    let mut starts = DMatrix::zeros(13, members);
    starts.fill(f64::NAN);
    let mut batch = Batch::new(&machine, &[])?;
    let mut found = BatchRollouts::default();
    let error = batch
        .rollouts(&BatchPlan::new(&starts, 2), &mut found)
        .unwrap_err();
    check(&error, "batch");
    let BatchError::Members { failures } = &error else {
        panic!("{error}");
    };
    assert_eq!(failures.len(), members);
    Ok(())
}
