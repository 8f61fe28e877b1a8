//! Drawings of the update graph of a package.
//!
//! A [`Graph`] contains bundles, channels and updates. [`Drawing::of`] decides what is drawn,
//! independent of the output language, and [`dot`], [`mermaid`] and [`svg`] write it. For DOT and
//! Mermaid, other programs compute the layout. For SVG, [`layout`] computes it: boxes never
//! overlap, and a line touches only the boxes that it connects. A large graph is drawn in parts:
//! [`Graph::part`] and [`Graph::only`] return them.
//!
//! Foreign names are used only as labels. Everything is a pure function.

mod content;
pub mod dot;
mod graph;
pub mod layout;
pub mod mermaid;
mod part;
pub mod svg;

pub use content::{Arrow, Bunch, Channel, Drawing, MOST_ALIKE, Node, Start};
pub use graph::{Bundle, DrawnUpdate, Graph, Head, Way};
pub use part::{Hops, Part};

/// Colors that color-blind people can distinguish. White text is readable on each color, and lines
/// of each color are visible on white and on black. The light color scheme of SVG has them too.
const COLORS: [&str; 6] = [
    "#0072b2", "#b84a00", "#00795a", "#aa4499", "#7a5d00", "#0f6b79",
];

/// Returns the color of a channel. Colors repeat from the seventh channel on; the labels differ.
fn palette(channel: usize) -> &'static str {
    COLORS[channel % COLORS.len()]
}

#[cfg(test)]
mod tests;
