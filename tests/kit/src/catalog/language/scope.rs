//! Applies a statement to its package.

use super::words::{Complaint, Words};
use crate::catalog::{Api, Bundle, Channel, Entry, Package, Requirement, images};

const CLAUSES: &str =
    "`replaces`, `skips`, `covers`, `provides`, `requires`, `deprecated`, `unlisted`, `missing`";

/// The package and the channels that a statement changes.
pub(super) struct Scope<'r> {
    pub(super) package: &'r mut Package,
    pub(super) channels: &'r [String],
}

impl Scope<'_> {
    pub(super) fn statement<'t>(&mut self, words: &mut Words<'t>) -> Result<(), Complaint<'t>> {
        let first = words.word("a version")?;
        match first {
            "default" => self.package.default_channel = Some(words.word("a channel")?.into()),
            "package" => {
                words.keyword("deprecated")?;
                self.package.deprecated = Some(words.message()?.into());
            }
            "channel" => {
                let name = words.word("a channel")?;
                words.keyword("deprecated")?;
                let message = words.message()?;
                channel_of(self.package, name).deprecated = Some(message.into());
            }
            version => self.chain(version, words)?,
        }
        Ok(())
    }

    fn chain<'t>(&mut self, first: &'t str, words: &mut Words<'t>) -> Result<(), Complaint<'t>> {
        let mut last = first;
        let mut links = 0;
        while words.arrow() {
            let next = words.word("a version after `->`")?;
            self.listed(last);
            self.replace(next, last)?;
            last = next;
            links += 1;
        }
        if words.is_done() {
            self.listed(last);
            return Ok(());
        }
        let clause = words.word("a clause")?;
        match clause {
            "unlisted" | "missing" if links > 0 => Err(Complaint::new(
                clause,
                "it is said of a single version, not of a chain",
            )),
            "unlisted" => {
                self.bundle(last);
                Ok(())
            }
            "missing" => {
                self.each_entry(last, |_| ());
                let name = bundle_name(&self.package.name, last);
                self.package.bundles.retain(|bundle| bundle.name != name);
                Ok(())
            }
            "replaces" => self.replace(last, words.word("a version")?),
            "skips" | "covers" => self.graph_clause(last, clause, words),
            _ => self.bundle_clause(last, clause, words),
        }
    }

    fn graph_clause<'t>(
        &mut self,
        version: &str,
        clause: &str,
        words: &mut Words<'t>,
    ) -> Result<(), Complaint<'t>> {
        self.listed(version);
        if clause == "covers" {
            let range = words.rest("a range")?;
            self.each_entry(version, |entry| entry.skip_range = Some(range.into()));
            return Ok(());
        }
        for skipped in words.list("a version")? {
            let skipped = bundle_name(&self.package.name, skipped);
            self.each_entry(version, |entry| entry.skips.push(skipped.clone()));
        }
        Ok(())
    }

    fn bundle_clause<'t>(
        &mut self,
        version: &str,
        clause: &'t str,
        words: &mut Words<'t>,
    ) -> Result<(), Complaint<'t>> {
        let name = bundle_name(&self.package.name, version);
        if !self
            .package
            .bundles
            .iter()
            .any(|bundle| bundle.name == name)
        {
            self.listed(version);
        }
        let bundle = bundle_of(self.package, version);
        match clause {
            "provides" => {
                for text in words.list("an API")? {
                    bundle.provides.push(api(text)?);
                }
            }
            "requires" => {
                let target = words.word("a package or an API")?;
                bundle.requires.push(if target.contains('/') {
                    Requirement::Api(api(target)?)
                } else {
                    Requirement::Package {
                        name: target.into(),
                        range: words.rest("a range of versions")?.into(),
                    }
                });
            }
            "deprecated" => bundle.deprecated = Some(words.message()?.into()),
            other => {
                let message = format!("`{other}` is no clause; there are {CLAUSES}");
                return Err(Complaint::new(other, message));
            }
        }
        Ok(())
    }

    fn replace<'t>(&mut self, version: &'t str, replaced: &str) -> Result<(), Complaint<'t>> {
        self.listed(version);
        let replaced = bundle_name(&self.package.name, replaced);
        let mut taken = None;
        self.each_entry(version, |entry| match &entry.replaces {
            Some(other) if *other != replaced => taken = Some(other.clone()),
            _ => entry.replaces = Some(replaced.clone()),
        });
        match taken {
            Some(other) => {
                let message = format!("{version} replaces {other} already, and an entry only one");
                Err(Complaint::new(version, message))
            }
            None => Ok(()),
        }
    }

    /// Adds the bundle, and one entry in each channel of the head.
    fn listed(&mut self, version: &str) {
        self.each_entry(version, |_| ());
        self.bundle(version);
    }

    fn bundle(&mut self, version: &str) {
        bundle_of(self.package, version);
    }

    fn each_entry(&mut self, version: &str, mut change: impl FnMut(&mut Entry)) {
        let name = bundle_name(&self.package.name, version);
        for channel in self.channels {
            let entries = &mut channel_of(self.package, channel).entries;
            let fresh = || Entry {
                name: name.clone(),
                ..Entry::default()
            };
            change(found_or_pushed(entries, |entry| entry.name == name, fresh));
        }
    }
}

pub(super) fn channel_of<'p>(package: &'p mut Package, name: &str) -> &'p mut Channel {
    let fresh = || Channel {
        name: name.into(),
        ..Channel::default()
    };
    found_or_pushed(&mut package.channels, |channel| channel.name == name, fresh)
}

fn bundle_of<'p>(package: &'p mut Package, version: &str) -> &'p mut Bundle {
    let name = bundle_name(&package.name, version);
    let image = images::image(&package.name, version);
    let fresh = || Bundle {
        name: name.clone(),
        version: version.into(),
        image,
        ..Bundle::default()
    };
    found_or_pushed(&mut package.bundles, |bundle| bundle.name == name, fresh)
}

fn found_or_pushed<T>(
    list: &mut Vec<T>,
    wanted: impl Fn(&T) -> bool,
    fresh: impl FnOnce() -> T,
) -> &mut T {
    let index = list.iter().position(wanted).unwrap_or_else(|| {
        list.push(fresh());
        list.len() - 1
    });
    &mut list[index]
}

fn bundle_name(package: &str, version: &str) -> String {
    format!("{package}.v{version}")
}

fn api(text: &str) -> Result<Api, Complaint<'_>> {
    match text.split('/').collect::<Vec<_>>()[..] {
        [group, version, kind] => Ok(Api {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        }),
        _ => Err(Complaint::new(
            text,
            format!("`{text}` is no API, which is group/version/Kind"),
        )),
    }
}
