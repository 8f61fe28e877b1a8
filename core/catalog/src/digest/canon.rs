//! The canonical form: values in a fixed order, each with its length before it.

use sha2::{Digest as _, Sha256};

use super::Digest;
use crate::model::{
    Api, Bundle, Display, Entry, InstallMode, PackageRequirement, Property, RelatedImage,
    Requirements,
};

/// Feeds values so that no two different sequences feed the same bytes.
#[derive(Default)]
pub(super) struct Canon(Sha256);

// === impl Canon ===

impl Canon {
    pub(super) fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
    }

    pub(super) fn option(&mut self, text: Option<&str>) {
        self.list(text.into_iter(), |canon, text| canon.text(text));
    }

    pub(super) fn digest(&mut self, digest: Digest) {
        self.0.update(digest.0);
    }

    pub(super) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut feed: impl FnMut(&mut Self, T),
    ) {
        self.0.update((items.len() as u64).to_be_bytes());
        items.for_each(|item| feed(self, item));
    }

    pub(super) fn entry(&mut self, entry: &Entry) {
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

    /// A bundle as far as upgrades and dependencies go.
    pub(super) fn bundle(&mut self, bundle: &Bundle) {
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
        // One list for both: an even number of texts is of properties alone.
        let mut marks: Vec<&str> = is_prohibited.then_some("prohibited").into_iter().collect();
        marks.extend(properties.iter().flat_map(|property| {
            let Property { kind, value } = property;
            [kind.as_ref(), value.as_ref()]
        }));
        self.list(marks.into_iter(), Self::text);
    }

    /// A bundle as far as people see it.
    pub(super) fn display(&mut self, bundle: &Bundle) {
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

    pub(super) fn finish(self) -> Digest {
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

    /// Ranges that match the same versions are the same; a text that is no range is itself.
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
