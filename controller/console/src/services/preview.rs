//! The preview of a change of Operators.

use futures::future::join_all;
use portolan_api::operator::{CATALOG_NAMESPACES, Operator};
use portolan_core_console::view::{Preview, Seen, Step, UnsafeUpdate, Unseen};
use portolan_core_console::{Change, Wanted};
use portolan_operators::{Acceptance, BundleManifests, CrdComparison, UpgradePath, compared_crds};
use portolan_proto::resolver::v1::generate_response::Change as Changed;
use portolan_proto::resolver::v1::preview_request::Change as Asked;
use portolan_proto::resolver::v1::{CatalogScope, PreviewRequest, PreviewResponse};
use portolan_world::{View, World as _};
use serde_json::Value;

use super::{Services, heard};

impl Services {
    /// None as long as nobody has said which operator is meant.
    pub(super) async fn preview(&self, wanted: &Wanted) -> Option<Seen<Preview>> {
        let operator = wanted.operator.trim();
        if operator.is_empty() {
            return None;
        }
        Some(self.previewed(wanted).await)
    }

    async fn previewed(&self, wanted: &Wanted) -> Seen<Preview> {
        let Some(asked) = asked(wanted) else {
            return self.updates_preview(wanted).await;
        };
        let operators = self.all::<Operator>().await?;
        let told = self.outcome(asked, &operators).await?;
        let operators = &operators;
        let steps = told.changes.into_iter().map(|change| async move {
            let compared = self.compared(&change, operators).await;
            step(change, compared)
        });
        Ok(Preview {
            steps: join_all(steps).await,
            errors: told.errors,
            warnings: told.warnings,
            notes: told.notes,
            text: None,
        })
    }

    /// Returns the changes of Operators that would be made; None if the change is not about their versions.
    pub(super) async fn changed(&self, wanted: &Wanted) -> Seen<Option<PreviewResponse>> {
        let Some(asked) = asked(wanted) else {
            return Ok(None);
        };
        let operators = self.all::<Operator>().await?;
        self.outcome(asked, &operators).await.map(Some)
    }

    async fn outcome(&self, asked: Asked, operators: &View<Operator>) -> Seen<PreviewResponse> {
        let operators = operators.objects.values();
        let operators = operators.map(|it| serde_json::to_string(&**it));
        let operators = operators.collect::<Result<_, _>>();
        let request = PreviewRequest {
            operators: operators.map_err(|error| Unseen(error.to_string()))?,
            change: Some(asked),
            kubernetes: self.world.kubernetes().await.unwrap_or_default(),
            scope: Some(CatalogScope {
                namespaces: CATALOG_NAMESPACES.split(',').map(str::to_owned).collect(),
            }),
        };
        heard(self.resolver().preview(request).await)
    }

    /// Returns the unsafe changes of CRDs that the Operator would wait for.
    async fn compared(&self, change: &Changed, operators: &View<Operator>) -> CrdComparison {
        if change.version.is_empty() {
            return CrdComparison::default();
        }
        let Some(path) = change.path.clone() else {
            let why = "the resolver is of an older version, which does not name the bundles";
            return CrdComparison {
                not_compared: Some(why.to_owned()),
                ..CrdComparison::default()
            };
        };
        let mut operators = operators.objects.values();
        let operator = operators.find(|it| it.metadata.name.as_deref() == Some(&change.name));
        let upgrade = UpgradePath {
            installed: Some(path.installed).filter(|it| !it.is_empty()),
            bundles: path.bundles,
            acceptance: operator.map_or_else(Acceptance::default, |it| Acceptance::of(it)),
        };
        let mut bundles = Bundles {
            services: self,
            catalog: path.catalog,
            package: path.package,
        };
        compared_crds(&upgrade, Some(&self.world), &mut bundles).await
    }
}

/// The bundles of a package.
struct Bundles<'s> {
    services: &'s Services,
    catalog: String,
    package: String,
}

impl BundleManifests for Bundles<'_> {
    async fn manifests(&mut self, bundle: &str) -> Result<Vec<Value>, String> {
        let rendered = self.services.rendered(&self.catalog, &self.package, bundle);
        let rendered = rendered.await.map_err(|Unseen(why)| why)?;
        if let Some(fault) = rendered.faults.first()
            && rendered.manifests.is_empty()
        {
            return Err(fault.message.clone());
        }
        let objects = rendered.manifests.iter();
        let objects = objects.map(|it| serde_json::from_str(&it.object));
        objects
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())
    }
}

/// The question for the resolver; None of what it knows nothing of.
fn asked(wanted: &Wanted) -> Option<Asked> {
    let (name, version) = (wanted.operator.trim(), wanted.version.trim());
    let wish = match version {
        "" => name.to_owned(),
        range if range.starts_with('>') => format!("{name}{range}"),
        version => format!("{name}={version}"),
    };
    match wanted.change {
        Change::Add => Some(Asked::Add(wish)),
        Change::Upgrade => Some(Asked::Upgrade(wish)),
        Change::Delete => Some(Asked::Delete(name.to_owned())),
        Change::Updates => None,
    }
}

fn step(change: Changed, compared: CrdComparison) -> Step {
    let command = command(&change);
    let Changed {
        name,
        version,
        previous,
        available: between,
        // A warning says it.
        replaced_range: _,
        path: _,
    } = change;
    let CrdComparison {
        unsafe_updates,
        not_compared,
    } = compared;
    let updates = unsafe_updates.into_iter().map(|update| UnsafeUpdate {
        changes: update.lines(),
        remedy: update.remedy(&name),
        bundle: update.bundle,
    });
    Step {
        unsafe_updates: updates.collect(),
        not_compared: not_compared.unwrap_or_default(),
        name,
        version,
        previous,
        between,
        command,
    }
}

/// Returns the command that makes a change; empty where a name or a version would be more to a
/// shell than a word.
fn command(change: &Changed) -> String {
    let (name, version) = (&change.name, &change.version);
    let is_word = |text: &str| {
        let mut bytes = text.bytes();
        bytes.all(|it| it.is_ascii_alphanumeric() || b".-+".contains(&it))
    };
    if !is_word(name) || !is_word(version) || name.starts_with('-') || version.starts_with('-') {
        return String::new();
    }
    match (change.previous.is_empty(), version.is_empty()) {
        (_, true) => format!("portolan delete {name}"),
        (true, false) => format!("portolan create {name} --version {version}"),
        (false, false) => format!(
            "kubectl patch operators.operators.operatorframework.io/{name} --type=merge \
             -p '{{\"spec\":{{\"version\":\"{version}\"}}}}'"
        ),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn change(name: &str, previous: &str, version: &str) -> Changed {
        Changed {
            name: name.to_owned(),
            version: version.to_owned(),
            previous: previous.to_owned(),
            ..Changed::default()
        }
    }

    #[rstest]
    #[case::new("ferry", "", "1.2.0", "portolan create ferry --version 1.2.0")]
    #[case::gone("ferry", "1.2.0", "", "portolan delete ferry")]
    #[case::moved(
        "ferry",
        "1.1.0",
        "1.2.0+build.1",
        "kubectl patch operators.operators.operatorframework.io/ferry --type=merge -p \
         '{\"spec\":{\"version\":\"1.2.0+build.1\"}}'"
    )]
    #[case::more_than_a_word("ferry; reboot", "", "1.2.0", "")]
    #[case::more_than_a_version("ferry", "", "1.2.0' || 'x", "")]
    #[case::a_flag("--all", "", "", "")]
    fn a_command_is_what_somebody_types(
        #[case] name: &str,
        #[case] previous: &str,
        #[case] version: &str,
        #[case] typed: &str,
    ) {
        assert_eq!(command(&change(name, previous, version)), typed);
    }

    #[rstest]
    #[case::the_newest("", "ferry")]
    #[case::a_version("1.2.0", "ferry=1.2.0")]
    #[case::a_range(" >=1.0.0 <2.0.0 ", "ferry>=1.0.0 <2.0.0")]
    #[case::above(">1.0.0", "ferry>1.0.0")]
    #[case::below("<2.0.0", "ferry=<2.0.0")]
    fn what_is_wished_is_read_as_on_the_command_line(#[case] version: &str, #[case] wish: &str) {
        let wanted = Wanted {
            change: Change::Upgrade,
            operator: " ferry ".to_owned(),
            version: version.to_owned(),
        };
        assert_eq!(asked(&wanted), Some(Asked::Upgrade(wish.to_owned())));
    }
}
