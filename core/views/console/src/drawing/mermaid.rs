//! Drawings as Mermaid flowcharts.

use std::fmt::Write;

use crate::drawing::content::{Arrow, Drawing, Node};
use crate::drawing::palette;

/// The maximum number of edges that Mermaid draws by default.
const MOST_EDGES: usize = 500;

const CLASSES: &str = "  classDef head stroke-width:3px
  classDef deprecated fill:#fff3cd,stroke:#7d5e00,color:#333333,stroke-dasharray:2 2
  classDef missing fill:#eeeeee,stroke:#767676,color:#666666,stroke-dasharray:6 4
  classDef bunch fill:#ffffff,stroke:#767676,color:#666666
";

/// Returns the drawing as a Mermaid flowchart.
pub fn render(drawing: &Drawing) -> String {
    let mut text = String::from("flowchart BT\n");
    // Writing to a String cannot fail.
    let _ = write(&mut text, drawing);
    text
}

fn write(out: &mut String, drawing: &Drawing) -> std::fmt::Result {
    let tags = drawing.channels.iter().map(|channel| channel.heads.len());
    let edges = drawing.arrows.len() + tags.sum::<usize>();
    if edges > MOST_EDGES {
        writeln!(
            out,
            "  %% {edges} edges: Mermaid draws {MOST_EDGES} unless maxEdges is set"
        )?;
    }
    for (at, node) in drawing.nodes.iter().enumerate() {
        writeln!(out, "  n{at}[\"{}\"]{}", label(&node.lines()), class(node))?;
    }
    for (at, bunch) in drawing.bunches.iter().enumerate() {
        writeln!(out, "  b{at}([\"{}\"]):::bunch", label(&bunch.lines()))?;
    }
    for (at, channel) in drawing.channels.iter().enumerate() {
        writeln!(out, "  c{at}{{{{\"{}\"}}}}", label(&[channel.title()]))?;
    }
    for arrow in &drawing.arrows {
        // An update by name (`replaces` or `skips`) is a solid line.
        writeln!(
            out,
            "  {} {}|\"{}\"| n{}",
            arrow.from,
            if arrow.is_named() { "-->" } else { "-.->" },
            label(&drawing.arrow_lines(arrow)),
            arrow.to
        )?;
    }
    for (at, channel) in drawing.channels.iter().enumerate() {
        for head in &channel.heads {
            writeln!(out, "  n{head} --- c{at}")?;
        }
    }
    out.push_str(CLASSES);
    color(out, drawing)
}

fn class(node: &Node) -> &'static str {
    match (node.is_there(), node.is_deprecated, node.is_head) {
        (false, _, _) => ":::missing",
        (true, true, _) => ":::deprecated",
        (true, false, true) => ":::head",
        (true, false, false) => "",
    }
}

/// Writes the color of each channel, of the lines to its heads, and of the arrows that only this
/// channel permits.
fn color(out: &mut String, drawing: &Drawing) -> std::fmt::Result {
    let tags = drawing.channels.iter().enumerate();
    let tags = tags.flat_map(|(at, channel)| channel.heads.iter().map(move |_| at));
    let arrows = drawing.arrows.iter().map(Arrow::only_channel);
    let mut owned = vec![Vec::new(); drawing.channels.len()];
    for (edge, owner) in arrows.chain(tags.map(Some)).enumerate() {
        if let Some(owner) = owner {
            owned[owner].push(edge.to_string());
        }
    }
    for (at, owned) in owned.iter().enumerate() {
        let color = palette(at);
        writeln!(
            out,
            "  style c{at} fill:{color},stroke:{color},color:#ffffff"
        )?;
        if !owned.is_empty() {
            writeln!(out, "  linkStyle {} stroke:{color}", owned.join(","))?;
        }
    }
    Ok(())
}

/// Returns a label with these lines. Characters with a meaning in Mermaid or HTML are written as
/// numeric entities.
fn label(lines: &[impl AsRef<str>]) -> String {
    let lines = lines.iter().map(|line| escaped(line.as_ref()));
    lines.collect::<Vec<_>>().join("<br/>")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if letter.is_alphanumeric() => escaped.push(letter),
            ' ' | '.' | ',' | '-' | '_' | '+' | '…' => escaped.push(letter),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push_str(&format!("#{};", u32::from(letter))),
        }
    }
    escaped
}
