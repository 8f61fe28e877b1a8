//! Text to [`Catalog`]. What the statements mean is said at the parent module.

mod words;

use std::str::FromStr;

use thiserror::Error;

use self::words::{Complaint, Words, position, statements};
use super::{Api, Bundle, Catalog, Channel, Entry, Package, Requirement};

const CLAUSES: &str =
    "`replaces`, `skips`, `covers`, `provides`, `requires`, `deprecated`, `unlisted`, `missing`";

/// Why a text is no catalog, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("catalog text, line {line}, column {column}: {complaint}")]
pub struct Misreading {
    pub line: usize,
    pub column: usize,
    pub complaint: String,
}

/// The package and the channels of which a statement speaks.
struct Head {
    package: usize,
    channels: Vec<String>,
}

#[derive(Default)]
struct Reader {
    catalog: Catalog,
    head: Option<Head>,
}

impl FromStr for Catalog {
    type Err = Misreading;

    fn from_str(text: &str) -> Result<Self, Misreading> {
        parse(text)
    }
}

pub(super) fn parse(text: &str) -> Result<Catalog, Misreading> {
    let mut reader = Reader::default();
    for statement in statements(text) {
        reader
            .statement(statement)
            .map_err(|Complaint { at, message }| {
                let (line, column) = position(text, at);
                Misreading {
                    line,
                    column,
                    complaint: message,
                }
            })?;
    }
    let mut catalog = reader.catalog;
    for package in &mut catalog.packages {
        let first = package.channels.first().map(|channel| channel.name.clone());
        package.default_channel = package.default_channel.take().or(first);
    }
    Ok(catalog)
}

impl Reader {
    fn statement<'t>(&mut self, statement: &'t str) -> Result<(), Complaint<'t>> {
        let body = match words::split_head(statement) {
            Some((head, body)) => {
                self.open(head)?;
                body
            }
            None => statement,
        };
        let mut words = Words::new(body);
        if words.is_done() {
            return Ok(());
        }
        let Some(head) = &self.head else {
            return Err(Complaint::new(
                body.trim(),
                "a statement stands before the first head",
            ));
        };
        let mut scope = Scope {
            package: &mut self.catalog.packages[head.package],
            channels: &head.channels,
        };
        scope.statement(&mut words)?;
        words.end()
    }

    /// `a`, `a/fast` or `a[stable, fast]`.
    fn open<'t>(&mut self, head: &'t str) -> Result<(), Complaint<'t>> {
        let (name, channels) = match (head.split_once('/'), head.split_once('[')) {
            (Some((name, channel)), None) => (name, vec![channel.trim()]),
            (None, Some((name, list))) => {
                let list = list.strip_suffix(']');
                let list = list.ok_or_else(|| Complaint::new(head, "a head lacks its `]`"))?;
                (name, list.split(',').map(str::trim).collect())
            }
            (None, None) => (head, Vec::new()),
            (Some(_), Some(_)) => {
                return Err(Complaint::new(
                    head,
                    "a head has either `/` or `[`, not both",
                ));
            }
        };
        if name.is_empty() || channels.contains(&"") {
            return Err(Complaint::new(
                head,
                "a head names a package and channels, like `a/fast:`",
            ));
        }
        let package = self.package(name);
        for channel in &channels {
            channel_of(&mut self.catalog.packages[package], channel);
        }
        // A bare head stands for `stable`, which exists once it has an entry.
        let channels = if channels.is_empty() {
            vec!["stable"]
        } else {
            channels
        };
        let channels = channels.into_iter().map(String::from).collect();
        self.head = Some(Head { package, channels });
        Ok(())
    }

    fn package(&mut self, name: &str) -> usize {
        let packages = &mut self.catalog.packages;
        let known = packages.iter().position(|package| package.name == name);
        known.unwrap_or_else(|| {
            packages.push(Package {
                name: name.into(),
                ..Package::default()
            });
            packages.len() - 1
        })
    }
}

/// Where a statement takes effect.
struct Scope<'r> {
    package: &'r mut Package,
    channels: &'r [String],
}

impl Scope<'_> {
    fn statement<'t>(&mut self, words: &mut Words<'t>) -> Result<(), Complaint<'t>> {
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
                bundle.requires.push(match target.contains('/') {
                    true => Requirement::Api(api(target)?),
                    false => Requirement::Package {
                        name: target.into(),
                        range: words.rest("a range of versions")?.into(),
                    },
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

    /// An entry in each channel of the head, and the bundle.
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

fn channel_of<'p>(package: &'p mut Package, name: &str) -> &'p mut Channel {
    let fresh = || Channel {
        name: name.into(),
        ..Channel::default()
    };
    found_or_pushed(&mut package.channels, |channel| channel.name == name, fresh)
}

fn bundle_of<'p>(package: &'p mut Package, version: &str) -> &'p mut Bundle {
    let name = bundle_name(&package.name, version);
    // An image tag has no room for the `+` of build metadata.
    let image = format!(
        "registry.example/{}:v{}",
        package.name,
        version.replace('+', "-")
    );
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
