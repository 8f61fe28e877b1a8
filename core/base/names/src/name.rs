//! Names of catalogs, packages, channels and bundles.
//!
//! There are several grammars, because different people choose the names:
//! - Names of catalogs and packages follow the rule for names of Kubernetes objects, because they
//!   become such names.
//! - Authors choose the names of channels and bundles, and neither opm nor OLM checks their
//!   characters. For example, `Fast` is a channel of a published operator, and `p.v2.0.0+1` is a
//!   possible bundle name. For these names, this module rejects only what no catalog needs and what
//!   causes problems: white space, control characters, path separators, and names that start like a
//!   command line flag or a hidden file.
//!
//! ```
//! use portolan_core_names::{ChannelName, PackageName};
//!
//! assert!(ChannelName::parse("Fast").is_ok());
//! assert!(ChannelName::parse("../secrets").is_err());
//! assert!(PackageName::parse("Fast").is_err());
//! ```

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use crate::conversions::text_conversions;
use crate::invalid_text::{FlawAt, InvalidText};

/// The maximum length of a name. Kubernetes has the same maximum for object names, and the names of
/// bundles and catalogs become object names.
const LONGEST: usize = 253;

/// The error in a text that is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("the length is {length} bytes; 1 to {LONGEST} are allowed")]
    Length { length: usize },
    #[error("{:?} is not {expected}", found.to_string())]
    Character { found: char, expected: &'static str },
    #[error("a letter or digit must come first")]
    Start,
    #[error("a letter or digit must come last")]
    End,
}

/// The grammar of a name.
#[derive(Clone, Copy)]
enum Grammar {
    /// RFC 1123 labels joined by dots, as required for names of Kubernetes objects.
    Subdomain,
    /// An object name that may be preceded by a namespace and a slash.
    Located,
    /// Letters, digits and some special characters in any order. The first character is a letter or
    /// a digit.
    Authored,
}

impl Grammar {
    fn accept(self, name: &str) -> Result<(), FlawAt<Flaw>> {
        if let (Self::Located, Some((namespace, object))) = (self, name.split_once('/')) {
            Self::Subdomain.accept(namespace)?;
            let behind = |flaw: FlawAt<Flaw>| flaw.shift(namespace.len() + 1);
            return Self::Subdomain.accept(object).map_err(behind);
        }
        if name.is_empty() || name.len() > LONGEST {
            return Err(FlawAt::new(0, Flaw::Length { length: name.len() }));
        }
        if let Some((at, found)) = name.char_indices().find(|(_, c)| !self.allows(*c)) {
            return Err(FlawAt::new(
                at,
                Flaw::Character {
                    found,
                    expected: self.alphabet(),
                },
            ));
        }
        match self {
            Self::Subdomain | Self::Located => labels(name),
            Self::Authored if name.starts_with(|c: char| c.is_ascii_alphanumeric()) => Ok(()),
            Self::Authored => Err(FlawAt::new(0, Flaw::Start)),
        }
    }

    fn allows(self, c: char) -> bool {
        match self {
            Self::Subdomain | Self::Located => {
                matches!(c, 'a'..='z' | '0'..='9' | '-' | '.')
            }
            Self::Authored => c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '+'),
        }
    }

    fn alphabet(self) -> &'static str {
        match self {
            Self::Subdomain | Self::Located => "a lower-case letter, digit, hyphen or dot",
            Self::Authored => "an ASCII letter, digit, hyphen, dot, underscore or plus sign",
        }
    }
}

/// Checks that each dot-separated label starts and ends with a letter or digit.
fn labels(name: &str) -> Result<(), FlawAt<Flaw>> {
    let mut at = 0;
    for label in name.split('.') {
        if label.is_empty() || label.starts_with('-') {
            return Err(FlawAt::new(at, Flaw::Start));
        }
        if label.ends_with('-') {
            return Err(FlawAt::new(at + label.len() - 1, Flaw::End));
        }
        at += label.len() + 1;
    }
    Ok(())
}

/// Defines a name type: a shared, immutable text that matches the grammar of the type.
///
/// The text is an `Arc<str>`, because names are cloned much more often than parsed, and a clone
/// must not copy the text. For example, one bundle name occurs in several channels, in update
/// edges, in query results, and in the next snapshot.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $noun:literal, $grammar:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            #[doc = concat!("Takes `text` as a ", $noun, ".\n\n# Errors\n\n")]
            #[doc = concat!("A text outside the grammar of a ", $noun, ", with the place.")]
            pub fn parse(text: &str) -> Result<Self, InvalidText<Flaw>> {
                match $grammar.accept(text) {
                    Ok(()) => Ok(Self(text.into())),
                    Err(flaw) => Err(flaw.refuse($noun, text)),
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        /// A name has the same order, equality and hash as its text. So code can look up a `&str`
        /// in a map that has names as keys.
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        text_conversions!($name, Flaw);
    };
}

name! {
    /// The name of a catalog: the name of a Kubernetes object, after its namespace and a slash if
    /// it has a namespace, such as `olm/community`.
    CatalogName, "catalog name", Grammar::Located
}

name! {
    /// The name of a package, such as `project-quay`.
    ///
    /// opm requires a single label of at most 63 characters. OLM v1 accepts a subdomain. This type
    /// follows the less strict rule of OLM v1, so that it accepts every package of a served
    /// catalog.
    PackageName, "package name", Grammar::Subdomain
}

name! {
    /// The name of a channel within its package, such as `stable-3.14` or `Fast`.
    ChannelName, "channel name", Grammar::Authored
}

name! {
    /// The name of a bundle, such as `quay-operator.v3.6.10`. `replaces` and `skips` refer to
    /// bundles by this name, and the ClusterServiceVersion has the same name.
    ///
    /// The name often contains the version of the bundle, but sometimes a different version. Never
    /// parse a version from the name.
    BundleName, "bundle name", Grammar::Authored
}

impl CatalogName {
    /// Returns the namespace of the catalog, or None if the name has no namespace.
    pub fn namespace(&self) -> Option<&str> {
        self.as_str()
            .split_once('/')
            .map(|(namespace, _)| namespace)
    }

    /// Returns the name without the namespace.
    pub fn object(&self) -> &str {
        self.as_str()
            .split_once('/')
            .map_or(self.as_str(), |(_, object)| object)
    }
}

/// Returns the known name that is most similar to `name`. A similar name differs from `name` in a
/// few letters, or has `name` as one of its words between hyphens.
pub fn nearest<'a, T: AsRef<str> + Ord + 'a>(
    name: &str,
    known: impl Iterator<Item = &'a T> + Clone,
) -> Option<&'a T> {
    // A third of the letters may differ, but at most three letters. Many names end in "-operator",
    // so a higher maximum would match unrelated names.
    let forgiven = (name.len() / 3).clamp(1, 3);
    let slip = known
        .clone()
        .map(|other| (strsim::damerau_levenshtein(name, other.as_ref()), other))
        .filter(|(slips, _)| *slips <= forgiven)
        .min();
    let longer = known.filter(|other| other.as_ref().split('-').any(|word| word == name));
    slip.map(|(_, other)| other).or_else(|| longer.min())
}

#[cfg(test)]
mod tests;
