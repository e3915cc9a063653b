//! Mass properties of bodies in MJCF, and the frames that follow from them; numbers are MuJoCo's (4.0).

use dualbody::io::mjcf::{MjcfModel, MjcfReader};
use dualbody::math::SpatialInertia;
use dualbody::tree::RigidBodyTree;
use nalgebra::Vector3;
use std::path::PathBuf;

fn read(text: &str) -> (RigidBodyTree<f64>, MjcfModel<f64>) {
    let read = MjcfReader::new().tree_from_str(text);
    read.unwrap_or_else(|error| panic!("{error}"))
}

/// Of the first body.
fn inertia(text: &str) -> SpatialInertia<f64> {
    let (tree, model) = read(text);
    *tree.body(model.bodies[1]).unwrap().inertia()
}

/// Principal moments about the centre of mass, the largest first.
fn principal_moments(inertia: &SpatialInertia<f64>) -> Vector3<f64> {
    let mut moments: Vec<f64> = (inertia.rotational_inertia.symmetric_eigenvalues())
        .iter()
        .copied()
        .collect();
    moments.sort_by(|a, b| b.total_cmp(a));
    Vector3::new(moments[0], moments[1], moments[2])
}

/// A geom that has all of the mass keeps its axes, whatever the order of its moments; a mesh is turned to its principal axes.
#[test]
fn one_geom_gives_a_free_body_its_frame() {
    let vertices = r#"vertex="0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1.3 0 1 1 1 1.5 0 1 1""#;
    let faces = r#"face="3 2 0 2 1 0 4 5 6 4 6 7 0 1 4 1 5 4 1 2 5 2 6 5 2 3 7 2 7 6 3 0 7 0 4 7""#;
    let position = [0.246257160048, 2.109611832667, 4.114189023157];
    let quaternion = [
        0.864478367753,
        0.238849500314,
        0.001560143836,
        0.442295866857,
    ];
    let of_mesh = [0.336316534768, 2.549852241619, 4.976978524873];
    let turned = [
        0.452313456671,
        0.157162013303,
        0.129280851428,
        0.868331215576,
    ];
    for (geom, moments, position, quaternion) in [
        (
            r#"type="box" size=".1 .2 .3""#,
            [2.08, 1.6, 0.8],
            position,
            quaternion,
        ),
        (
            r#"type="box" size=".2 .1 .3""#,
            [1.6, 2.08, 0.8],
            position,
            quaternion,
        ),
        (
            r#"type="box" size=".3 .2 .1""#,
            [0.8, 1.6, 2.08],
            position,
            quaternion,
        ),
        (
            r#"type="ellipsoid" size=".1 .3 .2""#,
            [0.653451, 0.251327, 0.502655],
            position,
            quaternion,
        ),
        (
            r#"type="cylinder" size=".3 .1""#,
            [1.460841, 1.460841, 2.54469],
            position,
            quaternion,
        ),
        (
            r#"type="capsule" size=".1 .3""#,
            [1.100605, 1.100605, 0.111003],
            position,
            quaternion,
        ),
        (
            r#"type="mesh" mesh="m""#,
            [290.666344, 266.759447, 221.393409],
            of_mesh,
            turned,
        ),
        (
            r#"type="box" mesh="m""#,
            [287.444392, 263.802496, 218.939328],
            of_mesh,
            turned,
        ),
    ] {
        let text = format!(
            r#"<mujoco><asset><mesh name="m" {vertices} {faces}/></asset><worldbody>
               <body pos=".5 .6 .7" euler="10 -20 5"><freejoint align="true"/>
               <geom {geom} pos="1 2 3" euler="20 30 40"/></body></worldbody></mujoco>"#
        );
        let (_, model) = read(&text);
        let found = &model.reference.joints[0].1;
        let wanted = [&quaternion[..], &position[..]].concat();
        let sign = found[0].signum();
        for (k, wanted) in wanted.iter().enumerate() {
            let found = if k < 4 { sign * found[k] } else { found[k] };
            assert!((found - wanted).abs() < 2e-6, "{geom}: {found} {wanted}");
        }
        let own = inertia(&text);
        assert!(own.center_of_mass.amax() < 2e-6, "{geom}");
        let wanted = nalgebra::Matrix3::from_diagonal(&Vector3::from(moments));
        let error = (own.rotational_inertia - wanted).amax() / wanted.amax();
        assert!(error < 2e-6, "{geom}: {}", own.rotational_inertia);
    }
}

/// Their mass is that of a box, whatever the elevations are, and whether or not they touch anything.
#[test]
fn height_fields_have_a_mass() {
    let body = |size: &str, elevation: &str, geoms: &str| {
        inertia(&format!(
            r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="{size}" elevation="{elevation}"/>
               </asset><worldbody><body><joint axis="1 0 0"/>{geoms}</body></worldbody></mujoco>"#
        ))
    };
    let field = |more: &str| format!(r#"<geom type="hfield" hfield="h" {more}/>"#);
    for (size, elevation, more, mass, moments) in [
        (
            "1 2 .6 .1",
            "0 1 2 3",
            r#"density="1""#,
            3.2,
            [4.30933333, 1.10933333, 5.33333333],
        ),
        (
            "1 2 3 .4",
            "0 0 0 5",
            r#"density="1" contype="0" conaffinity="0""#,
            15.2,
            [24.83933333, 9.63933333, 25.33333333],
        ),
        (
            "1 1 1 .1",
            "1 1 1 1",
            r#"mass="2""#,
            2.0,
            [0.72666667, 0.72666667, 1.33333333],
        ),
        (
            "1 1 1 .1",
            "0 1 2 3",
            r#"mass="1" shellinertia="true""#,
            1.0,
            [0.52583333, 0.52583333, 0.91666667],
        ),
    ] {
        let found = body(size, elevation, &field(more));
        let diagonal = found.rotational_inertia.diagonal();
        assert!((found.mass - mass).abs() < 1e-12, "{size}: {}", found.mass);
        assert!(
            (diagonal - Vector3::from(moments)).amax() < 1e-7,
            "{size}: {diagonal}"
        );
        assert_eq!(found.center_of_mass, Vector3::zeros());
    }
    let both = field(r#"mass="2" pos="1 2 3" euler="10 20 30""#) + r#"<geom size=".1"/>"#;
    let found = body("1 1 1 .1", "0 1 2 3", &both);
    let center = Vector3::new(0.32316494, 0.64632988, 0.96949481);
    assert!((found.mass - 6.1887902).abs() < 1e-6);
    assert!((found.center_of_mass - center).amax() < 1e-7);
    let alone = body(
        "1 1 1 .1",
        "0 1 2 3",
        &(field(r#"mass="0""#) + r#"<geom size=".1"/>"#),
    );
    assert!((alone.mass - 4.1887902).abs() < 1e-6, "{}", alone.mass);
}

/// Quadrilaterals are cut along the shorter diagonal, polygons of more corners within their outline.
#[test]
fn polygons_of_a_mesh_are_cut_as_by_the_format() {
    let folder = std::env::temp_dir().join(format!("dualbody-polygons-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let prism = |outline: &[[f64; 2]]| {
        let count = outline.len();
        let mut points: Vec<[f64; 3]> = outline.iter().map(|[x, y]| [*x, *y, 0.0]).collect();
        points.extend(outline.iter().map(|[x, y]| [*x, *y, 1.0]));
        let mut faces: Vec<Vec<usize>> = (0..count)
            .map(|k| vec![k, (k + 1) % count, count + (k + 1) % count, count + k])
            .collect();
        faces.push((0..count).rev().collect());
        faces.push((count..2 * count).collect());
        (points, faces)
    };
    let corner = [
        [0.0, 0.0],
        [2.0, 0.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let dart = [[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]];
    let block = |[a, b, c, d]: [[f64; 3]; 4]| {
        let bottom = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
        ];
        let (_, faces) = prism(&[[0.0; 2]; 4]);
        ([bottom, [a, b, c, d]].concat(), faces)
    };
    let turned = |outline: &[[f64; 2]], by: usize| {
        let mut outline = outline.to_vec();
        outline.rotate_left(by);
        prism(&outline)
    };
    let mut cases = vec![
        (
            block([
                [0.0, 0.0, 1.0],
                [1.3, 0.0, 1.0],
                [1.0, 1.0, 1.5],
                [0.0, 1.0, 1.0],
            ]),
            1291.66664679845,
            [290.66634393199, 266.759446576882, 221.393409473741],
        ),
        (
            block([
                [0.0, 0.0, 1.5],
                [1.0, 0.0, 1.0],
                [1.6, 1.0, 1.5],
                [0.0, 1.0, 1.0],
            ]),
            1266.66667064031,
            [318.489279904655, 280.098633092578, 227.45310294872],
        ),
    ];
    for by in 0..6 {
        cases.push((
            turned(&corner, by),
            3000.0,
            [1833.333333333333, 1500.0, 833.333333333333],
        ));
    }
    for by in 0..4 {
        let moments = [469.613325299774, 463.595816198547, 183.112875663868];
        cases.push((turned(&dart, by), 1104.28699895973, moments));
    }
    for (k, ((points, faces), mass, moments)) in cases.into_iter().enumerate() {
        let path: PathBuf = folder.join(format!("{k}.obj"));
        let points = points.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
        let number = |corner: &usize| format!(" {}", corner + 1);
        let faces =
            (faces.iter()).map(|f| format!("f{}\n", f.iter().map(number).collect::<String>()));
        let text: String = points.chain(faces).collect();
        std::fs::write(&path, text).unwrap();
        let found = inertia(&format!(
            r#"<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><body><joint/>
               <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"#,
            path.display()
        ));
        assert!((found.mass - mass).abs() < 1e-6, "{k}: {}", found.mass);
        let error = (principal_moments(&found) - Vector3::from(moments)).amax();
        assert!(error < 1e-5, "{k}: {}", principal_moments(&found));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
