//! The unsafe CRD changes on the path of an Operator. Updates with such changes wait until an
//! administrator accepts the changes.
//!
//! Two callers use this module. The controller compares the next bundle with the cluster. Previews
//! compare the whole path before a user requests it.

mod facts;

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::operator::{
    CrdChange, Intent, Operator, is_acceptable_check, is_refused_by_api_server,
};
use portolan_core_bundle::{Break, applied, breaks_on_cluster, migration};
use portolan_core_names::text::{Instead, cite, harmless, listed};
use serde::Serialize;
use serde_json::Value;

/// The API version of the CRDs that this module can compare.
const VERSION: &str = "apiextensions.k8s.io/v1";
/// The name of the check that finds removed versions in which objects are stored.
const STORED: &str = "storedVersionRemoval";
/// The maximum number of CRD changes that a status or preview lists for one update.
pub(crate) const MOST_CHANGES: usize = 50;

/// The unsafe changes that an Operator accepts: all changes of the listed bundles, and all changes
/// that the listed checks find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acceptance {
    bundles: BTreeSet<String>,
    checks: BTreeSet<&'static str>,
}

/// The bundles that an Operator installs, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpgradePath {
    /// The installed bundle. None if no bundle is installed.
    pub installed: Option<String>,
    pub bundles: Vec<String>,
    pub acceptance: Acceptance,
}

/// A fact that must be read before the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrdAsk {
    /// The CRDs in a bundle.
    Bundle(String),
    /// The CRDs with these names in the cluster.
    OnCluster(BTreeSet<String>),
}

/// The CRDs that are known to exist in the cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum OnCluster {
    /// The comparison reads no cluster.
    NotRead,
    /// The CRDs cannot be read from the cluster. The value is the reason.
    Unreadable(String),
    /// The CRDs come from files that may omit some CRDs of the cluster.
    Part(Vec<Value>),
    /// The requested CRDs. If a requested CRD is missing here, the CRD does not exist in the
    /// cluster.
    All(Vec<Value>),
}

/// The facts that are known so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CrdFacts {
    /// The CRDs of each bundle, or the reason why they are unknown.
    pub bundles: BTreeMap<String, Result<Vec<Value>, String>>,
    pub on_cluster: Option<OnCluster>,
}

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CrdComparison {
    /// The updates whose unsafe changes must be accepted, in the order of the path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsafe_updates: Vec<UnsafeUpdate>,
    /// The reason why only a part of the path was compared. None if the whole path was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
}

impl CrdComparison {
    /// Returns the result for a comparison that could not be made, with the reason.
    pub fn not_compared(why: impl Into<String>) -> Self {
        Self {
            not_compared: Some(why.into()),
            ..Self::default()
        }
    }
}

/// An update that waits until an administrator accepts its unsafe changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsafeUpdate {
    /// The bundle that contains the changes.
    pub bundle: String,
    /// The first changes that the Operator does not accept.
    pub changes: Vec<CrdChange>,
    /// The number of other changes that are not listed in `changes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

/// The name of a bundle, and the CRDs in the bundle.
type Update<'k> = (&'k str, &'k [Value]);

/// The CRDs before the update, by name.
type Base = BTreeMap<String, Value>;

/// Compares the CRDs of each bundle on a path with the previous CRDs. The CRDs of the first bundle
/// are compared with the CRDs in the cluster. If a CRD in the cluster is unknown, the CRD of the
/// installed bundle replaces it. If the two CRDs may differ, `not_compared` contains the reason.
///
/// Returns the fact that must be read first, if one is missing.
pub fn compare_crds(path: &UpgradePath, known: &CrdFacts) -> Result<CrdComparison, CrdAsk> {
    let is_nothing_there = known.on_cluster == Some(OnCluster::NotRead) && path.installed.is_none();
    if is_nothing_there {
        return Ok(CrdComparison::default());
    }
    let (updates, not_compared) = known.updates(&path.bundles)?;
    let names = updates.iter().flat_map(|(_, all)| all.iter().map(name));
    let names: BTreeSet<_> = names.map(str::to_owned).collect();
    if names.is_empty() {
        return Ok(CrdComparison {
            not_compared,
            ..CrdComparison::default()
        });
    }
    let base = known.base(path.installed.as_deref(), names)?;
    Ok(match base {
        Ok((base, mut doubts)) => {
            doubts.extend(not_compared);
            CrdComparison {
                unsafe_updates: unsafe_updates(path, base, updates),
                not_compared: (!doubts.is_empty()).then(|| doubts.join("; ")),
            }
        }
        Err(why) => CrdComparison::not_compared(why),
    })
}

fn unsafe_updates(
    path: &UpgradePath,
    mut base: Base,
    updates: Vec<Update<'_>>,
) -> Vec<UnsafeUpdate> {
    let mut all = Vec::new();
    for (bundle, definitions) in updates {
        let mut found = Vec::new();
        for new in definitions {
            if let Some(old) = base.get_mut(name(new)) {
                found.extend(changes(old, new));
                *old = applied(old, new);
            } else {
                base.insert(name(new).to_owned(), new.clone());
            }
        }
        let mut changes = path.acceptance.rest(bundle, found);
        let omitted = changes.len().saturating_sub(MOST_CHANGES);
        changes.truncate(MOST_CHANGES);
        if !changes.is_empty() {
            all.push(UnsafeUpdate {
                bundle: bundle.to_owned(),
                changes,
                omitted,
            });
        }
    }
    all
}

/// Returns the CRDs among the manifests of a bundle.
///
/// Returns an error if a CRD has a version that cannot be compared.
pub fn definitions(mut manifests: Vec<Value>) -> Result<Vec<Value>, String> {
    manifests.retain(|it| it["kind"] == "CustomResourceDefinition");
    match manifests.iter().find(|it| it["apiVersion"] != VERSION) {
        None => Ok(manifests),
        Some(other) => Err(format!(
            "CRD {} has apiVersion {}, which Kubernetes no longer serves",
            cite(name(other)),
            cite(other["apiVersion"].as_str().unwrap_or_default())
        )),
    }
}

/// Returns the data that custom resources may lose if the new CRD replaces the CRD in the cluster.
pub(crate) fn changes(on_cluster: &Value, new: &Value) -> Vec<CrdChange> {
    let mut migration = migration(on_cluster, new);
    let change = |found: Break| {
        // One remedy applies to all stored versions, so only the first of these changes contains
        // the remedy.
        let way_out = if found.check == STORED {
            migration.take()
        } else {
            None
        };
        let way_out = way_out.map(|it| format!("; to keep the fields, {it}"));
        let message = found.sentence + &way_out.unwrap_or_default();
        // The type in a schema can be any text, so it is escaped.
        let of_type = |it: Option<String>| it.map(|it| harmless(&it, Instead::Escape));
        let (old_type, new_type) = found.types;
        CrdChange {
            crd: harmless(name(new), Instead::Escape),
            version: harmless(&found.version, Instead::Escape),
            path: harmless(&found.path, Instead::Escape),
            check: found.check.to_owned(),
            old_type: of_type(old_type),
            new_type: of_type(new_type),
            message: harmless(&message, Instead::Escape),
        }
    };
    let breaks = breaks_on_cluster(on_cluster, new).into_iter();
    breaks.map(change).collect()
}

fn name(definition: &Value) -> &str {
    definition["metadata"]["name"].as_str().unwrap_or_default()
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

// === impl Acceptance ===

impl Acceptance {
    /// Returns the changes that an Operator accepts in its spec and its annotation. An invalid spec
    /// accepts nothing.
    pub fn of(operator: &Operator) -> Self {
        let intent = Intent::parse(operator).ok();
        Self::new(&operator.accepted(), intent.as_ref())
    }

    pub(crate) fn new(annotated: &BTreeSet<String>, intent: Option<&Intent>) -> Self {
        let declared = intent.map(|it| it.accepted_bundles.clone());
        let checks = intent.map(|it| it.accepted_checks.clone());
        Self {
            bundles: annotated | &declared.unwrap_or_default(),
            checks: checks.unwrap_or_default(),
        }
    }

    /// Returns true if all changes of a bundle are accepted.
    pub(crate) fn accepts(&self, bundle: &str) -> bool {
        self.bundles.contains(bundle)
    }

    /// Returns the changes of a bundle that the Operator does not accept.
    pub(crate) fn rest(&self, bundle: &str, mut changes: Vec<CrdChange>) -> Vec<CrdChange> {
        let is_accepted = self.accepts(bundle);
        changes.retain(|change| !is_accepted && !self.checks.contains(&*change.check));
        changes
    }
}

// === impl UnsafeUpdate ===

impl UnsafeUpdate {
    /// Returns the number of changes that must be accepted.
    pub fn count(&self) -> usize {
        self.changes.len() + self.omitted
    }

    /// Returns one line for each change, and a last line with the number of omitted changes.
    pub fn lines(&self) -> Vec<String> {
        let more = (self.omitted > 0).then(|| format!("and {} more", self.omitted));
        self.changes
            .iter()
            .map(ToString::to_string)
            .chain(more)
            .collect()
    }

    /// Returns a text that explains how an administrator accepts the changes in Git, or why the
    /// changes cannot be accepted.
    pub fn remedy(&self, operator: &str) -> String {
        let Self {
            bundle, changes, ..
        } = self;
        if changes.iter().any(|it| is_refused_by_api_server(&it.check)) {
            return format!("the API server refuses this change, so {bundle} cannot be accepted");
        }
        let checks: BTreeSet<_> = changes.iter().map(|it| it.check.as_str()).collect();
        let by_checks = if self.omitted == 0 && checks.iter().all(|it| is_acceptable_check(it)) {
            format!(", or {} to acceptChecks", listed(checks))
        } else {
            String::new()
        };
        format!(
            "to accept this, add {bundle} to spec.crdUpgradeSafety.acceptBundles of Operator \
             {operator}{by_checks}"
        )
    }
}

// === impl CrdFacts ===

impl CrdFacts {}

// === impl OnCluster ===

impl OnCluster {}
