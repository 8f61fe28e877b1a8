//! HTML and SVG as values: elements in, text out.
//!
//! Text of strangers cannot become markup here. Whatever is put into an [`Element`] is escaped, as text or as the
//! value of an attribute; there is no function that takes markup as a string. Names of elements and
//! attributes are literals of the program. Attributes that name a place take an [`Href`], which is a place of our own,
//! or one behind `https://` or `http://`; there are no attributes with scripts or styles at all.
//!
//! Characters that a reader cannot see, or that turn the direction of writing, are replaced: two names must not
//! look alike.
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

pub use content::{Content, Markup};
pub use element::Element;
pub use href::Href;

#[cfg(test)]
mod tests;
