//! Builds the objects and the changes of the output.

use std::collections::BTreeMap;

use portolan_api::operator::{BUNDLE_IMAGE, GROUP};
use portolan_core_names::Version;
use portolan_core_operator::CrdComparison;
use serde_json::{Map, Value, json};

use crate::change::{self, BundlePath, Change};
use crate::generate::Diagnostics;
use crate::input::{EXPLICIT_VALUE, Inputs, VERSION};
use crate::knowledge::{BundleKey, GraphAnswer, Knowledge, PackageKey, Stop};
use crate::members::{Goal, Members, OperatorMember};
use crate::newest;

/// The data from which the output is built.
pub(crate) struct Output<'o> {
    inputs: &'o Inputs,
    graphs: BTreeMap<PackageKey, &'o GraphAnswer>,
    /// The images of the bundles that the output selects, by package. Empty if the catalog has no
    /// image.
    images: BTreeMap<String, String>,
}

impl<'o> Output<'o> {
    pub(crate) fn of(
        inputs: &'o Inputs,
        members: &Members,
        knowledge: &'o Knowledge,
    ) -> Result<Self, Stop> {
        let written: Vec<_> = members
            .all
            .values()
            .filter(|it| written(it).is_some())
            .collect();
        let keys: Vec<_> = written.iter().filter_map(|member| member.key()).collect();
        let graphs = knowledge.graphs(&keys)?;
        let graphs: BTreeMap<_, _> = keys.into_iter().zip(graphs).collect();
        let bundles = written.iter().filter_map(|member| {
            let key = member.key()?;
            let bundle = newest::bundle_of(graphs.get(&key)?, written_version(member)?)?;
            Some(BundleKey {
                catalog: key.catalog,
                package: key.package,
                bundle,
            })
        });
        let bundles: Vec<_> = bundles.collect();
        let answers = knowledge.bundles(&bundles)?;
        let images = bundles.iter().zip(answers);
        let images = images.map(|(key, answer)| (key.package.clone(), answer.image.clone()));
        Ok(Self {
            inputs,
            images: images.collect(),
            graphs,
        })
    }

    /// Returns the catalogs of the input, followed by the Operators. The Operators are sorted by
    /// name.
    pub(crate) fn objects(&self, members: &Members, told: &mut Diagnostics) -> Vec<Value> {
        let by_name: BTreeMap<_, _> = members.all.values().map(|one| (&one.name, one)).collect();
        let operators = by_name.values().map(|member| self.object(member, told));
        let catalogs = self.inputs.catalogs.values().cloned();
        catalogs.chain(operators).collect()
    }

    fn object(&self, member: &OperatorMember, told: &mut Diagnostics) -> Value {
        let mut object = match &member.existing {
            Some(existing) => existing.object.clone(),
            None => json!({
                "apiVersion": format!("{GROUP}/{VERSION}"),
                "kind": "Operator",
                "metadata": {"name": member.name},
                "spec": {"packageName": member.package},
            }),
        };
        if let Some(version) = written(member) {
            let before = object["spec"]["version"].as_str().unwrap_or_default();
            told.warnings
                .extend(replacing(&member.name, before, &version));
            let is_same = before == version;
            object["spec"]["version"] = version.into();
            self.annotate(&mut object, member, is_same, told);
        }
        object
    }

    fn annotate(
        &self,
        object: &mut Value,
        member: &OperatorMember,
        is_same: bool,
        told: &mut Diagnostics,
    ) {
        let metadata = &mut object["metadata"];
        let written = metadata["annotations"].as_object();
        let mut annotations: Map<_, _> = written.cloned().unwrap_or_default();
        if member.wish.is_some() {
            let (key, value) = EXPLICIT_VALUE;
            annotations.insert(key.to_owned(), value.into());
        }
        let image = self.images.get(&member.package).map(String::as_str);
        let image = image.filter(|image| image.contains('@'));
        let before = match image {
            Some(image) => annotations.insert(BUNDLE_IMAGE.to_owned(), image.into()),
            None => annotations.remove(BUNDLE_IMAGE),
        };
        if let (true, Some(before), Some(now)) = (is_same, before, image)
            && before != now
        {
            let before = before.as_str().unwrap_or_default().to_owned();
            told.warnings.push(format!(
                "{}: the catalog now has another bundle of the same version: {before} was \
                 recorded, but the bundle is now {now}",
                member.name
            ));
        }
        let fields = metadata.as_object_mut();
        if let Some(fields) = fields {
            fields.remove("annotations");
            if !annotations.is_empty() {
                fields.insert("annotations".to_owned(), annotations.into());
            }
        }
    }

    /// Returns the deprecations of versions that were requested or added, one sentence each.
    pub(crate) fn deprecations(&self, members: &Members) -> Vec<String> {
        let mut sentences = Vec::new();
        let members = members.all.values();
        for member in members.filter(|it| it.wish.is_some() || it.added_for.is_some()) {
            let graph = member.key().and_then(|key| self.graphs.get(&key).copied());
            let Some((graph, version)) = graph.zip(written_version(member)) else {
                continue;
            };
            let bundle = newest::bundle_of(graph, version);
            let deprecations = &graph.deprecations;
            let all = deprecations.of(&member.package, &member.channels(), bundle.as_deref());
            let all = all.into_iter();
            sentences.extend(all.map(|(_, sentence)| format!("{}: {sentence}", member.name)));
        }
        sentences
    }

    /// Returns the changes, sorted by the name of the Operator.
    pub(crate) fn changes(&self, members: &Members) -> Vec<Change> {
        let mut changes = Vec::new();
        for member in members.all.values() {
            changes.extend(self.change(member));
        }
        let stays = |name: &String| members.all.values().any(|member| member.name == *name);
        for existing in self.inputs.operators.values() {
            if !stays(&existing.name) {
                changes.push(Change {
                    name: existing.name.clone(),
                    version: None,
                    previous: existing.current.as_ref().map(ToString::to_string),
                    ..Change::default()
                });
            }
        }
        changes.sort_by(|one, other| one.name.cmp(&other.name));
        changes
    }

    fn change(&self, member: &OperatorMember) -> Option<Change> {
        let version = written(member)?;
        let existing = member.existing.as_ref();
        let before = existing.and_then(|it| it.object["spec"]["version"].as_str());
        if before == Some(version.as_str()) {
            return None;
        }
        let graph = member.key().and_then(|key| self.graphs.get(&key).copied());
        let versions = graph.map(newest::versions).unwrap_or_default();
        let previous = member.current();
        let to = written_version(member)?;
        let open = before.filter(|range| !range.is_empty()).map(str::to_owned);
        Some(Change {
            name: member.name.clone(),
            available: change::between(&versions, previous, to),
            previous: previous.map(ToString::to_string).or(open),
            version: Some(version),
            replaced_range: before.filter(|it| is_range(it)).map(str::to_owned),
            path: graph.and_then(|graph| path(member, graph)),
            owner: None,
            crds: CrdComparison::default(),
        })
    }
}

/// Returns the bundles on the path of a member.
fn path(member: &OperatorMember, graph: &GraphAnswer) -> Option<BundlePath> {
    let PackageKey { catalog, package } = member.key()?;
    let named = member.existing.as_ref().map(|it| it.bundle.clone());
    let installed = member.current().and_then(|current| {
        let named = named.filter(|name| !name.is_empty());
        named.or_else(|| newest::bundle_of(graph, current))
    });
    Some(BundlePath {
        catalog,
        package,
        installed,
        bundles: member.path.clone(),
    })
}

fn is_range(text: &str) -> bool {
    !text.is_empty() && Version::parse(text).is_err()
}

/// Returns a warning if a version replaces the range in the spec, because the Operator then no
/// longer follows the range.
fn replacing(name: &str, before: &str, version: &str) -> Option<String> {
    is_range(before).then(|| {
        format!(
            "{name}: {version} replaces the range {before:?} in spec.version, so Portolan no longer updates {name} by \
             itself"
        )
    })
}

fn written_version(member: &OperatorMember) -> Option<&Version> {
    match &member.goal {
        Goal::Version(version) => Some(version),
        Goal::Stay | Goal::Open(_) => None,
    }
}

/// Returns the version to write to `spec.version`. Returns None to keep the field. A range is kept,
/// unless the operator was requested.
fn written(member: &OperatorMember) -> Option<String> {
    let version = written_version(member)?;
    let is_followed = member.wish.is_none() && member.written_range().is_some();
    if is_followed {
        return None;
    }
    // If the versions differ only in build metadata, the text in the spec is kept.
    let existing = member.existing.as_ref();
    let before = existing.and_then(|it| it.object["spec"]["version"].as_str());
    match before.and_then(|text| Version::parse(text).ok()) {
        Some(same) if same == *version => before.map(str::to_owned),
        Some(_) | None => Some(version.to_string()),
    }
}
