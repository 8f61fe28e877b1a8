//! Tests of parts of graphs: upgrade paths, and a limited number of bundles.

use crate::drawing::{Bundle, Drawing, DrawnUpdate, Graph, Head, Part, Way, svg};
use crate::markup::{Href, Markup};

fn update(from: &str, to: &str) -> DrawnUpdate {
    DrawnUpdate {
        channel: "stable".to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        ways: vec![Way::Replaces],
    }
}

/// Returns a chain of bundles, the newest first. The bundle v3 replaces a name for which the
/// catalog has no bundle.
fn chain() -> Graph {
    let bundle = |name: &str, version: &str| Bundle {
        name: name.to_owned(),
        version: version.to_owned(),
        channels: vec!["stable".to_owned()],
        is_deprecated: false,
    };
    Graph {
        package: "a".to_owned(),
        bundles: vec![
            bundle("v5", "5.0.0"),
            bundle("v4", "4.0.0"),
            bundle("v3", "3.0.0"),
            bundle("v1", "1.0.0"),
            bundle("v2", ""),
        ],
        updates: vec![
            update("v1", "v2"),
            update("v2", "v3"),
            update("v3", "v4"),
            update("v4", "v5"),
            update("v3", "v5"),
        ],
        heads: vec![Head {
            channel: "stable".to_owned(),
            name: "v5".to_owned(),
        }],
        ..Graph::default()
    }
}

fn names(graph: &Graph) -> Vec<&str> {
    graph.bundles.iter().map(|it| it.name.as_str()).collect()
}

fn ends(graph: &Graph) -> Vec<(&str, &str)> {
    let updates = graph.updates.iter();
    updates
        .map(|it| (it.from.as_str(), it.to.as_str()))
        .collect()
}

#[test]
fn path_has_only_its_bundles_and_updates() {
    let path = ["v3", "v4", "v5"].map(str::to_owned);
    let graph = chain().only(&path);
    assert_eq!(names(&graph), ["v5", "v4", "v3"]);
    assert_eq!(ends(&graph), [("v3", "v4"), ("v4", "v5")]);
    assert!(graph.is_part);
}

#[test]
fn part_counts_omitted_bundles_and_updates() {
    let Part {
        graph,
        newer,
        older,
        missing,
        updates,
    } = chain().part(1, 2);
    assert_eq!(names(&graph), ["v4", "v3", "v2"]);
    assert_eq!(ends(&graph), [("v2", "v3"), ("v3", "v4")]);
    assert_eq!((newer, older, missing, updates), (1, 1, 0, 3));
    let first = chain().part(0, 2);
    assert_eq!(names(&first.graph), ["v5", "v4"]);
    assert_eq!((first.newer, first.older, first.missing), (0, 2, 1));
}

#[test]
fn part_beyond_the_oldest_bundle_is_empty() {
    let part = chain().part(9, 2);
    assert_eq!(names(&part.graph), Vec::<&str>::new());
    assert_eq!((part.newer, part.older), (4, 0));
}

/// The part contains only some bundles of the path, so no bundle is shown as installed.
#[test]
fn part_of_a_path_is_not_shown_as_a_path() {
    let graph = Graph {
        path: ["v3", "v4", "v5"].map(str::to_owned).into(),
        ..chain()
    };
    assert_eq!(graph.part(0, 2).graph.path, Vec::<String>::new());
    assert_eq!(graph.only(&graph.path).path, graph.path);
}

/// The head of the channel is in another part, so the drawing omits the channel.
#[test]
fn channel_without_head_in_the_part_has_no_box() {
    let text = svg::document(&Drawing::of(&chain().part(1, 2).graph)).expect("a drawing");
    assert!(!text.contains("class=\"channel"), "{text}");
    assert!(!text.contains("has no head"), "{text}");
    let text = svg::document(&Drawing::of(&chain())).expect("a drawing");
    assert!(text.contains("class=\"channel"), "{text}");
}

/// A file has no links, because the file can be opened without the console.
#[test]
fn bundles_of_the_catalog_are_links_in_a_page() {
    let drawing = Drawing::of(&chain());
    let page = |name: &str| Href::to("/bundle").with("name", name);
    let text = svg::part(&drawing, |node| page(&node.name)).expect("a drawing");
    let text = Markup::of(text).into_text();
    assert_eq!(
        text.matches("<a href=\"/bundle?name=v").count(),
        4,
        "{text}"
    );
    assert!(!text.contains("name=v2"), "{text}");
    assert!(text.contains("role=\"group\""), "{text}");
    let text = svg::document(&drawing).expect("a drawing");
    assert!(!text.contains("<a "), "{text}");
    assert!(text.contains("role=\"img\""), "{text}");
}

#[test]
fn second_name_of_a_bunch_begins_at_its_version() {
    let old = ["v5.8.0", "v5.7.0", "v5.6.2", "v5.6.1"];
    let name = |end: &str| format!("grafana-operator.{end}");
    let graph = Graph {
        bundles: old
            .map(|it| Bundle {
                name: name(it),
                version: it[1..].to_owned(),
                ..Bundle::default()
            })
            .into(),
        updates: old.map(|it| update(&name(it), &name("v5.9.0"))).into(),
        ..Graph::default()
    };
    let drawing = Drawing::of(&graph);
    let lines: Vec<_> = drawing.bunches.iter().map(|it| it.lines()).collect();
    let expected = ["4 bundles", "grafana-operator.v5.8.0 … v5.6.1"];
    assert_eq!(lines, [expected]);
}
