//! The name of a catalog's content.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use portolan_names::PackageName;
use sha2::{Digest as _, Sha256};

use crate::model::{Bundle, Channel, Entry, Package};

/// A SHA-256 over the canonical form of a catalog: equal content, equal digest, from any source
/// and in any order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Feeds values so that no two different sequences feed the same bytes.
struct Canon(Sha256);

// === impl Digest ===

impl Digest {
    pub(crate) fn of(packages: &BTreeMap<PackageName, Arc<Package>>) -> Self {
        let mut canon = Canon(Sha256::new());
        canon.list(packages.values(), |canon, package| {
            canon.0.update(Self::of_package(package).0);
        });
        canon.finish()
    }

    fn of_package(package: &Package) -> Self {
        let Package {
            name,
            default_channel,
            channels,
            bundles,
        } = package;
        let mut canon = Canon(Sha256::new());
        canon.text(name.as_str());
        canon.option(default_channel.as_ref().map(|channel| channel.as_str()));
        canon.list(channels.values(), |canon, Channel { name, entries }| {
            canon.text(name.as_str());
            canon.list(entries.values(), Canon::entry);
        });
        canon.list(bundles.values(), |canon, Bundle { name, version }| {
            canon.text(name.as_str());
            canon.text(&version.to_string());
        });
        canon.finish()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// === impl Canon ===

impl Canon {
    fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
    }

    fn option(&mut self, text: Option<&str>) {
        self.list(text.into_iter(), |canon, text| canon.text(text));
    }

    fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut feed: impl FnMut(&mut Self, T),
    ) {
        self.0.update((items.len() as u64).to_be_bytes());
        items.for_each(|item| feed(self, item));
    }

    fn entry(&mut self, entry: &Entry) {
        let Entry {
            name,
            replaces,
            skips,
            skip_range,
        } = entry;
        self.text(name.as_str());
        self.option(replaces.as_ref().map(|name| name.as_str()));
        self.list(skips.iter(), |canon, name| canon.text(name.as_str()));
        let range = skip_range
            .as_ref()
            .map(|range| range.canonical().to_string());
        self.option(range.as_deref());
    }

    fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}
