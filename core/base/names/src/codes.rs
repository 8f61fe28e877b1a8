//! Enums of codes: fixed words that programs read, each with a description for users.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A code that another process sent. A newer version of that process may send codes that this
/// version does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireCode<C> {
    /// A code that this version knows.
    Known(C),
    /// Any other code, as the other process sent it.
    Unknown(String),
}

// === impl WireCode ===

impl<C: Copy> WireCode<C> {
    /// Returns the code, or None if this version does not know it.
    pub fn known(&self) -> Option<C> {
        match self {
            Self::Known(code) => Some(*code),
            Self::Unknown(_) => None,
        }
    }
}

impl<C> Default for WireCode<C> {
    fn default() -> Self {
        Self::Unknown(String::new())
    }
}

impl<C: FromStr> From<&str> for WireCode<C> {
    fn from(text: &str) -> Self {
        text.parse()
            .map_or_else(|_| Self::Unknown(text.to_owned()), Self::Known)
    }
}

impl<C: Display> Display for WireCode<C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(code) => code.fmt(f),
            Self::Unknown(text) => f.write_str(text),
        }
    }
}

/// Defines an enum of codes, in the order in which the documentation lists them. Each code is
/// spelled like its variant. The doc comment of the variant is the description on the docs pages.
#[macro_export]
macro_rules! codes {
    (
        $(#[$doc_of_all:meta])*
        pub enum $name:ident;
        $($(#[doc = $doc:literal])+ $code:ident,)+
    ) => {
        $(#[$doc_of_all])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[doc = $doc])+ $code,)+
        }

        impl $name {
            /// The codes, in order.
            pub const ALL: &[Self] = &[$(Self::$code,)+];

            /// Returns the code as text.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => stringify!($code),)+
                }
            }

            /// Returns the code with this spelling, or None if no code has it.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == text)
            }

            /// Returns the description, which has one or two sentences.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$code => concat!($($doc),+).trim_ascii(),)+
                }
            }

            /// Returns the rows of a Markdown table with each code and its description.
            pub fn rows() -> String {
                let all = Self::ALL.iter();
                all.map(|code| format!("| `{code}` | {} |\n", code.meaning())).collect()
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text).ok_or(())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// Defines the codes of an enum whose variants have fields: the code of each variant, and its
/// description on the docs pages.
#[macro_export]
macro_rules! codes_of {
    ($name:ident; $($pattern:pat => $code:ident: $meaning:literal,)+) => {
        impl $name {
            /// Returns each code with its description in one sentence.
            pub const CODES: &[(&str, &str)] = &[$((stringify!($code), $meaning),)+];

            /// Returns the code of this variant, for programs.
            pub fn code(&self) -> &'static str {
                match self {
                    $($pattern => stringify!($code),)+
                }
            }
        }
    };
}
