//! Parses the documents of the current configuration.

use std::collections::BTreeMap;

use portolan_api::operator::{CrdChange, EXPLICIT, GROUP, Intent, Operator, Status, Wanted};
use portolan_core_names::Version;
use portolan_core_names::object::split_api_version;
use portolan_core_names::text::{cite, counted, listed};
use portolan_core_operator::Requirements;
use serde_json::Value;

use crate::owned;
use crate::request::Request;

/// The API version of the objects in the input and the output.
pub(crate) const VERSION: &str = "v1alpha1";
const OLM: &str = "operators.coreos.com";
const OLM_V1: &str = "olm.operatorframework.io";

/// An object of the input, with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The position, such as `operators.yaml:12`.
    pub place: String,
    pub object: Value,
    pub format: Format,
}

/// The format of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Yaml,
    Json,
}

/// The objects of the input that matter for the output.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The existing Operators, by name.
    pub(crate) operators: BTreeMap<String, Existing>,
    /// The catalogs by kind, namespace and name.
    pub(crate) catalogs: BTreeMap<[String; 3], Value>,
    pub(crate) format: Format,
    pub(crate) warnings: Vec<String>,
}

/// An Operator of the input.
#[derive(Debug, Clone)]
pub(crate) struct Existing {
    pub(crate) name: String,
    pub(crate) place: String,
    pub(crate) object: Value,
    pub(crate) intent: Intent,
    /// The current version of the operator. None if the document does not show it.
    pub(crate) current: Option<Version>,
    /// The name of the installed bundle. Empty if the document does not show it.
    pub(crate) bundle: String,
    pub(crate) is_explicit: bool,
    /// The requirements of the installed bundle. None if the document does not show them.
    pub(crate) requires: Option<Requirements>,
    /// The unsafe CRD changes that must be accepted before the Operator is upgraded, one line each.
    pub(crate) unsafe_changes: Vec<String>,
}

/// The state while the documents are parsed.
#[derive(Default)]
struct Reading {
    inputs: Inputs,
    errors: Vec<String>,
    /// The number of documents of each kind that is ignored.
    ignored: BTreeMap<String, i64>,
    /// The names of Operators of OLM, which are another kind.
    foreign: Vec<String>,
}

impl Inputs {
    /// Returns a sentence for each Operator that waits until unsafe CRD changes are accepted.
    pub(crate) fn unsafe_changes(&self) -> impl Iterator<Item = String> {
        let waiting = self
            .operators
            .values()
            .filter(|it| !it.unsafe_changes.is_empty());
        waiting.map(|existing| {
            let changes = existing.unsafe_changes.join("; ");
            format!(
                "{} waits until these CRD changes are accepted: {changes}",
                existing.name
            )
        })
    }

    /// Parses the documents of a request.
    ///
    /// # Errors
    ///
    /// Returns all errors, one sentence each.
    pub(crate) fn read(request: &Request) -> Result<Self, Vec<String>> {
        let mut reading = Reading {
            errors: request.unread.clone(),
            ..Reading::default()
        };
        let documents = request.documents.as_deref().unwrap_or_default();
        reading.inputs.format = common(documents);
        for document in documents {
            reading.take(document);
        }
        reading.refuse_twins();
        reading.warn(&request.version);
        if let Some(live) = &request.live {
            reading.compare(live);
        }
        if reading.errors.is_empty() {
            Ok(reading.inputs)
        } else {
            Err(reading.errors)
        }
    }

    /// Returns the priorities of the catalogs in the input. The keys are the catalog names that the
    /// resolver uses.
    pub(crate) fn priorities(&self) -> BTreeMap<String, i32> {
        let priorities = self
            .catalogs
            .iter()
            .filter_map(|([_, namespace, name], object)| {
                let priority = object.pointer("/spec/priority")?.as_i64()?;
                let name = match namespace.as_str() {
                    "" => name.clone(),
                    namespace => format!("{namespace}/{name}"),
                };
                Some((name, i32::try_from(priority).ok()?))
            });
        priorities.collect()
    }
}

/// Returns the format of the documents. If the formats differ, returns JSON.
fn common(documents: &[Document]) -> Format {
    let is_json = documents.iter().any(|one| one.format == Format::Json);
    if is_json { Format::Json } else { Format::Yaml }
}

// === impl Reading ===

impl Reading {
    fn take(&mut self, document: &Document) {
        let Document { place, object, .. } = document;
        let word = |field: &str| object[field].as_str().unwrap_or_default();
        let (version, kind) = (word("apiVersion"), word("kind"));
        let (group, version) = split_api_version(version);
        match (group, kind) {
            (GROUP, "Operator") if version == VERSION => self.take_operator(document),
            (GROUP, "Operator") => self.errors.push(format!(
                "{place}: version {} of Operator is not known; write {GROUP}/{VERSION}",
                cite(version)
            )),
            (OLM, "Operator") => self.foreign.push(name(object).to_owned()),
            (OLM, "CatalogSource") | (OLM_V1, "ClusterCatalog") => {
                self.take_catalog(place, kind, object);
            }
            (_, "") => self.errors.push(format!(
                "{place}: the document has no kind, so it is not a Kubernetes object; keep other \
                 files in another folder"
            )),
            _ => *self.ignored.entry(kind.to_owned()).or_default() += 1,
        }
    }

    fn take_operator(&mut self, document: &Document) {
        let existing = match existing(document) {
            Ok(existing) => existing,
            Err(errors) => return self.errors.extend(errors),
        };
        let others = &mut self.inputs.operators;
        if let Some(twin) = others.get(&existing.name) {
            self.errors.push(format!(
                "{}: Operator {} is already defined at {}; remove one of the two Operators",
                document.place, existing.name, twin.place
            ));
        } else {
            others.insert(existing.name.clone(), existing);
        }
    }

    fn take_catalog(&mut self, place: &str, kind: &str, object: &Value) {
        let namespace = object.pointer("/metadata/namespace");
        let namespace = namespace.and_then(Value::as_str).unwrap_or_default();
        if name(object).is_empty() {
            self.errors
                .push(format!("{place}: {kind} has no name; write metadata.name"));
            return;
        }
        let key = [kind, namespace, name(object)].map(str::to_owned);
        if self
            .inputs
            .catalogs
            .insert(key, owned::without(object))
            .is_some()
        {
            self.errors.push(format!(
                "{place}: {kind} {} is defined twice; remove one of the two definitions",
                name(object)
            ));
        }
    }

    /// Adds an error if two Operators are for the same package, because the controller would apply
    /// only one of them.
    fn refuse_twins(&mut self) {
        let mut by_package: BTreeMap<_, &Existing> = BTreeMap::new();
        for existing in self.inputs.operators.values() {
            let package = &existing.intent.package;
            if let Some(first) = by_package.insert(package, existing) {
                self.errors.push(format!(
                    "{}: Operator {} is for package {package}, and so is {} at {}; remove one of \
                     the two Operators",
                    existing.place, existing.name, first.name, first.place
                ));
            }
        }
    }

    fn warn(&mut self, version: &str) {
        self.warn_foreign();
        let warnings = &mut self.inputs.warnings;
        if !self.ignored.is_empty() {
            let kinds = self.ignored.iter();
            let kinds = kinds.map(|(kind, count)| counted(*count, &cite(kind)));
            warnings.push(format!(
                "{} of the input ignored: only Operators, CatalogSources and ClusterCatalogs are \
                 read",
                listed(kinds)
            ));
        }
        for existing in self.inputs.operators.values() {
            warnings.extend(skew(existing, version));
        }
    }

    /// Adds a warning about Operators of OLM. They have the same kind name, but another API group.
    /// If the input contains no other Operators, the user has probably asked kubectl for the wrong
    /// kind.
    fn warn_foreign(&mut self) {
        let (is, it) = match self.foreign.len() {
            0 => return,
            1 => ("is", "it is"),
            _ => ("are", "they are"),
        };
        let alone = if self.inputs.operators.is_empty() {
            ", and no other Operator is in the input, so no operator is treated as installed"
        } else {
            ""
        };
        self.inputs.warnings.push(format!(
            "Operator {} {is} of {OLM}, whose objects OLM writes; {it} ignored{alone}: get the \
             Operators with kubectl get operators.{GROUP}",
            listed(&self.foreign)
        ));
    }

    /// Adds a warning for each Operator that differs from the Operator in the cluster.
    fn compare(&mut self, live: &[Value]) {
        let live: BTreeMap<_, _> = live.iter().map(|one| (name(one), one)).collect();
        for (name, existing) in &self.inputs.operators {
            let Some(live) = live.get(name.as_str()) else {
                continue;
            };
            let warnings = &mut self.inputs.warnings;
            if live["spec"] != existing.object["spec"] {
                warnings.push(format!(
                    "{}: the cluster has another spec of Operator {name}; the files are used",
                    existing.place
                ));
            }
            warnings.extend(outdated(existing, live));
        }
    }
}

/// Returns a warning if the status in the input is outdated. A route from its installed version
/// would begin at the wrong version.
fn outdated(existing: &Existing, live: &Value) -> Option<String> {
    let installed = |object: &Value| {
        let version = object.pointer("/status/versions/installed")?.as_str()?;
        Some(version.to_owned()).filter(|version| !version.is_empty())
    };
    let (before, now) = (installed(&existing.object)?, installed(live)?);
    (before != now).then(|| {
        format!(
            "{}: status.versions.installed of Operator {} is {}, but the cluster now has {}: \
             remove the status from the file, or get the Operator again",
            existing.place,
            existing.name,
            cite(&before),
            cite(&now)
        )
    })
}

fn name(object: &Value) -> &str {
    let name = object.pointer("/metadata/name");
    name.and_then(Value::as_str).unwrap_or_default()
}

fn existing(document: &Document) -> Result<Existing, Vec<String>> {
    let Document { place, object, .. } = document;
    let name = name(object);
    if name.is_empty() {
        return Err(vec![format!(
            "{place}: Operator has no name; write metadata.name"
        )]);
    }
    // The status is parsed separately, because a controller has written it. An invalid status must
    // not make the Operator invalid.
    let mut written = object.clone();
    if let Some(fields) = written.as_object_mut() {
        fields.remove("status");
    }
    let operator: Operator = serde_json::from_value(written)
        .map_err(|error| vec![format!("{place}: Operator {name} cannot be read: {error}")])?;
    let intent = Intent::parse(&operator).map_err(|refusals| {
        let sentences = refusals.sentences().into_iter();
        sentences
            .map(|sentence| format!("{place}: Operator {name}: {sentence}"))
            .collect::<Vec<_>>()
    })?;
    let current =
        current(object, &intent).map_err(|why| vec![format!("{place}: Operator {name}: {why}")])?;
    let bundle = object.pointer("/status/bundle/name");
    let status = status(object);
    Ok(Existing {
        requires: requires(&status),
        unsafe_changes: status
            .unsafe_changes
            .iter()
            .map(CrdChange::to_string)
            .collect(),
        name: name.to_owned(),
        place: place.clone(),
        current,
        bundle: bundle
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        is_explicit: operator.is_explicit(),
        intent,
        object: owned::without(object),
    })
}

/// Returns the status of an object. If it is invalid, returns an empty status.
fn status(object: &Value) -> Status {
    serde_json::from_value(object["status"].clone()).unwrap_or_default()
}

/// Returns the requirements of the installed bundle, as listed in the status. Returns None if the
/// list may be incomplete: old controllers omit compound constraints. Such controllers do not write
/// the version of the resolver either.
fn requires(status: &Status) -> Option<Requirements> {
    status.versions.resolver.as_ref()?;
    let bundle = status.bundle.as_ref()?;
    Some(Requirements::reported(&bundle.name, &status.dependencies))
}

/// Returns the installed version. If the document has no status, returns the version in the spec,
/// unless it is a range.
fn current(object: &Value, intent: &Intent) -> Result<Option<Version>, String> {
    match object.pointer("/status/versions/installed") {
        None | Some(Value::Null) => Ok(match &intent.version {
            Wanted::Range(range) => range.single(),
            Wanted::Once => None,
        }),
        Some(Value::String(version)) if version.is_empty() => Ok(None),
        Some(Value::String(version)) => match Version::parse(version) {
            Ok(version) => Ok(Some(version)),
            Err(refusal) => Err(format!("status.versions.installed: {refusal}")),
        },
        Some(other) => Err(format!(
            "status.versions.installed is {other}; it must be a string"
        )),
    }
}

/// Returns a warning if another version of the program resolved the Operator. Its results may
/// differ from the results of this version.
fn skew(existing: &Existing, version: &str) -> Option<String> {
    let keys = ["resolver", "deppy", "controller"];
    let versions = &existing.object["status"]["versions"];
    let (key, found) = keys
        .iter()
        .find_map(|key| Some((key, versions[*key].as_str()?)))?;
    let line = |text: &str| {
        let version = Version::parse(text.trim_start_matches('v')).ok()?;
        // Before version 1.0.0, each minor version may be incompatible with the previous one.
        let minor = if version.major() == 0 {
            version.minor()
        } else {
            0
        };
        Some((version.major(), minor))
    };
    (line(found) != line(version)).then(|| {
        format!(
            "{}: status.versions.{key} of Operator {} is {}, but this program is {version}: the \
             results may differ; use the version of the cluster",
            existing.place,
            existing.name,
            cite(found)
        )
    })
}

/// The annotation of an operator that a user requested explicitly, and its value.
pub(crate) const EXPLICIT_VALUE: (&str, &str) = (EXPLICIT, "true");
