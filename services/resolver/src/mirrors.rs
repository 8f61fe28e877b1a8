//! The image mirrors that a cluster configures. They apply to the images that objects and catalogs
//! of the cluster name.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use portolan_core_olm::{
    ImageContentSourcePolicy, ImageDigestMirrorSet, ImageMirrors, ImageTagMirrorSet,
    MirrorSourcePolicy,
};
use portolan_images::{ClusterMirrors, MirrorList, PulledBy};
use portolan_world::{Kind, Objects, State, View, World};

/// The image mirrors of a world. They are read when the first image is pulled, and watched after
/// that. Clones share the mirrors.
#[derive(Clone)]
pub struct Mirrors(Arc<Inner>);

struct Inner {
    digests: Asked<ImageDigestMirrorSet>,
    tags: Asked<ImageTagMirrorSet>,
    older: Asked<ImageContentSourcePolicy>,
    /// The messages about invalid names that have already been logged.
    told: Mutex<BTreeSet<String>>,
}

/// A kind whose objects are listed on first use.
struct Asked<K> {
    open: Box<dyn Fn() -> Objects<K> + Send + Sync>,
    objects: Mutex<Option<Objects<K>>>,
}

// === impl Mirrors ===

impl Mirrors {
    /// Creates the mirrors. No objects are listed until the first use.
    pub fn of(world: &impl World) -> Self {
        Self(Arc::new(Inner {
            digests: Asked::of(world),
            tags: Asked::of(world),
            older: Asked::of(world),
            told: Mutex::default(),
        }))
    }

    /// Returns the current mirrors. They are empty for a cluster without these kinds.
    pub(crate) async fn now(&self) -> ClusterMirrors {
        let Inner {
            digests,
            tags,
            older,
            told,
        } = &*self.0;
        let (digests, tags, older) = tokio::join!(digests.view(), tags.view(), older.view());
        let (mirrors, flaws) = decided(&digests, &tags, &older);
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        for reason in flaws {
            if told.insert(reason.clone()) {
                tracing::warn!(reason, "a mirror of the cluster is ignored");
            }
        }
        mirrors
    }
}

impl fmt::Debug for Mirrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mirrors").finish_non_exhaustive()
    }
}

/// Returns the mirrors in these objects, and a message about each invalid name in them.
fn decided(
    digests: &View<ImageDigestMirrorSet>,
    tags: &View<ImageTagMirrorSet>,
    older: &View<ImageContentSourcePolicy>,
) -> (ClusterMirrors, Vec<String>) {
    let of_digests = digests.objects.values();
    let of_digests = of_digests.flat_map(|set| &set.spec.image_digest_mirrors);
    let of_older = older.objects.values();
    let of_older = of_older.flat_map(|policy| &policy.spec.repository_digest_mirrors);
    let of_tags = tags.objects.values();
    let of_tags = of_tags.flat_map(|set| &set.spec.image_tag_mirrors);
    let by_digest = of_digests
        .chain(of_older)
        .map(|mirrors| list(mirrors, PulledBy::Digest));
    let by_tag = of_tags.map(|mirrors| list(mirrors, PulledBy::Tag));
    let (mirrors, flaws) = ClusterMirrors::of(by_digest.chain(by_tag));
    let unseen = [unseen(digests), unseen(tags), unseen(older)];
    let unseen: Vec<_> = unseen.into_iter().flatten().collect();
    let why = (!unseen.is_empty()).then(|| unseen.join("; "));
    (mirrors.unknown(why), flaws)
}

fn list(mirrors: &ImageMirrors, by: PulledBy) -> MirrorList {
    let ImageMirrors {
        source,
        mirrors,
        source_policy,
    } = mirrors;
    MirrorList {
        source: source.clone(),
        mirrors: mirrors.clone(),
        by,
        is_source_barred: *source_policy == MirrorSourcePolicy::Never,
    }
}

/// Returns the reason why the objects of a kind are not completely known. Known objects are still
/// used.
fn unseen<K: Kind>(view: &View<K>) -> Option<String> {
    match &view.state {
        State::Unknown { trouble, .. } => Some(format!("{}s: {trouble}", K::kind(&()))),
        State::Pending | State::Synced | State::NotServed | State::Stale { .. } => None,
    }
}

// === impl Asked ===

impl<K: Kind> Asked<K> {
    fn of(world: &impl World) -> Self {
        let world = world.clone();
        Self {
            open: Box::new(move || world.objects()),
            objects: Mutex::default(),
        }
    }

    /// Waits until the objects are known, and returns them. If the objects are unavailable, only
    /// the next call requests them again.
    async fn view(&self) -> View<K> {
        let mut objects = self.held().get_or_insert_with(&self.open).clone();
        // If the world has ended, there are no mirrors.
        let view = objects.known().await.unwrap_or_default();
        if let State::Unknown { .. } = view.state {
            *self.held() = None;
        }
        view
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<Objects<K>>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
