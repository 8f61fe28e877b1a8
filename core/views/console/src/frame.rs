//! The common frame of all pages: the header, the navigation and the list of hidden objects.

use crate::markup::{Content, Element, Href, Markup};
use crate::part::long;
use crate::place::{Change, ConsolePage, FirstRow, Wanted};
use crate::view::Hidden;

/// Data for the frame of a page: the visitor, the content and the permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The token that every form of the page contains, to prove that the form comes from this
    /// console.
    pub token: String,
    /// The cluster or the files that the console shows, such as `harbor at https://10.0.0.1:6443`.
    pub subject: String,
    /// The time at which the content was read, such as `2026-11-30 12:31:05 UTC`.
    pub read_at: String,
    /// The number of changes at the time of rendering. None if the page must not reload after a
    /// change.
    pub changes: Option<u64>,
    /// The objects that the page cannot show, or that it shows in an outdated state.
    pub hidden: Vec<Hidden>,
    /// True if the visitor may apply changes.
    pub may_apply: bool,
    /// True if the console was started with the target of a cluster upgrade.
    pub has_target: bool,
}

/// The pages linked in the header of each page.
const SECTIONS: [(&str, ConsolePage); 10] = [
    ("Overview", ConsolePage::Overview),
    ("Operators", ConsolePage::ALL_OPERATORS),
    ("Catalogs", ConsolePage::ALL_CATALOGS),
    ("Plans", ConsolePage::ALL_PLANS),
    ("Policies", ConsolePage::ALL_POLICIES),
    ("Installs", ConsolePage::ALL_INSTALLS),
    ("Updates", ConsolePage::Updates(FirstRow::TOP)),
    ("Diagnose", ConsolePage::Diagnose(FirstRow::TOP)),
    ("Readiness", ConsolePage::Readiness(FirstRow::TOP)),
    (
        "Preview",
        ConsolePage::Preview(Wanted {
            change: Change::Add,
            operator: String::new(),
            version: String::new(),
            channel: String::new(),
        }),
    ),
];

// === impl Frame ===

impl Frame {
    /// Renders a page with the given title. The navigation highlights `section`.
    pub(crate) fn page(&self, section: &ConsolePage, title: &str, content: impl Content) -> String {
        self.below(Some(section), title, content)
    }

    /// Renders a page that belongs to no section of the navigation.
    pub(crate) fn elsewhere(&self, title: &str, content: impl Content) -> String {
        self.below(None, title, content)
    }

    fn below(&self, section: Option<&ConsolePage>, title: &str, content: impl Content) -> String {
        let sections = SECTIONS.into_iter();
        let is_shown =
            |it: &ConsolePage| self.has_target || !matches!(it, ConsolePage::Readiness(_));
        let sections = sections.filter(|(_, it)| is_shown(it));
        let links = sections.map(|(name, place)| {
            let link = Element::new("a").href(place.href());
            let link = link.attr_if(section == Some(&place), "aria-current", "page");
            Element::new("li").with(link.with(name))
        });
        let nav = Element::new("nav")
            .attr("aria-label", "Sections")
            .with(Element::new("ul").each(links));
        let log_out = Element::new("form")
            .class("log-out")
            .attr("method", "post")
            .action(Href::to("/log-out"))
            .with(self.token_field())
            .with(Element::new("button").with("Log out"));
        let header = Element::new("header")
            .with(Element::new("strong").with("Portolan"))
            .with(nav)
            .with(log_out)
            .with(self.context());
        let changes = self.changes.map(|changes| changes.to_string());
        let body = Element::new("body")
            .attr_if(changes.is_some(), "data-live", changes.unwrap_or_default())
            .with(skip())
            .with(header)
            .with(main(title, self.missing(), content));
        document(title, body)
    }

    /// Returns a line with the subject and the time at which the content was read. The script adds
    /// whether the page receives notifications of changes.
    fn context(&self) -> Element {
        let is_stale = self.hidden.iter().any(|it| it.is_stale);
        let freshness = Element::new("span")
            .attr("id", "freshness")
            .attr("role", "status")
            .class(if is_stale { "state waiting" } else { "state" })
            .attr_if(is_stale, "data-stale", "")
            .with(if is_stale { "Stale" } else { "" });
        let read = format!("Read at {}", self.read_at);
        let read = Element::new("span").attr("id", "read-at").with(read);
        Element::new("p")
            .class("context")
            .with(Element::new("b").with(self.subject.as_str()))
            .with(freshness)
            .with(read)
    }

    /// Returns the list of hidden or outdated objects. Returns None if all objects are visible and
    /// current.
    fn missing(&self) -> Option<Element> {
        let why = self.hidden.iter();
        let why = why.map(|it| Element::new("li").with(long(&it.why.0)));
        let list = Element::new("ul").each(why);
        (!self.hidden.is_empty()).then(|| {
            Element::new("div")
                .class("unseen")
                .attr("role", "status")
                .with(Element::new("p").with("Some objects cannot be read, or may be outdated:"))
                .with(list)
        })
    }

    /// Returns the hidden input field with the token of a form.
    pub(crate) fn token_field(&self) -> Element {
        Element::new("input")
            .attr("type", "hidden")
            .attr("name", "token")
            .attr("value", &self.token)
    }
}

/// Renders a page without navigation, for visitors who are not logged in.
pub(crate) fn bare(title: &str, content: impl Content) -> String {
    let header = Element::new("header").with(Element::new("strong").with("Portolan"));
    let body = Element::new("body")
        .with(header)
        .with(main(title, None, content));
    document(title, body)
}

fn main(title: &str, missing: Option<Element>, content: impl Content) -> Element {
    Element::new("main")
        .attr("id", "main")
        .attr("tabindex", "-1")
        .with(Element::new("h1").with(title))
        .with(missing)
        .with(content)
}

/// Returns a link with which keyboard users skip the navigation.
fn skip() -> Element {
    let link = Element::new("a").class("skip").href(Href::to("#main"));
    link.with("Skip to the content")
}

fn document(title: &str, body: Element) -> String {
    let head = Element::new("head")
        .with(Element::new("meta").attr("charset", "utf-8"))
        .with(
            Element::new("meta")
                .attr("name", "viewport")
                .attr("content", "width=device-width, initial-scale=1"),
        )
        .with(
            Element::new("meta")
                .attr("name", "color-scheme")
                .attr("content", "light dark"),
        )
        .with(Element::new("title").with(format!("{title} · Portolan")))
        .with(
            Element::new("link")
                .attr("rel", "stylesheet")
                .href(Href::to("/console.css")),
        )
        .with(
            Element::new("link")
                .attr("rel", "icon")
                .attr("type", "image/svg+xml")
                .href(Href::to("/icon.svg")),
        )
        .with(Element::script(Href::to("/console.js")).attr("defer", ""));
    let html = Element::new("html")
        .attr("lang", "en")
        .with(head)
        .with(body);
    Markup::of(html).into_html()
}
