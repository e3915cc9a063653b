//! A scene as a page that opens in a browser.

use super::motion::Role;
use super::scene::Scene;
use crate::io::write_whole;
use crate::plot::{Chart, Content, Mark};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{Error, Write};
use std::path::Path;

/// The parts of the page; `viewer/build.mjs` makes the script and the style.
const SCRIPT: &str = include_str!("viewer/viewer.js");
const STYLE: &str = include_str!("viewer/viewer.css");

impl Scene {
    /// Writes the [page](Self::html) into a file, whole or not at all.
    ///
    /// # Errors
    /// Those of the file system; a file that was there before is then as it was.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_whole(path.as_ref(), |file| file.write_all(self.html().as_bytes()))
    }

    /// A page that needs nothing else, no network and no server.
    pub fn html(&self) -> String {
        let title = match self.title.as_str() {
            "" => "dualbody",
            title => title,
        };
        // A script element also ends, or does not, at tags and comments in its text.
        let data = self.data().to_string().replace('<', "\\u003c");
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <script type=\"application/json\" id=\"scene\">{data}</script>\n\
             <script>{SCRIPT}</script>\n</body>\n</html>\n",
            escaped(title)
        )
    }

    /// What the script of the page reads. Numbers in bulk are base64 of little-endian `f32` or `u32`.
    fn data(&self) -> Value {
        let motions = self.motions.iter().map(|motion| {
            json!({
                "name": motion.name,
                "ghost": motion.role == Role::Ghost,
                "times": floats(motion.times.iter().map(|&t| t as f32)),
                "poses": floats(motion.poses.iter().flatten().flatten().copied()),
            })
        });
        let arrows = self.arrows.iter().map(|(motion, arrows)| {
            let all = || arrows.frames.iter().flatten();
            let counts = arrows.frames.iter().map(|frame| frame.len() as u32);
            json!({
                "motion": motion,
                "name": arrows.name,
                "unit": arrows.unit,
                "style": arrows.style.name(),
                "scale": arrows.scale,
                "labels": arrows.labels,
                "counts": integers(counts),
                "label": integers(all().map(|arrow| arrow.label as u32)),
                "vectors": floats(all().flat_map(|arrow| arrow.at.into_iter().chain(arrow.vector))),
            })
        });
        json!({
            "title": self.title,
            "about": self.about,
            "refresh": self.refresh.map(|every| every.as_secs_f64()),
            "bodies": self.bodies.iter().map(|body| json!({
                "name": body.name,
                "joint": body.joint,
                "kind": body.kind,
                "motion": body.motion,
            })).collect::<Value>(),
            "meshes": self.meshes.iter().map(|(_, mesh)| json!({
                "positions": floats(mesh.positions.iter().flatten().copied()),
                "normals": floats(mesh.normals.iter().flatten().copied()),
                "triangles": integers(mesh.triangles.iter().flatten().copied()),
            })).collect::<Value>(),
            "placed": self.placed.iter().map(|item| json!({
                "name": item.name,
                "body": item.body,
                "mesh": item.mesh,
                "pose": item.pose,
            })).collect::<Value>(),
            "frames": self.frames.iter().map(|frame| json!({
                "name": frame.name,
                "body": frame.body,
                "pose": frame.pose,
            })).collect::<Value>(),
            "symbols": self.symbols.iter().map(|symbol| json!({
                "name": symbol.name,
                "kind": symbol.kind,
                "ends": symbol.ends.iter().map(|(body, pose)| json!({"body": body, "pose": pose})).collect::<Value>(),
                "numbers": symbol.numbers,
            })).collect::<Value>(),
            "motions": motions.collect::<Value>(),
            "arrows": arrows.collect::<Value>(),
            "events": self.events.iter().map(|event| json!({
                "time": event.time,
                "text": event.text,
                "kind": event.kind,
            })).collect::<Value>(),
            "charts": self.charts.iter().map(chart).collect::<Value>(),
        })
    }
}

fn chart(chart: &Chart) -> Value {
    // Whether a point can be drawn, in single precision.
    let drawn = |point: &[f32; 3]| {
        let positive = |y: &f32| !chart.logarithmic[1] || *y > 0.0;
        point.iter().all(|x| x.is_finite()) && point[1..].iter().all(positive)
    };
    let single = |point: [f64; 3]| point.map(|x| x as f32);
    let series = chart.series.iter().map(|series| {
        let points: Vec<[f64; 3]> = match &series.content {
            Content::Points(_, points) => points.iter().map(|&(x, y)| [x, y, y]).collect(),
            Content::Band(band) => band.iter().map(|&(x, low, high)| [x, low, high]).collect(),
        };
        let points: Vec<_> = points.into_iter().map(single).filter(drawn).collect();
        let is_band = matches!(series.content, Content::Band(_));
        let column = |k: usize| floats(points.iter().filter(|_| k < 2 || is_band).map(|p| p[k]));
        let mark = match series.content {
            Content::Points(Mark::Line, _) => "line",
            Content::Points(Mark::Dashes, _) => "dashes",
            Content::Points(Mark::Dots, _) => "dots",
            Content::Band(_) => "band",
        };
        json!({
            "name": series.name,
            "color": series.color,
            "mark": mark,
            "x": column(0),
            "y": column(1),
            "upper": column(2),
        })
    });
    json!({
        "title": chart.title,
        "x": chart.x_label,
        "y": chart.y_label,
        "logarithmic": chart.logarithmic[1],
        "hasOrdinates": chart.has_ordinates,
        "series": series.collect::<Value>(),
    })
}

/// Numbers in base64.
fn floats(values: impl Iterator<Item = f32>) -> String {
    STANDARD.encode(values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

fn integers(values: impl Iterator<Item = u32>) -> String {
    STANDARD.encode(values.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

/// Text in HTML.
pub(crate) fn escaped(text: &str) -> String {
    (text.replace('&', "&amp;"))
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
