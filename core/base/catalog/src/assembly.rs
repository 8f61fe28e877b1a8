//! Combines the documents of several files, in any order, into packages.

use std::borrow::Borrow;
use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName, PackageName};

use crate::Reading;
use crate::digest::Digest;
use crate::document::{Content, Deprecation, Document, Head};
use crate::fault::{Defect, Fault, Schema};
use crate::model::CatalogPlace;
use crate::model::{Bundle, Catalog, Channel, Deprecations, Package};

// === impl Catalog ===

impl Catalog {
    /// Builds the catalog from the documents of all files. If two files define the same object
    /// differently, the file whose name sorts first wins. So the result does not depend on the
    /// order in which the caller reads the files.
    pub fn of<R: Borrow<Reading>>(readings: impl IntoIterator<Item = R>) -> Self {
        let mut readings: Vec<R> = readings.into_iter().collect();
        readings.sort_by(|left, right| left.borrow().file.cmp(&right.borrow().file));
        let mut assembly = Assembly::default();
        for reading in &readings {
            assembly.take(reading.borrow());
        }
        assembly.finish()
    }
}

/// The maximum number of entries in all channels of a package. Real packages have up to 500
/// entries. The time of a query about all channels increases with the square of this number.
const MOST_ENTRIES: usize = 20_000;

#[derive(Debug, Default)]
struct Assembly {
    parts: BTreeMap<PackageName, Parts>,
    faults: Vec<Fault>,
    foreign: BTreeMap<String, u64>,
}

/// A package under construction, with the position of the first document that mentions it.
#[derive(Debug)]
struct Parts {
    first: CatalogPlace,
    head: Option<(CatalogPlace, Head)>,
    channels: BTreeMap<ChannelName, Arc<Channel>>,
    bundles: BTreeMap<BundleName, Arc<Bundle>>,
    deprecations: Option<(CatalogPlace, Vec<Deprecation>)>,
}

// === impl Assembly ===

impl Assembly {
    fn take(&mut self, reading: &Reading) {
        let Reading {
            file: _,
            documents,
            faults,
            foreign,
        } = reading;
        self.faults.extend(faults.iter().cloned());
        for (schema, count) in foreign {
            *self.foreign.entry(schema.clone()).or_default() += count;
        }
        for document in documents {
            let Document { place, package, .. } = document;
            let parts = self
                .parts
                .entry(package.clone())
                .or_insert_with(|| Parts::begun_at(place));
            if let Err(defect) = parts.take(document) {
                self.faults.push(fault(place, package, defect));
            }
        }
    }

    fn finish(mut self) -> Catalog {
        let mut packages = BTreeMap::new();
        for (name, parts) in self.parts {
            if let Some(package) = parts.finish(&name, &mut self.faults) {
                audit(&package, &mut self.faults);
                packages.insert(name, Arc::new(package));
            }
        }
        self.faults.sort();
        Catalog {
            foreign: self.foreign,
            digest: Digest::of(&packages, |package| package.digest),
            display_digest: Digest::of(&packages, |package| package.display_digest),
            fault_digest: Digest::of_texts(self.faults.iter().map(|fault| Some(fault.to_string()))),
            faults: self.faults,
            packages,
        }
    }
}

// === impl Parts ===

impl Parts {
    fn begun_at(place: &CatalogPlace) -> Self {
        Self {
            first: place.clone(),
            head: None,
            channels: BTreeMap::new(),
            bundles: BTreeMap::new(),
            deprecations: None,
        }
    }

    /// Adds a document to the package. Returns an error if a document about the same object already
    /// exists.
    fn take(&mut self, document: &Document) -> Result<(), Defect> {
        let Document {
            place,
            package,
            content,
        } = document;
        match content {
            Content::Package(head) => match self.head {
                Some(_) => Err(repeated(Schema::Package, package.as_str())),
                None => {
                    self.head = Some((place.clone(), head.clone()));
                    Ok(())
                }
            },
            Content::Channel(channel) => {
                let name = channel.name.clone();
                insert(&mut self.channels, name, channel)
                    .map_err(|name| repeated(Schema::Channel, name.as_str()))
            }
            Content::Bundle(bundle) => {
                let name = bundle.name.clone();
                insert(&mut self.bundles, name, bundle)
                    .map_err(|name| repeated(Schema::Bundle, name.as_str()))
            }
            Content::Deprecations(entries) => match self.deprecations {
                Some(_) => Err(repeated(Schema::Deprecations, package.as_str())),
                None => {
                    self.deprecations = Some((place.clone(), entries.clone()));
                    Ok(())
                }
            },
        }
    }

    /// Returns the package, or None if it has no `olm.package` document.
    fn finish(self, name: &PackageName, faults: &mut Vec<Fault>) -> Option<Package> {
        let Self {
            first,
            head,
            channels,
            bundles,
            deprecations,
        } = self;
        let Some((place, head)) = head else {
            faults.push(fault(&first, name, Defect::NoPackage(name.clone())));
            return None;
        };
        let displays: Vec<&Bundle> = bundles.values().map(AsRef::as_ref).collect();
        let display_digest = Digest::of_display(head.display, &displays);
        let mut package = Package {
            name: name.clone(),
            default_channel: head.default_channel,
            channels: bounded(channels, name, faults),
            bundles,
            deprecations: Deprecations::default(),
            digest: display_digest,
            display_digest,
            place,
        };
        if let Some((place, entries)) = deprecations {
            for entry in entries {
                deprecate(&mut package, &place, entry, faults);
            }
        }
        package.digest = Digest::of_package(&package);
        Some(package)
    }
}

/// Removes channels so that the remaining channels have at most [`MOST_ENTRIES`] entries together.
/// An empty channel counts as one entry. Reports each removed channel as a fault.
fn bounded(
    mut channels: BTreeMap<ChannelName, Arc<Channel>>,
    package: &PackageName,
    faults: &mut Vec<Fault>,
) -> BTreeMap<ChannelName, Arc<Channel>> {
    let mut left = MOST_ENTRIES;
    channels.retain(|_, channel| {
        let rest = left.checked_sub(channel.entries.len().max(1));
        left = rest.unwrap_or(left);
        if rest.is_none() {
            let defect = Defect::TooMuch {
                what: "a package of more entries in all its channels",
                limit: MOST_ENTRIES as u64,
            };
            let subject = format!("channel {}", channel.name);
            faults.push(Fault {
                subject,
                ..fault(&channel.place, package, defect)
            });
        }
        rest.is_some()
    });
    channels
}

/// Stores a deprecation if the deprecated object exists. Otherwise, reports a fault.
fn deprecate(
    package: &mut Package,
    place: &CatalogPlace,
    entry: Deprecation,
    faults: &mut Vec<Fault>,
) {
    let Deprecation {
        schema,
        name,
        message,
        line,
    } = entry;
    let noted = &mut package.deprecations;
    let channel = package.channels.get_key_value(&*name);
    let bundle = package.bundles.get_key_value(&*name);
    match (schema, channel, bundle) {
        (Schema::Package, ..) => noted.package = Some(message),
        (Schema::Channel, Some((name, _)), _) => {
            noted.channels.insert(name.clone(), message);
        }
        (Schema::Bundle, _, Some((name, _))) => {
            noted.bundles.insert(name.clone(), message);
        }
        (Schema::Channel | Schema::Bundle | Schema::Deprecations, ..) => {
            let name = crate::node::excerpt(&name).escape_debug().to_string();
            let defect = Defect::UnknownDeprecated { schema, name };
            faults.push(Fault {
                line,
                ..fault(place, &package.name, defect)
            });
        }
    }
}

fn insert<K: Ord + Clone, V>(
    map: &mut BTreeMap<K, Arc<V>>,
    key: K,
    value: &Arc<V>,
) -> Result<(), K> {
    match map.entry(key) {
        Slot::Occupied(slot) => Err(slot.key().clone()),
        Slot::Vacant(slot) => {
            slot.insert(Arc::clone(value));
            Ok(())
        }
    }
}

fn repeated(schema: Schema, name: &str) -> Defect {
    Defect::Repeated {
        schema,
        name: name.to_owned(),
    }
}

fn fault(place: &CatalogPlace, package: &PackageName, defect: Defect) -> Fault {
    Fault {
        file: Arc::clone(&place.file),
        line: place.line,
        package: Some(package.to_string()),
        subject: String::new(),
        defect,
    }
}

fn audit(package: &Package, faults: &mut Vec<Fault>) {
    let mut report =
        |place: &CatalogPlace, defect| faults.push(fault(place, &package.name, defect));
    channels(package, &mut report);
    bundles(package, &mut report);
}

fn channels(package: &Package, report: &mut impl FnMut(&CatalogPlace, Defect)) {
    if package.channels.is_empty() {
        report(&package.place, Defect::NoChannel(package.name.clone()));
    }
    if let Some(default) = &package.default_channel
        && !package.channels.contains_key(default)
    {
        report(&package.place, Defect::UnknownDefault(default.clone()));
    }
    for channel in package.channels.values() {
        if channel.entries.is_empty() {
            report(&channel.place, Defect::NoEntries(channel.name.clone()));
        }
        for entry in channel.entries.keys() {
            if !package.bundles.contains_key(entry) {
                let defect = Defect::NoBundle {
                    channel: channel.name.clone(),
                    entry: entry.clone(),
                };
                report(&channel.place, defect);
            }
        }
    }
}

fn bundles(package: &Package, report: &mut impl FnMut(&CatalogPlace, Defect)) {
    let listed: BTreeSet<&BundleName> = package
        .channels
        .values()
        .flat_map(|channel| channel.entries.keys())
        .collect();
    // Versions are compared as texts, because `1.0.0` and `1.0.0+1` have equal precedence but are
    // different versions.
    let mut versions: BTreeMap<(String, _), Vec<BundleName>> = BTreeMap::new();
    for bundle in package.bundles.values() {
        if !listed.contains(&bundle.name) {
            report(&bundle.place, Defect::Unlisted(bundle.name.clone()));
        }
        let version = (bundle.version.to_string(), bundle.release.as_ref());
        let same = versions.entry(version).or_default();
        same.push(bundle.name.clone());
    }
    for ((version, _), bundles) in versions {
        if let [_, .., last] = bundles.as_slice() {
            let place = &package.bundles[last].place;
            report(place, Defect::SameVersion { version, bundles });
        }
    }
}
