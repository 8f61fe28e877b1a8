//! The name of what is approved.

use std::str::FromStr;

use crate::named::{Named, NoName};

/// An Install, or anything that may have an InstallPlan of OLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ApproveName {
    Install(String),
    Other(Named),
}

/// The kinds of Installs, as kubectl accepts and prints them.
const INSTALL: [&str; 3] = ["install", "installs", "install.operators.coreos.com"];

impl FromStr for ApproveName {
    type Err = NoName;

    fn from_str(text: &str) -> Result<Self, NoName> {
        match text.split_once('/') {
            Some((kind, name)) if INSTALL.contains(&kind) && !name.is_empty() => {
                Ok(Self::Install(name.to_owned()))
            }
            _ => text.parse().map(Self::Other),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::named::Kind;

    #[rstest]
    #[case::install("install/plumbus", None)]
    #[case::install_as_get_prints_it("install.operators.coreos.com/a.b", None)]
    #[case::name("plumbus", Some((None, "plumbus")))]
    #[case::plan("installplan/install-x7k2p", Some((Some(Kind::InstallPlan), "install-x7k2p")))]
    #[case::subscription("sub/ferry", Some((Some(Kind::Subscription), "ferry")))]
    #[case::namespace("harbor/ferry", Some((None, "ferry")))]
    fn parses_kind_and_name(#[case] text: &str, #[case] expected: Option<(Option<Kind>, &str)>) {
        match (text.parse(), expected) {
            (Ok(ApproveName::Install(name)), None) => assert!(text.ends_with(&name)),
            (Ok(ApproveName::Other(named)), Some((kind, name))) => {
                assert_eq!((named.kind, named.name.as_str()), (kind, name));
            }
            (parsed, _) => panic!("{text}: {parsed:?}"),
        }
    }

    #[test]
    fn rejects_install_without_name() {
        assert!("install/".parse::<ApproveName>().is_err());
    }
}
