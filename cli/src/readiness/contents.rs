//! The removed APIs that bundles use, from their files.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, stream};
use portolan_core_bundle::{Bundle, Limits};
use portolan_core_names::removed::RemovedApis;
use portolan_core_names::{BundleName, CatalogName, PackageName};
use portolan_core_route::readiness::{Readiness, judge, unread_bundles};
use portolan_resolver::Resolver;
use portolan_resolver::bundles::Bundles;

use super::catalogs::StagedCatalogs;
use super::gather::Gathered;

/// The maximum number of bundles that are read at the same time, because each is held in memory.
const AT_ONCE: usize = 4;

/// A bundle to read: the catalogs of its operator, its package, and its name.
type Wanted = (Vec<CatalogName>, String, BundleName);

/// Judges the operators, and reads the bundles that matter until none is left. A bundle on a path
/// can rule out the path, so the next answer may need another bundle.
pub(super) async fn judge_with_bundles(
    gathered: &mut Gathered,
    catalogs: &StagedCatalogs,
    bundles: &Bundles,
) -> Vec<Readiness> {
    let mut read = BTreeMap::new();
    loop {
        let answers = judge(&gathered.question);
        let unread = unread_bundles(&gathered.question, &answers);
        if unread.is_empty() {
            return answers;
        }
        let wanted = unread.into_iter().map(|(at, bundle)| {
            let named = &gathered.operators[at];
            let package = named.inventory.package.clone();
            (at, (named.catalogs.clone(), package, bundle))
        });
        let wanted: Vec<(usize, Wanted)> = wanted.collect();
        let new: BTreeSet<_> = wanted.iter().map(|(_, wanted)| wanted.clone()).collect();
        let new = new.into_iter().filter(|it| !read.contains_key(it));
        let reading = new.map(async |wanted| {
            let content = content(&wanted, catalogs, bundles).await;
            (wanted, content)
        });
        let reading: Vec<_> = stream::iter(reading).buffered(AT_ONCE).collect().await;
        read.extend(reading);
        for (at, wanted) in wanted {
            let content = read[&wanted].clone();
            let subject = &mut gathered.question.operators[at];
            subject.contents.insert(wanted.2, content);
        }
    }
}

async fn content(
    (names, package, bundle): &Wanted,
    catalogs: &StagedCatalogs,
    bundles: &Bundles,
) -> Result<RemovedApis, String> {
    let package = PackageName::parse(package).map_err(|error| error.to_string())?;
    let (catalog, snapshot) = catalogs
        .containing(names, &package, bundle)
        .ok_or("no catalog contains the bundle")?;
    let resolver = Resolver::over(snapshot.clone()).with_bundles(bundles.clone());
    let found = resolver.bundle_files(catalog.as_str(), package.as_str(), bundle.as_str());
    let (_, folder) = found.await.map_err(|status| status.message().to_owned())?;
    let bundle = Bundle::read(folder, &Limits::default()).map_err(|faults| {
        let fault = faults.first().map(ToString::to_string);
        fault.unwrap_or_default()
    })?;
    Ok(bundle.removed_apis())
}
