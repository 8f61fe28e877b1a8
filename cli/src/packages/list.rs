//! All packages, for people.

use portolan_proto::resolver::v1::ListPackagesResponse;
use portolan_proto::resolver::v1::list_packages_response::Package;

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

/// How many heads of a package are named to people who did not ask for all.
const HEADS: usize = 2;

pub(super) fn render(answer: &ListPackagesResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    if answer.packages.is_empty() {
        page.say("No package is on offer.");
        return page;
    }
    let header = [
        "PACKAGE", "CATALOG", "DEFAULT", "HEAD", "CHANNELS", "BUNDLES", "NOTE",
    ];
    let packages = answer.packages.iter();
    page.table(
        header,
        packages.map(|package| row(package, detail)).collect(),
    );
    page
}

fn row(package: &Package, detail: Detail) -> [Span; 7] {
    [
        Span::plain(&package.name),
        Span::plain(&package.catalog),
        or_none(&package.default_channel).into(),
        heads(package, detail).into(),
        package.channels.to_string().into(),
        package.bundles.to_string().into(),
        note(package, detail),
    ]
}

/// A package has a line of its own, however many channels it has.
fn heads(package: &Package, detail: Detail) -> String {
    let names: Vec<_> = package.heads.iter().map(|head| &head.name).collect();
    match names.split_at_checked(HEADS) {
        Some((first, rest)) if detail == Detail::Usual && !rest.is_empty() => {
            format!("{} +{}", words::names(first, detail), rest.len())
        }
        _ => words::names(&names, detail),
    }
}

fn note(package: &Package, detail: Detail) -> Span {
    match (package.deprecation.as_str(), detail) {
        ("", Detail::Usual) => Span::default(),
        ("", Detail::Whole) => Span::plain(&package.display_name),
        (_, Detail::Usual) => Span::warning("deprecated"),
        (why, Detail::Whole) => Span::warning(format!("deprecated: {why}")),
    }
}
