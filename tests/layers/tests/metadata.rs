//! Checks that worlds keep all metadata that crates read. Worlds drop each annotation and label
//! whose name is in no `READS`.
//!
//! A name that a crate reads must be in the `READS` of this crate, or in the `READS` of a crate
//! that it depends on and with which it opens its worlds. The tests of each crate check the kinds
//! of objects, because a test stage keeps the same fields of objects as a world.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use portolan_layers::{EDGES, sources};

/// Files in which annotations and labels are not read from a world. Some objects come from another
/// source. Other files only pass the names on, or write them.
const RAW: &[&str] = &[
    "core/base/api/src/manifest.rs",
    "core/questions/diagnosis/src/command.rs",
    "core/base/api/src/metadata.rs",
    "cli/src/approve/operator.rs",
    "core/base/api/src/policy/input.rs",
    "cli/src/plan/diff.rs",
    "cli/src/policy/test.rs",
    "services/diagnosis/src/readiness/restraints.rs",
    "controller/components/src/client.rs",
    "controller/components/src/index.rs",
    "controller/components/src/reconcile.rs",
    "controller/plans/src/grants/client.rs",
    "controller/plans/src/observe/account.rs",
    "controller/plans/src/observe/lists.rs",
    "controller/src/ask/operators.rs",
    "controller/src/ask/wire/resolver.rs",
    "controller/src/controllers/prepared.rs",
    "controller/src/crds/decide.rs",
    "controller/src/installation/certificates.rs",
    "controller/src/installation/decide.rs",
    "controller/src/observe/policies.rs",
    "controller/src/observe/state.rs",
    "controller/src/rehearsal/proposed.rs",
    "core/base/bundle/src/csv.rs",
    "core/base/catalog/src/document/bundle/objects.rs",
    "core/kinds/generate/src/updater/operator.rs",
    "core/kinds/generate/src/updater/owners.rs",
    "core/kinds/grants/src/decide/bound.rs",
    "core/kinds/grants/src/plan.rs",
    "core/kinds/install/src/decide/transform.rs",
    "core/kinds/install/src/diff/values.rs",
    "core/kinds/install/src/make.rs",
    "core/kinds/install/src/prune.rs",
    "core/kinds/install/src/succession.rs",
    "core/kinds/install/src/succession/graph.rs",
    "core/kinds/install/src/version.rs",
    "core/views/installed/src/index/originals.rs",
    "core/views/installed/src/installed/json.rs",
    "core/views/installed/src/label.rs",
    "core/views/installed/src/original/own.rs",
    "core/views/installed/src/selector.rs",
    "core/base/olm/src/install_plan/manifest.rs",
    "core/base/olm/src/cluster_extension.rs",
    "core/base/olm/src/metadata.rs",
    "core/kinds/operator/src/decide/consent.rs",
    "core/kinds/operator/src/member.rs",
    "core/kinds/operator/src/hop.rs",
    "core/kinds/operator/src/offer.rs",
    "proto/src/gen/portolan.resolver.v1.serde.rs",
    "proto/src/gen/portolan.approval.v1.serde.rs",
    "services/approval/src/cache/upgrades.rs",
    "services/approval/src/restricted.rs",
    "services/images/src/layout.rs",
    "services/images/src/manifest.rs",
    "services/images/src/pull.rs",
    "services/resolver/src/snapshot.rs",
    "services/resolver/src/source/cluster/named.rs",
    "services/resolver/src/source/image.rs",
    "services/shell/src/call/run.rs",
    "services/world/src/area.rs",
    "services/world/src/cluster/whole.rs",
    "services/world/src/kind.rs",
    "services/world/src/projection.rs",
];

/// Other metadata that crates read, such as field managers, and the names with which they read it.
const NAMED: &[(&str, &str)] = &[
    (".owner_references", ".owners()"),
    (".managed_fields", ".managers("),
];

/// The metadata that worlds keep for each kind: the union of all `READS`. Each line costs memory in
/// each process that reads the kind. If a line is removed, no process can read this metadata.
const KEPT: &[&str] = &[
    "AnyDeployment: annotations DOWNSCALER_ANNOTATIONS",
    "AnyDeployment: annotations ORIGINAL_REPLICAS",
    "AnyDeployment: annotations TOOL_ANNOTATIONS",
    "AnyDeployment: labels EXTENSION",
    "AnyDeployment: labels LINEAGE",
    "AnyDeployment: labels OWNER",
    "AnyDeployment: labels PART",
    "AnyDeployment: labels PROGRAM",
    "AnyDeployment: labels TOOL_LABELS",
    "AnyDeployment: managers Managers::Names",
    "CatalogSource: annotations TOOL_ANNOTATIONS",
    "CatalogSource: labels ANY",
    "CatalogSource: managers Managers::Names",
    "ClusterCatalog: labels ANY",
    "ClusterExtension: annotations TOOL_ANNOTATIONS",
    "ClusterExtension: labels TOOL_LABELS",
    "ClusterExtension: managers Managers::Names",
    "ClusterServiceVersion: annotations PROPERTIES",
    "ClusterServiceVersion: finalizers",
    "ClusterServiceVersion: labels COMPONENT",
    "ClusterServiceVersion: labels COPIED_FROM",
    "CopiedCsv: labels COPIED_FROM",
    "CustomResourceDefinition: finalizers",
    "CustomResourceDefinition: labels COMPONENT",
    "CustomResourceDefinition: labels PROGRAM",
    "CustomResourceDefinition: labels VERSION",
    "DaemonSet: labels LINEAGE",
    "Deployment: annotations DOWNSCALER_ANNOTATIONS",
    "Deployment: annotations TOOL_ANNOTATIONS",
    "Deployment: annotations TRACKED",
    "Deployment: labels OWNER",
    "Deployment: labels TOOL_LABELS",
    "Deployment: managers Managers::Names",
    "Deployment: owners",
    "InstallPlan: labels COMPONENT",
    "InstallPlan: owners",
    "Node: labels ANY",
    "OperatorGroup: annotations CREATOR",
    "OperatorGroup: annotations EXCLUDES_GLOBAL",
    "OperatorGroup: annotations INHERITED",
    "OperatorGroup: annotations MARK",
    "OperatorGroup: annotations PROVIDED",
    "OperatorGroup: annotations TOOL_ANNOTATIONS",
    "OperatorGroup: labels TOOL_LABELS",
    "OperatorGroup: managers Managers::Names",
    "OperatorGroup: managers Managers::OfSpec",
    "OperatorGroup: owners",
    "OperatorPolicy: annotations DISABLE_TEMPLATES",
    "OperatorPolicy: annotations TOOL_ANNOTATIONS",
    "OperatorPolicy: finalizers",
    "OperatorPolicy: in_full",
    "OperatorPolicy: labels ANY",
    "OperatorPolicy: labels CLUSTER_NAME",
    "OperatorPolicy: labels CLUSTER_NAMESPACE",
    "OperatorPolicy: managers Managers::OfStatus",
    "OperatorPolicy: owners",
    "Pod: labels SERVES",
    "Pod: owners",
    "ReplicaSet: annotations REVISION",
    "ReplicaSet: owners",
    "StatefulSet: labels LINEAGE",
    "Subscription: annotations CREATOR",
    "Subscription: annotations MARK",
    "Subscription: annotations TOOL_ANNOTATIONS",
    "Subscription: labels MARKED",
    "Subscription: labels TOOL_LABELS",
    "Subscription: managers Managers::Names",
    "Subscription: managers Managers::OfSpec",
];

/// Crates that have no `READS` of their own. `portolan-world` drops the metadata.
/// `portolan-runtime` gets the names from each controller, and its controller of certificates
/// requests the metadata of other objects. `portolan-plans` does the same. `portolan-core-generate`
/// reads whole objects.
const NAME_NOTHING: [&str; 4] = [
    "portolan-core-generate",
    "portolan-plans",
    "portolan-runtime",
    "portolan-world",
];

/// Names of labels that need no `READS`. InstallPlans have no names in `READS`, so worlds keep all
/// their labels.
const KEPT_ANYWAY: [&str; 2] = ["INSTALL", "OPERATOR"];

/// A crate, and the text of its source files without tests.
struct Source {
    name: String,
    files: BTreeMap<PathBuf, String>,
}

impl Source {
    /// Returns the text of the crate's `READS`, or an empty text.
    fn reads(&self) -> &str {
        let declared = self.files.values().find_map(|text| {
            let (_, rest) = text.split_once("pub const READS: &[Reads] =")?;
            rest.split_once("];").map(|(reads, _)| reads)
        });
        declared.unwrap_or_default()
    }

    fn mentions(&self, word: &str) -> bool {
        self.files.values().any(|text| has(text, word))
    }
}

/// Returns all crates except tests. Their objects come from worlds.
fn crates() -> Vec<Source> {
    let workspace = MetadataCommand::new().no_deps().exec();
    let workspace = workspace.expect("cargo metadata must work in the workspace");
    let root = workspace.workspace_root.as_std_path().to_owned();
    let packages = workspace.packages.iter().map(|package| {
        let folder = package.manifest_path.as_std_path().parent();
        let files = sources(&folder.expect("a folder").join("src"));
        let files = files.into_iter().filter(|file| !is_test(file));
        let files = files.map(|file| {
            let text = fs::read_to_string(&file).expect("a source");
            let text = text.split("#[cfg(test)]\nmod tests {").next();
            let lines = text.unwrap_or_default().split_inclusive('\n');
            let code = lines.filter(|line| !line.trim_start().starts_with("//"));
            let inside = file.strip_prefix(&root).expect("a file of the workspace");
            (inside.to_owned(), code.collect())
        });
        Source {
            name: package.name.to_string(),
            files: files.collect(),
        }
    });
    packages
        .filter(|source| source.files.keys().all(|file| !file.starts_with("tests")))
        .collect()
}

fn is_test(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs")
}

/// Returns true if the text contains this word. A method name or a field of a message does not
/// count.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let next = text[at + word.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric() && !['_', '(', '['].contains(&next))
    })
}

#[test]
fn annotations_and_labels_are_read_only_by_their_constants() {
    let mut raw = BTreeSet::new();
    for source in crates() {
        for (file, text) in &source.files {
            if has(text, ".annotations") || has(text, ".labels") {
                raw.insert(file.display().to_string());
            }
        }
    }
    let allowed = RAW.iter().map(|file| (*file).to_owned()).collect();
    assert_eq!(
        raw, allowed,
        "read them with an Annotation or a Label that READS of the crate names, or say here why not"
    );
}

#[test]
fn metadata_that_a_crate_reads_is_listed_in_reads() {
    let all = crates();
    let declared = all.iter().flat_map(|source| source.files.values());
    let declared: BTreeSet<_> = declared.flat_map(|text| names(text)).collect();
    assert!(declared.len() > 5, "{declared:?}");
    let mut unnamed = Vec::new();
    let named = all
        .iter()
        .filter(|each| !NAME_NOTHING.contains(&&*each.name));
    for source in named {
        let edges = EDGES.iter().find(|(name, _)| *name == source.name);
        let edges = edges.map_or(&[][..], |(_, edges)| *edges);
        let others = all.iter().filter(|each| edges.contains(&&*each.name));
        let others = others.filter(|_| source.mentions("READS"));
        let reads: String = others.map(Source::reads).chain([source.reads()]).collect();
        let used = declared.iter().filter(|name| {
            let readers = [".of", ".rests"].map(|method| format!("{name}{method}("));
            let mut texts = source.files.values();
            texts.any(|text| readers.iter().any(|reader| text.contains(reader)))
        });
        let missing = used
            .copied()
            .filter(|name| !has(&reads, name) && !KEPT_ANYWAY.contains(name));
        unnamed.extend(missing.map(|name| format!("{}: {name}", source.name)));
        let raw = NAMED
            .iter()
            .filter(|(field, named)| source.mentions(field) && !reads.contains(named));
        unnamed.extend(raw.map(|(field, _)| format!("{}: {field}", source.name)));
    }
    assert_eq!(unnamed, Vec::<String>::new(), "worlds drop it");
}

#[test]
fn metadata_kept_by_worlds_is_reviewed() {
    let all = crates();
    let kept: BTreeSet<_> = all.iter().flat_map(|each| kept(each.reads())).collect();
    let kept: Vec<_> = kept.iter().map(String::as_str).collect();
    assert_eq!(kept, KEPT, "what is new here is kept of each object");
}

/// Returns the names in the text of a `READS`. Each line has the form `Pod: labels SERVES`.
fn kept(reads: &str) -> Vec<String> {
    let dense: String = reads.split_whitespace().collect();
    let mut kept = Vec::new();
    for (kind, calls) in dense
        .split("Reads::of::<")
        .filter_map(|it| it.split_once(">()"))
    {
        for (call, names) in calls.split('.').filter_map(|it| it.split_once('(')) {
            let names = names.trim_matches(['&', '[', ']', ')', ',']).split(',');
            kept.extend(names.map(|name| format!("{kind}: {call} {name}").trim_end().to_owned()));
        }
    }
    kept
}

/// Returns the names of the annotation and label constants that a text declares.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_start);
    lines.filter_map(|line| {
        let (_, rest) = line.split_once("const ")?;
        let (name, kind) = rest.split_once(": ")?;
        let is_key = kind.starts_with("Annotation =") || kind.starts_with("Label =");
        is_key.then_some(name)
    })
}
