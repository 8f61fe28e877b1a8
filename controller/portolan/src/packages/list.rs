//! All packages, for people.

use portolan_proto::resolver::v1::ListPackagesResponse;
use portolan_proto::resolver::v1::list_packages_response::Package;

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

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
    let heads: Vec<_> = package.heads.iter().map(|head| &head.name).collect();
    [
        Span::plain(&package.name),
        Span::plain(&package.catalog),
        or_none(&package.default_channel).into(),
        words::names(&heads, detail).into(),
        package.channels.to_string().into(),
        package.bundles.to_string().into(),
        note(package, detail),
    ]
}

fn note(package: &Package, detail: Detail) -> Span {
    match (package.deprecation.as_str(), detail) {
        ("", Detail::Usual) => Span::default(),
        ("", Detail::Whole) => Span::plain(&package.display_name),
        (_, Detail::Usual) => Span::warning("deprecated"),
        (why, Detail::Whole) => Span::warning(format!("deprecated: {why}")),
    }
}
