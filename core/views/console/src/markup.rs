//! HTML and SVG elements as Rust values that are rendered to text.
//!
//! Text from catalogs, objects or visitors cannot become markup. An [`Element`] escapes all its
//! content and all values of attributes. No function accepts markup as a string. The names of
//! elements and attributes are string literals in this program. An attribute for a URL accepts only
//! an [`Href`] or an [`Icon`]. An [`Href`] is a path on this server, or an `https://` or `http://`
//! URL. Attributes for scripts or styles cannot be set.
//!
//! Characters that are invisible or change the writing direction are replaced. Without the
//! replacement, two different names could look the same.
//!
//! ```
//! use portolan_core_console::markup::{Element, Href};
//!
//! let place = Href::to("/operator").with("name", "ferry & tug");
//! let link = Element::new("a").href(place).with("<ferry>");
//! assert_eq!(
//!     link.into_text(),
//!     r#"<a href="/operator?name=ferry%20%26%20tug">&lt;ferry&gt;</a>"#
//! );
//! ```

mod content;
mod element;
mod escape;
mod href;
mod icon;

pub use content::{Content, Markup};
pub use element::Element;
pub use href::Href;
pub use icon::Icon;

#[cfg(test)]
mod tests;
