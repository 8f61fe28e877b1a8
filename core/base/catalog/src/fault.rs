//! The faults of a catalog, with their positions.

use std::fmt;
use std::sync::Arc;

use portolan_core_names::text::{SENTENCE, cut};
use portolan_core_names::{BundleName, ChannelName, PackageName, codes_of};
use thiserror::Error;

/// A defect of a catalog, with its position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The name of the file that the caller gave.
    pub file: Arc<str>,
    /// The line, counted from 1. If the line of the defect is unknown, the first line of the
    /// document.
    pub line: u64,
    /// The package of the document. None if its name could not be read.
    pub package: Option<String>,
    /// The affected object in the package, such as `channel stable, entry a.v1.0.0`. Often empty.
    pub subject: String,
    pub defect: Defect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A defect for which opm rejects the whole catalog.
    Error,
    /// A defect with which opm still serves the catalog, but its content means something else than
    /// the author intended.
    Warning,
    /// Valid content that is often intentional, but useful to know.
    Note,
}

// === impl Severity ===

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

// === impl Fault ===

impl Fault {
    pub fn severity(&self) -> Severity {
        self.defect.severity()
    }
}

/// Formats the fault on one line. Escapes names.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            package,
            subject,
            defect,
        } = self;
        write!(f, "{}:{line}: ", file.escape_debug())?;
        // Keys, names and parser messages may have any length, so they are truncated.
        let quoted = |text: &str| cut(&text.escape_debug().to_string(), SENTENCE);
        if let Some(package) = package {
            write!(f, "package {}", quoted(package))?;
            if !subject.is_empty() {
                write!(f, ", {}", quoted(subject))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&cut(&defect.to_string(), SENTENCE))
    }
}

/// A schema that this crate reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Schema {
    Package,
    Channel,
    Bundle,
    Deprecations,
}

/// The defect in a fault. The variants before `Repeated` are defects of a single document. The
/// other variants are contradictions between documents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum Defect {
    /// The remaining part of the file cannot be read. Contains the message of the parser.
    #[error("the rest of the file cannot be read: {0}")]
    Unreadable(String),
    /// The document is neither YAML nor JSON. Contains the message of the parser.
    #[error("{0}")]
    Syntax(String),
    /// The document exceeds a limit that no real catalog reaches.
    #[error("{what} than {limit}, more than any catalog needs; the rest was not read")]
    TooMuch { what: &'static str, limit: u64 },
    /// The value has another type than the key requires.
    #[error("`{key}` is {found}; expected {expected}")]
    Type {
        key: String,
        found: String,
        expected: &'static str,
    },
    /// A required key is missing or empty.
    #[error("{what} has no `{key}`")]
    Missing {
        what: &'static str,
        key: &'static str,
    },
    /// The text is not a valid name, version or range. Contains the error as a sentence.
    #[error("`{key}`: {refusal}")]
    Refused { key: &'static str, refusal: String },
    /// The value is valid, but it has no effect, or another effect than it seems to have.
    #[error("`{key}`: {sentence}")]
    Doubtful {
        key: &'static str,
        sentence: String,
        /// The severity of this defect in opm.
        severity: Severity,
    },
    /// A key occurs in two spellings that differ in upper and lower case.
    #[error("`{first}` and `{second}` are the same key; write one of them")]
    Spellings { first: String, second: String },
    /// A key occurs twice. As in opm, the last value is used.
    #[error("`{0}` appears twice; the last one is used")]
    KeyTwice(String),
    /// The catalog contains an object twice.
    #[error("{schema} {name} appears twice in the catalog; the first one is used")]
    Repeated { schema: Schema, name: String },
    /// A channel contains an entry twice.
    #[error("entry {0} appears twice in its channel; the first one is used")]
    EntryTwice(BundleName),
    /// An object is deprecated twice.
    #[error("a second deprecation of the same {0}; the first one is used")]
    DeprecatedTwice(Schema),
    /// Documents name a package that has no `olm.package` document.
    #[error("package {0} has no olm.package document, so it is not offered")]
    NoPackage(PackageName),
    /// The package has no channels.
    #[error("package {0} has no channel")]
    NoChannel(PackageName),
    /// The package has no default channel.
    #[error("the package names no default channel")]
    NoDefault,
    /// The default channel does not exist.
    #[error("the default channel {0} is not among the channels of the package")]
    UnknownDefault(ChannelName),
    /// The channel has no head.
    #[error("channel {0} has no entries")]
    NoEntries(ChannelName),
    /// The bundle of a channel entry does not exist.
    #[error("channel {channel} has the entry {entry}, but the catalog has no such bundle")]
    NoBundle {
        channel: ChannelName,
        entry: BundleName,
    },
    /// The bundle is in no channel.
    #[error("bundle {0} is in no channel")]
    Unlisted(BundleName),
    /// Several bundles have the same version.
    #[error("several bundles have the version {version}: {}", list(bundles))]
    SameVersion {
        version: String,
        bundles: Vec<BundleName>,
    },
    /// The object of a deprecation does not exist.
    #[error("{schema} {name} is deprecated, but does not exist in the package")]
    UnknownDeprecated {
        /// The schema of the deprecated object.
        schema: Schema,
        name: String,
    },
    /// The file has too many faults to list all of them. Contains the number of the other faults.
    #[error("{0} more faults in this file are not listed")]
    More(u64),
}

// === impl Schema ===

impl Schema {
    /// The schemas, in the order of the variants.
    pub const ALL: [Self; 4] = [
        Self::Package,
        Self::Channel,
        Self::Bundle,
        Self::Deprecations,
    ];

    /// Returns the name of the schema, such as `olm.package`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Package => "olm.package",
            Self::Channel => "olm.channel",
            Self::Bundle => "olm.bundle",
            Self::Deprecations => "olm.deprecations",
        }
    }

    /// Returns the schema with this name. Returns None if this crate does not read it.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|schema| schema.as_str() == text)
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Package => "package",
            Self::Channel => "channel",
            Self::Bundle => "bundle",
            Self::Deprecations => "olm.deprecations of package",
        })
    }
}

codes_of! { Defect;
    Self::Unreadable(_) => Unreadable: "The file cannot be read completely.",
    Self::Syntax(_) => Syntax: "The file is not valid YAML or JSON from this line on.",
    Self::TooMuch { .. } => TooMuch: "The content exceeds a limit. The rest was not read.",
    Self::Type { .. } => Type: "A value has the wrong type, such as the number `1.0` for a string.",
    Self::Missing { .. } => Missing: "A required key is missing or empty.",
    Self::Refused { .. } => Refused: "A name, version or range is invalid. The message names the column.",
    Self::Doubtful { .. } => Doubtful: "A value is valid but has no effect, or not the apparent one.",
    Self::Spellings { .. } => Spellings: "A key appears in two spellings.",
    Self::KeyTwice(_) => KeyTwice: "A key appears twice. The last one is used.",
    Self::Repeated { .. } => Repeated: "The same package, channel or bundle is defined twice. The \
     first one is used.",
    Self::EntryTwice(_) => EntryTwice: "A channel has the same entry twice. The first one is used.",
    Self::DeprecatedTwice(_) => DeprecatedTwice: "The same package, channel or bundle is \
     deprecated twice. The first one is used.",
    Self::NoPackage(_) => NoPackage: "Documents belong to a package without `olm.package`. The package is not offered.",
    Self::NoChannel(_) => NoChannel: "The package has no channel.",
    Self::NoDefault => NoDefault: "The package names no default channel.",
    Self::UnknownDefault(_) => UnknownDefault: "The default channel is not among the channels of the package.",
    Self::NoEntries(_) => NoEntries: "The channel has no entries.",
    Self::NoBundle { .. } => NoBundle: "An entry names a bundle that the catalog does not have.",
    Self::Unlisted(_) => Unlisted: "The bundle is in no channel, so it is never installed.",
    Self::SameVersion { .. } => SameVersion: "Several bundles of the package have the same version.",
    Self::UnknownDeprecated { .. } => UnknownDeprecated: "A deprecation names something that the package does not have.",
    Self::More(_) => More: "The file has more faults than are listed.",
}

// === impl Defect ===

impl Defect {
    fn severity(&self) -> Severity {
        match self {
            Self::Doubtful { severity, .. } => *severity,
            Self::KeyTwice(_) => Severity::Warning,
            Self::Unreadable(_)
            | Self::Syntax(_)
            | Self::TooMuch { .. }
            | Self::Type { .. }
            | Self::Missing { .. }
            | Self::Refused { .. }
            | Self::Spellings { .. }
            | Self::Repeated { .. }
            | Self::EntryTwice(_)
            | Self::DeprecatedTwice(_)
            | Self::NoPackage(_)
            | Self::NoChannel(_)
            | Self::NoDefault
            | Self::UnknownDefault(_)
            | Self::NoEntries(_)
            | Self::NoBundle { .. }
            | Self::Unlisted(_)
            | Self::SameVersion { .. }
            | Self::UnknownDeprecated { .. }
            | Self::More(_) => Severity::Error,
        }
    }
}

fn list(names: &[BundleName]) -> String {
    let names: Vec<_> = names.iter().map(BundleName::as_str).collect();
    names.join(", ")
}
