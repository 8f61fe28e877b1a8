//! The data of a bundle in a catalog.

use portolan_proto::resolver::v1::get_bundle_response::Image;
use portolan_proto::resolver::v1::{
    Api, CatalogRef, GetBundleResponse, Requirements, requirements,
};

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Render, Span};

impl Render for GetBundleResponse {
    fn page(&self, detail: Detail) -> Page {
        let modes = self.install_modes.iter().filter(|mode| mode.supported);
        let modes: Vec<_> = modes.map(|mode| mode.name.as_str()).collect();
        let version = words::version(&self.version, &self.release);
        let mut page = Page::default();
        page.facts([
            ("Bundle:", Span::plain(&self.name)),
            ("Version:", or_none(&version).into()),
            ("Package:", Span::plain(&self.package)),
            ("Channels:", or_none(&self.channels.join(", ")).into()),
            ("Title:", Span::plain(&self.display_name)),
            ("Image:", Span::plain(&self.image)),
            ("Watches:", modes.join(", ").into()),
            ("Kubernetes:", bound(&self.min_kube_version, "newer")),
            ("OpenShift:", bound(&self.max_openshift_version, "older")),
        ]);
        let deprecation = &self.deprecation;
        let prohibited = self
            .prohibited
            .then_some("The bundle must not be installed (property olm.deprecated).");
        let prohibited = prohibited.map(Span::error);
        let deprecated = (!deprecation.is_empty()).then(|| format!("deprecated: {deprecation}"));
        let warnings = prohibited.into_iter().chain(deprecated.map(Span::warning));
        page.lines(warnings.map(|warning| [warning]));
        page.list("Provides:", self.provides.iter().map(api));
        if let Some(requires) = &self.requires {
            page.list("Requires:", requirements(requires));
        }
        if detail == Detail::Whole {
            page.list("Images:", self.related_images.iter().map(image));
            let properties = self.properties.iter();
            let properties = properties.map(|each| format!("{} {}", each.r#type, each.value));
            page.list("Properties:", properties);
        }
        page.list("Objects:", self.objects.iter().cloned());
        page.list(
            "Not available from this catalog:",
            self.not_given.iter().cloned(),
        );
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        Some(vec![self.name.clone()])
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.catalogs
    }
}

/// Returns a version as the limit of a range, such as `1.25 or later`. Returns an empty text if
/// there is no limit.
fn bound(version: &str, further: &str) -> Span {
    match version {
        "" => Span::default(),
        version => format!("{version} or {further}").into(),
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
