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
