//! Drawings of the update graph of a package.
//!
//! A [`Graph`] contains bundles, channels and updates. [`Drawing::of`] decides what is drawn,
//! independent of the output language, and [`dot`], [`mermaid`] and [`svg`] write it. For DOT and
//! Mermaid, other programs compute the layout. For SVG, [`layout`] computes it: boxes never
//! overlap, and a line touches only the boxes that it connects.
//!
//! Foreign names are used only as labels. Everything is a pure function.

mod content;
pub mod dot;
mod graph;
pub mod layout;
pub mod mermaid;
pub mod svg;

pub use content::{Arrow, Bunch, Channel, Drawing, MOST_ALIKE, Node, Start};
pub use graph::{Bundle, DrawnUpdate, Graph, Head, Way};

/// Colors that color-blind people can distinguish. White text is readable on each color.
const COLORS: [&str; 6] = [
    "#0072b2", "#d55e00", "#00795a", "#aa4499", "#8c6d00", "#117a8b",
];

/// Returns the color of a channel. Colors repeat from the seventh channel on; the labels differ.
fn palette(channel: usize) -> &'static str {
    COLORS[channel % COLORS.len()]
}

#[cfg(test)]
mod tests;
