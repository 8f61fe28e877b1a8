//! Update graphs within a page. A large graph is drawn in parts.

use super::{link, note};
use crate::drawing::{Bundle, Drawing, Graph, Part, svg};
use crate::markup::{Element, Markup};
use crate::place::{ConsolePage, GraphFilter};
use crate::view::{Operator, PackagePage};

/// The maximum size in bytes of a drawing in a page.
const LARGEST_DRAWING: usize = 36_000;
/// The maximum number of boxes of a drawing in a page. A drawing with more boxes always exceeds the
/// maximum size.
const MOST_BOXES: usize = 160;
/// The possible numbers of bundles in a part, tried in this order. The first part whose drawing is
/// small enough is shown.
const PARTS: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];

/// The package whose graph is drawn.
struct Subject<'a> {
    catalog: &'a str,
    package: &'a str,
}

/// Renders the graph of a package, or the part that the visitor has selected.
pub(crate) fn graph_of_package(page: &PackagePage, graph: &Graph) -> Markup {
    let subject = Subject {
        catalog: &page.catalog,
        package: &page.name,
    };
    let file = subject.file(&page.asked);
    let path = (!page.asked.from.is_empty()).then(|| note("Only this path is drawn."));
    let is_whole = page.asked.older.is_empty();
    match is_whole.then(|| subject.drawn(graph)).flatten() {
        Some(drawn) => Markup::of((path, drawn, Some(file))),
        None => Markup::of((path, subject.part(graph, &page.asked), Some(file))),
    }
}

/// Renders the graph of an operator's package. If the graph is too large, renders only the upgrade
/// path.
pub(crate) fn graph_of_operator(operator: &Operator, graph: &Graph) -> Markup {
    let subject = Subject {
        catalog: &operator.catalog,
        package: &operator.package,
    };
    let file = subject.file(&GraphFilter::default());
    if let Some(drawn) = subject.drawn(graph) {
        return Markup::of((None::<Element>, drawn, Some(file)));
    }
    let whole = ConsolePage::package(subject.catalog, subject.package);
    let whole = Element::new("p").with(link(&whole, "Show the graph of the package in parts"));
    let drawn = subject.drawn(&graph.only(&graph.path));
    let about = match &drawn {
        Some(_) => "The graph is too large for this page. Only the upgrade path is drawn.",
        None => "The graph is too large for this page.",
    };
    Markup::of((Some(note(about)), drawn, Some([whole, file])))
}

// === impl Subject ===

impl Subject<'_> {
    /// Draws a graph. Returns None if the drawing is too large for a page.
    fn drawn(&self, graph: &Graph) -> Option<Element> {
        if graph.bundles.len() > MOST_BOXES {
            return None;
        }
        let drawing = svg::part(&Drawing::of(graph), |node| self.bundle(&node.name).href());
        let drawing = Markup::of(drawing.ok()?);
        (drawing.len() <= LARGEST_DRAWING).then(|| {
            let scroll = Element::new("div")
                .class("scroll")
                .attr("tabindex", "0")
                .attr("role", "region")
                .attr("aria-label", "Update graph");
            // The script adds zoom buttons to this element, and restores the zoom after a reload.
            Element::new("div")
                .class("drawing")
                .with(scroll.with(drawing))
        })
    }

    /// Draws as many bundles as fit on the page, and describes the omitted bundles.
    fn part(&self, graph: &Graph, asked: &GraphFilter) -> Markup {
        let there = graph.bundles.iter().filter(|it| !it.version.is_empty());
        let there: Vec<&Bundle> = there.collect();
        let last = there.iter().position(|it| it.name == asked.older);
        let is_unknown = !asked.older.is_empty() && last.is_none();
        let unknown = is_unknown.then(|| {
            note(
                "The bundle before this part does not exist anymore. The newest bundles are drawn.",
            )
        });
        let newer = last.map_or(0, |last| last + 1);
        let parts = PARTS.into_iter().map(|most| graph.part(newer, most));
        let mut drawn = parts.filter_map(|part| Some((self.drawn(&part.graph)?, part)));
        let Some((drawn, part)) = drawn.next() else {
            return Markup::of(note(
                "The graph is too large for this page. Choose one channel or a path, or open the \
                 file.",
            ));
        };
        let links = self.links(asked, &part, &there);
        Markup::of((unknown, Some([note(&said(&part)), links]), Some(drawn)))
    }

    /// Returns the links to the newest part and to the next older part.
    fn links(&self, asked: &GraphFilter, part: &Part, there: &[&Bundle]) -> Element {
        let place = |older: &str, text: &str| {
            let place = ConsolePage::Package {
                catalog: self.catalog.to_owned(),
                name: self.package.to_owned(),
                graph: asked.older_than(older),
            };
            link(&place, text)
        };
        let newest = (part.newer > 0).then(|| place("", "Newest bundles"));
        let last = there.len().saturating_sub(part.older).checked_sub(1);
        let last = last.and_then(|last| there.get(last));
        let older = last.filter(|_| part.older > 0);
        let older = older.map(|it| place(&it.name, "Older bundles"));
        let between = (newest.is_some() && older.is_some()).then_some(" · ");
        Element::new("p").with(newest).with(between).with(older)
    }

    fn bundle(&self, name: &str) -> ConsolePage {
        ConsolePage::Bundle {
            catalog: self.catalog.to_owned(),
            package: self.package.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Returns the link to the SVG file with the whole graph.
    fn file(&self, asked: &GraphFilter) -> Element {
        let file = ConsolePage::Graph {
            catalog: self.catalog.to_owned(),
            name: self.package.to_owned(),
            graph: asked.older_than(""),
        };
        Element::new("p").with(link(&file, "As a file"))
    }
}

/// Returns a sentence about the bundles and updates that a part omits.
fn said(part: &Part) -> String {
    let Part {
        graph,
        newer,
        older,
        missing,
        updates,
    } = part;
    let there = graph.bundles.iter().filter(|it| !it.version.is_empty());
    let shown = there.count();
    let all = newer + shown + older;
    let mut rest = vec![format!("{newer} newer and {older} older bundles")];
    if *missing > 0 {
        rest.push(format!("{missing} bundles that are not in the catalog"));
    }
    rest.push(format!("{updates} updates from or to these bundles"));
    format!(
        "The drawing shows {shown} of {all} bundles. Not shown: {}.",
        rest.join(", ")
    )
}
