//! Runs every example, and makes a page that leads to all of theirs.
//!
//! ```text
//! cargo run --release -p dualbody --example gallery -- [--quick] [--out DIR]
//! ```
//!
//! `--quick` hands that to the examples.

#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use support::Failure;
use support::arguments::Arguments;
use support::output::write_whole;

/// Name, title, what there is to see.
const EXAMPLES: [(&str, &str, &str); 19] = [
    (
        "slide",
        "A box slides",
        "How far, and what that depends on.",
    ),
    (
        "contact_gradients",
        "Gradients of a throw",
        "Where a tumbling cube ends, differentiated through all of its impacts.",
    ),
    (
        "bounce_gradients",
        "The gradient of a bounce",
        "What it means, and what steps that are too long make of it.",
    ),
    (
        "friction_gradients",
        "A slide and its friction",
        "What the stiction tolerance makes of a gradient.",
    ),
    (
        "constraint_forces",
        "Forces found with the motion",
        "Beads, a rope, a motor with a limit, a clutch, beside closed forms.",
    ),
    (
        "throw",
        "A throw at a target",
        "Gradient descent on the release velocity.",
    ),
    (
        "identify_contact",
        "Contact of a tossed cube",
        "Stiffness, dissipation and friction from measured tosses.",
    ),
    (
        "identify_bushing",
        "Constants of a bushing",
        "All twelve, from a body that rings down.",
    ),
    (
        "identify_elbow",
        "Two hinged blocks",
        "Contact, hinge and inertia from tosses, simulated beside measured.",
    ),
    (
        "identify_suspension",
        "A base on its wheels",
        "Two bushings from its motion and the wrench on a force plate.",
    ),
    (
        "identify_drives",
        "Drives of a robot",
        "Friction along each joint, gains and rotors, from desired and measured angles.",
    ),
    (
        "machine_file",
        "A quadruped from a file",
        "Written as JSON, read back with the same bits.",
    ),
    (
        "identify_machine",
        "An arm from its recordings",
        "Machine, channels and unknowns in a file; no closure.",
    ),
    (
        "constraints",
        "A closed loop with a gear",
        "A linkage that falls and drives a flywheel.",
    ),
    (
        "balance",
        "A pole on a cart",
        "Linearised, and balanced with sensors in the loop.",
    ),
    (
        "custom_force",
        "A force of one's own",
        "A magnet that was written outside the library.",
    ),
    (
        "mounts",
        "A block on bushings",
        "Bushings, a spring, a sail, a rod, a motor with limits and a lidar, as a page draws them.",
    ),
    (
        "load_urdf",
        "A robot description",
        "Read from URDF, joint by joint.",
    ),
    (
        "remote_actuator",
        "A controller elsewhere",
        "Sensor and controller in processes of their own.",
    ),
];

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: gallery [--quick] [--out DIR]");
    let quick = arguments.flag("--quick");
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let mut examples = EXAMPLES
        .map(|e| [e.0, e.1, e.2].map(str::to_owned))
        .to_vec();
    for name in all_examples()? {
        if name != "gallery" && examples.iter().all(|[known, ..]| *known != name) {
            examples.push([name.clone(), name, String::new()]);
        }
    }
    for [name, title, _] in &examples {
        println!("{name}: {title}");
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command.args(["run", "--quiet", "--all-features", "--example", name]);
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        command.arg("--").arg("--out").arg(&folder);
        if quick {
            command.arg("--quick");
        }
        let run = command.stdout(Stdio::null()).status()?;
        if !run.success() {
            return Err(format!("the example {name} has ended with {run}").into());
        }
    }
    let index = folder.join("index.html");
    write_whole(&index, &page(&folder, &examples)?)?;
    println!("Open {} in a browser.", index.display());
    Ok(())
}

/// The names of all examples: files, and folders that hold a program.
fn all_examples() -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples"))? {
        let path = entry?.path();
        let is_file = path.extension().is_some_and(|extension| extension == "rs");
        if let (true, Some(name)) = (is_file || path.join("main.rs").exists(), path.file_stem()) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The page that leads to the others, each with what else the example has written.
fn page(folder: &Path, examples: &[[String; 3]]) -> Result<String, Failure> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.file_name().to_string_lossy().into_owned());
    }
    files.sort();
    let cards: Vec<String> = (examples.iter())
        .map(|[name, title, about]| {
            let own = |file: &&String| {
                let rest = file.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.starts_with(['.', '_']) && rest != ".html")
            };
            let links: Vec<String> = (files.iter().filter(own))
                .map(|file| format!("<a href=\"{file}\">{file}</a>"))
                .collect();
            let text = format!("<h2>{title}</h2><p>{about}</p>");
            let text = match folder.join(name).with_extension("html").exists() {
                true => format!("<a class=\"open\" href=\"{name}.html\">{text}</a>"),
                false => format!("<div class=\"open\">{text}</div>"),
            };
            let links = links.join(" ");
            format!("<article>{text}<footer><code>{name}</code> {links}</footer></article>\n")
        })
        .collect();
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>dualbody: gallery</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>dualbody</h1><p>Multibody dynamics with contact that is differentiable throughout. \
         Every page plays a motion that an example has computed; it needs no network.</p></header>\n\
         <main>\n{}</main>\n</body>\n</html>\n",
        cards.concat()
    ))
}

const STYLE: &str = "\
:root{color-scheme:light dark;--page:#f5f7fa;--card:#fff;--ink:#1c232b;--soft:#5b6773;--rule:#dfe4ea;--accent:#2b6cb0}\
@media(prefers-color-scheme:dark){:root{--page:#14181e;--card:#1b2129;--ink:#e6ebf1;--soft:#9aa6b3;--rule:#2b343f;--accent:#6cb0f0}}\
body{margin:0 auto;max-width:1080px;padding:28px 20px 48px;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\
header{max-width:44em;margin-bottom:22px}h1{margin:0;font-size:28px;letter-spacing:-.02em}header p{margin:4px 0;color:var(--soft)}\
main{display:grid;gap:14px;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr))}\
article{display:flex;flex-direction:column;border:1px solid var(--rule);border-radius:12px;background:var(--card)}\
article:hover{border-color:var(--accent)}a{color:var(--accent)}.open{flex:1;padding:14px 16px 4px;color:inherit;text-decoration:none}\
h2{margin:0;font-size:17px}p{margin:4px 0 8px;color:var(--soft)}\
footer{padding:0 16px 12px;font-size:12.5px;color:var(--soft);overflow-wrap:anywhere}code{margin-right:8px}";
