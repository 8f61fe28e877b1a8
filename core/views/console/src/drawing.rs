//! Drawings of the update graph of a package.
//!
//! A [`Graph`] contains bundles, channels and updates. [`Drawing::of`] decides which boxes and
//! arrows are drawn, for every output language. The modules [`dot`], [`mermaid`] and [`svg`] write
//! the drawing in their language. For DOT and Mermaid, other programs compute the layout. For SVG,
//! [`layout`] computes the layout: boxes never overlap, and a line touches only the boxes that it
//! connects. [`Graph::part`] and [`Graph::only`] return a part of a large graph.
//!
//! Names from catalogs are used only as labels, so a hostile name cannot change a drawing. All
//! functions are pure.

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

/// Colors that color-blind people can distinguish. White text is readable on each color, and a line
/// in each color is visible on a white and on a black page. The light color scheme of the SVG uses
/// the same colors.
const COLORS: [&str; 6] = [
    "#0072b2", "#b84a00", "#00795a", "#aa4499", "#7a5d00", "#0f6b79",
];

/// Returns the color of the channel with this index. The six colors repeat from the seventh channel
/// on. The labels still distinguish the channels.
fn palette(channel: usize) -> &'static str {
    COLORS[channel % COLORS.len()]
}

#[cfg(test)]
mod tests;
