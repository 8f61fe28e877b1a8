//! The content of an element.

use crate::markup::Element;
use crate::markup::escape::push_escaped;

/// Complete markup. Every open element is closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup {
    text: String,
}

/// A value that can be the content of an element. Text is escaped.
pub trait Content {
    /// Appends this content to `markup`.
    fn append_to(self, markup: &mut Markup);
}

// === impl Markup ===

impl Markup {
    /// Creates markup from content.
    pub fn of(content: impl Content) -> Self {
        let mut markup = Self::default();
        content.append_to(&mut markup);
        markup
    }

    /// Returns the length of the markup in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns true if the markup is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the markup as text.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the markup as an HTML document.
    pub fn into_html(self) -> String {
        format!("<!doctype html>\n{}\n", self.text)
    }

    /// Returns the markup as an XML document, such as a drawing.
    pub fn into_xml(self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
            self.text
        )
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

// === impl Content ===

impl Content for &str {
    fn append_to(self, markup: &mut Markup) {
        push_escaped(&mut markup.text, self);
    }
}

impl Content for &String {
    fn append_to(self, markup: &mut Markup) {
        self.as_str().append_to(markup);
    }
}

impl Content for String {
    fn append_to(self, markup: &mut Markup) {
        self.as_str().append_to(markup);
    }
}

impl Content for usize {
    fn append_to(self, markup: &mut Markup) {
        markup.push(&self.to_string());
    }
}

impl Content for Markup {
    fn append_to(self, markup: &mut Markup) {
        markup.push(&self.text);
    }
}

impl Content for Element {
    fn append_to(self, markup: &mut Markup) {
        markup.push(&self.into_text());
    }
}

impl<C: Content> Content for Option<C> {
    fn append_to(self, markup: &mut Markup) {
        self.into_iter().for_each(|it| it.append_to(markup));
    }
}

impl<C: Content> Content for Vec<C> {
    fn append_to(self, markup: &mut Markup) {
        self.into_iter().for_each(|it| it.append_to(markup));
    }
}

impl<A: Content, B: Content, C: Content> Content for (A, B, C) {
    fn append_to(self, markup: &mut Markup) {
        self.0.append_to(markup);
        self.1.append_to(markup);
        self.2.append_to(markup);
    }
}

impl<C: Content, const N: usize> Content for [C; N] {
    fn append_to(self, markup: &mut Markup) {
        self.into_iter().for_each(|it| it.append_to(markup));
    }
}
