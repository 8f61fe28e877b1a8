//! Checks whether a new CRD accepts all objects that the old CRD accepts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use portolan_core_names::text::{Instead, harmless};
use serde_json::Value as Json;

use super::schema;
use crate::object::text;
use crate::typed::shortened;

/// A change of a CRD that breaks its users.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Break {
    /// The affected version, such as `v1`. For two served versions without a conversion webhook,
    /// both versions, such as `v1 -> v2`. Empty if the change affects the whole CRD.
    pub version: String,
    /// The path of the affected property, such as `.spec.ships[]`. Empty if the change affects the
    /// whole CRD.
    pub path: String,
    /// The name of the check in OLM v1, such as `existingFieldRemoval`.
    pub check: &'static str,
    pub sentence: String,
    /// The type of the property in the old and in the new CRD. None if the property has no type, or
    /// if the change affects the whole CRD.
    pub types: (Option<String>, Option<String>),
}

/// The migration of stored objects that is required before a CRD can drop a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    /// The versions in which objects are stored, and that the new CRD drops.
    pub drops: Vec<String>,
    /// The version in which all objects must be stored before the upgrade. Both the old and the new
    /// CRD have this version. None if no such version exists. Objects would then be lost.
    pub to: Option<String>,
}

// === impl Break ===

impl Break {
    fn whole(check: &'static str, sentence: String) -> Self {
        Self {
            version: String::new(),
            path: String::new(),
            check,
            sentence,
            types: (None, None),
        }
    }

    /// Returns the same break without types. Types may change while the break stays the same.
    fn untyped(&self) -> Self {
        Self {
            types: (None, None),
            ..self.clone()
        }
    }

    fn of_version(version: String, found: schema::SchemaDifference) -> Self {
        let schema::SchemaDifference {
            path,
            check,
            sentence,
            types,
        } = found;
        Self {
            version,
            path,
            check,
            sentence,
            types,
        }
    }
}

/// Formats the break as `VERSION: PATH: CHECK: SENTENCE`. Omits empty fields.
impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            path,
            check,
            sentence,
            types: _,
        } = self;
        // The author of the CRD chose these names, so harmful characters are escaped.
        for part in [version, path].into_iter().filter(|part| !part.is_empty()) {
            write!(f, "{}: ", harmless(part, Instead::Escape))?;
        }
        write!(f, "{check}: {}", harmless(sentence, Instead::Escape))
    }
}

/// Returns the changes with which the new CRD rejects objects that the old CRD accepts, or treats
/// them differently.
///
/// If the old CRD comes from a cluster, all versions in its `status.storedVersions` count as
/// stored, not only the current storage version.
pub fn breaks(old: &Json, new: &Json) -> Vec<Break> {
    let mut breaks = Vec::new();
    scope(old, new, &mut breaks);
    stored(old, new, &mut breaks);
    pruning(old, new, &mut breaks);
    let loses_webhook = is_webhook(old) && !is_webhook(new);
    if old["spec"]["versions"] == new["spec"]["versions"] && !loses_webhook {
        return breaks;
    }
    let before: BTreeMap<_, _> = versions(old).into_iter().rev().collect();
    for (name, new) in versions(new) {
        if let Some(old) = before.get(name) {
            let found = schema::compare(schema(old), schema(new)).into_iter();
            breaks.extend(found.map(|found| Break::of_version(shortened(name), found)));
        }
    }
    if !is_webhook(new) {
        unconverted(old, new, &mut breaks);
    }
    if breaks.len() > MOST {
        breaks.truncate(MOST);
        let sentence = format!("there are more differences than the {MOST} that are listed");
        breaks.push(Break::whole("unhandled", sentence));
    }
    breaks
}

fn is_webhook(crd: &Json) -> bool {
    crd["spec"]["conversion"]["strategy"] == "Webhook"
}

/// Adds the breaks between versions of a CRD without a conversion webhook. Breaks that the old CRD
/// also has are not added, because they are not new.
///
/// If the old CRD has a conversion webhook, the webhook converts all its versions. So the
/// comparison then includes versions in which objects are stored but that are no longer served.
fn unconverted(old: &Json, new: &Json, breaks: &mut Vec<Break>) {
    let mut versions = served(new);
    let mut before = BTreeSet::new();
    if is_webhook(old) {
        let stored = stored_versions(old);
        versions = self::versions(new);
        versions.retain(|(name, it)| it["served"] == true || stored.contains(name));
    } else {
        before.extend(between(served(old)).iter().map(Break::untyped));
    }
    let count = versions.len();
    if count > SERVED {
        let sentence = format!(
            "{count} served versions are too many to compare all pairs; at most {SERVED} versions \
             are compared"
        );
        breaks.push(Break::whole("unhandled", sentence));
    }
    let mut after = between(versions);
    after.retain(|found| !before.contains(&found.untyped()));
    if is_webhook(old) && !after.is_empty() {
        let sentence = "the conversion webhook is removed, and the versions differ";
        breaks.push(Break::whole("conversion", sentence.to_owned()));
    }
    breaks.extend(after);
}

/// The maximum number of breaks that are listed for a CRD.
const MOST: usize = 1000;

/// The maximum number of served versions of a CRD that are compared in pairs. Kinds of Kubernetes
/// itself have had up to seven versions.
const SERVED: usize = 16;

/// Returns the migration that is required before the new CRD can replace the old CRD. Returns None
/// if the new CRD drops no stored version.
pub fn migration(old: &Json, new: &Json) -> Option<Migration> {
    let drops = dropped(old, new);
    if drops.is_empty() {
        return None;
    }
    let (old, new) = (versions(old), versions(new));
    let before: BTreeSet<_> = old.into_iter().map(|(name, _)| name).collect();
    let mut in_both: Vec<_> = new
        .iter()
        .filter(|(name, _)| before.contains(name))
        .collect();
    in_both.sort_by(|(left, new), (right, other)| {
        let stored = |json: &Json| json["storage"] == true;
        (stored(other).cmp(&stored(new))).then_with(|| priority(right).cmp(&priority(left)))
    });
    let to = in_both.first().map(|(name, _)| (*name).to_owned());
    Some(Migration { drops, to })
}

// === impl Migration ===

impl fmt::Display for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let drops: Vec<_> = self.drops.iter().map(|drop| shortened(drop)).collect();
        let drops = harmless(&drops.join(", "), Instead::Escape);
        match &self.to {
            Some(to) => write!(
                f,
                "store version {to}, rewrite every object once, and then remove {drops} from \
                 `status.storedVersions`"
            ),
            None => write!(
                f,
                "no version is in both CRDs, so objects stored in {drops} cannot be kept; first \
                 upgrade to a version of the operator whose CRD has both"
            ),
        }
    }
}

fn scope(old: &Json, new: &Json, breaks: &mut Vec<Break>) {
    let of = |crd: &Json| match text(&crd["spec"]["scope"]) {
        // "Namespaced" was the default before the field became required.
        "" => "Namespaced".to_owned(),
        scope => scope.to_owned(),
    };
    let (old, new) = (of(old), of(new));
    if old != new {
        breaks.push(Break::whole("scope", format!("{old} becomes {new}")));
    }
}

fn stored(old: &Json, new: &Json, breaks: &mut Vec<Break>) {
    for version in dropped(old, new).into_iter().take(MOST) {
        let version = shortened(&version);
        let sentence = format!("objects are stored in version {version}, which is dropped");
        breaks.push(Break::whole("storedVersionRemoval", sentence));
    }
}

/// Adds a break if `preserveUnknownFields` changes from true to false. While it is true, objects
/// may have fields that are not in the schema. If the new manifest omits the field, an apply keeps
/// its value.
fn pruning(old: &Json, new: &Json, breaks: &mut Vec<Break>) {
    let keeps = |crd: &Json| crd["spec"]["preserveUnknownFields"].as_bool();
    if keeps(old) == Some(true) && keeps(new) == Some(false) {
        let sentence = "true becomes false: fields that are not in the schema are removed when an object \
                        is read or written";
        breaks.push(Break::whole("preserveUnknownFields", sentence.to_owned()));
    }
}

/// Returns the versions in which objects are or may be stored.
pub(super) fn stored_versions(crd: &Json) -> BTreeSet<&str> {
    let told = crd["status"]["storedVersions"].as_array();
    let told = told.into_iter().flatten().map(text);
    let stored = versions(crd).into_iter();
    let stored = stored.filter(|(_, version)| version["storage"] == true);
    told.chain(stored.map(|(name, _)| name)).collect()
}

/// Returns the versions in which objects may be stored and that the new CRD drops.
fn dropped(old: &Json, new: &Json) -> Vec<String> {
    let all = stored_versions(old);
    let there: BTreeSet<_> = versions(new).into_iter().map(|(name, _)| name).collect();
    all.difference(&there)
        .map(|name| (*name).to_owned())
        .collect()
}

pub(super) fn versions(crd: &Json) -> Vec<(&str, &Json)> {
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    versions
        .map(|version| (text(&version["name"]), version))
        .collect()
}

pub(super) fn served(crd: &Json) -> Vec<(&str, &Json)> {
    let mut versions = versions(crd);
    versions.retain(|(_, version)| version["served"] == true);
    versions
}

fn schema(version: &Json) -> &Json {
    &version["schema"]["openAPIV3Schema"]
}

/// Returns the breaks between versions. An API server serves each object in every version. So a
/// newer version must accept every object that an older version accepts.
fn between(mut versions: Vec<(&str, &Json)>) -> Vec<Break> {
    versions.sort_by(|(left, _), (right, _)| priority(left).cmp(&priority(right)));
    let mut breaks = Vec::new();
    if versions.len() > SERVED {
        return breaks;
    }
    for (at, (older, old)) in versions.iter().enumerate() {
        for (newer, new) in &versions[at + 1..] {
            let pair = format!("{} -> {}", shortened(older), shortened(newer));
            let found = schema::compare(schema(old), schema(new)).into_iter();
            breaks.extend(found.map(|found| Break::of_version(pair.clone(), found)));
        }
    }
    breaks
}

/// The sort key of a version in the order of Kubernetes: alpha, beta, then stable versions.
/// Versions of the same level are sorted by their numbers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Priority<'v> {
    /// A text that is not a version of Kubernetes. Such texts are sorted in reverse alphabetical
    /// order.
    Other(Reverse<&'v str>),
    Version(u8, u64, u64),
}

fn priority(version: &str) -> Priority<'_> {
    parsed(version).unwrap_or(Priority::Other(Reverse(version)))
}

fn parsed(version: &str) -> Option<Priority<'static>> {
    let rest = version.strip_prefix('v')?;
    let number = |text: &str| text.parse::<u64>().ok();
    for (stage, word) in [(0, "alpha"), (1, "beta")] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some(Priority::Version(stage, number(major)?, number(minor)?));
        }
    }
    Some(Priority::Version(2, number(rest)?, 0))
}
