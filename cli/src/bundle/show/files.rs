//! Describes a bundle from its files.

use std::collections::BTreeSet;

use portolan_core_bundle::{
    Api, Bundle, Options, Permissions, Property, Severity, images, permissions, render, validate,
};
use serde::Serialize;
use serde_json::Value as Json;

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Render, Span};

const TOO_MANY: &str = "too many ServiceAccounts with too many permissions; run `portolan bundle render` to print the roles and bindings";

/// A bundle in the form in which the command prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BundleDocument {
    name: String,
    version: String,
    package: String,
    install_modes: Vec<String>,
    suggested_namespace: Option<String>,
    provides: Vec<Provided>,
    requires: Vec<Provided>,
    dependencies: Vec<Dependency>,
    permissions: Vec<Granted>,
    /// The reasons why the bundle cannot be rendered, so its permissions are unknown.
    not_rendered: Vec<String>,
    /// The reason why the output omits the permissions, although they are known.
    not_listed: Option<&'static str>,
    images: BTreeSet<String>,
    errors: usize,
    warnings: usize,
}

#[derive(Debug, Serialize)]
struct Provided {
    definition: String,
    version: String,
    kind: String,
}

#[derive(Debug, Serialize)]
struct Dependency {
    r#type: String,
    value: Json,
}

/// The permissions of one ServiceAccount in one namespace or in the cluster.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    service_account: String,
    place: String,
    rules: Vec<String>,
}

// === impl BundleDocument ===

impl BundleDocument {
    pub(super) fn of(bundle: &Bundle) -> Self {
        let (granted, not_rendered) = match render(bundle, &Options::fitting(bundle)) {
            Ok(manifests) => (permissions_by_account(&permissions(&manifests)), Vec::new()),
            Err(refusals) => (
                Some(Vec::new()),
                refusals.iter().map(ToString::to_string).collect(),
            ),
        };
        let found = validate(bundle);
        let errors = found.iter().filter(|it| it.severity == Severity::Error);
        let errors = errors.count();
        let modes = bundle.install_modes().into_iter();
        Self {
            name: bundle.name().to_owned(),
            version: bundle
                .version()
                .map(ToString::to_string)
                .unwrap_or_default(),
            package: bundle.package().to_owned(),
            install_modes: modes.map(str::to_owned).collect(),
            suggested_namespace: bundle.suggested_namespace(),
            provides: bundle.owned().map(Provided::of).collect(),
            requires: bundle.required().map(Provided::of).collect(),
            dependencies: bundle.dependencies().iter().map(Dependency::of).collect(),
            not_listed: granted.is_none().then_some(TOO_MANY),
            permissions: granted.unwrap_or_default(),
            not_rendered,
            images: images(bundle),
            errors,
            warnings: found.len() - errors + bundle.warnings().len(),
        }
    }
}

impl Render for BundleDocument {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        page.facts([
            ("Bundle:", Span::plain(&self.name)),
            ("Version:", or_none(&self.version).into()),
            ("Package:", or_none(&self.package).into()),
            (
                "Install modes:",
                or_none(&self.install_modes.join(", ")).into(),
            ),
            (
                "Namespace:",
                or_none(self.suggested_namespace.as_deref().unwrap_or_default()).into(),
            ),
        ]);
        page.list("Provides:", self.provides.iter().map(api_name));
        page.list("Requires:", self.requires.iter().map(api_name));
        let dependencies = self.dependencies.iter();
        let dependencies = dependencies.map(|it| format!("{} {}", it.r#type, it.value));
        page.list("Depends on:", dependencies);
        for granted in &self.permissions {
            let heading = format!("{} may in {}:", granted.service_account, granted.place);
            let most = if detail == Detail::Whole {
                usize::MAX
            } else {
                MOST
            };
            let others = granted.rules.len().saturating_sub(most);
            let others = (others > 0).then(|| format!("... {others} more (-o wide shows all)"));
            let rules = granted.rules.iter().take(most).cloned();
            page.list(&heading, rules.chain(others));
        }
        page.list(
            "Permissions are unknown, because the bundle cannot be rendered:",
            self.not_rendered.iter().cloned(),
        );
        let not_listed = self.not_listed.map(str::to_owned);
        page.list("Permissions are not listed:", not_listed);
        page.list("Images:", self.images.iter().cloned());
        if self.errors + self.warnings > 0 {
            page.part();
            let counts = format!(
                "{} and {} found; run `portolan bundle check` to list them",
                words::count(self.errors, "error"),
                words::count(self.warnings, "warning")
            );
            page.line([if self.errors > 0 {
                Span::error(counts)
            } else {
                Span::warning(counts)
            }]);
        }
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        Some(vec![self.name.clone()])
    }
}

impl Provided {
    fn of(api: Api<'_>) -> Self {
        Self {
            definition: api.crd.to_owned(),
            version: api.version.to_owned(),
            kind: api.kind.to_owned(),
        }
    }
}

impl Dependency {
    fn of(property: &Property) -> Self {
        Self {
            r#type: property.kind.to_string(),
            value: serde_json::from_str(&property.value).unwrap_or_default(),
        }
    }
}

/// Returns the rules of each ServiceAccount in each namespace. Returns None if there are too many
/// rules to list.
fn permissions_by_account(permissions: &Permissions) -> Option<Vec<Granted>> {
    let all = permissions.by_account()?.into_iter();
    let granted = all.map(|((account, place), rules)| Granted {
        service_account: account,
        place,
        rules: rules.into_iter().collect(),
    });
    Some(granted.collect())
}

/// The maximum number of printed rules of a ServiceAccount in one namespace. There is no limit if
/// the user requests all rules.
const MOST: usize = 12;

fn api_name(api: &Provided) -> String {
    let Provided {
        definition,
        version,
        kind,
    } = api;
    let group = definition.split_once('.').map_or("", |(_, group)| group);
    format!("{kind} {group}/{version}")
}
