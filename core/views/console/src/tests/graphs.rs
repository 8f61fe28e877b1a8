//! Tests of the update graphs on the pages of packages and operators. Large graphs are shown in
//! parts.

use super::views::{a_graph, a_package_page, an_operator_page, frame};
use crate::drawing::{Bundle, DrawnUpdate, Graph, Way};
use crate::view::{About, ChannelRow, OperatorPage, PackagePage, Unseen};
use crate::{GraphFilter, operator, package};

/// The maximum size of a page in bytes.
const HEAVY: usize = 100_000;

/// Returns a chain of `count` bundles, the newest first.
fn chain(count: usize) -> Graph {
    let name = |at: usize| format!("ferry.v1.{at}.0");
    let bundle = |at: usize| Bundle {
        name: name(at),
        version: format!("1.{at}.0"),
        channels: vec!["stable".to_owned()],
        is_deprecated: false,
    };
    let update = |at: usize| DrawnUpdate {
        channel: "stable".to_owned(),
        from: name(at),
        to: name(at + 1),
        ways: vec![Way::Replaces],
    };
    Graph {
        package: "ferry".to_owned(),
        bundles: (0..count).rev().map(bundle).collect(),
        updates: (0..count - 1).rev().map(update).collect(),
        ..Graph::default()
    }
}

fn shown(count: usize, older: &str) -> String {
    let page = PackagePage {
        graph: Ok(chain(count)),
        asked: GraphFilter::default().older_than(older),
        ..a_package_page("ferry", 1)
    };
    package(&frame("a"), &page)
}

/// Returns the target of the link with this text.
fn target<'p>(page: &'p str, text: &str) -> Option<&'p str> {
    let (before, _) = page.split_once(&format!("\">{text}</a>"))?;
    before.rsplit_once("href=\"").map(|(_, target)| target)
}

#[test]
fn page_shows_whole_graph_if_it_is_small() {
    let page = shown(20, "");
    assert_eq!(page.matches("<g class=\"bundle").count(), 20);
    assert!(!page.contains("Not shown"), "{page}");
    assert!(
        page.contains("href=\"/bundle?catalog=ferry&amp;package=ferry&amp;name=ferry.v1.7.0\"")
    );
}

/// The parts together show each bundle once. Each part links to the next part.
#[test]
fn large_graph_is_shown_in_parts() {
    let (mut seen, mut older) = (0, String::new());
    for part in 0.. {
        let page = shown(400, &older);
        assert!(page.len() < HEAVY, "{}", page.len());
        let count = page.matches("<g class=\"bundle").count();
        assert!(
            page.contains(&format!("shows {count} of 400 bundles")),
            "{page}"
        );
        let rest = 400 - seen - count;
        assert!(
            page.contains(&format!("{seen} newer and {rest} older bundles")),
            "{page}"
        );
        assert_eq!(target(&page, "Newest bundles").is_some(), part > 0);
        seen += count;
        let Some(next) = target(&page, "Older bundles") else {
            break;
        };
        let (_, last) = next.split_once("&amp;older=").expect("the last bundle");
        older = last.to_owned();
    }
    assert_eq!(seen, 400);
}

#[test]
fn part_after_a_removed_bundle_is_the_newest() {
    let page = shown(400, "ferry.v0.1.0");
    assert!(page.contains("does not exist anymore"), "{page}");
    assert!(page.contains(">ferry.v1.399.0<"), "{page}");
}

/// One bundle may be the head of thousands of channels.
#[test]
fn graph_whose_smallest_part_is_too_large_is_only_a_file() {
    let mut graph = chain(2);
    graph.heads = (0..5_000)
        .map(|at| crate::drawing::Head {
            channel: format!("channel-{at}"),
            name: "ferry.v1.1.0".to_owned(),
        })
        .collect();
    let page = PackagePage {
        graph: Ok(graph),
        asked: GraphFilter::default(),
        ..a_package_page("ferry", 1)
    };
    let page = package(&frame("a"), &page);
    assert!(page.contains("Choose one channel or a path"), "{page}");
    assert!(
        page.contains("href=\"/graph.svg?catalog=ferry&amp;name=ferry\""),
        "{page}"
    );
    assert!(page.len() < HEAVY, "{}", page.len());
}

#[test]
fn missing_path_is_explained() {
    let page = PackagePage {
        graph: Err(Unseen("no path from a to b\n└── why".to_owned())),
        ..a_package_page("ferry", 1)
    };
    let page = package(&frame("a"), &page);
    assert!(page.contains("no path from a to b\n└── why"), "{page}");
}

#[test]
fn form_offers_channels_and_keeps_the_choice() {
    let page = PackagePage {
        asked: GraphFilter {
            channel: "beta".to_owned(),
            from: "ferry.v1.0.0".to_owned(),
            ..GraphFilter::default()
        },
        channels: vec![ChannelRow {
            name: "stable".to_owned(),
            ..ChannelRow::default()
        }],
        ..a_package_page("ferry", 1)
    };
    let page = package(&frame("a"), &page);
    assert!(
        page.contains("<option value=\"stable\">stable</option>"),
        "{page}"
    );
    assert!(
        page.contains("<option value=\"beta\" selected=\"\">beta</option>"),
        "{page}"
    );
    assert!(page.contains("value=\"ferry.v1.0.0\""), "{page}");
    assert!(page.contains("Only this path is drawn."), "{page}");
    let file = "/graph.svg?catalog=ferry&amp;name=ferry&amp;channel=beta&amp;from=ferry.v1.0.0";
    assert_eq!(target(&page, "As a file"), Some(file));
}

/// The page of an operator has no form to select a part, so it shows only the upgrade path.
#[test]
fn operator_page_shows_only_the_path_of_a_large_graph() {
    let path = ["ferry.v1.3.0", "ferry.v1.4.0", "ferry.v1.5.0"].map(str::to_owned);
    let graph = Graph {
        path: path.into(),
        ..chain(400)
    };
    let page = OperatorPage {
        graph: Ok(graph),
        ..an_operator_page("ferry")
    };
    let page = operator(&frame("a"), &page);
    assert_eq!(page.matches("<g class=\"bundle").count(), 3);
    assert!(page.contains("Only the upgrade path is drawn."), "{page}");
    let whole = target(&page, "Show the graph of the package in parts");
    assert_eq!(whole, Some("/package?catalog=ferry&amp;name=ferry"));
    let small = OperatorPage {
        graph: Ok(a_graph("ferry")),
        ..an_operator_page("ferry")
    };
    assert!(!operator(&frame("a"), &small).contains("Only the upgrade path"));
}

#[test]
fn page_of_a_package_describes_the_package() {
    let page = PackagePage {
        description: String::new(),
        about: About {
            provider: "Harbor (https://harbor.example)".to_owned(),
            description: "Carries people.\nAnd goods.".to_owned(),
            ..About::default()
        },
        ..a_package_page("ferry", 1)
    };
    let page = package(&frame("a"), &page);
    assert!(page.contains("Harbor (https://harbor.example)"), "{page}");
    assert!(page.contains("Carries people.\nAnd goods."), "{page}");
    let icon = "<img src=\"data:image/svg+xml;base64,PHN2Zy8+\" alt=\"\" class=\"icon\">";
    assert!(page.contains(icon), "{page}");
}
