//! Digests that identify the content of a catalog.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use portolan_core_names::PackageName;
use sha2::{Digest as _, Sha256};

use crate::model::{
    Api, Bundle, Channel, Deprecations, Display, Entry, InstallMode, Package, PackageRequirement,
    Property, RelatedImage, Requirements,
};

/// A SHA-256 digest of content in a canonical form. Equal content has an equal digest, even if its
/// source or the order of its parts differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

// === impl Digest ===

impl Digest {
    /// Returns the digest of a catalog. `part` returns the digest of each package.
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

    /// Returns the digest of a list of optional texts.
    pub fn of_texts(texts: impl IntoIterator<Item = Option<String>>) -> Self {
        let mut canon = Canon::default();
        texts
            .into_iter()
            .for_each(|text| canon.option(text.as_deref()));
        canon.finish()
    }

    /// Returns the digest of the package fields that affect the answers to queries about upgrades.
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

    /// Returns the digest of the package fields that are only displayed. `head` is the digest of
    /// the description and the icon.
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

/// Hashes values in a form that is different for each sequence of values.
#[derive(Default)]
struct Canon(Sha256);

// === impl Canon ===

impl Canon {
    fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
    }

    fn option(&mut self, text: Option<&str>) {
        self.list(text.into_iter(), |canon, text| canon.text(text));
    }

    fn digest(&mut self, digest: Digest) {
        self.0.update(digest.0);
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

    /// Adds the bundle fields that affect upgrades and dependencies.
    fn bundle(&mut self, bundle: &Bundle) {
        let Bundle {
            name,
            version,
            release,
            provides,
            requires,
            max_openshift_version,
            is_prohibited,
            properties,
            image: _,
            has_objects: _,
            related_images: _,
            display: _,
            place: _,
        } = bundle;
        let Requirements {
            apis,
            packages,
            constraints,
        } = requires;
        self.text(name.as_str());
        self.text(&version.to_string());
        self.option(release.as_ref().map(|release| release.as_str()));
        self.list(provides.iter(), Self::api);
        self.list(apis.iter(), Self::api);
        self.list(packages.iter(), Self::requirement);
        self.list(constraints.iter(), |canon, constraint| {
            canon.text(constraint.text());
        });
        self.option(max_openshift_version.as_deref());
        // The mark and the properties are in one list. Each property has two texts, so only a list
        // with an odd number of texts starts with the mark.
        let mut marks: Vec<&str> = is_prohibited.then_some("prohibited").into_iter().collect();
        marks.extend(properties.iter().flat_map(|property| {
            let Property { kind, value } = property;
            [kind.as_ref(), value.as_ref()]
        }));
        self.list(marks.into_iter(), Self::text);
    }

    /// Adds the bundle fields that are only displayed.
    fn display(&mut self, bundle: &Bundle) {
        let Display {
            name,
            install_modes,
            min_kube_version,
        } = &bundle.display;
        self.text(bundle.name.as_str());
        self.option(bundle.image.as_deref());
        self.list(bundle.related_images.iter(), |canon, related| {
            let RelatedImage { name, image } = related;
            canon.text(name);
            canon.text(image);
        });
        self.option(name.as_deref());
        self.list(install_modes.iter(), |canon, mode| {
            let InstallMode { name, is_supported } = mode;
            canon.text(name);
            canon.option(is_supported.then_some("supported"));
        });
        self.option(min_kube_version.as_deref());
    }

    fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }

    fn api(&mut self, api: &Api) {
        let Api {
            group,
            version,
            kind,
        } = api;
        self.text(group);
        self.text(version);
        self.text(kind);
    }

    /// Adds a required package. Ranges that match the same versions add the same text. A text that
    /// is not a valid range is added unchanged.
    fn requirement(&mut self, requirement: &PackageRequirement) {
        let PackageRequirement {
            package,
            text,
            range,
        } = requirement;
        self.text(package.as_str());
        match range {
            Some(range) => self.text(&range.canonical().to_string()),
            None => self.text(&format!("unreadable: {text}")),
        }
    }
}
