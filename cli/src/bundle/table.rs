//! The answer for people.

use portolan_proto::resolver::v1::get_bundle_response::Image;
use portolan_proto::resolver::v1::{Api, GetBundleResponse, Requirements, requirements};

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

pub(super) fn render(answer: &GetBundleResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    page.rows(&facts(answer));
    warn(&mut page, answer);
    list(&mut page, "Provides", answer.provides.iter().map(api));
    if let Some(requires) = &answer.requires {
        list(&mut page, "Requires", requirements(requires));
    }
    if detail == Detail::Whole {
        list(&mut page, "Images", answer.related_images.iter().map(image));
        let properties = answer.properties.iter();
        let properties = properties.map(|each| format!("{} {}", each.r#type, each.value));
        list(&mut page, "Properties", properties);
    }
    list(&mut page, "Objects", answer.objects.iter().cloned());
    list(
        &mut page,
        "Not given by the source of the catalog",
        answer.not_given.iter().cloned(),
    );
    page
}

/// A line for each fact that the answer has.
fn facts(answer: &GetBundleResponse) -> Vec<[Span; 2]> {
    let modes = answer.install_modes.iter().filter(|mode| mode.supported);
    let modes: Vec<_> = modes.map(|mode| mode.name.as_str()).collect();
    let all = [
        ("Bundle:", answer.name.clone()),
        (
            "Version:",
            or_none(&words::version(&answer.version, &answer.release)).to_owned(),
        ),
        ("Package:", answer.package.clone()),
        ("Channels:", or_none(&answer.channels.join(", ")).to_owned()),
        ("Called:", answer.display_name.clone()),
        ("Image:", answer.image.clone()),
        ("Watches:", modes.join(", ")),
        ("Kubernetes:", at_least(&answer.min_kube_version)),
        ("OpenShift:", at_most(&answer.max_openshift_version)),
    ];
    let said = all.into_iter().filter(|(_, fact)| !fact.is_empty());
    said.map(|(label, fact)| [Span::heading(label), fact.into()])
        .collect()
}

fn at_least(version: &str) -> String {
    match version {
        "" => String::new(),
        version => format!("{version} or newer"),
    }
}

fn at_most(version: &str) -> String {
    match version {
        "" => String::new(),
        version => format!("{version} or older"),
    }
}

fn warn(page: &mut Page, answer: &GetBundleResponse) {
    let GetBundleResponse {
        deprecation,
        prohibited,
        ..
    } = answer;
    if *prohibited || !deprecation.is_empty() {
        page.part();
    }
    if *prohibited {
        page.line([Span::error("It may not be installed (olm.deprecated).")]);
    }
    if !deprecation.is_empty() {
        page.line([Span::warning(format!("deprecated: {deprecation}"))]);
    }
}

fn list(page: &mut Page, heading: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        page.section(format!("{heading}:"));
    }
    for line in lines {
        page.below([line.into()]);
    }
}

fn api(api: &Api) -> String {
    let Api {
        group,
        version,
        kind,
    } = api;
    match group.as_str() {
        "" => format!("{kind} {version}"),
        group => format!("{kind} {group}/{version}"),
    }
}

fn requirements(requires: &Requirements) -> impl Iterator<Item = String> {
    let Requirements {
        apis,
        packages,
        constraints,
    } = requires;
    let packages = packages.iter();
    let packages =
        packages.map(|requirements::Package { name, range }| format!("package {name} in {range}"));
    let constraints = constraints.iter().cloned();
    apis.iter().map(api).chain(packages).chain(constraints)
}

fn image(image: &Image) -> String {
    match image.name.as_str() {
        "" => image.image.clone(),
        name => format!("{name}: {}", image.image),
    }
}
