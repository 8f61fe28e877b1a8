//! One element with all that is in it.

use crate::markup::content::{Content, Markup};
use crate::markup::escape::push_escaped;
use crate::markup::href::Href;

/// Elements of HTML that have no end.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "link", "meta"];

/// Elements whose text is no text.
const RAW: [&str; 4] = ["iframe", "object", "script", "style"];

/// Attributes that name a place: these take an [`Href`].
const PLACES: [&str; 6] = ["action", "data", "formaction", "href", "src", "srcdoc"];

/// An element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    name: &'static str,
    /// ` name="value"` each, escaped.
    attributes: String,
    content: Markup,
}

// === impl Element ===

impl Element {
    /// An empty element. For scripts there is [`Element::script`], for styles [`Element::style`].
    pub fn new(name: &'static str) -> Self {
        debug_assert!(!RAW.contains(&name), "<{name}> must not be made of text");
        Self::named(name)
    }

    /// A script that is a file of ours.
    pub fn script(place: Href) -> Self {
        Self::named("script").attribute("src", place.as_str())
    }

    /// A style, which only the program itself has.
    pub fn style(rules: &'static str) -> Self {
        debug_assert!(!rules.contains(['<', '&']), "rules must be plain");
        let mut style = Self::named("style");
        style.content.push(rules);
        style
    }

    /// An attribute, of the names that have neither places nor scripts.
    #[must_use]
    pub fn attr(self, name: &'static str, value: impl AsRef<str>) -> Self {
        debug_assert!(
            !PLACES.contains(&name) && !name.starts_with("on") && name != "style",
            "{name} must not be made of text"
        );
        self.attribute(name, value.as_ref())
    }

    /// An attribute where that holds.
    #[must_use]
    pub fn attr_if(self, holds: bool, name: &'static str, value: impl AsRef<str>) -> Self {
        if holds { self.attr(name, value) } else { self }
    }

    /// A class of the stylesheet.
    #[must_use]
    pub fn class(self, name: &'static str) -> Self {
        self.attribute("class", name)
    }

    /// Sets the place where it leads.
    #[must_use]
    pub fn href(self, place: Href) -> Self {
        self.attribute("href", place.as_str())
    }

    /// Sets the place where a form is sent.
    #[must_use]
    pub fn action(self, place: Href) -> Self {
        self.attribute("action", place.as_str())
    }

    /// Appends the content that comes next in it.
    #[must_use]
    pub fn with(mut self, content: impl Content) -> Self {
        debug_assert!(!VOID.contains(&self.name), "<{}> must be empty", self.name);
        content.append_to(&mut self.content);
        self
    }

    /// The same for each.
    #[must_use]
    pub fn each<C: Content>(self, contents: impl IntoIterator<Item = C>) -> Self {
        contents.into_iter().fold(self, Self::with)
    }

    /// The element as text.
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
