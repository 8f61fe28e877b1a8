//! The files that pages load besides: one stylesheet, one script, one picture.

use crate::drawing::svg;

/// The script. Pages work without it.
pub const SCRIPT: &str = include_str!("../assets/console.js");

/// The picture of a tab.
pub const ICON: &str = include_str!("../assets/icon.svg");

/// The stylesheet, with that of drawings.
pub fn stylesheet() -> String {
    format!("{}{}", include_str!("../assets/console.css"), svg::STYLE)
}
