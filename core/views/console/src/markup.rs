//! HTML and SVG elements as values that render to text.
//!
//! Text from outside cannot become markup. All content of an [`Element`] is escaped, as text or as
//! the value of an attribute. No function accepts markup as a string. The names of elements and
//! attributes are literals in the program. Attributes for URLs accept only an [`Href`], which is a
//! path on this server or an `https://` or `http://` URL, or the data of an [`Icon`]. Attributes for
//! scripts or styles do not exist.
//!
//! Characters that are invisible or change the writing direction are replaced. Otherwise, different
//! names could look the same.
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
