//! Creates the software bill of materials of the program, in the CycloneDX format.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};

use super::text;
use crate::failure::Failure;

const PROGRAM: &str = "portolan";

/// Returns the bill of materials. It lists all crates from which the program is built on any
/// platform, with their versions, licenses and digests. It contains no date, so that it depends
/// only on the lock file.
pub(super) fn of_materials(root: &Path) -> Result<Vec<u8>, Failure> {
    let metadata = metadata(root)?;
    let lock = text(&root.join("Cargo.lock"))?;
    let bill = bill(&metadata, &checksums(&lock));
    let bill = bill.ok_or_else(|| Failure::Release {
        why: "cargo metadata does not list the program".to_owned(),
    })?;
    Ok(format!("{bill:#}\n").into_bytes())
}

fn metadata(root: &Path) -> Result<Metadata, Failure> {
    let mut command = MetadataCommand::new();
    command.manifest_path(root.join("Cargo.toml"));
    command.other_options(["--locked".to_owned()]);
    command.exec().map_err(|error| Failure::Read {
        what: "the dependencies of the workspace".to_owned(),
        source: error.into(),
    })
}

/// The checksums of all crates in a lock file, by name and version.
type Checksums = BTreeMap<(String, String), String>;

fn checksums(lock: &str) -> Checksums {
    let value = |package: &str, name: &str| {
        let lines = package.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
        Some(values.next()?.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]");
    let packages = packages.filter_map(|package| {
        let id = (value(package, "name")?, value(package, "version")?);
        Some((id, value(package, "checksum")?))
    });
    packages.collect()
}

fn bill(metadata: &Metadata, checksums: &Checksums) -> Option<Value> {
    let packages: BTreeMap<_, _> = metadata.packages.iter().map(|it| (&it.id, it)).collect();
    let program = metadata.packages.iter().find(|it| it.name == PROGRAM)?;
    let uses = uses(metadata)?;
    let mut reached = BTreeSet::from([&program.id]);
    let mut next = vec![&program.id];
    while let Some(id) = next.pop() {
        let below = uses.get(id).into_iter().flatten();
        next.extend(below.filter(|id| reached.insert(id)));
    }
    let reference = |id: &&PackageId| packages.get(*id).map(|package| purl(package));
    let dependency = |id: &&PackageId| {
        let below = uses.get(*id).into_iter().flatten();
        let below: BTreeSet<_> = below.filter_map(reference).collect();
        Some((reference(id)?, below))
    };
    let dependencies: BTreeMap<_, _> = reached.iter().filter_map(dependency).collect();
    let components = reached.iter().filter(|id| **id != &program.id);
    let components = components.filter_map(|id| Some(component(packages.get(*id)?, checksums)));
    let mut components: Vec<_> = components.collect();
    components.sort_by_key(|component| component["bom-ref"].to_string());
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own(program)},
        "components": components,
        "dependencies": dependencies
            .into_iter()
            .map(|(id, below)| json!({"ref": id, "dependsOn": below}))
            .collect::<Vec<_>>(),
    }))
}

/// Returns the packages that each package depends on at run time or at build time.
fn uses(metadata: &Metadata) -> Option<BTreeMap<&PackageId, Vec<&PackageId>>> {
    let nodes = metadata.resolve.as_ref()?.nodes.iter();
    let is_used = |kind: &DependencyKind| *kind != DependencyKind::Development;
    let nodes = nodes.map(|node| {
        let used = node.deps.iter();
        let used = used.filter(|it| it.dep_kinds.iter().any(|info| is_used(&info.kind)));
        (&node.id, used.map(|it| &it.pkg).collect())
    });
    Some(nodes.collect())
}

fn own(program: &Package) -> Value {
    let mut own = component(program, &Checksums::new());
    own["type"] = "application".into();
    own
}

fn component(package: &Package, checksums: &Checksums) -> Value {
    let purl = purl(package);
    let mut component = json!({
        "type": "library",
        "bom-ref": purl,
        "name": package.name.as_str(),
        "version": package.version.to_string(),
        "purl": purl,
    });
    if let Some(license) = &package.license {
        // In old manifests, a slash separates licenses.
        let expression = license.replace('/', " OR ").replace("  ", " ");
        component["licenses"] = json!([{"expression": expression}]);
    }
    let id = (package.name.to_string(), package.version.to_string());
    if let Some(digest) = checksums.get(&id) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": digest}]);
    }
    component
}

/// Returns the package URL, which identifies the package.
fn purl(package: &Package) -> String {
    let version = package.version.to_string().replace('+', "%2B");
    format!("pkg:cargo/{}@{version}", package.name)
}
