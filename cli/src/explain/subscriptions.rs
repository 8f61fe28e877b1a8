//! The explanation of Subscriptions: the reasons for and against a transition to OLM v1.

use portolan_core_olm::{
    ClusterExtension, ClusterServiceVersion, OperatorCondition, OperatorGroup, Subscription,
    Targets, read_value,
};
use portolan_resolver::Snapshot;
use portolan_resolver::extensions::{ExtensionBlock, Transition, transition};
use portolan_world::{AnyWorld, Area, Key, View};
use serde::Serialize;
use serde_json::json;

use crate::extensions::{Extensions, NO_CATALOGS};
use crate::facts::{LocalServices, read_view};
use crate::failure::Failure;
use crate::print::words;
use crate::print::{Detail, Page, Span, Table};

/// A Subscription, and its possible transition to a ClusterExtension.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedSubscription {
    pub(super) namespace: String,
    pub(super) name: String,
    package: String,
    /// The installed bundle. Empty if nothing is installed.
    installed: String,
    /// Yes, No or Unknown.
    pub(super) movable: &'static str,
    obstacles: Vec<Obstacle>,
    notes: Vec<String>,
    /// The unknown facts.
    pub(super) unknown: Vec<String>,
}

/// A reason why the Subscription cannot become a ClusterExtension.
#[derive(Debug, Serialize)]
struct Obstacle {
    code: &'static str,
    message: String,
}

/// The objects of OLM v0.
struct Facts {
    subscriptions: View<Subscription>,
    csvs: View<ClusterServiceVersion>,
    groups: View<OperatorGroup>,
    conditions: View<OperatorCondition>,
}

/// Explains the Subscriptions with these names. An empty namespace selects all namespaces.
pub(super) async fn explain(
    names: &[String],
    namespace: &str,
    services: &LocalServices,
) -> Result<Vec<ExplainedSubscription>, Failure> {
    let world = services.world();
    let facts = Facts::read(world).await?;
    let extensions = Extensions::read(world).await?;
    let snapshot = services.catalogs().watch().borrow().clone();
    let mut explained = Vec::new();
    for name in names {
        let all = facts.subscriptions.objects.iter();
        let all = all.filter(|(key, _)| namespace.is_empty() || *key.namespace == *namespace);
        let meant = all.clone().filter(|(key, _)| *key.name == **name);
        let before = explained.len();
        explained.extend(meant.map(|(key, subscription)| {
            facts.explained((key, subscription), &extensions, &snapshot)
        }));
        if explained.len() == before {
            let known = all.map(|(key, _)| (key.namespace.to_string(), key.name.to_string()));
            let known: Vec<_> = known.collect();
            let near = words::near_or_existing(name, "Subscriptions", &known);
            let place = words::within(namespace);
            return Err(Failure::usage(format!(
                "Subscription {name} not found{place}{near}"
            )));
        }
    }
    Ok(explained)
}

// === impl Facts ===

impl Facts {
    async fn read(world: &AnyWorld) -> Result<Self, Failure> {
        let everywhere = Area::everywhere();
        Ok(Self {
            subscriptions: read_view(world, &everywhere).await?,
            csvs: read_view(world, &everywhere).await?,
            groups: read_view(world, &everywhere).await?,
            conditions: read_view(world, &everywhere).await?,
        })
    }

    fn explained(
        &self,
        (key, subscription): (&Key, &Subscription),
        extensions: &Extensions,
        snapshot: &Snapshot,
    ) -> ExplainedSubscription {
        let installed = &subscription.status.installed_csv;
        let own = Key::new(&key.namespace, installed);
        let csv = self.csvs.objects.get(&own);
        let mut explained = ExplainedSubscription {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            package: subscription.spec.package.clone(),
            installed: installed.clone(),
            movable: "Unknown",
            obstacles: Vec::new(),
            notes: Vec::new(),
            unknown: Vec::new(),
        };
        let Some(csv) = csv else {
            explained.obstacles.push(Obstacle {
                code: "NotInstalled",
                message: "OLM v0 has installed nothing for the Subscription".to_owned(),
            });
            explained.movable = "No";
            return explained;
        };
        let mut groups = self.groups.objects.iter();
        let group = groups.find(|(of, _)| of.namespace == key.namespace);
        let targets = group.map_or(Targets::All, |(_, group)| group.targets());
        let condition = self.conditions.objects.get(&own);
        let has_condition = condition.is_some_and(|it| !it.spec.conditions.is_empty());
        let Transition { obstacles, notes } =
            transition(csv, subscription, &targets, has_condition);
        explained.obstacles = obstacles
            .iter()
            .map(|it| Obstacle {
                code: it.code(),
                message: it.to_string(),
            })
            .collect();
        explained.notes = notes.iter().map(ToString::to_string).collect();
        explained.look_in_catalogs(&csv.spec.version, extensions, snapshot);
        explained
    }
}

// === impl ExplainedSubscription ===

impl ExplainedSubscription {
    /// Checks if OLM v1 would install the bundle from a ClusterCatalog.
    fn look_in_catalogs(&mut self, version: &str, extensions: &Extensions, snapshot: &Snapshot) {
        let catalog = json!({"packageName": self.package, "version": version});
        let extension = json!({
            "metadata": {"name": self.name},
            "spec": {"namespace": self.namespace, "source": {"catalog": catalog}},
        });
        let extension = read_value::<ClusterExtension>(extension).ok();
        let forecast = extension.and_then(|(it, _)| extensions.forecast(&it, snapshot));
        match forecast {
            None => self.unknown.push(NO_CATALOGS.to_owned()),
            Some(forecast) => match forecast.stop {
                Some(block @ ExtensionBlock::CatalogUnread { .. }) => {
                    self.unknown.push(block.to_string());
                }
                Some(block) if forecast.path.is_empty() => {
                    let code = block.code();
                    if self.obstacles.iter().all(|it| it.code != code) {
                        let message = block.to_string();
                        self.obstacles.push(Obstacle { code, message });
                    }
                }
                Some(_) | None => {}
            },
        }
        self.movable = match (self.obstacles.is_empty(), self.unknown.is_empty()) {
            (false, _) => "No",
            (true, true) => "Yes",
            (true, false) => "Unknown",
        };
    }

    /// Returns true if the Subscription can become a ClusterExtension.
    pub(super) fn is_fine(&self) -> bool {
        self.movable == "Yes"
    }

    /// Returns true if a fact is missing.
    pub(super) fn is_unknown(&self) -> bool {
        self.movable == "Unknown"
    }

    /// Returns the name of the Subscription, with its kind.
    pub(super) fn place(&self) -> String {
        format!("subscription/{} in {}", self.name, self.namespace)
    }

    /// Returns the explanation as lines with their labels.
    pub(super) fn lines(&self) -> Vec<(Span, String)> {
        let mut lines = Vec::new();
        let obstacles = self.obstacles.iter();
        lines.extend(obstacles.map(|it| {
            let text = format!("{} - {}", it.code, it.message);
            (Span::error("Obstacle:"), text)
        }));
        let notes = self.notes.iter();
        lines.extend(notes.map(|it| (Span::warning("Note:"), it.clone())));
        let unknown = self.unknown.iter();
        lines.extend(unknown.map(|it| (Span::warning("Unknown:"), it.clone())));
        lines
    }
}

/// Renders a row for each Subscription, followed by the reasons.
pub(super) fn render(subscriptions: &[ExplainedSubscription], detail: Detail) -> Page {
    let mut page = Page::default();
    let table = Table::of(subscriptions, detail)
        .text("NAMESPACE", &|it| &it.namespace)
        .text("SUBSCRIPTION", &|it| &it.name)
        .text("PACKAGE", &|it| &it.package)
        .text("INSTALLED", &|it| &it.installed)
        .text("OLM V1", &|it| it.movable);
    page.table(table);
    for subscription in subscriptions {
        page.part();
        page.line([
            Span::heading(subscription.place() + ":"),
            subscription.movable.to_owned().into(),
        ]);
        for (label, text) in subscription.lines() {
            page.below([label, text.into()]);
        }
    }
    page
}
