//! The program that `templates` begins a project with: it runs, and so does its test.

#[path = "../../templates/start/src/main.rs"]
mod start;

#[test]
fn the_template_runs() {
    start::main().unwrap();
}
