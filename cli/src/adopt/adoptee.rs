//! The operators on the command line of `adopt`.

use std::str::FromStr;

use portolan_core_generate::RequestedOperator;

use super::{AdoptArgs, Group};
use crate::failure::Failure;
use crate::named::Kind;

/// An operator to adopt.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Adoptee {
    /// A package of OLM v0, or the name of an Operator with `--undo`.
    Package(RequestedOperator),
    /// The name of a ClusterExtension of OLM v1.
    Extension(String),
}

// === impl Adoptee ===

impl FromStr for Adoptee {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((kind, name)) if Kind::read(kind) == Some(Kind::Extension) => {
                let is_name = !name.is_empty() && !name.contains(['/', '@']);
                is_name
                    .then(|| Self::Extension(name.to_owned()))
                    .ok_or_else(|| {
                        "use extension/NAME; the versions of the Operator are those of the \
                         ClusterExtension"
                            .to_owned()
                    })
            }
            Some(_) | None => {
                let package = text.parse().map(Self::Package);
                package.map_err(|invalid: <RequestedOperator as FromStr>::Err| invalid.to_string())
            }
        }
    }
}

// === impl AdoptArgs ===

impl AdoptArgs {
    /// Separates packages and ClusterExtensions.
    pub(super) fn sort_operators(&mut self) {
        for operator in std::mem::take(&mut self.operators) {
            match operator {
                Adoptee::Package(package) => self.packages.push(package),
                Adoptee::Extension(name) => self.extensions.push(name),
            }
        }
    }

    /// Rejects ClusterExtensions if only packages or names of Operators are possible.
    pub(super) fn refuse_extensions(&self) -> Result<(), Failure> {
        let Some(name) = self.extensions.first() else {
            return Ok(());
        };
        let why = match self.to {
            _ if self.undo => "--undo requires the name of the Operator",
            Group::Olm => "--to operators.coreos.com adopts only operators of OLM v0",
            Group::OperatorFramework if self.namespace.is_some() => {
                "--namespace selects only operators of OLM v0"
            }
            Group::OperatorFramework => return Ok(()),
        };
        Err(Failure::usage(format!("extension/{name}: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cluster_extension_is_distinguished_from_package() {
        let parsed = |text: &str| text.parse::<Adoptee>();
        let ferry = Ok(Adoptee::Extension("ferry".to_owned()));
        assert_eq!(parsed("extension/ferry"), ferry);
        assert_eq!(
            parsed("clusterextensions.olm.operatorframework.io/ferry"),
            ferry
        );
        assert!(matches!(parsed("ferry@>=1.0.0"), Ok(Adoptee::Package(_))));
        for text in ["extension/", "extension/ferry@1.0.0", "sub/ferry"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}
