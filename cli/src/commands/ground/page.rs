//! Robots as tables.

use super::robot::Robot;
use crate::table::Table;

const TITLES: [&str; 10] = [
    "robot",
    "starts from",
    "bodies",
    "shapes",
    "hull vertices",
    "pairs",
    "contacts at the end",
    "lowest point / mm",
    "step / µs",
    "remarks",
];

fn cells(robot: &Robot) -> [String; 10] {
    let lowest = match robot.lowest.is_finite() {
        true => format!("{:.2}", 1e3 * robot.lowest),
        false => "–".to_owned(),
    };
    let mut remarks: Vec<String> = robot.failure.iter().cloned().collect();
    if robot.missing_meshes > 0 {
        remarks.push(format!("{} meshes not found", robot.missing_meshes));
    }
    [
        robot.name.clone(),
        robot.home.as_deref().unwrap_or("neutral").to_owned(),
        robot.bodies.to_string(),
        robot.shapes.to_string(),
        robot.hull_vertices.to_string(),
        robot.pairs.to_string(),
        robot.contacts.to_string(),
        lowest,
        format!("{:.0}", robot.step_time.as_secs_f64() * 1e6),
        remarks.join("; "),
    ]
}

/// For people.
pub fn table(robots: &[Robot]) -> String {
    let mut table = Table::new(TITLES);
    robots.iter().for_each(|robot| table.row(cells(robot)));
    table.to_string()
}

/// In Markdown.
pub fn markdown(robots: &[Robot]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let titles = TITLES.map(str::to_owned);
    let rows: String = robots
        .iter()
        .map(|robot| line(&cells(robot).map(|cell| cell.replace('|', "\\|"))))
        .collect();
    format!("{}|{}\n{rows}", line(&titles), "---|".repeat(TITLES.len()))
}

/// The page that leads to those of the robots.
pub fn html(robots: &[Robot]) -> String {
    let titles = TITLES.map(|title| format!("<th>{title}</th>")).concat();
    let rows: String = robots
        .iter()
        .map(|robot| {
            let [name, rest @ ..] = cells(robot).map(|cell| escaped(&cell));
            let name = match &robot.page {
                Some(page) => format!("<a href=\"{}\">{name}</a>", escaped(page)),
                None => name,
            };
            let rest = rest.map(|cell| format!("<td>{cell}</td>")).concat();
            format!("<tr><th>{name}</th>{rest}</tr>\n")
        })
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Robots on the ground</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>Robots on the ground</h1>\n<p>Each stands at home with damped joints, and falls.</p>\n\
         <table><tr>{titles}</tr>\n{rows}</table>\n</body>\n</html>\n"
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark}body{margin:24px auto;max-width:1080px;padding:0 18px;font:15px/1.5 system-ui,sans-serif}\
table{display:block;overflow-x:auto;border-collapse:collapse;font-variant-numeric:tabular-nums}\
td,th{padding:4px 12px 4px 0;text-align:right;border-bottom:1px solid #8884}th:first-child{text-align:left}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
