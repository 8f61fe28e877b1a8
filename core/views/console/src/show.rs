//! Renders a view as the response to a request.

use crate::drawing::{Drawing, svg};
use crate::frame::Frame;
use crate::page;
use crate::part::part_or_reason;
use crate::view::{PageView, Seen, Unseen};

/// The content of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// True if the requested page exists.
    pub is_there: bool,
    /// The content type of the response.
    pub form: Form,
    /// The HTML or SVG text.
    pub text: String,
}

/// The content type of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An HTML page.
    Html,
    /// An SVG drawing.
    Svg,
}

// === impl Frame ===

impl Frame {
    /// Renders a view as a page or a drawing.
    pub fn show(&self, view: &PageView) -> Shown {
        match view {
            PageView::Overview(all) => there(page::overview(self, all)),
            PageView::Operators(filter, all) => there(page::operators(self, filter, all)),
            PageView::Operator(one) => self.one(one, |it| page::operator(self, it)),
            PageView::Catalogs(filter, all) => there(page::catalogs(self, filter, all)),
            PageView::Catalog(name, first, all) => there(page::catalog(self, (name, *first), all)),
            PageView::Search(text, first, all) => there(page::search(self, (text, *first), all)),
            PageView::Package(one) => self.one(one, |it| page::package(self, it)),
            PageView::Bundle(one) => self.one(one, |it| page::bundle(self, it)),
            PageView::Plans(filter, all) => there(page::plans(self, filter, all)),
            PageView::Policies(filter, all) => there(page::policies(self, filter, all)),
            PageView::Installs(filter, all) => there(page::installs(self, filter, all)),
            PageView::Object(one) => self.one(one, |it| page::object(self, it)),
            PageView::Diagnose(first, all) => there(page::diagnose(self, *first, all)),
            PageView::Updates(first, all) => there(page::updates(self, *first, all)),
            PageView::Readiness(first, all) => there(page::readiness(self, *first, all)),
            PageView::Preview(page) => there(page::preview(self, page)),
            PageView::Graph(graph) => {
                let drawn = graph.as_ref().map_err(Clone::clone).and_then(|graph| {
                    let drawn = svg::document(&Drawing::of(graph));
                    drawn.map_err(|too_large| Unseen(too_large.to_string()))
                });
                match drawn {
                    Ok(text) => Shown {
                        form: Form::Svg,
                        ..there(text)
                    },
                    Err(why) => self.absent(why),
                }
            }
        }
    }

    /// Renders the page for a missing page. `why` is the reason.
    pub fn nowhere(&self, why: &str) -> Shown {
        self.absent(Unseen(why.to_owned()))
    }

    fn one<T>(&self, what: &Seen<Box<T>>, show: impl FnOnce(&T) -> String) -> Shown {
        match what {
            Ok(it) => there(show(it)),
            Err(why) => self.absent(why.clone()),
        }
    }

    fn absent(&self, why: Unseen) -> Shown {
        let why = part_or_reason::<(), &str>(&Err(why), |()| "");
        Shown {
            is_there: false,
            ..there(self.elsewhere("Not there", why))
        }
    }
}

fn there(text: String) -> Shown {
    Shown {
        is_there: true,
        form: Form::Html,
        text,
    }
}
