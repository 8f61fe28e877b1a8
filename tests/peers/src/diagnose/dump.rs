//! Creates a folder like the dump of a cluster, and the catalogs of this cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use portolan_kit::{TempFolder, World, catalog, real_catalog, world};
use serde_json::{Value, json};

use super::troubles::{self, NEEDY, Trouble};
use crate::failure::Failure;
use crate::health::filler::{prose, scrap};

/// The installed version of most operators.
pub(super) const CURRENT: &str = "1.4.0";

/// The numbers of operators, namespaces and packages in a dump.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fleet {
    pub(crate) operators: usize,
    pub(crate) namespaces: usize,
    /// The number of packages in the catalog.
    pub(crate) packages: usize,
}

/// Real catalogs that the cluster also contains, if they are available.
const REAL: [&str; 2] = ["operatorhub", "community-v4.20"];

/// The dump of a fleet.
#[derive(Debug)]
pub(crate) struct Dump {
    pub(crate) world: TempFolder,
    catalog: TempFolder,
    real: Vec<(&'static str, PathBuf)>,
    /// The size of all objects in bytes.
    pub(crate) bytes: u64,
    pub(super) files: usize,
    /// The codes of causes that the output must contain.
    pub(super) codes: BTreeSet<&'static str>,
    /// The number of operators that the output must contain.
    pub(super) operators: usize,
}

// === impl Dump ===

impl Dump {
    pub(crate) fn of(fleet: Fleet) -> Result<Self, Failure> {
        let real = REAL.into_iter();
        let real: Vec<_> = real
            .filter_map(|name| Some((name, real_catalog(name)?)))
            .collect();
        let shops = real.iter().fold(shops(), |world, (name, _)| {
            world.catalog_source(name, "127.0.0.1:1")
        });
        let world = fleet.world(shops);
        let folder = TempFolder::empty();
        write(world.objects(), &folder)?;
        let (bytes, files) = measured(&folder)?;
        let troubles = || (0..fleet.namespaces).filter_map(troubles::of);
        let unknown: usize = troubles().map(Trouble::unknown).sum();
        let objects = world.objects().iter();
        let subscriptions = objects.filter(|object| object["kind"] == "Subscription");
        Ok(Self {
            operators: subscriptions.count() + unknown,
            world: folder,
            catalog: catalog(&fleet.catalog()).temp(),
            real,
            bytes,
            files,
            codes: troubles().map(Trouble::code).collect(),
        })
    }

    /// Returns the name and the folder of each catalog.
    pub(super) fn catalogs(&self) -> impl Iterator<Item = (&str, &Path)> {
        let real = self.real.iter();
        let real = real.map(|(name, folder)| (*name, folder.as_path()));
        [("shop", &*self.catalog)].into_iter().chain(real)
    }
}

/// Writes a List for each kind, with one object per line, as `portolan dump` does.
fn write(objects: &[Value], folder: &Path) -> Result<(), Failure> {
    let mut lists: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for object in objects {
        let (group, kind) = (&object["apiVersion"], &object["kind"]);
        let name = format!("{kind}.{group}").replace(['"', '/'], "");
        lists.entry(name).or_default().push(object.to_string());
    }
    for (name, lines) in lists {
        let path = folder
            .join(name.to_lowercase())
            .with_added_extension("json");
        let items = lines.join(",\n");
        let list = format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{items}\n]}}\n");
        fs::write(&path, list).map_err(Failure::touch("write", &path))?;
    }
    Ok(())
}

/// Returns the CatalogSources of the cluster.
fn shops() -> World {
    world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1")
}

/// Returns the size of all files in a folder, and their number.
fn measured(folder: &Path) -> Result<(u64, usize), Failure> {
    let entries = fs::read_dir(folder).map_err(Failure::touch("read", folder))?;
    let (mut bytes, mut files) = (0, 0);
    for entry in entries {
        let path = entry.map_err(Failure::touch("read", folder))?.path();
        let metadata = fs::metadata(&path).map_err(Failure::touch("read", &path))?;
        let (more, others) = if metadata.is_dir() {
            measured(&path)?
        } else {
            (metadata.len(), 1)
        };
        bytes += more;
        files += others;
    }
    Ok((bytes, files))
}

// === impl Fleet ===

impl Fleet {
    /// Returns a catalog text. Each package has one channel with five versions. The last version
    /// has no upgrade.
    fn catalog(self) -> String {
        let packages = (0..self.packages).map(package).map(|name| {
            format!("{name}: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0 -> {CURRENT}; 0.9.0 unlisted\n")
        });
        packages.chain([NEEDY.to_owned()]).collect()
    }

    fn world(self, shops: World) -> World {
        let all = (0..self.namespaces).map(|number| self.namespace(number));
        let all = all.flat_map(|world| world.objects().to_vec());
        all.fold(shops, World::object)
    }

    /// Returns a namespace with its operators. The first operator can have a problem.
    fn namespace(self, number: usize) -> World {
        let trouble = troubles::of(number);
        let world = shops().namespace(&format!("harbor-{number:03}"));
        let world = match trouble {
            Some(trouble) => trouble.groups(world),
            None => world.operator_group(),
        };
        let (first, next) = (self.first(number), self.first(number + 1));
        let packages = (first..next).map(|at| package(at % self.packages));
        let mut packages = packages.peekable();
        let world = match (trouble, packages.peek()) {
            (Some(trouble), Some(package)) => trouble.strike(world, package),
            (_, _) => world,
        };
        let rest = packages.skip(usize::from(trouble.is_some()));
        let world = rest.fold(world, |world, package| well(world, &package, CURRENT));
        let said = trouble.and_then(Trouble::said);
        let objects = world.objects().iter().skip(2).cloned();
        let objects = objects.map(|mut object| {
            if let Some((kind, reason)) = said
                && object["kind"] == "Subscription"
            {
                object["status"]["conditions"] =
                    json!([{"type": kind, "status": "True", "reason": reason, "message": ""}]);
            }
            object
        });
        objects.fold(portolan_kit::world(), World::object)
    }

    /// Returns the number of the first operator in a namespace.
    fn first(self, namespace: usize) -> usize {
        namespace * self.operators / self.namespaces
    }
}

fn package(number: usize) -> String {
    format!("p{number:03}")
}

/// Adds a healthy operator. Its objects are about as large as those of real operators.
pub(super) fn well(world: World, package: &str, version: &str) -> World {
    let csv = format!("{package}.v{version}");
    let definition = format!("harbors.{package}.example.test");
    world
        .subscription(package, "stable")
        .installed(&csv)
        .csv(&csv, "Succeeded")
        .edit(|csv| {
            csv["metadata"]["annotations"]["alm-examples"] = json!(prose(1, 8_000));
            csv["spec"]["description"] = json!(prose(3, 8_000));
            csv["spec"]["icon"] = json!([{"base64data": scrap(7_000), "mediatype": "image/png"}]);
        })
        .owning(&[&format!("{definition}/v1/Harbor")])
        .running(&[package])
        .deployment(package, 1, 1)
        .replica_set(&format!("{package}-6f"), 1, 1)
        .pod(&format!("{package}-6f-x"))
        .event("Unhealthy", "Readiness probe failed: connection refused")
        .definition(&definition, "Harbor", &["v1"])
        .edit(|definition| {
            definition["metadata"]["annotations"] = json!({"text": prose(2, 15_000)});
        })
        .plan(&format!("install-{package}"), &[&csv])
        .complete()
}
