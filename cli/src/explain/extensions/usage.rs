//! The custom resources that an incompatible change of a CRD affects.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::operator::CrdChange;
use portolan_core_names::text::{cite, listed};
use portolan_operators::UnsafeUpdate;
use portolan_resolver::extensions::{FieldPath, FieldUse};
use portolan_world::{AnyWorld, Completeness, Gvk, ListedKind, ObjectRef};
use serde::Serialize;
use serde_json::Value;

/// The maximum number of kinds whose custom resources are read.
const MOST_KINDS: usize = 10;

/// An incompatible change of a CRD, with the custom resources that have the changed field.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangeUse {
    pub(super) bundle: String,
    crd: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    version: String,
    /// Empty if the change affects whole custom resources.
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    check: String,
    #[serde(flatten)]
    resources: AffectedResources,
}

/// The custom resources of one change.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", untagged)]
enum AffectedResources {
    #[serde(rename_all = "camelCase")]
    Known {
        /// The number of custom resources that were read.
        resources: usize,
        /// The number of custom resources that have the field.
        affected: usize,
        /// True if other custom resources may exist.
        is_incomplete: bool,
        /// The first custom resources that have the field.
        examples: Vec<String>,
        /// The field managers that have written the field.
        managers: BTreeSet<String>,
    },
    Unknown {
        /// The reason.
        unknown: String,
    },
}

/// The kind of the custom resources of a change: the name of the CRD and a version. The version is
/// empty if the change affects all versions.
type CrdVersion = (String, String);
/// The use of each field of a kind by its path, or the reason why it is unknown.
type CountedFields = Result<(Completeness, BTreeMap<String, FieldUse>), String>;

/// Counts the custom resources that each change affects. Reads each kind once.
pub(super) async fn of_changes(updates: &[UnsafeUpdate], world: &AnyWorld) -> Vec<ChangeUse> {
    let changes = updates.iter().flat_map(|update| {
        let changes = update.changes.iter();
        changes.map(|change| (update.bundle.as_str(), change))
    });
    let changes: Vec<_> = changes.collect();
    let mut by_kind: BTreeMap<CrdVersion, BTreeMap<String, FieldUse>> = BTreeMap::new();
    for (_, change) in &changes {
        let uses = by_kind.entry(kind_of(change)).or_default();
        uses.entry(change.path.clone()).or_default();
    }
    let mut counted = BTreeMap::new();
    for (at, (kind, mut uses)) in by_kind.into_iter().enumerate() {
        let read = if at < MOST_KINDS {
            count(&kind, &mut uses, world).await
        } else {
            let why = format!("the custom resources of at most {MOST_KINDS} kinds are read");
            Err(why)
        };
        counted.insert(kind, read.map(|completeness| (completeness, uses)));
    }
    let uses = changes.into_iter().map(|(bundle, change)| ChangeUse {
        bundle: bundle.to_owned(),
        crd: change.crd.clone(),
        version: change.version.clone(),
        path: change.path.clone(),
        check: change.check.clone(),
        resources: AffectedResources::of(change, counted.get(&kind_of(change))),
    });
    uses.collect()
}

/// Returns the kind in which the custom resources have the field. A change between two versions has
/// the form `v1 -> v2`.
fn kind_of(change: &CrdChange) -> CrdVersion {
    let version = change.version.split(" -> ").next();
    (change.crd.clone(), version.unwrap_or_default().to_owned())
}

/// Counts the custom resources of a kind that have each of the fields.
async fn count(
    (crd, version): &CrdVersion,
    uses: &mut BTreeMap<String, FieldUse>,
    world: &AnyWorld,
) -> Result<Completeness, String> {
    let kind = Gvk::new("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    let definition = world.object(ObjectRef::new(kind, None, crd)).await;
    let definition = definition.map_err(|trouble| trouble.to_string())?;
    let Some(definition) = definition else {
        return match world {
            // Without a CRD there are no custom resources.
            AnyWorld::Cluster(_) => Ok(Completeness::All),
            AnyWorld::Files(_) => Err("the files do not contain the CRD".to_owned()),
        };
    };
    let Some(kind) = served_kind(&definition, version) else {
        return Err(format!("the cluster does not serve version {version}"));
    };
    let mut paths: Vec<_> = uses
        .iter_mut()
        .filter_map(|(path, used)| Some((FieldPath::parse(path)?, used)))
        .collect();
    let mut found = |object: &Value| {
        for (path, used) in &mut paths {
            used.add(path, object);
        }
    };
    let listed = world.each_listed(&kind, &mut found).await;
    listed.map_err(|trouble| trouble.to_string())
}

/// Returns the kind that a CRD defines in a version. An empty version means any served version.
fn served_kind(definition: &Value, version: &str) -> Option<ListedKind> {
    let spec = &definition["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut versions = spec["versions"].as_array()?.iter();
    let served = versions.find(|it| {
        let is_it = version.is_empty() || it["name"] == version;
        is_it && it["served"] == true
    })?;
    Some(ListedKind {
        kind: Gvk {
            group: text(&spec["group"]),
            version: text(&served["name"]),
            kind: text(&spec["names"]["kind"]),
        },
        plural: text(&spec["names"]["plural"]),
    })
}

// === impl AffectedResources ===

impl AffectedResources {
    fn of(change: &CrdChange, counted: Option<&CountedFields>) -> Self {
        let unknown = |why: &str| Self::Unknown { unknown: cite(why) };
        let (completeness, uses) = match counted {
            Some(Ok(counted)) => counted,
            Some(Err(why)) => return unknown(why),
            None => return unknown("they were not read"),
        };
        if FieldPath::parse(&change.path).is_none() {
            return unknown("the path does not contain the exact keys");
        }
        let FieldUse {
            all,
            having,
            examples,
            managers,
        } = uses.get(&change.path).cloned().unwrap_or_default();
        Self::Known {
            resources: all,
            affected: having,
            is_incomplete: *completeness == Completeness::Part,
            examples,
            managers,
        }
    }
}

// === impl ChangeUse ===

impl ChangeUse {
    /// Returns the line for people.
    pub(super) fn line(&self) -> String {
        let Self {
            bundle,
            crd,
            version,
            path,
            ..
        } = self;
        let parts = [bundle, crd, version, path].into_iter();
        let parts: Vec<_> = parts
            .filter(|it| !it.is_empty())
            .map(String::as_str)
            .collect();
        format!("{}: {}", parts.join(": "), self.sentence())
    }

    fn sentence(&self) -> String {
        let (resources, affected, is_incomplete, examples, managers) = match &self.resources {
            AffectedResources::Unknown { unknown } => {
                return format!("the affected custom resources are unknown: {unknown}");
            }
            AffectedResources::Known {
                resources,
                affected,
                is_incomplete,
                examples,
                managers,
            } => (*resources, *affected, *is_incomplete, examples, managers),
        };
        if resources == 0 {
            return "no custom resource exists".to_owned();
        }
        let read = if is_incomplete {
            format!("{resources} custom resources that were read")
        } else {
            format!("{resources} custom resources")
        };
        if affected == 0 {
            return format!("none of the {read} has this field");
        }
        let more = match affected.saturating_sub(examples.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = format!("{}{more}", examples.join(", "));
        let verb = if affected == 1 { "has" } else { "have" };
        let counted = if self.path.is_empty() {
            format!("affects {affected} of {read}: {named}")
        } else {
            format!("{affected} of {read} {verb} this field: {named}")
        };
        if managers.is_empty() {
            return format!("{counted}; the field managers are unknown");
        }
        format!("{counted}; written by {}", listed(managers))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn used(path: &str, resources: AffectedResources) -> String {
        let change = ChangeUse {
            bundle: "ferry.v2.0.0".to_owned(),
            crd: "ships.ferry.example".to_owned(),
            version: "v1".to_owned(),
            path: path.to_owned(),
            check: "type".to_owned(),
            resources,
        };
        let line = change.line();
        let start = "ferry.v2.0.0: ships.ferry.example: v1: ";
        line.strip_prefix(start).expect("the change").to_owned()
    }

    fn known(resources: usize, affected: usize, managers: &[&str]) -> AffectedResources {
        let examples = (0..affected.min(3)).map(|at| format!("docks/ship-{at}"));
        AffectedResources::Known {
            resources,
            affected,
            is_incomplete: false,
            examples: examples.collect(),
            managers: managers.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[rstest]
    #[case::none(".spec.flag", known(0, 0, &[]), ".spec.flag: no custom resource exists")]
    #[case::unaffected(
        ".spec.flag", known(3, 0, &[]), ".spec.flag: none of the 3 custom resources has this field"
    )]
    #[case::one(
        ".spec.flag", known(3, 1, &["kubectl"]),
        ".spec.flag: 1 of 3 custom resources has this field: docks/ship-0; written by kubectl"
    )]
    #[case::many(
        ".spec.flag", known(9, 5, &["argocd", "kubectl"]),
        ".spec.flag: 5 of 9 custom resources have this field: docks/ship-0, docks/ship-1, \
         docks/ship-2 and 2 more; written by argocd and kubectl"
    )]
    #[case::unknown_managers(
        ".spec.flag", known(1, 1, &[]),
        ".spec.flag: 1 of 1 custom resources has this field: docks/ship-0; the field managers are \
         unknown"
    )]
    #[case::whole_version(
        "", known(1, 1, &["kubectl"]),
        "affects 1 of 1 custom resources: docks/ship-0; written by kubectl"
    )]
    #[case::unknown(
        ".spec.flag", AffectedResources::Unknown { unknown: "forbidden: no".to_owned() },
        ".spec.flag: the affected custom resources are unknown: forbidden: no"
    )]
    fn line_counts_affected_resources(
        #[case] path: &str,
        #[case] resources: AffectedResources,
        #[case] expected: &str,
    ) {
        assert_eq!(used(path, resources), expected);
    }
}
