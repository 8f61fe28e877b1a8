//! Creates an SVG file with a recording of a terminal. Each command is typed, and then its output
//! appears.
//!
//! The file has light and dark colors. A viewer without animations shows all commands and their
//! output.

use portolan_core_console::markup::{Element, Markup};

/// The width of the terminal in characters. A longer line continues in the next row.
const COLUMNS: usize = 116;
/// The width of a character, the height of a row, and the padding of the terminal, in pixels.
const LETTER: usize = 8;
const ROW: usize = 18;
const PADDING: usize = 16;

/// The rules for both color schemes, and the times of the animation.
const STYLE: &str = "\
.terminal{--paper:#f6f8fa;--ink:#1b1f24;--faint:#59636e;--line:#d0d7de;--red:#a40e26;--yellow:#7a4d00;--green:#116329;\
font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\
@media(prefers-color-scheme:dark){.terminal{--paper:#12161c;--ink:#e6edf3;--faint:#9aa6b2;--line:#39424d;--red:#ff8a80;--yellow:#e3b341;--green:#56d364}}\
.terminal rect{fill:var(--paper);stroke:var(--line)}\
.terminal text{fill:var(--ink);white-space:pre}\
.bold{font-weight:bold}.faint{fill:var(--faint)}.red{fill:var(--red)}.yellow{fill:var(--yellow)}.green{fill:var(--green)}\
@media(prefers-reduced-motion:no-preference){\
@keyframes type{from{clip-path:inset(0 100% 0 0)}to{clip-path:inset(0)}}\
@keyframes show{from{visibility:hidden}}\
.typed{animation:type 1.5s steps(50) both}\
.shown{animation:show 0s both}\
.first .shown{animation-delay:2s}\
.second .typed{animation-delay:4s}\
.second .shown{animation-delay:6s}}\
";
/// The CSS class of each scene, which determines the times of its animations.
const SCENES: [&str; 2] = ["first", "second"];

/// A command and its output.
pub(super) struct Scene<'a> {
    pub(super) typed: &'a str,
    /// The output, with the escape codes for colors.
    pub(super) shown: String,
}

/// A part of a row with one style. `style` is a class in [`STYLE`], or empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    style: &'static str,
    text: String,
}

type Row = Vec<Piece>;

/// Returns an SVG document with the recording of these scenes.
pub(super) fn recording(scenes: &[Scene<'_>; SCENES.len()]) -> String {
    let mut first = 0;
    let drawn: Vec<_> = scenes
        .iter()
        .zip(SCENES)
        .map(|(scene, class)| {
            let typed = [vec![Piece::of("faint", "$ "), Piece::of("", scene.typed)]];
            let shown = rows(&scene.shown);
            let below = first + typed.len();
            let parts = [part("typed", first, &typed), part("shown", below, &shown)];
            // A row between two scenes is empty.
            first = below + shown.len() + 1;
            Element::new("g").class(class).with(parts)
        })
        .collect();
    let (width, height) = (
        COLUMNS * LETTER + 2 * PADDING,
        (first - 1) * ROW + 2 * PADDING,
    );
    let (width, height) = (width.to_string(), height.to_string());
    let background = Element::new("rect")
        .attr("width", &width)
        .attr("height", &height)
        .attr("rx", "6");
    let svg = Element::new("svg")
        .attr("xmlns", "http://www.w3.org/2000/svg")
        .attr("viewBox", format!("0 0 {width} {height}"))
        .attr("width", &width)
        .attr("height", &height)
        .class("terminal")
        .with(Element::style(STYLE))
        .with(background)
        .with(drawn);
    Markup::of(svg).into_xml()
}

/// Returns the rows of a scene as an SVG element. `first` is the number of the first row.
fn part(class: &'static str, first: usize, rows: &[Row]) -> Element {
    let rows = rows.iter().zip(first..).filter(|(row, _)| !row.is_empty());
    let rows = rows.map(|(row, number)| {
        let letters: usize = row.iter().map(Piece::letters).sum();
        Element::new("text")
            .attr("xml:space", "preserve")
            .attr("x", PADDING.to_string())
            .attr("y", (PADDING + ROW * (number + 1) - ROW / 3).to_string())
            .attr("textLength", (letters * LETTER).to_string())
            .each(row.iter().map(Piece::drawn))
    });
    Element::new("g").class(class).each(rows)
}

/// Returns the rows that a terminal would show for a text with escape codes for colors.
fn rows(text: &str) -> Vec<Row> {
    let mut style = "";
    let mut rows = Vec::new();
    for line in text.lines() {
        let mut row = Row::new();
        let mut left = COLUMNS;
        for (number, part) in line.split('\u{1b}').enumerate() {
            let text = match number {
                0 => part,
                _ => {
                    let (code, text) = part.split_once('m').expect("the end of a code");
                    style = class(code);
                    text
                }
            };
            let mut letters = text.chars().peekable();
            while letters.peek().is_some() {
                if left == 0 {
                    rows.push(std::mem::take(&mut row));
                    left = COLUMNS;
                }
                let text: String = letters.by_ref().take(left).collect();
                let piece = Piece::of(style, &text);
                left -= piece.letters();
                row.push(piece);
            }
        }
        rows.push(row);
    }
    rows
}

/// Returns the CSS class for an escape code, such as `[32`.
fn class(code: &str) -> &'static str {
    match code {
        "[0" => "",
        "[1" => "bold",
        "[31" => "red",
        "[32" => "green",
        "[33" => "yellow",
        _ => panic!("the picture has no class for the code {code}"),
    }
}

// === impl Piece ===

impl Piece {
    fn of(style: &'static str, text: &str) -> Self {
        Self {
            style,
            text: text.to_owned(),
        }
    }

    fn letters(&self) -> usize {
        self.text.chars().count()
    }

    fn drawn(&self) -> Element {
        let Self { style, text } = self;
        let piece = Element::new("tspan");
        let piece = piece.attr_if(!style.is_empty(), "class", style);
        piece.with(text)
    }
}

#[test]
fn rows_end_at_the_last_column_and_keep_styles() {
    let long = "a".repeat(COLUMNS);
    let text = format!("x\u{1b}[31m{long}\u{1b}[0m y\n\nz");
    let expected = [
        vec![Piece::of("", "x"), Piece::of("red", &long[1..])],
        vec![Piece::of("red", "a"), Piece::of("", " y")],
        vec![],
        vec![Piece::of("", "z")],
    ];
    assert_eq!(rows(&text), expected);
}
