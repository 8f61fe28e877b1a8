//! Computes the Forecast for OLM from the objects of a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use portolan_core_catalog::Catalog;
use portolan_core_forecast as v0;
use portolan_core_names::{BundleName, CatalogName};
use portolan_resolver::source::read_folder;
use serde_json::Value;

use super::{Course, End, Pass, text};

/// The namespace of global catalogs, which all namespaces can use.
const GLOBAL: &str = "olm";
const PROPERTIES: &str = "operatorframework.io/properties";
const EXCLUDES: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";

/// Computes the Forecast for a namespace, from its objects and from the folders of its catalogs.
pub(super) fn course(name: &str, objects: &[Value], folders: &[(String, &Path)]) -> Course {
    let namespace = namespace(name, objects);
    let contents: Vec<_> = of_kind(objects, "CatalogSource")
        .map(|source| (source, content(source, folders)))
        .collect();
    let sources = contents.iter().map(|(source, content)| v0::Source {
        name: catalog_name(name, text(source, "/metadata/name")),
        priority: source["spec"]["priority"].as_i64().unwrap_or_default(),
        content: content.as_ref().map_err(Clone::clone),
    });
    let sources: Vec<_> = sources.collect();
    let v0::Forecast { passes, end } = v0::forecast(&namespace, &sources, GLOBAL);
    Course {
        passes: passes.iter().map(pass).collect(),
        end: ending(end),
    }
}

/// Returns the content of a catalog, or the reason why OLM cannot read it.
fn content(source: &Value, folders: &[(String, &Path)]) -> Result<Catalog, String> {
    let state = text(source, "/status/connectionState/lastObservedState");
    if state != "READY" {
        return Err(state.to_owned());
    }
    let name = text(source, "/metadata/name");
    let folder = folders.iter().find(|(known, _)| known == name);
    let (_, folder) = folder.expect("a catalog that is served must have a folder");
    Ok(read_folder(folder).expect("the folder must be readable"))
}

fn namespace(name: &str, objects: &[Value]) -> v0::Namespace {
    let (copied, csvs): (Vec<_>, Vec<_>) =
        of_kind(objects, "ClusterServiceVersion").partition(|csv| is_copied(csv));
    v0::Namespace {
        name: name.to_owned(),
        operator_groups: of_kind(objects, "OperatorGroup").map(group).collect(),
        subscriptions: of_kind(objects, "Subscription").map(subscription).collect(),
        csvs: csvs.into_iter().map(csv).collect(),
        copied: copied
            .into_iter()
            .filter_map(|csv| bundle(csv, "/metadata/name"))
            .collect(),
    }
}

fn of_kind<'o>(objects: &'o [Value], kind: &str) -> impl Iterator<Item = &'o Value> {
    objects.iter().filter(move |object| object["kind"] == kind)
}

fn is_copied(csv: &Value) -> bool {
    !csv["metadata"]["labels"]["olm.copiedFrom"].is_null()
}

fn group(group: &Value) -> v0::OperatorGroup {
    v0::OperatorGroup {
        excludes_global_catalogs: group["metadata"]["annotations"][EXCLUDES] == "true",
        fails_forward: group["spec"]["upgradeStrategy"] == "TechPreviewUnsafeFailForward",
    }
}

fn subscription(object: &Value) -> v0::Subscription {
    let package = text(object, "/spec/name").parse();
    let package = package.expect("the package must parse");
    let place = text(object, "/spec/sourceNamespace");
    let catalog = catalog_name(place, text(object, "/spec/source"));
    let channel = text(object, "/spec/channel");
    let is_manual = object["spec"]["installPlanApproval"] == "Manual";
    v0::Subscription {
        channel: (!channel.is_empty()).then(|| channel.parse().expect("the channel must parse")),
        starting_csv: bundle(object, "/spec/startingCSV"),
        installed_csv: bundle(object, "/status/installedCSV"),
        current_csv: bundle(object, "/status/currentCSV"),
        approval: if is_manual {
            v0::Approval::Manual
        } else {
            v0::Approval::Automatic
        },
        has_plan: !object["status"]["installPlanRef"].is_null(),
        ..v0::Subscription::new(text(object, "/metadata/name"), package, catalog)
    }
}

fn csv(object: &Value) -> v0::Csv {
    let annotation = object["metadata"]["annotations"][PROPERTIES].as_str();
    let traits = match annotation {
        Some(annotation) => v0::Traits::of_annotation(annotation),
        None => Ok(v0::Traits::of_spec(
            apis(object, "owned"),
            apis(object, "required"),
        )),
    };
    v0::Csv {
        name: bundle(object, "/metadata/name").expect("an object must have a name"),
        version: text(object, "/spec/version").parse().ok(),
        replaces: bundle(object, "/spec/replaces"),
        phase: v0::Phase::from(text(object, "/status/phase").to_owned()),
        traits: traits.expect("the annotation must be readable"),
    }
}

fn apis(csv: &Value, which: &str) -> BTreeSet<portolan_core_catalog::Api> {
    let listed = csv["spec"]["customresourcedefinitions"][which].as_array();
    let apis = listed.into_iter().flatten().filter_map(|described| {
        let (_, group) = text(described, "/name").split_once('.')?;
        Some(portolan_core_catalog::Api {
            group: group.into(),
            version: text(described, "/version").into(),
            kind: text(described, "/kind").into(),
        })
    });
    apis.collect()
}

fn catalog_name(namespace: &str, name: &str) -> CatalogName {
    let name = format!("{namespace}/{name}").parse();
    name.expect("the name of a catalog must parse")
}

fn bundle(object: &Value, field: &str) -> Option<BundleName> {
    let name = text(object, field);
    (!name.is_empty()).then(|| name.parse().expect("the name of a bundle must parse"))
}

fn pass(pass: &v0::Pass) -> Pass {
    let made = pass
        .installs
        .iter()
        .filter_map(|install| match &install.purpose {
            v0::Purpose::Needed { subscription } => Some(subscription.clone()),
            v0::Purpose::Subscribed(_) => None,
        });
    Pass {
        bundles: pass
            .installs
            .iter()
            .map(|install| install.bundle.to_string())
            .collect(),
        made: made.collect(),
    }
}

fn ending(end: v0::End) -> End {
    match end {
        v0::End::Settled(stays) => {
            let stays = stays.into_iter().map(|stay| {
                let installed = stay
                    .installed
                    .map_or_else(String::new, |name| name.to_string());
                (stay.subscription, installed)
            });
            End::Settled(stays.collect::<BTreeMap<_, _>>())
        }
        v0::End::Failed(failure) => End::Failed {
            reason: failure.refusal.reason().to_owned(),
            message: failure.refusal.to_string(),
        },
        v0::End::AwaitsApproval { .. } => End::AwaitsApproval,
        v0::End::Silent(_) => End::Silent,
        other => panic!("no story ends like this: {other:?}"),
    }
}
