//! Reads which removed APIs the objects of bundles use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::{StreamExt as _, stream};
use portolan_core_bundle::{Bundle, Limits};
use portolan_core_names::removed::RemovedApis;
use portolan_core_names::{BundleName, CatalogName, PackageName};
use portolan_core_route::readiness::{NamedOperator, Question, Readiness, judge, unread_bundles};

use super::StagedCatalogs;
use crate::Resolver;
use crate::bundles::Bundles;

/// The maximum number of bundles that are read at the same time. The limit is low, because each
/// bundle is held in memory.
const AT_ONCE: usize = 4;

/// The maximum number of bundles whose removed APIs are cached.
const MOST: usize = 4096;

/// A bundle to read: the catalogs of its operator, its package, and its name.
type Wanted = (Vec<CatalogName>, String, BundleName);

/// The removed APIs that a bundle uses, or the reason why its files cannot be read.
type Read = Result<RemovedApis, String>;

/// A cache of the removed APIs that bundles use. Clones share the cache, so that several queries
/// read each image only once. Failures are not cached.
#[derive(Debug, Clone)]
pub struct BundleContents {
    bundles: Bundles,
    kept: Arc<Mutex<BTreeMap<KeptBundle, RemovedApis>>>,
}

/// The key of a bundle in the cache. A bundle with another image has other content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct KeptBundle {
    package: PackageName,
    bundle: BundleName,
    image: String,
}

/// Judges the readiness of the operators, and reads the bundles that the result depends on. This is
/// repeated until no such bundle is unread. The content of a bundle can rule out a path, so that
/// the next result may depend on another bundle. The contents are added to the question.
///
/// # Panics
/// Panics if `operators` is shorter than the list of operators in the question. Both lists must
/// have the same order.
pub async fn judge_with_bundles(
    question: &mut Question,
    operators: &[NamedOperator],
    catalogs: &StagedCatalogs,
    bundles: &BundleContents,
) -> Vec<Readiness> {
    let mut read = BTreeMap::new();
    loop {
        let answers = judge(question);
        let unread = unread_bundles(question, &answers);
        if unread.is_empty() {
            return answers;
        }
        let wanted = unread.into_iter().map(|(at, bundle)| {
            let named = &operators[at];
            (at, (named.catalogs.clone(), named.package.clone(), bundle))
        });
        let wanted: Vec<(usize, Wanted)> = wanted.collect();
        let new: BTreeSet<_> = wanted.iter().map(|(_, wanted)| wanted.clone()).collect();
        let new = new.into_iter().filter(|it| !read.contains_key(it));
        let reading = new.map(async |wanted| {
            let content = bundles.content(&wanted, catalogs).await;
            (wanted, content)
        });
        let reading: Vec<_> = stream::iter(reading).buffered(AT_ONCE).collect().await;
        read.extend(reading);
        for (at, wanted) in wanted {
            let content = read[&wanted].clone();
            let subject = &mut question.operators[at];
            subject.contents.insert(wanted.2, content);
        }
    }
}

// === impl BundleContents ===

impl From<Bundles> for BundleContents {
    fn from(bundles: Bundles) -> Self {
        Self {
            bundles,
            kept: Arc::default(),
        }
    }
}

impl BundleContents {
    async fn content(&self, wanted: &Wanted, catalogs: &StagedCatalogs) -> Read {
        let (names, package, bundle) = wanted;
        let package = PackageName::parse(package).map_err(|error| error.to_string())?;
        let found = catalogs.containing(names, &package, bundle);
        let (catalog, snapshot, image) = found.ok_or("no catalog contains the bundle")?;
        let kept = KeptBundle {
            package,
            bundle: bundle.clone(),
            image,
        };
        if let Some(content) = self.kept().get(&kept) {
            return Ok(content.clone());
        }
        let resolver = Resolver::over(snapshot.clone()).with_bundles(self.bundles.clone());
        let package = kept.package.as_str();
        let found = resolver.bundle_files(catalog.as_str(), package, bundle.as_str());
        let (_, folder) = found.await.map_err(|status| status.message().to_owned())?;
        let read = Bundle::read(folder, &Limits::default()).map_err(|faults| {
            let fault = faults.first().map(ToString::to_string);
            fault.unwrap_or_default()
        })?;
        let content = read.removed_apis();
        // Without an image, the bundle content is in the catalog. The catalog may change, so the
        // content is not cached.
        if !kept.image.is_empty() {
            let mut all = self.kept();
            if all.len() >= MOST {
                all.clear();
            }
            all.insert(kept, content.clone());
        }
        Ok(content)
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<KeptBundle, RemovedApis>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
