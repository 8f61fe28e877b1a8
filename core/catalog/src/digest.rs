//! The name of a catalog's content.

mod canon;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use portolan_core_names::PackageName;

use self::canon::Canon;
use crate::model::{Bundle, Channel, Deprecations, Package};

/// A SHA-256 over a canonical form: equal content, equal digest, from any source and in any order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

// === impl Digest ===

impl Digest {
    /// Of a catalog: that of its packages.
    pub(crate) fn of(
        packages: &BTreeMap<PackageName, Arc<Package>>,
        part: impl Fn(&Package) -> Self,
    ) -> Self {
        let mut canon = Canon::default();
        canon.list(packages.iter(), |canon, (name, package)| {
            canon.text(name.as_str());
            canon.digest(part(package));
        });
        canon.finish()
    }

    /// Of texts that may be missing, in their order.
    pub fn of_texts(texts: impl IntoIterator<Item = Option<String>>) -> Self {
        let mut canon = Canon::default();
        texts
            .into_iter()
            .for_each(|text| canon.option(text.as_deref()));
        canon.finish()
    }

    /// Of what answers about a package are made from.
    pub(crate) fn of_package(package: &Package) -> Self {
        let Package {
            name,
            default_channel,
            channels,
            bundles,
            deprecations,
            digest: _,
            display_digest: _,
            place: _,
        } = package;
        let mut canon = Canon::default();
        canon.text(name.as_str());
        canon.option(default_channel.as_ref().map(|channel| channel.as_str()));
        canon.list(channels.values(), |canon, channel| {
            let Channel {
                name,
                entries,
                place: _,
            } = channel.as_ref();
            canon.text(name.as_str());
            canon.list(entries.values(), Canon::entry);
        });
        canon.list(bundles.values(), |canon, bundle| canon.bundle(bundle));
        let Deprecations {
            package,
            channels,
            bundles,
        } = deprecations;
        canon.option(package.as_deref());
        canon.list(channels.iter(), |canon, (name, message)| {
            canon.text(name.as_str());
            canon.text(message);
        });
        canon.list(bundles.iter(), |canon, (name, message)| {
            canon.text(name.as_str());
            canon.text(message);
        });
        canon.finish()
    }

    /// Of what people see of a package: `head` is that of its description and icon.
    pub(crate) fn of_display(head: Self, bundles: &[&Bundle]) -> Self {
        let mut canon = Canon::default();
        canon.digest(head);
        canon.list(bundles.iter(), |canon, bundle| canon.display(bundle));
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
