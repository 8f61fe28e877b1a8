//! An HTML or SVG element with its content.

use crate::markup::content::{Content, Markup};
use crate::markup::escape::push_escaped;
use crate::markup::href::Href;
use crate::markup::icon::Icon;

/// The HTML elements without an end tag.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "link", "meta"];

/// The elements that [`Element::new`] rejects, because browsers do not treat their content as text.
const RAW: [&str; 4] = ["iframe", "object", "script", "style"];

/// The attributes that contain a URL. Their value must be an [`Href`].
const PLACES: [&str; 6] = ["action", "data", "formaction", "href", "src", "srcdoc"];

/// An HTML or SVG element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    name: &'static str,
    /// The escaped attributes, in the form ` name="value"`.
    attributes: String,
    content: Markup,
}

// === impl Element ===

impl Element {
    /// Creates an empty element. For scripts use [`Element::script`], and for styles use
    /// [`Element::style`].
    pub fn new(name: &'static str) -> Self {
        debug_assert!(!RAW.contains(&name), "<{name}> must not be made of text");
        Self::named(name)
    }

    /// Creates a script element for a file on this server.
    pub fn script(place: Href) -> Self {
        Self::named("script").attribute("src", place.as_str())
    }

    /// Creates a style element. The rules are a string literal of this program.
    pub fn style(rules: &'static str) -> Self {
        debug_assert!(!rules.contains(['<', '&']), "rules must be plain");
        let mut style = Self::named("style");
        style.content.push(rules);
        style
    }

    /// Creates an image. The image is only decoration, so screen readers skip it.
    pub fn icon(icon: &Icon) -> Self {
        let image = Self::named("img").attribute("src", icon.url());
        image.attribute("alt", "").class("icon")
    }

    /// Adds an attribute. The attribute must not contain a URL or a script.
    #[must_use]
    pub fn attr(self, name: &'static str, value: impl AsRef<str>) -> Self {
        debug_assert!(
            !PLACES.contains(&name) && !name.starts_with("on") && name != "style",
            "{name} must not be made of text"
        );
        self.attribute(name, value.as_ref())
    }

    /// Adds an attribute if `holds` is true.
    #[must_use]
    pub fn attr_if(self, holds: bool, name: &'static str, value: impl AsRef<str>) -> Self {
        if holds { self.attr(name, value) } else { self }
    }

    /// Adds a CSS class.
    #[must_use]
    pub fn class(self, name: &'static str) -> Self {
        self.attribute("class", name)
    }

    /// Sets the target of a link.
    #[must_use]
    pub fn href(self, place: Href) -> Self {
        self.attribute("href", place.as_str())
    }

    /// Sets the target of a form.
    #[must_use]
    pub fn action(self, place: Href) -> Self {
        self.attribute("action", place.as_str())
    }

    /// Appends content.
    #[must_use]
    pub fn with(mut self, content: impl Content) -> Self {
        debug_assert!(!VOID.contains(&self.name), "<{}> must be empty", self.name);
        content.append_to(&mut self.content);
        self
    }

    /// Appends the contents in order.
    #[must_use]
    pub fn each<C: Content>(self, contents: impl IntoIterator<Item = C>) -> Self {
        contents.into_iter().fold(self, Self::with)
    }

    /// Returns the element as text.
    pub fn into_text(self) -> String {
        let Self {
            name,
            attributes,
            content,
        } = self;
        if VOID.contains(&name) {
            return format!("<{name}{attributes}>");
        }
        format!("<{name}{attributes}>{}</{name}>", content.into_text())
    }

    fn named(name: &'static str) -> Self {
        Self {
            name,
            attributes: String::new(),
            content: Markup::default(),
        }
    }

    fn attribute(mut self, name: &'static str, value: &str) -> Self {
        let attributes = &mut self.attributes;
        attributes.push(' ');
        attributes.push_str(name);
        attributes.push_str("=\"");
        push_escaped(attributes, value);
        attributes.push('"');
        self
    }
}
