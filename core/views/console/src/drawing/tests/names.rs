//! Tests that names from catalogs are used only as labels in drawings.

use super::{hostile, tame};
use crate::drawing::{Bundle, Drawing, Graph, Head, dot, mermaid, svg};

/// Returns the text outside of double quotes, according to the quoting rules of Graphviz.
fn outside(line: &str) -> String {
    let mut seen = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for letter in line.chars() {
        match letter {
            '"' if !escaped => quoted = !quoted,
            letter if !quoted => seen.push(letter),
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    assert!(!quoted, "{line}");
    seen
}

#[test]
fn names_are_escaped_for_graphviz() {
    let bones = |graph: &Graph| {
        let text = dot::render(&Drawing::of(graph));
        text.lines().map(outside).collect::<Vec<_>>()
    };
    assert_eq!(bones(&hostile()), bones(&tame()));
}

#[test]
fn names_are_escaped_for_mermaid() {
    let text = mermaid::render(&Drawing::of(&hostile()));
    let labels = text.split('"').skip(1).step_by(2);
    let harmless = |letter: char| letter.is_alphanumeric() || " .,-_+…#;\u{fffd}".contains(letter);
    for label in labels {
        let label = label.replace("<br/>", " ");
        assert!(label.chars().all(harmless), "{label}");
    }
    // The drawing writes only these kinds of lines, and a quoted name must not add another kind.
    let kinds = ["flowchart", "n", "b", "c", "classDef", "style", "linkStyle"];
    for line in text.lines() {
        let word = line
            .trim()
            .split([' ', '[', '(', '{'])
            .next()
            .unwrap_or_default();
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        assert!(kinds.contains(&word), "{line}");
    }
}

#[test]
fn names_are_escaped_for_svg() {
    let elements = |graph: &Graph| {
        let text = svg::document(&Drawing::of(graph)).expect("a drawing");
        let tags = text.split('<').skip(1).map(|rest| {
            let end = rest.find(['>', ' ']).expect("an end");
            rest[..end].to_owned()
        });
        tags.collect::<Vec<_>>()
    };
    // The names do not change the kinds of elements.
    let (hostile, tame) = (elements(&hostile()), elements(&tame()));
    let kinds = |all: &[String]| {
        all.iter()
            .cloned()
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(kinds(&hostile), kinds(&tame));
}

/// Regression test: the package has as many channels as bundles, and a lookup for each pair took
/// minutes.
#[test]
fn large_package_is_drawn_quickly() {
    const MANY: usize = 20_000;
    let names: Vec<_> = (0..MANY).map(|at| format!("a.v{at}")).collect();
    let bundle = |name: &String| Bundle {
        name: name.clone(),
        version: "1.0.0".to_owned(),
        channels: vec![name.clone()],
        is_deprecated: false,
    };
    let head = |name: &String| Head {
        channel: name.clone(),
        name: name.clone(),
    };
    let graph = Graph {
        package: "a".to_owned(),
        bundles: names.iter().map(bundle).collect(),
        heads: names.iter().map(head).collect(),
        ..Graph::default()
    };
    let drawing = Drawing::of(&graph);
    assert_eq!((drawing.nodes.len(), drawing.channels.len()), (MANY, MANY));
    assert_eq!(mermaid::render(&drawing).matches(" --- ").count(), MANY);
    assert_eq!(dot::render(&drawing).matches(" -> ").count(), MANY);
    let refused = svg::document(&drawing).expect_err("too much to lay out");
    assert!(refused.to_string().contains("of one channel"), "{refused}");
}
