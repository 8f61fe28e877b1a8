//! The static files that pages load: a stylesheet, a script and an icon.

use crate::drawing::svg;

/// The script. Pages work without it.
pub const SCRIPT: &str = include_str!("../assets/console.js");

/// The icon of the browser tab.
pub const ICON: &str = include_str!("../assets/icon.svg");

/// Returns the stylesheet, including the rules for drawings.
pub fn stylesheet() -> String {
    format!("{}{}", include_str!("../assets/console.css"), svg::STYLE)
}
