//! Drawings as SVG, for a page or as a standalone file.
//!
//! The drawing has a title and a description for screen readers, and uses the light or dark color
//! scheme that the user prefers. It contains no scripts and no external resources.

mod short;
mod style;
mod words;

use crate::drawing::content::{Arrow, Channel, Drawing, Node, Start};
use crate::drawing::layout::{
    self, Layout, Line, LineRoute, Newest, Point, Rectangle, Size, TooLarge,
};
use crate::markup::{Element, Href, Markup};

pub use self::style::STYLE;

/// The width of a letter, and the height of a line of text.
const LETTER: i64 = 8;
const TEXT: i64 = 17;
/// The width of a letter in labels of lines.
const SMALL_LETTER: i64 = 7;
const SMALL_TEXT: i64 = 14;
/// The distance between the edge of a box and its text.
const PADDING: i64 = 9;
/// The length of an arrowhead.
const HEAD: i64 = 7;

/// The boxes and lines, with the same indexes as in the layout.
struct Picture<'a> {
    drawing: &'a Drawing,
    boxes: Vec<Drawn<'a>>,
    lines: Vec<Link<'a>>,
    /// True if the boxes of bundles are links to their pages.
    has_links: bool,
}

/// A box with its text.
struct Drawn<'a> {
    what: Shape<'a>,
    /// The complete lines of text.
    whole: Vec<String>,
    /// The lines of text in the box. Long lines are shortened.
    lines: Vec<String>,
    /// The page of the bundle, if the box is a link.
    place: Option<Href>,
}

/// The object that a box represents.
enum Shape<'a> {
    Bundle(&'a Node),
    Bunch,
    Channel(usize),
}

/// A line with its text.
struct Link<'a> {
    from: usize,
    to: usize,
    what: Purpose<'a>,
    lines: Vec<String>,
}

/// The object that a line represents.
enum Purpose<'a> {
    Update(&'a Arrow),
    /// The line from a head bundle to the box of its channel. Contains the index of the channel.
    Head(usize),
}

/// Returns the drawing as a standalone SVG file.
///
/// # Errors
/// Returns an error if the graph is too large.
pub fn document(drawing: &Drawing) -> Result<String, TooLarge> {
    let style = Element::style(STYLE);
    Ok(Markup::of(Picture::of(drawing).draw(Some(style))?).into_xml())
}

/// Returns the drawing as an element of a page. The stylesheet of the page must contain [`STYLE`].
/// Each bundle that the catalog contains is a link to its page.
///
/// # Errors
/// Returns an error if the graph is too large.
pub fn part(drawing: &Drawing, page: impl Fn(&Node) -> Href) -> Result<Element, TooLarge> {
    Picture::of(drawing).with_links(page).draw(None)
}

// === impl Picture ===

impl<'a> Picture<'a> {
    fn of(drawing: &'a Drawing) -> Self {
        let nodes = drawing.nodes.iter().map(|node| Drawn {
            what: Shape::Bundle(node),
            whole: node.lines(),
            lines: Vec::new(),
            place: None,
        });
        let bunches = drawing.bunches.iter().map(|bunch| Drawn {
            what: Shape::Bunch,
            whole: bunch.lines(),
            lines: Vec::new(),
            place: None,
        });
        // In a part of a graph, omit channels whose head is in another part.
        let channels = drawing.channels.iter().enumerate();
        let channels = channels.filter(|(_, it)| !drawing.is_part || !it.heads.is_empty());
        let channels: Vec<_> = channels.collect();
        let tags = channels.iter().map(|(at, channel)| Drawn {
            what: Shape::Channel(*at),
            whole: vec![channel.title()],
            lines: Vec::new(),
            place: None,
        });
        let updates = drawing.arrows.iter().map(|arrow| Link {
            from: match arrow.from {
                Start::Node(at) => at,
                Start::Bunch(at) => drawing.nodes.len() + at,
            },
            to: arrow.to,
            what: Purpose::Update(arrow),
            lines: drawing.arrow_lines(arrow),
        });
        let tag = drawing.nodes.len() + drawing.bunches.len();
        let heads = channels.iter().zip(tag..);
        let heads = heads.flat_map(|((at, Channel { heads, .. }), tag)| {
            heads.iter().map(move |head| Link {
                from: *head,
                to: tag,
                what: Purpose::Head(*at),
                lines: Vec::new(),
            })
        });
        let mut boxes: Vec<_> = nodes.chain(bunches).chain(tags).collect();
        short::shorten(&mut boxes);
        Self {
            drawing,
            boxes,
            lines: updates.chain(heads).collect(),
            has_links: false,
        }
    }

    /// Makes the box of each bundle that the catalog contains a link.
    fn with_links(mut self, page: impl Fn(&Node) -> Href) -> Self {
        for it in &mut self.boxes {
            if let Shape::Bundle(node) = it.what {
                it.place = node.is_there().then(|| page(node));
            }
        }
        self.has_links = true;
        self
    }

    fn draw(&self, style: Option<Element>) -> Result<Element, TooLarge> {
        let boxes: Vec<_> = self.boxes.iter().map(Drawn::size).collect();
        let lines: Vec<_> = self.lines.iter().map(Link::line).collect();
        let Layout {
            size,
            boxes,
            routes,
        } = layout::lay_out(&boxes, &lines, self.newest())?;
        let lines = self.lines.iter().zip(&routes);
        let boxes = self.boxes.iter().zip(&boxes);
        let Size { width, height } = size;
        Ok(Element::new("svg")
            .attr("xmlns", "http://www.w3.org/2000/svg")
            .attr("viewBox", format!("0 0 {width} {height}"))
            .attr("width", width.to_string())
            .attr("height", height.to_string())
            .class("graph")
            // With the role "img", screen readers would ignore the links.
            .attr("role", if self.has_links { "group" } else { "img" })
            .attr("aria-labelledby", "graph-title graph-description")
            .with(
                Element::new("title")
                    .attr("id", "graph-title")
                    .with(words::title(self.drawing)),
            )
            .with(
                Element::new("desc")
                    .attr("id", "graph-description")
                    .with(words::description(self.drawing)),
            )
            .with(style)
            .each(lines.map(|(line, route)| line.draw(route)))
            .each(boxes.map(|(it, place)| it.draw(place))))
    }

    /// Returns the bundles that the layout may move to the top. Names without a version are last,
    /// and the layout does not move them.
    fn newest(&self) -> Newest {
        let nodes = &self.drawing.nodes;
        match nodes.first() {
            Some(first) if first.is_there() => Newest::FirstOf(nodes.len()),
            Some(_) | None => Newest::None,
        }
    }
}

// === impl Drawn ===

impl Drawn<'_> {
    fn size(&self) -> Size {
        let letters = self.lines.iter().map(|line| width(line, LETTER));
        Size {
            width: letters.max().unwrap_or_default() + 2 * PADDING,
            height: TEXT * length(&self.lines) + PADDING,
        }
    }

    fn draw(&self, place: &Rectangle) -> Element {
        let Rectangle { corner, size } = place;
        let middle = corner.x + size.width / 2;
        let lines = self.lines.iter().zip(1..).map(|(line, number)| {
            let y = corner.y + TEXT * number;
            text(line, middle, y)
        });
        let radius = match self.what {
            Shape::Bundle(_) => 5,
            Shape::Bunch | Shape::Channel(_) => size.height / 2,
        };
        let whole = self.whole.join(" ");
        let is_cut = self.lines != self.whole;
        let drawn = Element::new("g")
            .attr("class", self.class())
            .with(is_cut.then(|| Element::new("title").with(&whole)))
            .with(
                Element::new("rect")
                    .attr("x", corner.x.to_string())
                    .attr("y", corner.y.to_string())
                    .attr("width", size.width.to_string())
                    .attr("height", size.height.to_string())
                    .attr("rx", radius.to_string()),
            )
            .each(lines);
        match &self.place {
            None => drawn,
            Some(place) => Element::new("a").href(place.clone()).with(drawn),
        }
    }

    fn class(&self) -> String {
        match self.what {
            Shape::Bunch => "bunch".to_owned(),
            Shape::Channel(at) => format!("channel {}", color(at)),
            Shape::Bundle(node) => {
                let marks = [
                    (node.is_head, " head"),
                    (node.is_deprecated, " deprecated"),
                    (!node.is_there(), " missing"),
                    (node.is_on_path, " path"),
                    (node.is_installed, " installed"),
                ];
                let marks = marks.iter().filter(|(holds, _)| *holds);
                let marks: String = marks.map(|(_, mark)| *mark).collect();
                format!("bundle{marks}")
            }
        }
    }
}

// === impl Link ===

impl Link<'_> {
    fn line(&self) -> Line {
        let letters = self.lines.iter().map(|line| width(line, SMALL_LETTER));
        Line {
            from: self.from,
            to: self.to,
            label: Size {
                width: letters.max().unwrap_or_default(),
                height: SMALL_TEXT * length(&self.lines),
            },
        }
    }

    fn draw(&self, route: &LineRoute) -> Element {
        let label = route.label.iter().flat_map(|Rectangle { corner, .. }| {
            self.lines.iter().zip(1..).map(|(line, number)| {
                let y = corner.y + SMALL_TEXT * number - 3;
                text(line, corner.x, y)
            })
        });
        let tip = route.points.last().map(|tip| match self.what {
            Purpose::Update(_) => Some(arrowhead(*tip, &route.points)),
            Purpose::Head(_) => None,
        });
        Element::new("g")
            .attr("class", self.class())
            .with(Element::new("path").attr("d", curve(&route.points)))
            .with(tip.flatten())
            .each(label)
    }

    fn class(&self) -> String {
        match self.what {
            Purpose::Head(at) => format!("tie {}", color(at)),
            Purpose::Update(arrow) => {
                let color = arrow.only_channel().map(color).unwrap_or_default();
                let dashed = if arrow.is_named() { "" } else { " range" };
                let path = if arrow.is_on_path { " path" } else { "" };
                format!("update {color}{dashed}{path}")
            }
        }
    }
}

fn color(channel: usize) -> String {
    format!("c{}", channel % crate::drawing::COLORS.len())
}

fn length(lines: &[String]) -> i64 {
    i64::try_from(lines.len()).unwrap_or(i64::MAX)
}

/// Returns the width of a text in a monospaced font. Letters beyond Latin, Greek and Cyrillic may
/// be twice as wide.
fn width(text: &str, letter: i64) -> i64 {
    let letters = text.chars().map(|c| if c < '\u{1100}' { 1 } else { 2 });
    letters.sum::<i64>() * letter
}

fn text(text: &str, x: i64, y: i64) -> Element {
    Element::new("text")
        .attr("x", x.to_string())
        .attr("y", y.to_string())
        .with(text)
}

/// Returns a path through the points: straight within each band, and curved between two bands.
fn curve(points: &[Point]) -> String {
    let mut path = String::new();
    let mut before: Option<Point> = None;
    for point in points {
        let Point { x, y } = point;
        let step = match before {
            None => format!("M{x} {y}"),
            Some(Point { y: last, .. }) if last == *y => String::new(),
            Some(Point { x: column, .. }) if column == *x => format!("V{y}"),
            Some(Point { x: column, y: last }) => {
                let middle = i64::midpoint(last, *y);
                format!("C{column} {middle} {x} {middle} {x} {y}")
            }
        };
        path.push_str(&step);
        before = Some(*point);
    }
    path
}

/// Returns an arrowhead whose tip is the end of a line.
fn arrowhead(tip: Point, points: &[Point]) -> Element {
    let Point { x, y } = tip;
    let is_upwards = points.first().is_none_or(|first| first.y > y);
    let base = if is_upwards { y + HEAD } else { y - HEAD };
    let (left, right) = (x - HEAD / 2, x + HEAD / 2);
    Element::new("path")
        .class("tip")
        .attr("d", format!("M{x} {y}L{left} {base}H{right}Z"))
}
