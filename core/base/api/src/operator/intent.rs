//! Parses the spec of an Operator.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use portolan_core_names::{ChannelName, PackageName, VersionRange};

use serde_json::Value;

use super::Operator;
use crate::place::ManifestPlace;
use crate::plan::ready_rules;
use crate::refusal::{Refusal, Refusals};
use crate::selector::{is_empty_selector, is_match, parse_selector};
use crate::words::Words;

const SPEC_FIELDS: &[&str] = &[
    "adopt",
    "approval",
    "catalogSelector",
    "channels",
    "config",
    "crdUpgradeSafety",
    "dependencies",
    "namespace",
    "onFailure",
    "packageName",
    "progressDeadlineSeconds",
    "readiness",
    "revisionHistoryLimit",
    "serviceAccount",
    "settleSeconds",
    "unsafeAllowDirectUpgrades",
    "unsafeAllowDowngrades",
    "unsafeIgnoreConflicts",
    "version",
    "watchNamespaces",
];

pub(super) const APPROVALS: &Words<Approval> = &[
    ("Automatic", Approval::Automatic),
    ("Manual", Approval::Manual),
];
pub(super) const DEPENDENCIES: &Words<Dependencies> = &[
    ("require", Dependencies::Require),
    ("ignore", Dependencies::Ignore),
];

pub(super) const ON_FAILURE: &Words<OnFailure> =
    &[("Stay", OnFailure::Stay), ("Revert", OnFailure::Revert)];
const ACCOUNT_FIELDS: &[&str] = &["name", "namespace"];
const SAFETY_FIELDS: &[&str] = &["acceptBundles", "acceptChecks"];

/// The checks of CRD changes that an Operator can always ignore. A changed scope and the removal of
/// stored versions are not in this list, because API servers reject these changes. `unhandled` is
/// not in this list, because it can be any change.
pub(super) const CHECKS: &Words<&str> = &[
    ("conversion", "conversion"),
    ("default", "default"),
    ("enum", "enum"),
    ("existingFieldRemoval", "existingFieldRemoval"),
    ("maxItems", "maxItems"),
    ("maxLength", "maxLength"),
    ("maxProperties", "maxProperties"),
    ("maximum", "maximum"),
    ("minItems", "minItems"),
    ("minLength", "minLength"),
    ("minProperties", "minProperties"),
    ("minimum", "minimum"),
    ("nullable", "nullable"),
    ("oneOf", "oneOf"),
    ("pattern", "pattern"),
    ("preserveUnknownFields", "preserveUnknownFields"),
    ("required", "required"),
    ("type", "type"),
];
/// Returns true if `spec.crdUpgradeSafety.acceptChecks` may contain the check.
pub fn is_acceptable_check(check: &str) -> bool {
    CHECKS.iter().any(|(name, _)| *name == check)
}

/// Returns true if API servers reject the CRD changes that the check finds. Accepting such a change
/// has no effect.
pub fn is_refused_by_api_server(check: &str) -> bool {
    ["scope", "storedVersionRemoval"].contains(&check)
}

/// The maximum number of bundles in `spec.crdUpgradeSafety.acceptBundles`.
pub(super) const MOST_BUNDLES: usize = 256;

/// The default number of replaced InstallPlans that are kept.
const HISTORY: u32 = 2;
/// The maximum length of an Operator's name. The names of its InstallPlans add a number to it, and
/// are used as label values.
pub const LONGEST_NAME: usize = 52;
/// The maximum length of a version range.
pub(super) const LONGEST_RANGE: usize = 1024;
/// The maximum number of channels.
pub(super) const MOST_CHANNELS: usize = 256;
/// The maximum number of watched namespaces.
pub(super) const MOST_NAMESPACES: usize = 256;
/// The default time in seconds for which a version must be healthy before the next version is
/// installed.
const SETTLE: u32 = 300;

/// The parsed spec of an Operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    pub package: PackageName,
    pub version: Wanted,
    pub dependencies: Dependencies,
    /// The labels of the catalogs to use. None if all catalogs are used.
    pub catalog_selector: Option<LabelSelector>,
    /// The channels whose upgrade edges are used. Empty if all channels are used.
    pub channels: BTreeSet<ChannelName>,
    /// The namespace of the operator. If None, the namespace that the bundle suggests, or else a
    /// namespace with the name of the package.
    pub namespace: Option<String>,
    /// The namespaces that the operator watches. If empty, all namespaces, if the bundle supports
    /// this.
    pub watch_namespaces: BTreeSet<String>,
    /// The ServiceAccount that installs the operator. If None, the controller uses its own
    /// ServiceAccount.
    pub service_account: Option<Account>,
    /// The changes to the operator's Deployments. Null if there are no changes.
    pub config: Value,
    /// The time in seconds for which a version must be healthy before the next version is
    /// installed.
    pub settle_seconds: u32,
    /// The time in seconds after which the InstallPlan of a version counts as stuck. If None, the
    /// default of InstallPlans is used.
    pub progress_deadline_seconds: Option<u32>,
    /// The readiness rules for the custom resources of a version, in the format of an InstallPlan's
    /// stages.
    pub readiness: Vec<Value>,
    /// The number of replaced InstallPlans that are kept.
    pub revision_history_limit: u32,
    pub approval: Approval,
    pub on_failure: OnFailure,
    pub overrides: Overrides,
    /// The bundles that may make any change to CRDs.
    pub accepted_bundles: BTreeSet<String>,
    /// The checks of CRDs whose findings never block a bundle.
    pub accepted_checks: BTreeSet<&'static str>,
    /// True if the Operator adopts the package's existing OLM v0 installation.
    pub adopts: bool,
}

/// The versions that the Operator may install.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// The best version at the time of installation. The operator is never upgraded.
    Once,
    /// The best version in this range. The operator is upgraded when a better version exists.
    Range(VersionRange),
}

/// The handling of missing dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependencies {
    /// A version is not installed until its dependencies are installed.
    Require,
    /// Missing dependencies are only reported.
    Ignore,
}

/// The approval mode of upgrades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    Automatic,
    /// A user must approve each upgrade with the annotation [`APPROVE`](super::APPROVE).
    Manual,
}

/// The action when a version fails to become ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// The failed version stays installed, and its failure is reported.
    Stay,
    /// The previous version is restored, if this loses no data of objects.
    Revert,
}

/// A ServiceAccount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Account {
    pub namespace: String,
    pub name: String,
}

/// The constraints of bundle authors that an Operator ignores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// True to allow an upgrade to a newer version without an upgrade edge.
    pub direct_upgrades: bool,
    /// True to allow a lower version than the installed version.
    pub downgrades: bool,
    /// True to allow a bundle with an API that another operator already provides.
    pub ignore_conflicts: bool,
}

impl Intent {
    /// Returns true if the Operator may use a catalog with these labels.
    pub fn may_come_from(&self, labels: &BTreeMap<String, String>) -> bool {
        let selector = self.catalog_selector.as_ref();
        selector.is_none_or(|selector| is_match(selector, labels))
    }

    /// Returns the names of the channels.
    pub fn channel_names(&self) -> BTreeSet<String> {
        self.channels.iter().map(ToString::to_string).collect()
    }

    /// Parses an Operator. No other code parses its spec.
    ///
    /// # Errors
    /// Returns all errors at once.
    pub fn parse(operator: &Operator) -> Result<Self, Refusals> {
        let mut refused = Vec::new();
        name(operator, &mut refused);
        let spec = ManifestPlace::new("spec", operator.spec.as_json());
        let draft = draft(&spec, &mut refused);
        Refusals::unless(refused, draft)
    }
}

fn name(operator: &Operator, refused: &mut Vec<Refusal>) {
    let name = operator.metadata.name.as_deref().unwrap_or_default();
    let json = serde_json::Value::from(name);
    let place = ManifestPlace::new("metadata.name", &json);
    if name.len() > LONGEST_NAME {
        let sentence = format!(
            "has {} characters; at most {LONGEST_NAME} are allowed, because the names of its \
             InstallPlans contain this name",
            name.len()
        );
        place.refuse_value(sentence, refused);
    } else if name.contains('.') {
        let sentence = "has a dot, which is not allowed in the name of an InstallPlan; write a \
                        hyphen";
        place.refuse_value(sentence, refused);
    }
}

/// Parses the spec. Returns None only if a field is invalid.
fn draft(spec: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Intent> {
    spec.require("write the package of the operator as packageName", refused);
    if spec.field("packageVersion").is_given() {
        let sentence = "is not a field of an Operator; write spec.version";
        spec.field("packageVersion").refuse_value(sentence, refused);
        return None;
    }
    spec.only(SPEC_FIELDS, refused)?;
    let package = package(&spec.field("packageName"), refused);
    let version = version(&spec.field("version"), refused);
    let dependencies = spec.field("dependencies").word(DEPENDENCIES, refused);
    let catalog_selector = catalogs(&spec.field("catalogSelector"), refused);
    let channels = channels(&spec.field("channels"), refused);
    let namespace = spec.field("namespace").label("a Namespace", refused);
    let watch_namespaces = namespaces(&spec.field("watchNamespaces"), refused);
    let service_account = account(&spec.field("serviceAccount"), refused);
    let config = spec.field("config").object(refused);
    let (accepted_bundles, accepted_checks) = safety(&spec.field("crdUpgradeSafety"), refused);
    let on_failure = spec.field("onFailure").word(ON_FAILURE, refused);
    let settle_seconds = spec.field("settleSeconds").count(refused);
    let progress_deadline_seconds = spec.field("progressDeadlineSeconds").count(refused);
    let readiness = readiness(&spec.field("readiness"), refused);
    let history = history(&spec.field("revisionHistoryLimit"), refused);
    let approval = spec.field("approval").word(APPROVALS, refused);
    let mut flag = |name| spec.field(name).flag(refused).unwrap_or(false);
    let overrides = Overrides {
        direct_upgrades: flag("unsafeAllowDirectUpgrades"),
        downgrades: flag("unsafeAllowDowngrades"),
        ignore_conflicts: flag("unsafeIgnoreConflicts"),
    };
    let adopts = flag("adopt");
    Some(Intent {
        accepted_bundles,
        accepted_checks,
        adopts,
        package: package?,
        version: version?,
        dependencies: dependencies.unwrap_or(Dependencies::Require),
        catalog_selector,
        channels,
        namespace,
        watch_namespaces,
        service_account,
        config: config.map_or(Value::Null, |config| config.clone().into()),
        on_failure: on_failure.unwrap_or(OnFailure::Stay),
        settle_seconds: settle_seconds.unwrap_or(SETTLE),
        progress_deadline_seconds,
        readiness,
        revision_history_limit: history.unwrap_or(HISTORY),
        approval: approval.unwrap_or(Approval::Automatic),
        overrides,
    })
}

fn package(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<PackageName> {
    place.require("write the package of the operator", refused);
    let text = place.subdomain("a package", refused)?;
    parsed(place, text.parse(), refused)
}

/// Parses `spec.version`. Returns None only if the version is invalid.
fn version(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Wanted> {
    let before = refused.len();
    match place.text(refused) {
        Some(text) if !text.trim().is_empty() => {
            let range: VersionRange = parsed(place, text.parse(), refused)?;
            if range.is_never() {
                let sentence = format!("is {text:?}, which contains no version");
                place.refuse_value(sentence, refused);
            }
            Some(Wanted::Range(range))
        }
        Some(_) | None => (refused.len() == before).then_some(Wanted::Once),
    }
}

fn catalogs(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<LabelSelector> {
    if !place.is_given() {
        return None;
    }
    let selector = parse_selector(place, refused)?;
    // An empty selector has the same meaning as no selector: all catalogs are used.
    Some(selector).filter(|selector| !is_empty_selector(selector))
}

/// Parses the number of replaced InstallPlans to keep, which must be at least 1. If the current
/// InstallPlan is deleted, the replaced InstallPlan owns its objects until the current one is
/// restored.
fn history(limit: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<u32> {
    let history = limit.count(refused)?;
    if history == 0 {
        limit.refuse_value("must be at least 1", refused);
        return None;
    }
    Some(history)
}

/// Returns the readiness rules. Returns an empty list if a rule is invalid.
fn readiness(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Vec<Value> {
    let before = refused.len();
    ready_rules(place, refused);
    let is_refused = refused.len() > before;
    let written = place.list(refused).filter(|_| !is_refused);
    let written = written.into_iter().flatten();
    let written = written.filter_map(|place| place.object(refused).cloned());
    written.map(Value::from).collect()
}

fn account(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Account> {
    if !place.is_given() {
        return None;
    }
    place.only(ACCOUNT_FIELDS, refused)?;
    let (namespace, name) = (place.field("namespace"), place.field("name"));
    namespace.require("write the namespace of the ServiceAccount", refused);
    name.require("write the name of the ServiceAccount", refused);
    Some(Account {
        namespace: namespace.label("a Namespace", refused)?,
        name: name.subdomain("a ServiceAccount", refused)?,
    })
}

/// Returns the bundles in `acceptBundles` and the checks in `acceptChecks`.
fn safety(
    place: &ManifestPlace<'_>,
    refused: &mut Vec<Refusal>,
) -> (BTreeSet<String>, BTreeSet<&'static str>) {
    if !place.is_given() || place.only(SAFETY_FIELDS, refused).is_none() {
        return (BTreeSet::new(), BTreeSet::new());
    }
    let bundles = place.field("acceptBundles");
    let names = bundles.texts(refused);
    bundles.exceeds(MOST_BUNDLES, (names.len(), "entries"), refused);
    let checks = place
        .field("acceptChecks")
        .list(refused)
        .unwrap_or_default();
    let checks = checks
        .iter()
        .filter_map(|place| place.word(CHECKS, refused));
    let names = names.into_iter().map(|(_, name)| name.to_owned());
    (names.collect(), checks.collect())
}

fn channels(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> BTreeSet<ChannelName> {
    let texts = place.texts(refused);
    place.exceeds(MOST_CHANNELS, (texts.len(), "entries"), refused);
    let names = texts
        .into_iter()
        .filter_map(|(place, text)| parsed(&place, text.parse(), refused));
    names.collect()
}

fn namespaces(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> BTreeSet<String> {
    let places = place.list(refused).unwrap_or_default();
    place.exceeds(MOST_NAMESPACES, (places.len(), "entries"), refused);
    let names = places
        .iter()
        .filter_map(|place| place.label("a Namespace", refused));
    names.collect()
}

/// Returns the parsed value. If parsing failed, adds a refusal and returns None.
fn parsed<T, E: std::fmt::Display>(
    place: &ManifestPlace<'_>,
    read: Result<T, E>,
    refused: &mut Vec<Refusal>,
) -> Option<T> {
    read.map_err(|error| place.refuse_value(format!("is refused: {error}"), refused))
        .ok()
}
