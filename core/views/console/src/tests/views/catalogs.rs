//! Views of catalogs, packages and bundles.

use crate::GraphFilter;
use crate::drawing::{Bundle, DrawnUpdate, Graph, Head, Way};
use crate::markup::Icon;
use crate::view::{
    About, BundlePage, CatalogRow, ChannelRow, Granted, PackagePage, PackageRow, ReleaseRow, State,
};

pub(in crate::tests) fn a_graph(text: &str) -> Graph {
    let name = |end: &str| format!("{text}{end}");
    let a_bundle = |end: &str| Bundle {
        name: name(end),
        version: name(end),
        channels: vec![name("c")],
        is_deprecated: true,
    };
    Graph {
        package: text.to_owned(),
        default_channel: name("c"),
        bundles: vec![a_bundle("2"), a_bundle("1")],
        updates: vec![DrawnUpdate {
            channel: name("c"),
            from: name("1"),
            to: name("2"),
            ways: vec![Way::SkipRange],
        }],
        heads: vec![Head {
            channel: name("c"),
            name: name("2"),
        }],
        path: vec![name("1"), name("2")],
        is_part: false,
    }
}

pub(in crate::tests) fn a_catalog(text: &str) -> CatalogRow {
    CatalogRow {
        name: text.to_owned(),
        state: State::Broken,
        why: text.to_owned(),
        packages: 1,
        bundles: 2,
        faults: 3,
    }
}

pub(in crate::tests) fn a_package(text: &str) -> PackageRow {
    PackageRow {
        catalog: text.to_owned(),
        name: text.to_owned(),
        title: text.to_owned(),
        default_channel: text.to_owned(),
        version: text.to_owned(),
        deprecation: text.to_owned(),
    }
}

pub(in crate::tests) fn a_package_page(text: &str, releases: usize) -> PackagePage {
    PackagePage {
        catalog: text.to_owned(),
        name: text.to_owned(),
        icon: Icon::of("image/svg+xml", "PHN2Zy8+"),
        about: About {
            title: text.to_owned(),
            provider: text.to_owned(),
            maturity: text.to_owned(),
            links: vec![text.to_owned(); 2],
            install_modes: vec![text.to_owned()],
            description: text.to_owned(),
        },
        description: text.to_owned(),
        deprecation: text.to_owned(),
        default_channel: text.to_owned(),
        releases: vec![
            ReleaseRow {
                name: text.to_owned(),
                version: text.to_owned(),
                channels: vec![text.to_owned()],
                deprecation: text.to_owned(),
            };
            releases
        ],
        faults: vec![text.to_owned()],
        asked: GraphFilter {
            channel: text.to_owned(),
            from: text.to_owned(),
            to: text.to_owned(),
            older: text.to_owned(),
        },
        channels: vec![ChannelRow {
            name: text.to_owned(),
            heads: vec![text.to_owned()],
            entries: 2,
            deprecation: text.to_owned(),
        }],
        graph: Ok(a_graph(text)),
    }
}

pub(in crate::tests) fn a_bundle_page(text: &str) -> BundlePage {
    let some = || vec![text.to_owned()];
    BundlePage {
        catalog: text.to_owned(),
        package: text.to_owned(),
        name: text.to_owned(),
        title: text.to_owned(),
        version: text.to_owned(),
        image: text.to_owned(),
        channels: some(),
        deprecation: text.to_owned(),
        install_modes: some(),
        provides: some(),
        requires: some(),
        kubernetes: text.to_owned(),
        images: some(),
        permissions: Ok(vec![Granted {
            account: text.to_owned(),
            place: text.to_owned(),
            rules: some(),
        }]),
    }
}
