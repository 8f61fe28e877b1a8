//! Documents in any order become packages.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::fmt::Display;
use std::sync::Arc;

use portolan_names::{BundleName, ChannelName, PackageName};

use crate::digest::Digest;
use crate::document::{Document, Property, RawEntry};
use crate::fault::{Fault, Trouble};
use crate::model::{Bundle, Catalog, Channel, Entry, Package};

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    parts: BTreeMap<PackageName, Parts>,
    pub(super) faults: Vec<Fault>,
}

/// A package under construction, with the place of the first document that mentions it.
#[derive(Debug)]
struct Parts {
    place: Place,
    /// None until the `olm.package` comes.
    head: Option<Option<ChannelName>>,
    channels: BTreeMap<ChannelName, Channel>,
    bundles: BTreeMap<BundleName, Bundle>,
}

#[derive(Debug, Clone)]
struct Place {
    file: String,
    line: u64,
    package: Option<String>,
}

// === impl Assembly ===

impl Assembly {
    /// Takes a document over, or says why not.
    pub(super) fn take(&mut self, file: &str, line: u64, document: Document) {
        let schema = document.schema.clone().unwrap_or_default();
        let package = match schema.as_str() {
            "olm.package" => document.name.clone(),
            _ => document.package.clone(),
        };
        let place = Place {
            file: file.to_owned(),
            line,
            package,
        };
        let taken = match schema.as_str() {
            "olm.package" => self.take_package(&place, document),
            "olm.channel" => self.take_channel(&place, document),
            "olm.bundle" => self.take_bundle(&place, document),
            "" => Err(Trouble::Missing {
                schema: "a document".to_owned(),
                key: "schema",
            }),
            // Other schemas are other programs' business.
            _ => Ok(()),
        };
        if let Err(trouble) = taken {
            self.faults.push(place.fault(trouble));
        }
    }

    pub(super) fn finish(mut self) -> Catalog {
        let mut packages = BTreeMap::new();
        for (
            name,
            Parts {
                place,
                head,
                channels,
                bundles,
            },
        ) in self.parts
        {
            let Some(default_channel) = head else {
                self.faults.push(place.fault(Trouble::NoPackage(name)));
                continue;
            };
            let package = Package {
                name: name.clone(),
                default_channel,
                channels,
                bundles,
            };
            packages.insert(name, Arc::new(package));
        }
        let digest = Digest::of(&packages);
        Catalog {
            packages,
            faults: self.faults,
            digest,
        }
    }

    fn take_package(&mut self, place: &Place, document: Document) -> Result<(), Trouble> {
        let name = parse("name", required(document.name, "olm.package", "name")?)?;
        let channel = document
            .default_channel
            .filter(|channel| !channel.is_empty());
        let channel = channel
            .map(|channel| parse("defaultChannel", channel))
            .transpose()?;
        let parts = self.parts(place, &name);
        match parts.head {
            Some(_) => Err(Trouble::SecondPackage(name)),
            None => {
                parts.head = Some(channel);
                Ok(())
            }
        }
    }

    fn take_channel(&mut self, place: &Place, document: Document) -> Result<(), Trouble> {
        let package = parse(
            "package",
            required(document.package, "olm.channel", "package")?,
        )?;
        let name: ChannelName = parse("name", required(document.name, "olm.channel", "name")?)?;
        let mut entries = BTreeMap::new();
        for raw in document.entries {
            // An entry that cannot be read costs itself: the others are still a graph.
            let taken =
                self.entry(place, raw)
                    .and_then(|entry| match entries.entry(entry.name.clone()) {
                        Slot::Occupied(_) => Err(Trouble::SecondEntry(entry.name)),
                        Slot::Vacant(slot) => {
                            slot.insert(entry);
                            Ok(())
                        }
                    });
            if let Err(trouble) = taken {
                self.faults.push(place.fault(trouble));
            }
        }
        match self.parts(place, &package).channels.entry(name.clone()) {
            Slot::Occupied(_) => Err(Trouble::SecondChannel(name)),
            Slot::Vacant(slot) => {
                slot.insert(Channel { name, entries });
                Ok(())
            }
        }
    }

    fn take_bundle(&mut self, place: &Place, document: Document) -> Result<(), Trouble> {
        let package = parse(
            "package",
            required(document.package, "olm.bundle", "package")?,
        )?;
        let name: BundleName = parse("name", required(document.name, "olm.bundle", "name")?)?;
        let version = document
            .properties
            .into_iter()
            .find_map(|property| match property {
                Property::Package(value) => Some(value.version),
                Property::Other => None,
            });
        let version = required(version.flatten(), "olm.bundle", "version in olm.package")?;
        let version = parse("version", version)?;
        match self.parts(place, &package).bundles.entry(name.clone()) {
            Slot::Occupied(_) => Err(Trouble::SecondBundle(name)),
            Slot::Vacant(slot) => {
                slot.insert(Bundle { name, version });
                Ok(())
            }
        }
    }

    /// A skip range that is none costs only itself: the entry has other edges.
    fn entry(&mut self, place: &Place, raw: RawEntry) -> Result<Entry, Trouble> {
        let RawEntry {
            name,
            replaces,
            skips,
            skip_range,
        } = raw;
        let present = |text: Option<String>| text.filter(|text| !text.is_empty());
        let skip_range = match present(skip_range)
            .map(|text| parse("skipRange", text))
            .transpose()
        {
            Ok(range) => range,
            Err(trouble) => {
                self.faults.push(place.fault(trouble));
                None
            }
        };
        Ok(Entry {
            name: parse("entries.name", name)?,
            replaces: present(replaces)
                .map(|name| parse("replaces", name))
                .transpose()?,
            skips: skips
                .into_iter()
                .map(|name| parse("skips", name))
                .collect::<Result<_, _>>()?,
            skip_range,
        })
    }

    fn parts(&mut self, place: &Place, package: &PackageName) -> &mut Parts {
        self.parts.entry(package.clone()).or_insert_with(|| Parts {
            place: place.clone(),
            head: None,
            channels: BTreeMap::new(),
            bundles: BTreeMap::new(),
        })
    }
}

// === impl Place ===

impl Place {
    fn fault(&self, trouble: Trouble) -> Fault {
        let Self {
            file,
            line,
            package,
        } = self.clone();
        Fault {
            file,
            line,
            package,
            trouble,
        }
    }
}

fn required(value: Option<String>, schema: &str, key: &'static str) -> Result<String, Trouble> {
    value
        .filter(|value| !value.is_empty())
        .ok_or_else(|| Trouble::Missing {
            schema: schema.to_owned(),
            key,
        })
}

fn parse<T>(key: &'static str, text: String) -> Result<T, Trouble>
where
    T: TryFrom<String>,
    T::Error: Display,
{
    T::try_from(text).map_err(|refusal| Trouble::Refused {
        key,
        refusal: refusal.to_string(),
    })
}
