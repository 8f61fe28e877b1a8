//! The graph of a package as a drawing.
//!
//! A [`Graph`] says what there is: bundles, channels, updates. [`Drawing::of`] decides what is drawn of it, whatever
//! the language; [`dot`], [`mermaid`] and [`svg`] write that down. The first two leave the places of boxes to
//! other programs. For the third, [`layout`] finds them: no two boxes overlap, and no line crosses a box
//! that is not its own.
//!
//! Names of other people are nothing but labels in each language. Everything is a function of its arguments.

mod content;
pub mod dot;
mod graph;
pub mod layout;
pub mod mermaid;
pub mod svg;

pub use content::{Arrow, Bunch, Channel, Drawing, MOST_ALIKE, Node, Start};
pub use graph::{Bundle, Graph, Head, Update, Way};

/// Colors that people tell apart who see few of them; white letters can be read on each.
const COLORS: [&str; 6] = [
    "#0072b2", "#d55e00", "#00795a", "#aa4499", "#8c6d00", "#117a8b",
];

/// The color of a channel. From the seventh channel on colors come again; the labels differ.
fn palette(channel: usize) -> &'static str {
    COLORS[channel % COLORS.len()]
}

#[cfg(test)]
mod tests;
