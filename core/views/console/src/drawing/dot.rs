//! Writes drawings in the language of Graphviz.

use std::fmt::Write;

use crate::drawing::content::{Arrow, Drawing, Node};
use crate::drawing::palette;

const DEFAULTS: &str = "  rankdir=BT
  node [shape=box, style=\"rounded\", fontname=\"Helvetica\"]
  edge [fontname=\"Helvetica\", fontsize=10]
";

/// Returns the drawing in the DOT language.
pub fn render(drawing: &Drawing) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut text, drawing);
    text
}

fn write(out: &mut String, drawing: &Drawing) -> std::fmt::Result {
    writeln!(out, "digraph \"{}\" {{", escaped(&drawing.package))?;
    out.push_str(DEFAULTS);
    for (at, node) in drawing.nodes.iter().enumerate() {
        let label = label(&node.lines());
        writeln!(out, "  n{at} [label=\"{label}\"{}]", style(node))?;
    }
    for (at, bunch) in drawing.bunches.iter().enumerate() {
        let label = label(&bunch.lines());
        writeln!(
            out,
            "  b{at} [label=\"{label}\", shape=plain, fontcolor=\"#666666\"]"
        )?;
    }
    for arrow in &drawing.arrows {
        write_arrow(out, drawing, arrow)?;
    }
    for (at, channel) in drawing.channels.iter().enumerate() {
        let (label, color) = (escaped(&channel.title()), palette(at));
        writeln!(
            out,
            "  c{at} [label=\"{label}\", shape=cds, style=filled, color=\"{color}\", \
             fontcolor=white]"
        )?;
        for head in &channel.heads {
            writeln!(
                out,
                "  n{head} -> c{at} [arrowhead=none, color=\"{color}\"]"
            )?;
        }
    }
    out.push_str("}\n");
    Ok(())
}

fn write_arrow(out: &mut String, drawing: &Drawing, arrow: &Arrow) -> std::fmt::Result {
    let Arrow { from, to, .. } = arrow;
    let label = label(&drawing.arrow_lines(arrow));
    let color = arrow.only_channel().map_or("#333333", palette);
    let dashed = if arrow.is_named() {
        ""
    } else {
        ", style=dashed"
    };
    writeln!(
        out,
        "  {from} -> n{to} [label=\"{label}\", color=\"{color}\"{dashed}]"
    )
}

fn style(node: &Node) -> &'static str {
    match (node.is_there(), node.is_deprecated, node.is_head) {
        (false, _, _) => ", style=\"rounded,dashed\", color=\"#767676\", fontcolor=\"#666666\"",
        (true, true, _) => ", style=\"rounded,filled\", fillcolor=\"#fff3cd\", color=\"#7d5e00\"",
        (true, false, true) => ", penwidth=3",
        (true, false, false) => "",
    }
}

fn label(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| escaped(line));
    lines.collect::<Vec<_>>().join("\\n")
}

/// Escapes a text for double quotes. Graphviz interprets backslashes and HTML entities in quoted
/// text.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '&' => escaped.push_str("&amp;"),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
