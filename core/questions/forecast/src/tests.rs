//! Tests the decisions of OLM v0 for namespaces and catalogs that are written as short texts.

mod choices;
mod failures;
mod properties;
mod walks;

use portolan_core_catalog::{Catalog, Constraint, Reading};
use portolan_core_names::{BundleName, CatalogName};
use portolan_kit::catalog;

use crate::{
    Approval, Cause, Csv, End, Failure, Forecast, Install, Namespace, OperatorGroup, Phase,
    Purpose, Source, Stay, Subscription, Traits, forecast,
};

/// A namespace `ns` with visible catalogs. The global namespace is `olm`.
#[derive(Debug, Clone)]
struct World {
    catalogs: Vec<(CatalogName, i64, Result<Catalog, String>)>,
    namespace: Namespace,
}

/// Returns a namespace that sees one catalog, `olm/one`.
fn world(text: &str) -> World {
    let empty = World {
        catalogs: Vec::new(),
        namespace: Namespace {
            name: "ns".to_owned(),
            operator_groups: vec![OperatorGroup::default()],
            subscriptions: Vec::new(),
            csvs: Vec::new(),
            copied: Default::default(),
        },
    };
    empty.and("olm/one", 0, text)
}

fn read(text: &str) -> Catalog {
    let json = catalog::catalog(text).to_json_lines();
    Catalog::of([Reading::of("text", json.as_bytes())])
}

fn bundle(name: &str) -> BundleName {
    name.parse().expect("the name must parse")
}

/// Parses a Subscription, which has the name of its package: `a`, `a/fast`, `a from=olm/two`.
/// Options follow in any order: `name=`, `from=`, `start=`, `current=`, `at=` (installed and
/// current), `manual`, `planned` (has a plan), and `failed` (the plan failed).
fn subscription(text: &str) -> Subscription {
    let mut words = text.split_whitespace();
    let head = words.next().expect("the text must name a package");
    let (name, channel) = match head.split_once('/') {
        Some((name, channel)) => (name, Some(channel)),
        None => (head, None),
    };
    let package = name.parse().expect("the package must parse");
    let one = "olm/one".parse().expect("the catalog must parse");
    let mut subscription = Subscription::new(name, package, one);
    subscription.channel = channel.map(|text| text.parse().expect("the channel must parse"));
    for word in words {
        match word.split_once('=') {
            None if word == "manual" => subscription.approval = Approval::Manual,
            None if word == "planned" => subscription.has_plan = true,
            None if word == "failed" => subscription.plan_failed = true,
            Some(("from", name)) => {
                subscription.catalog = name.parse().expect("the catalog must parse");
            }
            Some(("name", name)) => subscription.name = name.to_owned(),
            Some(("start", name)) => subscription.starting_csv = Some(bundle(name)),
            Some(("current", name)) => subscription.current_csv = Some(bundle(name)),
            Some(("at", name)) => {
                subscription.installed_csv = Some(bundle(name));
                subscription.current_csv = Some(bundle(name));
            }
            _ => panic!("unknown word {word:?} for a Subscription"),
        }
    }
    subscription
}

// === impl World ===

impl World {
    fn and(mut self, name: &str, priority: i64, text: &str) -> Self {
        let name = name.parse().expect("the name must parse");
        self.catalogs.push((name, priority, Ok(read(text))));
        self
    }

    fn broken(mut self, name: &str, why: &str) -> Self {
        let name = name.parse().expect("the name must parse");
        self.catalogs.push((name, 0, Err(why.to_owned())));
        self
    }

    fn subscribed(mut self, text: &str) -> Self {
        self.namespace.subscriptions.push(subscription(text));
        self
    }

    /// Adds bundles of the first catalog to the installed operators.
    fn installed(mut self, names: &str) -> Self {
        for name in names.split_whitespace() {
            let csv = csv_of(self.first(), name);
            self.namespace.csvs.push(csv);
        }
        self
    }

    fn with_csv(mut self, change: impl FnOnce(&mut Csv)) -> Self {
        change(self.namespace.csvs.last_mut().expect("there must be one"));
        self
    }

    fn first(&mut self) -> &mut Catalog {
        self.catalogs[0]
            .2
            .as_mut()
            .expect("the catalog must be read")
    }

    /// Changes a bundle of the first catalog.
    fn with_bundle(
        mut self,
        name: &str,
        change: impl Fn(&mut portolan_core_catalog::Bundle),
    ) -> Self {
        for package in self.first().packages.values_mut() {
            let package = std::sync::Arc::make_mut(package);
            if let Some(bundle) = package.bundles.get_mut(name) {
                change(std::sync::Arc::make_mut(bundle));
            }
        }
        self
    }

    fn prohibiting(self, name: &str) -> Self {
        self.with_bundle(name, |bundle| bundle.is_prohibited = true)
    }

    fn constraining(self, name: &str, json: &str) -> Self {
        let constraint = std::sync::Arc::new(Constraint::parse(json));
        self.with_bundle(name, |bundle| {
            bundle.requires.constraints.push(constraint.clone());
        })
    }

    fn forecast(&self) -> Forecast {
        let sources = self
            .catalogs
            .iter()
            .map(|(name, priority, content)| Source {
                name: name.clone(),
                priority: *priority,
                content: content.as_ref().map_err(Clone::clone),
            });
        let sources: Vec<_> = sources.collect();
        forecast(&self.namespace, &sources, "olm")
    }

    /// Formats the forecast with one line for each pass, and one line for the end.
    fn story(&self) -> Vec<String> {
        let Forecast { passes, end } = self.forecast();
        let passes = passes.iter().map(|pass| {
            let installs: Vec<_> = pass.installs.iter().map(install).collect();
            installs.join(" + ")
        });
        passes.chain([ending(&end)]).collect()
    }

    fn failure(&self) -> Failure {
        let end = self.forecast().end;
        let End::Failed(failure) = end else {
            panic!("it must fail, and is {end:?}");
        };
        failure
    }

    /// Returns the error text of OLM.
    fn complaint(&self) -> String {
        self.failure().refusal.to_string()
    }
}

fn csv_of(catalog: &Catalog, name: &str) -> Csv {
    let mut packages = catalog.packages.values();
    let found = packages.find_map(|package| Some((package, package.bundles.get(name)?)));
    let (package, bundle) = found.expect("the bundle must be in the catalog");
    Csv {
        name: bundle.name.clone(),
        version: Some(bundle.version.clone()),
        replaces: None,
        phase: Phase::Succeeded,
        traits: Traits {
            package: Some(package.name.clone()),
            provides: bundle.provides.clone(),
            requires: bundle.requires.clone(),
            is_prohibited: bundle.is_prohibited,
            properties: bundle.properties.clone(),
            is_annotated: true,
        },
    }
}

fn install(install: &Install) -> String {
    let Install {
        bundle,
        channel,
        catalog,
        purpose,
        replaces,
        ..
    } = install;
    let purpose = match purpose {
        Purpose::Subscribed(names) => format!("for {}", names.join(", ")),
        Purpose::Needed { subscription } => format!("as {subscription}"),
    };
    let replaces = replaces.as_ref();
    let replaces = replaces.map_or(String::new(), |name| format!(" after {name}"));
    format!("{catalog}/{channel}/{bundle} {purpose}{replaces}")
}

fn ending(end: &End) -> String {
    if let End::Settled(stays) = end {
        return Vec::from_iter(stays.iter().map(stay)).join(", ");
    }
    if let End::Failed(failure) = end {
        return failure.refusal.to_string();
    }
    format!("{end:?}")
}

fn stay(stay: &Stay) -> String {
    let Stay {
        subscription,
        installed,
        cause,
    } = stay;
    let installed = installed.as_ref().map_or("nothing", BundleName::as_str);
    let found = if let Cause::Refused { successors, .. } = cause {
        let successors: Vec<_> = successors.iter().map(BundleName::as_str).collect();
        format!("not {}", successors.join(", "))
    } else {
        format!("{cause:?}")
    };
    format!("{subscription} at {installed}: {found}")
}
