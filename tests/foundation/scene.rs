//! What is shown is what was computed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dualbody::force::{AppliedForce, BodyPoint, ExpressedIn};
use dualbody::math::SpatialForce;
use dualbody::plot::{Chart, Mark};
use dualbody::prelude::*;
use dualbody::scene::Scene;
use dualbody::system::{Recording, Rollout};
use dualbody::tree::{BodyIndex, JointKind};
use nalgebra::{Quaternion, UnitQuaternion};
use num_dual::Dual64;
use serde_json::Value;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
type System = TimeSteppingRigidBodySystem<f64>;

/// What the script of the page reads.
pub(crate) fn data(html: &str) -> Result<Value> {
    let start = "<script type=\"application/json\" id=\"scene\">";
    let (_, rest) = html.split_once(start).ok_or("no data")?;
    let (json, _) = rest.split_once("</script>").ok_or("no end")?;
    Ok(serde_json::from_str(json)?)
}

pub(crate) fn floats(value: &Value) -> Result<Vec<f64>> {
    let bytes = STANDARD.decode(value.as_str().ok_or("no text")?)?;
    let (words, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty());
    Ok(words
        .iter()
        .map(|w| f64::from(f32::from_le_bytes(*w)))
        .collect())
}

/// The names of the meshes that are placed.
fn placed(scene: &Scene) -> Result<Vec<String>> {
    let page = data(&scene.html())?;
    let placed = page["placed"].as_array().ok_or("no meshes are placed")?;
    let names = placed.iter().map(|item| item["name"].as_str());
    let names = names.map(|name| name.map(str::to_owned).ok_or("no name".into()));
    names.collect()
}

pub(crate) fn integers(value: &Value) -> Result<Vec<usize>> {
    let bytes = STANDARD.decode(value.as_str().ok_or("no text")?)?;
    let (words, _) = bytes.as_chunks::<4>();
    Ok(words
        .iter()
        .map(|w| u32::from_le_bytes(*w) as usize)
        .collect())
}

/// A ball and a box over the floor.
fn ball_and_box() -> Result<(System, State<f64>)> {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.5)?;
    let system = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
        .free_body(
            "box </script>",
            Shape::new_box(Vector3::new(0.1, 0.2, 0.3))?,
            1.0,
            rubber,
        )
        .compliant(1e-3)?;
    let mut start = system.initial_state();
    system.set_body_position(&mut start, "ball", Vector3::new(0.5, 0.0, 0.3))?;
    system.set_body_position(&mut start, "box </script>", Vector3::new(0.0, 0.0, 0.4))?;
    start.v.rows_mut(6, 3).copy_from_slice(&[2.0, -1.0, 3.0]);
    Ok((system, start))
}

#[test]
fn the_page_holds_the_poses_of_the_states() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let rollout = system.rollout(&start, 700)?;
    let html = rollout.scene(&system)?.titled("a < b").html();
    assert!(html.contains("<title>a &lt; b</title>"));
    let data = data(&html)?;
    assert_eq!(data["bodies"][1]["name"], "box </script>");
    let (times, poses) = (
        floats(&data["motions"][0]["times"])?,
        floats(&data["motions"][0]["poses"])?,
    );
    assert!(times.len() > 200 && (times[times.len() - 1] - 0.7).abs() < 1e-6);
    let mut turned: f64 = 0.0;
    for (frame, time) in times.iter().enumerate() {
        let state = &rollout.states[(time / 1e-3).round() as usize];
        assert!((state.time - time).abs() < 1e-6);
        for (body, name) in ["ball", "box </script>"].into_iter().enumerate() {
            let expected = system.body_pose(state, name)?;
            let found = &poses[(2 * frame + body) * 7..][..7];
            let p = Vector3::new(found[0], found[1], found[2]);
            let q = Quaternion::new(found[6], found[3], found[4], found[5]);
            let r = UnitQuaternion::from_quaternion(q).to_rotation_matrix();
            assert!((p - expected.translation).amax() < 1e-6, "{name} at {time}");
            assert!(
                (r.matrix() - expected.rotation).amax() < 1e-6,
                "{name} at {time}"
            );
            turned = turned.max((expected.rotation - nalgebra::Matrix3::identity()).amax());
        }
    }
    assert!(turned > 1.0, "the box does not turn: {turned}");
    Ok(())
}

#[test]
fn forces_at_rest_carry_the_weight() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let rollout = system.rollout(&start, 3000)?;
    let data = data(&rollout.scene(&system)?.html())?;
    let arrows = &data["arrows"][0];
    assert_eq!(arrows["name"], "contact forces");
    let (counts, vectors) = (integers(&arrows["counts"])?, floats(&arrows["vectors"])?);
    assert_eq!(counts.len(), floats(&data["motions"][0]["times"])?.len());
    let last = &vectors[vectors.len() - 6 * counts[counts.len() - 1]..];
    let (arrows, _) = last.as_chunks::<6>();
    let lift: f64 = arrows.iter().map(|arrow| arrow[5]).sum();
    assert!((lift - 1.2 * 9.81).abs() < 1e-3, "{lift}");
    assert!(arrows.iter().all(|arrow| arrow[2].abs() < 0.01));
    Ok(())
}

#[test]
fn a_fall_touches_when_it_must() -> Result<()> {
    let (system, mut start) = ball_and_box()?;
    system.set_body_position(&mut start, "box </script>", Vector3::new(0.0, 0.0, 9.0))?;
    let rollout = system.rollout(&start, 400)?;
    let data = data(&rollout.scene(&system)?.html())?;
    let events = data["events"].as_array().ok_or("no events")?;
    let touch = &events[0];
    assert!(
        touch["text"]
            .as_str()
            .is_some_and(|t| t.contains("touches")),
        "{touch}"
    );
    let fall = (2.0f64 * 0.25 / 9.81).sqrt();
    let time = touch["time"].as_f64().ok_or("no time")?;
    assert!((time - fall).abs() < 2e-3, "{time} {fall}");
    let leaves = events
        .iter()
        .any(|e| e["text"].as_str().is_some_and(|t| t.contains("leaves")));
    assert!(leaves, "{events:?}");
    Ok(())
}

#[test]
fn a_recording_looks_like_the_rollout_with_its_inputs() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let system = system.with_generalized_forces()?;
    let push = |k: usize, input: &mut [f64]| input[3] = 0.4 * (0.02 * k as f64).sin();
    let mut workspace = system.workspace()?;
    let rollout: Rollout<f64> =
        system.rollout_with(&mut workspace, &start, 200, |k, _, input| push(k, input));
    let mut recording = Recording::default();
    let control = |k: usize, _: &State<f64>, _: &[f64], input: &mut [f64]| push(k, input);
    system.record(
        &mut start.clone(),
        200,
        control,
        &mut || 0.0,
        &mut recording,
    )?;
    let (a, b) = (
        data(&rollout.scene(&system)?.html())?,
        data(&recording.scene(&system)?.html())?,
    );
    assert_eq!(a["events"], b["events"]);
    let poses = |d: &Value| floats(&d["motions"][0]["poses"]);
    let (a, b) = (poses(&a)?, poses(&b)?);
    // The state after the last step is not in a recording.
    assert_eq!(a[..b.len()], b);
    assert_eq!(a.len(), b.len() + 14);

    let other = SystemBuilder::new().compliant(1e-3)?;
    let rubber = ContactMaterial::new(1e4, 0.3, 0.5)?;
    let larger = SystemBuilder::new()
        .free_body("a", Shape::new_sphere(1.0)?, 1.0, rubber)
        .free_body("b", Shape::new_sphere(1.0)?, 1.0, rubber)
        .free_body("c", Shape::new_sphere(1.0)?, 1.0, rubber)
        .compliant(1e-3)?;
    assert!(rollout.scene(&other).is_err() && recording.scene(&larger).is_err());
    Ok(())
}

#[test]
fn ghosts_lie_along_the_derivative() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let at = |mass: Dual64| -> Result<(TimeSteppingRigidBodySystem<Dual64>, Rollout<Dual64>)> {
        let mut dual = system.cast::<Dual64>();
        dual.set_parameter("ball/stiffness", mass)?;
        let rollout = dual.rollout(&start.cast(), 330)?;
        Ok((dual, rollout))
    };
    let (dual, rollout) = at(Dual64::new(1e4, 1.0))?;
    let amount = 50.0;
    let scene = rollout.scene(&dual)?;
    let scene = scene.with_sensitivity("stiffness", &dual, &rollout.states, amount)?;
    let data = data(&scene.html())?;
    let (_, moved) = at(Dual64::from(1e4 + amount))?;
    let end = |motion: usize| -> Result<Vec<f64>> {
        let poses = floats(&data["motions"][motion]["poses"])?;
        Ok(poses[poses.len() - 14..poses.len() - 7].to_vec())
    };
    let height = moved.last().q[6].re;
    let (now, ahead, behind) = (end(0)?, end(1)?, end(2)?);
    let change = height - now[2];
    assert!(change.abs() > 1e-5, "{change}");
    assert!(
        (ahead[2] - height).abs() < 0.05 * change.abs(),
        "{ahead:?} {height}"
    );
    assert!((behind[2] + ahead[2] - 2.0 * now[2]).abs() < 1e-6);
    let arrows = data["arrows"].as_array().ok_or("no arrows")?;
    let vectors = floats(&arrows[arrows.len() - 1]["vectors"])?;
    let ball = &vectors[vectors.len() - 12..vectors.len() - 6];
    assert!((ball[5] - (ahead[2] - now[2])).abs() < 1e-6);
    let error = scene
        .clone()
        .with_sensitivity("x", &dual, &rollout.states, f64::NAN);
    assert!(error.is_err());
    Ok(())
}

#[test]
fn a_force_is_drawn_on_its_line_of_action() -> Result<()> {
    let mut tree = RigidBodyTreeBuilder::new();
    let body = tree.add_body("body", SpatialInertia::solid_sphere(1.0, 0.1))?;
    let tree = tree.finish()?;
    let (point, force) = (Vector3::new(0.3, 0.0, 0.0), Vector3::new(0.0, 2.0, 0.0));
    let pull = AppliedForce::new(
        "pull",
        &tree,
        BodyPoint::new(body, point),
        SpatialForce::new(Vector3::zeros(), force),
        ExpressedIn::World,
    )?;
    let contact = dualbody::contact::ContactModel::none();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3)?.with_forces([pull])?;
    let rollout = system.rollout(&system.initial_state(), 1)?;
    let data = data(&rollout.scene(&system)?.html())?;
    let arrows = &data["arrows"][0];
    assert_eq!(arrows["labels"][0], "pull on body");
    let first = floats(&arrows["vectors"])?;
    assert!(
        first[..6]
            .iter()
            .zip([0.3, 0.0, 0.0, 0.0, 2.0, 0.0])
            .all(|(a, b)| (a - b).abs() < 1e-6)
    );
    assert_eq!(
        data["arrows"].as_array().map(Vec::len),
        Some(1),
        "no torque is left"
    );
    Ok(())
}

#[test]
fn bodies_without_geometry_have_a_stand_in_that_a_shape_replaces() -> Result<()> {
    let mut tree = RigidBodyTreeBuilder::new();
    let end = Vector3::new(0.0, 0.0, -0.5);
    let bob = tree.add_body("bob", SpatialInertia::point_mass(0.2, end))?;
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    tree.add_joint(
        "hinge",
        hinge,
        BodyIndex::WORLD,
        RigidTransform::identity(),
        bob,
    )?;
    let system = RigidBodySystem::new(tree.finish()?, dualbody::contact::ContactModel::none())?;
    let scene = Scene::of_states(&system, &[system.initial_state()])?;
    let page = data(&scene.html())?;
    let meshes = page["meshes"].as_array().ok_or("no meshes")?;
    assert_eq!((placed(&scene)?.len(), meshes.len()), (1, 1));
    let positions = floats(&meshes[0]["positions"])?;
    let lowest = positions.chunks_exact(3).map(|p| p[2]).fold(0.0, f64::min);
    let radius = (0.2f64 * 0.75 / std::f64::consts::PI / 1000.0).cbrt();
    assert!((lowest + 0.5 + radius).abs() < 1e-5, "{lowest}");
    let shape = Shape::new_sphere(0.1)?;
    let here = RigidTransform::identity();
    let scene = scene
        .with_shape("bob", &shape, &here)?
        .with_shape("world", &shape, &here)?;
    assert_eq!(placed(&scene)?.len(), 2);
    assert!(scene.with_shape("bib", &shape, &here).is_err());

    // A geometry away from the origin of its body hangs on a rod.
    let mut tree = RigidBodyTreeBuilder::new();
    let leg = tree.add_body("leg", SpatialInertia::solid_sphere(1.0, 0.1))?;
    let tree = tree.finish()?;
    let mut contact = dualbody::contact::ContactModelBuilder::new();
    for (name, x) in [("foot", 0.5), ("knee", 0.05)] {
        contact.add_geometry(dualbody::contact::CollisionGeometry {
            name: name.to_owned(),
            body: leg,
            pose_in_body: RigidTransform::from_translation(Vector3::new(x, 0.0, 0.0)),
            shape: shape.clone(),
            material: ContactMaterial::new(1e4, 0.1, 0.5)?,
        })?;
    }
    let contact = contact.finish(&tree)?;
    let system = RigidBodySystem::new(tree, contact)?;
    let scene = Scene::of_states(&system, &[system.initial_state()])?;
    assert_eq!(placed(&scene)?, ["foot", "leg", "knee"]);
    Ok(())
}

#[test]
fn a_light_body_of_large_moments_stands_as_a_box_as_heavy_as_water() -> Result<()> {
    let mut tree = RigidBodyTreeBuilder::new();
    // A uniform cube of these moments would have edges of 0.55 m.
    tree.add_body("leg", SpatialInertia::principal(0.2, Vector3::repeat(0.01)))?;
    let system = RigidBodySystem::new(tree.finish()?, dualbody::contact::ContactModel::none())?;
    let scene = Scene::of_states(&system, &[system.initial_state()])?;
    let positions = floats(&data(&scene.html())?["meshes"][0]["positions"])?;
    let highest = positions.iter().copied().fold(0.0, f64::max);
    let edge = (0.2f64 / 1000.0).cbrt();
    assert!((highest - 0.5 * edge).abs() < 1e-6, "{highest}");
    Ok(())
}

#[test]
fn no_text_ends_the_data_of_a_page() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let title = "<!--<script> </script> & \"quoted\"";
    let html = Scene::of_states(system.system(), &[start])?
        .titled(title)
        .html();
    assert_eq!(data(&html)?["title"], title);
    // After `<!--<script` the end tag of a script element does not end it.
    assert!(!html.contains("<!--<"));
    Ok(())
}

#[test]
fn charts_hold_what_can_be_drawn() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let points = vec![
        (0.0, f64::NAN),
        (1.0, 2.0),
        (f64::NAN, 1.0),
        (2.0, 1e300),
        (3.0, 0.0),
    ];
    let chart = Chart::new("odd", "time [s]", "y").with("y", Mark::Line, points);
    let band = vec![(0.0, -1.0, 1.0), (1.0, 1.0, 2.0), (2.0, 1.0, f64::INFINITY)];
    let scene = Scene::of_states(system.system(), &[start])?
        .with_chart(chart.clone().with_band("band", band))
        .with_chart(chart.logarithmic());
    let data = data(&scene.html())?;
    let column = |chart: usize, series: usize, of: &str| {
        floats(&data["charts"][chart]["series"][series][of])
    };
    assert_eq!(column(0, 0, "x")?, [1.0, 3.0]);
    assert_eq!(column(0, 0, "y")?, [2.0, 0.0]);
    assert!(column(0, 0, "upper")?.is_empty());
    assert_eq!(column(0, 1, "upper")?, [1.0, 2.0]);
    assert_eq!(column(1, 0, "y")?, [2.0]);
    Ok(())
}

#[test]
fn rows_of_a_schedule_have_no_numbers() -> Result<()> {
    let rows = vec![(0.0, 17.0), (1.0, 18.0)];
    let chart = Chart::new("rows", "time [s]", "").with("a", Mark::Line, rows);
    let numbered = |chart: &Chart| {
        dualbody::plot::svg(std::slice::from_ref(chart)).map(|svg| svg.contains("17.4"))
    };
    assert!(numbered(&chart)?);
    let chart = chart.without_ordinates();
    assert!(!numbered(&chart)?);
    let (system, start) = ball_and_box()?;
    let scene = Scene::of_states(system.system(), &[start])?.with_chart(chart);
    assert_eq!(data(&scene.html())?["charts"][0]["hasOrdinates"], false);
    Ok(())
}

#[test]
fn states_that_cannot_be_shown_are_refused() -> Result<()> {
    let (system, start) = ball_and_box()?;
    assert!(Scene::of_states(system.system(), &[] as &[State<f64>]).is_err());
    let again = [start.clone(), start.clone()];
    let error = Scene::of_states(system.system(), &again).map(|_| ());
    assert!(error.is_err_and(|e| e.to_string().contains("time between states")));
    let mut foreign = start.clone();
    foreign.q = foreign.q.remove_row(0);
    assert!(Scene::of_states(system.system(), &[foreign]).is_err());
    let mut far = start;
    far.q[4] = 1e39;
    let error = Scene::of_states(system.system(), &[far]).map(|_| ());
    assert!(error.is_err_and(|e| e.to_string().contains("position of a body")));
    Ok(())
}

#[test]
fn an_error_of_the_file_system_names_the_file() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let scene = Scene::of_states(system.system(), &[start])?;
    let path = std::env::temp_dir()
        .join("no such folder")
        .join("page.html");
    for error in [
        scene.save(&path),
        scene.save_glb(&path),
        scene.save_csv(&path),
    ] {
        assert!(error.is_err_and(|e| e.to_string().contains("page.html")));
    }
    Ok(())
}

#[test]
fn files_hold_every_frame() -> Result<()> {
    let (system, start) = ball_and_box()?;
    let rollout = system.rollout(&start, 50)?;
    let scene = rollout.scene(&system)?;
    let scene = scene.clone().with_ghost("again, and again", scene);
    let folder = std::env::temp_dir().join(format!("dualbody_scene_{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let [csv, glb, html] = ["a.csv", "a.glb", "a.html"].map(|name| folder.join(name));
    scene.save_csv(&csv)?;
    scene.save_glb(&glb)?;
    scene.save(&html)?;
    let (csv, glb) = (std::fs::read_to_string(csv)?, std::fs::read(glb)?);
    assert_eq!(std::fs::read_to_string(html)?, scene.html());
    std::fs::remove_dir_all(&folder)?;

    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 2 * 51);
    assert!(
        lines[1].starts_with("simulated,ball,0,0.5,0,0.3,1,0,0,0"),
        "{}",
        lines[1]
    );
    assert!(lines[lines.len() - 1].starts_with("\"again, and again\",box </script>,0.05"));

    let word =
        |at: usize| u32::from_le_bytes([glb[at], glb[at + 1], glb[at + 2], glb[at + 3]]) as usize;
    assert_eq!(
        (&glb[..4], word(4), word(8)),
        (b"glTF".as_slice(), 2, glb.len())
    );
    let json: Value = serde_json::from_slice(&glb[20..20 + word(12)])?;
    assert_eq!(word(20 + word(12)) + 28 + word(12), glb.len());
    let channels = json["animations"][0]["channels"]
        .as_array()
        .ok_or("no channels")?;
    assert_eq!(channels.len(), 2 * 4);
    let accessor = |k: usize| &json["accessors"][k];
    let sampler = &json["animations"][0]["samplers"][0];
    let input = accessor(sampler["input"].as_u64().ok_or("no index")? as usize);
    assert_eq!(
        (&input["count"], &input["min"][0]),
        (&51.into(), &0.0.into())
    );
    Ok(())
}

#[test]
fn a_reader_of_gltf_finds_the_motion() -> Result<()> {
    use gltf::animation::util::{ReadOutputs, Rotations};

    let (system, start) = ball_and_box()?;
    let rollout = system.rollout(&start, 600)?;
    let scene = rollout.scene(&system)?;
    let path = std::env::temp_dir().join(format!("dualbody_motion_{}.glb", std::process::id()));
    scene.save_glb(&path)?;
    let file = std::fs::read(&path);
    std::fs::remove_file(&path)?;
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&file?)?;
    let blob = blob.ok_or("no buffer")?;

    // Height is along y.
    let root = document.default_scene().ok_or("no scene")?.nodes().next();
    let (_, [i, j, k, w], _) = root.ok_or("no root")?.transform().decomposed();
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    assert!((turn * nalgebra::Vector3::z() - nalgebra::Vector3::y()).amax() < 1e-6);

    let animation = document.animations().next().ok_or("no animation")?;
    let (mut moves, mut turns) = (0, 0);
    for channel in animation.channels() {
        let target = channel.target().node();
        let body = target.name().ok_or("a node without a name")?;
        let reader = channel.reader(|_| Some(&blob));
        let times: Vec<f32> = reader.read_inputs().ok_or("no times")?.collect();
        assert_eq!((times[0], times[times.len() - 1]), (0.0, 0.6));
        let poses = times.iter().map(|&t| {
            let state = &rollout.states[(f64::from(t) / 1e-3).round() as usize];
            system.body_pose(state, body).expect("a body of the scene")
        });
        match reader.read_outputs().ok_or("no values")? {
            ReadOutputs::Translations(found) => {
                moves += 1;
                let positions = poses.map(|pose| pose.translation.map(|x| x as f32));
                assert!(found.map(Vector3::from).eq(positions));
            }
            ReadOutputs::Rotations(Rotations::F32(found)) => {
                turns += 1;
                // A quaternion and its negative are the same rotation; neighbours are on one side.
                let found: Vec<[f32; 4]> = found.collect();
                let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
                for (found, pose) in found.iter().zip(poses) {
                    let turn = UnitQuaternion::from_matrix(&pose.rotation).cast::<f32>();
                    assert!(dot(found, turn.coords.as_slice()).abs() > 1.0 - 1e-5);
                }
                assert!(found.windows(2).all(|pair| dot(&pair[0], &pair[1]) > 0.0));
            }
            _ => return Err("another property moves".into()),
        }
    }
    assert_eq!((moves, turns), (2, 2));
    Ok(())
}

/// In the page and in glTF a height field has two triangles for each cell, through its heights, that look up.
#[test]
fn height_fields_are_shown_as_they_are() -> Result<()> {
    let (columns, rows, spacing) = (5, 4, nalgebra::Vector2::new(0.5, 0.25));
    let heights: Vec<f64> = (0..columns * rows)
        .map(|k| 0.1 * f64::from(k).sin())
        .collect();
    let field = dualbody::geometry::HeightField::new(columns as usize, heights.clone(), spacing)?;
    let rubber = ContactMaterial::new(1e4, 0.3, 0.5)?;
    let system = SystemBuilder::new()
        .fixed("hills", field.into(), RigidTransform::identity(), rubber)
        .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
        .compliant(1e-3)?;
    let scene = system.rollout(&system.initial_state(), 3)?.scene(&system)?;
    let page = data(&scene.html())?;
    let triangle_count = 2 * (columns - 1) * (rows - 1);
    let meshes = page["meshes"].as_array().ok_or("no meshes")?.iter();
    let mut of_page = Vec::new();
    for mesh in meshes {
        let found = integers(&mesh["triangles"])?;
        if floats(&mesh["positions"])?.len() == 3 * heights.len() {
            of_page.push((
                floats(&mesh["positions"])?,
                floats(&mesh["normals"])?,
                found,
            ));
        }
    }
    assert_eq!(of_page.len(), 1);
    let path = std::env::temp_dir().join(format!("dualbody_field_{}.glb", std::process::id()));
    scene.save_glb(&path)?;
    let file = std::fs::read(&path);
    std::fs::remove_file(&path)?;
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&file?)?;
    let blob = blob.ok_or("no buffer")?;
    let wide = |list: Vec<[f32; 3]>| list.into_iter().flatten().map(f64::from).collect();
    let mut of_gltf = Vec::new();
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives()) {
        let reader = primitive.reader(|_| Some(&blob));
        let positions: Vec<f64> = wide(reader.read_positions().ok_or("no positions")?.collect());
        let normals: Vec<f64> = wide(reader.read_normals().ok_or("no normals")?.collect());
        let indices = reader.read_indices().ok_or("no indices")?.into_u32();
        if positions.len() == 3 * heights.len() {
            let bounds = primitive.bounding_box();
            assert_eq!((bounds.min[0], bounds.max[0]), (-1.0, 1.0));
            assert_eq!((bounds.min[1], bounds.max[1]), (-0.375, 0.375));
            of_gltf.push((positions, normals, indices.map(|i| i as usize).collect()));
        }
    }
    assert_eq!(of_gltf, of_page);
    let (positions, normals, triangles) = &of_page[0];
    assert_eq!(triangles.len(), 3 * triangle_count as usize);
    for (k, (p, height)) in positions.chunks_exact(3).zip(&heights).enumerate() {
        let (c, r) = ((k % 5) as f64, (k / 5) as f64);
        let expected = [0.5 * (c - 2.0), 0.25 * (r - 1.5), *height];
        assert!(
            p.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-7),
            "{p:?}"
        );
    }
    assert!(normals.chunks_exact(3).all(|n| n[2] > 0.5));
    let at = |k: usize| Vector3::from_column_slice(&positions[3 * k..3 * k + 3]);
    let mut area = 0.0;
    for t in triangles.chunks_exact(3) {
        let normal = (at(t[1]) - at(t[0])).cross(&(at(t[2]) - at(t[0])));
        assert!(normal.z > 0.0);
        area += 0.5 * normal.z;
    }
    assert!((area - 2.0 * 0.75).abs() < 1e-6, "{area}");
    Ok(())
}

#[test]
fn ten_seconds_of_a_humanoid_are_small() -> Result<()> {
    let text = include_str!("../data/models/humanoid.urdf");
    let (tree, model) = dualbody::io::urdf::UrdfReader::new().tree_from_str(text)?;
    let mut contact = dualbody::contact::ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry)?;
    }
    let contact = contact.finish(&tree)?;
    let system = RigidBodySystem::new(tree, contact)?;
    let states = (0..=10_000).map(|k| {
        let mut state = system.initial_state();
        state.time = 1e-3 * f64::from(k);
        state
    });
    let html = Scene::of_states(&system, &states.collect::<Vec<_>>())?.html();
    assert!(html.len() < 5_000_000, "{}", html.len());
    assert!(html.len() > 1_000_000, "{}", html.len());
    Ok(())
}
