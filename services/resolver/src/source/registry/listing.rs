//! Converts the list of a registry to the documents of a catalog while the list arrives.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use portolan_core_catalog::{Defect, Reader, Reading, Severity};
use portolan_core_names::{PackageName, Version};
use portolan_proto::registry as pb;
use tonic::Status;

use super::document::{Csv, Deprecation, Document, Entry, excerpt};
use crate::budget::{Exceeded, Share, weight_of_head, weight_of_row};

/// The file name of a registry in faults. The line numbers in these faults count documents.
const REGISTRY: &str = "registry";

/// An incomplete list of a registry. Names and edges are kept in memory until the list is complete.
/// Each bundle is parsed as soon as its first row arrives.
#[derive(Debug)]
pub(super) struct Listing {
    reader: Reader,
    packages: BTreeMap<String, Listed>,
    /// The bundles whose details must be requested, because the list does not contain their
    /// manifests.
    untold: Vec<pb::Bundle>,
    /// A copy of the documents. None if no copy is needed.
    copy: Option<Copy>,
    /// The memory that is reserved for the list.
    share: Share,
}

/// A copy of the documents of a list.
#[derive(Debug, Default)]
pub(super) struct Copy {
    /// The packages whose bundles have all details in the copy.
    whole: BTreeSet<PackageName>,
    lines: Vec<u8>,
}

/// The rows of the list about one package.
#[derive(Debug, Default)]
struct Listed {
    /// The bundles by name, each with the hash of its document.
    bundles: BTreeMap<String, Repetition>,
    channels: BTreeMap<String, Vec<Entry>>,
    deprecations: BTreeSet<Deprecation>,
}

/// The comparison of the rows of a bundle. A bundle in several channels has several rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repetition {
    /// The rows that were read so far are equal. Contains the hash of a row.
    As(u64),
    /// The rows contradict each other. The catalog has one fault for this bundle.
    Contradicted,
}

// === impl Listing ===

impl Listing {
    /// Creates an empty list that reserves its memory from a share.
    pub(super) fn new(share: Share) -> Self {
        Self {
            reader: Reader::new(REGISTRY),
            packages: BTreeMap::new(),
            untold: Vec::new(),
            copy: None,
            share,
        }
    }

    /// Also keeps a copy of the documents. The bundles of these packages have all details in the
    /// copy.
    pub(super) fn kept(self, whole: BTreeSet<PackageName>) -> Self {
        let lines = Vec::new();
        Self {
            copy: Some(Copy { whole, lines }),
            ..self
        }
    }

    /// Adds a row: a bundle and its position in one channel.
    pub(super) fn take(&mut self, mut row: pb::Bundle) -> Result<(), Exceeded> {
        self.share.take(weight_of_row(&row))?;
        let Self { packages, .. } = self;
        let listed = packages.entry(row.package_name.clone()).or_default();
        let channel = listed.channels.entry(row.channel_name.clone());
        channel.or_default().push(Entry::of(&mut row));
        let deprecation = row.deprecation.take();
        let deprecation = deprecation.map(|told| Deprecation::of("olm.bundle", &row.name, told));
        listed.deprecations.extend(deprecation);
        if listed.is_news(&row) {
            if is_untold(&row) || self.is_whole(&row.package_name) {
                self.untold.push(row)
            } else {
                self.read(&row)
            }
        }
        Ok(())
    }

    /// Returns the listed packages.
    pub(super) fn packages(&self) -> Vec<String> {
        self.packages.keys().cloned().collect()
    }

    /// Returns the bundles whose details must be requested separately, and removes them from the
    /// list.
    pub(super) fn take_untold(&mut self) -> Vec<pb::Bundle> {
        std::mem::take(&mut self.untold)
    }

    /// Adds a listed bundle with the details that the request for this bundle has returned.
    pub(super) fn complete(&mut self, bundle: &pb::Bundle) -> Result<(), Exceeded> {
        let objects = bundle.objects.iter().map(|object| object.len());
        self.share
            .take(bundle.csv_json.len() + objects.sum::<usize>())?;
        self.read(bundle);
        Ok(())
    }

    fn read(&mut self, bundle: &pb::Bundle) {
        let is_whole = self.is_whole(&bundle.package_name);
        let csv = if is_whole || may_substitute(bundle) {
            Csv::parse(&bundle.csv_json)
        } else {
            None
        };
        let metadata = csv.as_ref().map(Csv::metadata);
        let document = if is_whole {
            let images = csv.as_ref().and_then(Csv::related_images);
            Document::whole(bundle, metadata.as_ref(), images)
        } else {
            Document::bundle(bundle, metadata.as_ref(), None)
        };
        match document {
            Ok(document) => self.feed(&document),
            Err(broken) => {
                let subject = format!("bundle {}", bundle.name);
                let complaint = doubt("properties", broken.to_string());
                self.reader
                    .complain(&bundle.package_name, &subject, complaint);
            }
        }
    }

    /// Adds a listed bundle whose details the registry does not return. Without the CSV, its
    /// version may be unknown.
    pub(super) fn add_without_details(
        &mut self,
        row: &pb::Bundle,
        call: &'static str,
        why: &Status,
    ) {
        if is_untold(row) {
            self.refused(call, &row.package_name, why)
        } else {
            self.read(row)
        }
    }

    /// Records that the registry does not return details of a package.
    pub(super) fn refused(&mut self, call: &'static str, package: &str, why: &Status) {
        let words = excerpt(why.message());
        let sentence = format!("the registry answers {:?}: {words:?}", why.code());
        self.reader.complain(package, "", doubt(call, sentence));
    }

    /// Adds the response of the registry about a package, which contains no bundles.
    pub(super) fn head(&mut self, name: &str, told: pb::Package) -> Result<(), Exceeded> {
        self.share.take(weight_of_head(&told))?;
        let pb::Package {
            name: called,
            channels,
            default_channel_name,
            deprecation,
        } = told;
        if called != name {
            let sentence = format!("the registry answers with package {:?}", excerpt(&called));
            let doubt = doubt("GetPackage", sentence);
            self.reader.complain(name, "", doubt);
            return Ok(());
        }
        self.feed(&Document::Package {
            name,
            default_channel: &default_channel_name,
        });
        let listed = self.packages.entry(called).or_default();
        let whole = deprecation.map(|told| Deprecation::of("olm.package", "", told));
        listed.deprecations.extend(whole);
        for pb::Channel { name, deprecation } in channels {
            let told = deprecation.map(|told| Deprecation::of("olm.channel", &name, told));
            listed.deprecations.extend(told);
            listed.channels.entry(name).or_default();
        }
        Ok(())
    }

    /// Ends the list. Returns the catalog, and the documents if they are kept.
    pub(super) fn finish(mut self) -> (Reading, Vec<u8>) {
        for (package, listed) in std::mem::take(&mut self.packages) {
            let Listed {
                bundles: _,
                channels,
                deprecations,
            } = listed;
            for (name, entries) in &channels {
                self.feed(&Document::Channel {
                    package: &package,
                    name,
                    entries,
                });
            }
            let entries: Vec<_> = deprecations.into_iter().collect();
            if !entries.is_empty() {
                self.feed(&Document::Deprecations {
                    package: &package,
                    entries: &entries,
                });
            }
        }
        let lines = self.copy.map(|copy| copy.lines);
        (self.reader.finish(), lines.unwrap_or_default())
    }

    fn is_whole(&self, package: &str) -> bool {
        let copy = self.copy.as_ref();
        copy.is_some_and(|copy| copy.whole.contains(package))
    }

    fn feed(&mut self, document: &Document<'_>) {
        let line = document.to_line();
        // If the limit of the reader is exceeded, the reader records the fault.
        let _ = self.reader.feed(&line);
        if let Some(copy) = &mut self.copy {
            copy.lines.extend(line);
        }
    }
}

// === impl Listed ===

impl Listed {
    /// Returns true if the row contains new facts about its bundle.
    fn is_news(&mut self, row: &pb::Bundle) -> bool {
        let mut hasher = DefaultHasher::new();
        let pb::Bundle {
            image,
            version,
            properties,
            ..
        } = row;
        (image, version).hash(&mut hasher);
        for pb::Property { r#type, value } in properties {
            (r#type, value).hash(&mut hasher);
        }
        let now = Repetition::As(hasher.finish());
        match self.bundles.get_mut(&row.name) {
            None => {
                self.bundles.insert(row.name.clone(), now);
                true
            }
            Some(seen) if *seen == now || *seen == Repetition::Contradicted => false,
            Some(seen) => {
                *seen = Repetition::Contradicted;
                true
            }
        }
    }
}

/// Returns true if the build metadata of the version may be a release. Only the CSV shows if it is
/// a release.
fn may_substitute(bundle: &pb::Bundle) -> bool {
    let version = Version::parse(&bundle.version);
    version.is_ok_and(|version| version.build_as_release().is_some())
}

/// Returns true if the list lacks the CSV of the bundle. The list contains only the CSVs of bundles
/// without an image.
fn is_untold(bundle: &pb::Bundle) -> bool {
    bundle.csv_json.is_empty() && may_substitute(bundle)
}

fn doubt(key: &'static str, sentence: String) -> Defect {
    Defect::Doubtful {
        key,
        sentence,
        severity: Severity::Error,
    }
}
