//! Copies the bundles of the operators in a world: the installed bundles, and the bundles to which
//! these operators can be upgraded.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use futures::{StreamExt as _, stream};
use portolan_api::operator::Operator;
use portolan_core_bundle::Folder;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_resolver::Resolver;
use portolan_resolver::bundles::place_in;
use portolan_world::{AnyWorld, World as _};

use crate::facts::{ResolverConnection, in_this_process};
use crate::failure::Failure;
use crate::subscribed::{Source, Start};

/// A bundle to copy from a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BundleToCopy {
    /// The name of the catalog. An empty name selects the best catalog with the package.
    catalog: String,
    package: String,
    name: String,
}

/// The result of copying bundles.
#[derive(Debug, Default)]
pub(super) struct CopyOutcome {
    /// The number of copied bundles.
    pub(super) count: usize,
    /// The bundles that could not be read, each as a sentence.
    pub(super) missing: Vec<String>,
}

/// The maximum number of bundles that are copied at the same time. Each bundle is kept in memory
/// while it is copied.
const AT_ONCE: usize = 3;

/// Copies the bundles to a folder. The resolver finds and reads the files of the bundles.
pub(super) async fn copy(
    world: &AnyWorld,
    resolver: Resolver,
    to: &Path,
) -> Result<CopyOutcome, Failure> {
    let mut asked = in_this_process(resolver.clone());
    let mut wanted = of_subscriptions(world, &mut asked).await?;
    wanted.extend(of_operators(world).await);
    let copying = wanted.into_iter().map(async |wanted| {
        let copied = wanted.copy(&resolver, to).await;
        copied.map_err(|why| format!("bundle {} was not saved: {why}", wanted.name))
    });
    let copied: Vec<_> = stream::iter(copying).buffered(AT_ONCE).collect().await;
    let mut all = CopyOutcome::default();
    for copied in copied {
        match copied {
            Ok(()) => all.count += 1,
            Err(why) => all.missing.push(why),
        }
    }
    Ok(all)
}

/// Returns the bundles of all Subscriptions: the installed bundle, its possible updates, and the
/// bundles on the path to the head of the channel.
async fn of_subscriptions(
    world: &AnyWorld,
    resolver: &mut ResolverConnection,
) -> Result<BTreeSet<BundleToCopy>, Failure> {
    let mut wanted = BTreeSet::new();
    for installed in Source::World(world.clone(), None).all("").await? {
        let start = installed.start;
        let mut names = BTreeSet::from([start.bundle.clone()]);
        // If the catalog is unavailable, this adds no bundles, and only the installed bundle is
        // copied.
        names.extend(updates(resolver, &start).await);
        names.extend(on_the_way(resolver, &start).await);
        wanted.extend(names.into_iter().map(|name| BundleToCopy {
            catalog: start.catalog.clone(),
            package: start.package.clone(),
            name,
        }));
    }
    Ok(wanted)
}

async fn updates(resolver: &mut ResolverConnection, start: &Start) -> Vec<String> {
    let request = pb::ListUpgradesRequest {
        catalog: start.catalog.clone(),
        package: start.package.clone(),
        channel: start.channel.clone(),
        installed: start.bundle.clone(),
        installed_version: start.version.clone(),
    };
    let answer = resolver.try_query(request).await;
    let successors = answer.unwrap_or_default().successors;
    successors.into_iter().map(|next| next.name).collect()
}

async fn on_the_way(resolver: &mut ResolverConnection, start: &Start) -> Vec<String> {
    let head = pb::destination::Kind::Head.into();
    let request = pb::FindPathRequest {
        catalog: start.catalog.clone(),
        package: start.package.clone(),
        channel: start.channel.clone(),
        installed: start.bundle.clone(),
        installed_version: start.version.clone(),
        destination: Some(pb::Destination {
            to: Some(pb::destination::To::Kind(head)),
        }),
        ..pb::FindPathRequest::default()
    };
    let answer = resolver.try_query(request).await;
    match answer.unwrap_or_default().answer {
        Some(Answer::Reached(path)) => path.hops.into_iter().map(|hop| hop.to).collect(),
        Some(Answer::AlreadyThere(_) | Answer::Blocked(_)) | None => Vec::new(),
    }
}

/// Returns the bundles of all Operators: the installed bundle, and the bundles of the path in the
/// status.
async fn of_operators(world: &AnyWorld) -> BTreeSet<BundleToCopy> {
    let mut operators = world.objects::<Operator>();
    let view = operators.known().await.unwrap_or_default();
    let mut wanted = BTreeSet::new();
    for operator in view.objects.values() {
        let package = operator.spec.as_json()["packageName"].as_str();
        let Some(package) = package else { continue };
        let status = operator.status.clone().unwrap_or_default();
        let installed = status.bundle.into_iter().map(|it| (it.catalog, it.name));
        let path = status.path.into_iter();
        let path = path.map(|hop| (String::new(), hop.bundle));
        wanted.extend(installed.chain(path).map(|(catalog, name)| BundleToCopy {
            catalog,
            package: package.to_owned(),
            name,
        }));
    }
    wanted
}

// === impl BundleToCopy ===

impl BundleToCopy {
    async fn copy(&self, resolver: &Resolver, to: &Path) -> Result<(), String> {
        let Self {
            catalog,
            package,
            name,
        } = self;
        let found = resolver.bundle_files(catalog, package, name).await;
        let (version, folder) = found.map_err(|status| status.message().to_owned())?;
        // The names of packages and versions cannot lead outside of the folder.
        let place = place_in(to, package, &version);
        write(&folder, &place).map_err(|error| format!("cannot write {}: {error}", place.display()))
    }
}

/// Writes the files of a bundle without changes. Their paths cannot leave the folder `to`.
fn write(folder: &Folder, to: &Path) -> io::Result<()> {
    for (path, bytes) in folder.files() {
        let path = to.join(&**path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
