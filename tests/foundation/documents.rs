//! What the pages of `docs` name exists in the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Words of other origin, which the sources use and do not declare.
const FOREIGN: [&str; 14] = [
    "Box", "Clone", "DVector", "Dual64", "Err", "Jn", "Jt", "None", "Ok", "R_WC", "Result", "Vec",
    "approx", "num_dual",
];

/// A source: the names that it declares, and all its words.
struct Source {
    declared: BTreeSet<String>,
    words: BTreeSet<String>,
}

/// Letters, digits and underscores that belong together.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (text.split(move |c| !is_part(c))).filter(|word| !word.is_empty())
}

impl Source {
    /// Of items, of fields and of variants.
    fn read(text: &str) -> Self {
        let mut declared = BTreeSet::new();
        for line in text.lines().map(str::trim) {
            let mut rest = words(line).peekable();
            while let Some(word) = rest.next() {
                let keywords = [
                    "fn",
                    "struct",
                    "enum",
                    "trait",
                    "type",
                    "const",
                    "mod",
                    "macro_rules",
                ];
                if keywords.contains(&word) {
                    declared.extend(rest.peek().map(|name| (*name).to_owned()));
                }
            }
            let field = line
                .strip_prefix("pub ")
                .and_then(|rest| rest.split_once(':'));
            let first = words(line).next().unwrap_or_default();
            let after = line.strip_prefix(first).unwrap_or_default();
            let is_variant = first.starts_with(|c: char| c.is_ascii_uppercase())
                && (after == "," || after.starts_with(" {") || after.starts_with('('));
            declared.extend(field.map(|(name, _)| name.to_owned()));
            declared.extend(is_variant.then(|| first.to_owned()));
            // `system::elements` declares by this macro what it is called with.
            if line.starts_with("family! {") {
                declared.extend(words(line).map(str::to_owned));
            }
        }
        Source {
            declared,
            words: words(text).map(str::to_owned).collect(),
        }
    }
}

fn read_sources(folder: &Path, sources: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(Source::read(&fs::read_to_string(&path).expect("a source")));
        }
    }
}

/// Pieces of code in a text.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names in a piece of code, each with the one before it in its path: `A::b` gives `A`, and `b` of `A`,
/// also from `m::A::{b, c}`. Arguments of calls are left out, unless they are types.
fn names(code: &str) -> Vec<(Option<&str>, &str)> {
    let mut found = Vec::new();
    // What stands in quotes is no name.
    for part in code.split('"').step_by(2) {
        let (mut last, mut members_of, mut at) = (None, None, 0);
        for word in words(part) {
            at += part[at..].find(word).unwrap_or_default();
            let (before, after) = (&part[..at], &part[at + word.len()..]);
            at += word.len();
            if before.ends_with("::{") {
                members_of = last;
            } else if before.ends_with('}') || before.ends_with("} ") {
                members_of = None;
            }
            let owner = members_of.or(last.filter(|_| before.ends_with("::")));
            last = Some(word);
            let is_type = word.starts_with(|c: char| c.is_ascii_uppercase());
            let is_whole = before.is_empty() && (after.is_empty() || after.starts_with(':'));
            let is_called = after.starts_with('(') || after.starts_with("::");
            if word.len() > 1 && (is_type || owner.is_some() || is_whole || is_called) {
                found.push((owner, word));
            }
        }
    }
    found.retain(|(_, name)| {
        !FOREIGN.contains(name) && !name.starts_with(|c: char| c.is_ascii_digit())
    });
    found
}

#[test]
fn what_the_pages_name_exists() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut sources = Vec::new();
    read_sources(&root.join("src"), &mut sources);
    let exists = |owner: Option<&str>, name: &str| {
        sources.iter().any(|source| {
            let has_owner = owner.is_none_or(|owner| source.words.contains(owner));
            let is_type = owner.is_some_and(|owner| owner.starts_with(char::is_uppercase));
            source.declared.contains(name) && (has_owner || !is_type)
        })
    };
    let (mut unknown, mut seen) = (BTreeSet::new(), 0);
    // Tables, and the column in which our names are.
    for (page, column) in [
        ("FROM_DRAKE", 2),
        ("FROM_MUJOCO", 2),
        ("FROM_PINOCCHIO", 2),
        ("GLOSSARY", 3),
        ("CHECKING_JACOBIANS", 2),
        ("IDENTIFICATION", 2),
    ] {
        let path = root.join("docs").join(page).with_extension("md");
        let text = fs::read_to_string(path).expect("a page");
        let rows = text.lines().filter(|line| line.starts_with("| "));
        for cell in rows.filter_map(|row| row.split('|').nth(column)) {
            let pieces = code(cell).filter(|piece| !piece.contains(".rs"));
            for (owner, name) in pieces.flat_map(names) {
                seen += 1;
                if !exists(owner, name) {
                    unknown.insert(format!("{page}: {}::{name}", owner.unwrap_or_default()));
                }
            }
        }
    }
    assert!(seen > 300, "only {seen} names were found");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn names_of_code_are_found() {
    assert_eq!(
        names("to::Kind::{One, Two}"),
        [
            (None, "to"),
            (Some("to"), "Kind"),
            (Some("Kind"), "One"),
            (Some("Kind"), "Two")
        ]
    );
    assert_eq!(names("Solver<T>"), [(None, "Solver")]);
    assert_eq!(names("x.set(\"a/b\", d)"), [(None, "set")]);
    assert_eq!(
        names("solve(&mut work, &Guess)"),
        [(None, "solve"), (None, "Guess")]
    );
    assert_eq!(names("field: Vec<f64>"), [(None, "field")]);
    let source = Source::read(
        "pub struct A {\n    pub field: f64,\n}\nenum E {\n    One(u8),\n}\nfn go() {}",
    );
    assert_eq!(
        source.declared.iter().collect::<Vec<_>>(),
        ["A", "E", "One", "field", "go"]
    );
}

/// README and the front page of the documentation begin with the same program, and its function is in the example.
#[test]
fn the_first_program_is_one() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a source");
    let program = |text: &str, fence: &str| {
        let (_, rest) = text.split_once(fence).expect("a program");
        let (program, _) = rest.split_once("```\n").expect("its end");
        program.to_owned()
    };
    let page: String = (read("src/lib.rs").lines())
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let first = program(&read("README.md"), "```rust\n");
    assert_eq!(first, program(&page, "```\n"));
    assert!(first.lines().count() < 25, "{first}");
    let (_, function) = first.split_once("\n\n").expect("what is used");
    let (function, _) = function.split_once("fn main").expect("what is run");
    assert!(read("examples/slide.rs").contains(function), "{function}");
}

/// Every decision is in the index of `docs/decisions` and in the documentation.
#[test]
fn decisions_are_listed() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let folder = root.join("docs/decisions");
    let index = fs::read_to_string(folder.join("README.md")).expect("the index");
    let guide = fs::read_to_string(root.join("src/guide.rs")).expect("the guide");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("decisions") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let name = name.expect("a name");
        if name != "README" {
            seen += 1;
            assert!(index.contains(&format!("({name}.md)")), "{name}");
            assert!(guide.contains(&format!("\"{name}\"")), "{name}");
        }
    }
    assert_eq!(index.matches(".md) |").count(), seen);
}
