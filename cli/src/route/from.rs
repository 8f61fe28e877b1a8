//! Parses `--from`: the installed bundle of a package.

use std::str::FromStr;

use portolan_core_names::{PackageName, nearest};
use portolan_proto::resolver::v1::get_graph_response::Node;
use portolan_proto::resolver::v1::{GetGraphResponse, InstalledOperator};
use thiserror::Error;

use crate::failure::Failure;
use crate::print::words;

/// A bundle of a package, given by its name or its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FromBundle {
    pub(super) package: String,
    bundle: String,
}

/// The reason why an argument does not name an installed bundle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum NoBundle {
    #[error("package missing; use PACKAGE={0}")]
    Package(String),
    #[error("bundle of {0} missing; use a form such as {0}={0}.v1.0.0")]
    Bundle(String),
    #[error("{0}")]
    Name(String),
}

/// Returns an error if a package has several bundles.
pub(super) fn validate(all: &[FromBundle]) -> Result<(), Failure> {
    for (at, from) in all.iter().enumerate() {
        let mut before = all[..at].iter();
        if before.any(|other| other.package == from.package) {
            return Err(Failure::usage(format!(
                "--from is given twice for package {}",
                from.package
            )));
        }
    }
    Ok(())
}

// === impl FromBundle ===

impl FromStr for FromBundle {
    type Err = NoBundle;

    fn from_str(text: &str) -> Result<Self, NoBundle> {
        let (package, bundle) = match text.split_once(['=', '@']) {
            None => return Err(NoBundle::Package(text.to_owned())),
            Some((package, "")) => return Err(NoBundle::Bundle(package.to_owned())),
            Some(both) => both,
        };
        PackageName::parse(package).map_err(|refusal| NoBundle::Name(refusal.to_string()))?;
        Ok(Self {
            package: package.to_owned(),
            bundle: bundle.to_owned(),
        })
    }
}

impl FromBundle {
    /// Replaces the installed bundle of the package with this bundle.
    pub(super) fn replace(
        &self,
        installed: &mut Vec<InstalledOperator>,
        graph: &GetGraphResponse,
    ) -> Result<(), Failure> {
        let operator = self.operator(graph)?;
        installed.retain(|one| one.package != self.package && one.name != operator.name);
        installed.push(operator);
        Ok(())
    }

    /// Returns the installed operator. Returns an error if the package has no such bundle in the
    /// catalog. The provided and required APIs come from the catalog.
    fn operator(&self, of: &GetGraphResponse) -> Result<InstalledOperator, Failure> {
        let Self { package, bundle } = self;
        let mut bundles = of.nodes.iter();
        let is_meant = |one: &&Node| one.name == *bundle || one.version == *bundle;
        let Some(found) = bundles.find(is_meant) else {
            let names = of.nodes.iter().map(|one| &one.name);
            let near = words::did_you_mean(nearest(bundle, names));
            return Err(Failure::usage(format!(
                "--from {package}={bundle}: package {package} has no such bundle{near}; use --installed FILE for a bundle that is no longer in any catalog"
            )));
        };
        Ok(InstalledOperator {
            name: found.name.clone(),
            version: found.version.clone(),
            package: package.clone(),
            ..InstalledOperator::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn ferry() -> GetGraphResponse {
        let bundle = |version: &str| Node {
            name: format!("ferry.v{version}"),
            version: version.to_owned(),
            ..Node::default()
        };
        GetGraphResponse {
            package: "ferry".to_owned(),
            nodes: vec![bundle("1.0.0"), bundle("1.1.0")],
            ..GetGraphResponse::default()
        }
    }

    /// Returns the installed bundles after `--from` is applied. Before that, an older ferry and a
    /// rope are installed.
    fn parse_all(text: &str) -> Result<Vec<String>, String> {
        let from: FromBundle = text.parse().map_err(|why: NoBundle| why.to_string())?;
        let named = |name: &str, package: &str| InstalledOperator {
            name: name.to_owned(),
            package: package.to_owned(),
            ..InstalledOperator::default()
        };
        let mut installed = vec![named("ferry.v0.9.0", "ferry"), named("rope.v1.0.0", "rope")];
        let replaced = from.replace(&mut installed, &ferry());
        replaced.map_err(|failure| failure.message().to_owned())?;
        Ok(installed.into_iter().map(|one| one.name).collect())
    }

    #[rstest]
    #[case::a_bundle("ferry=ferry.v1.1.0", "ferry.v1.1.0")]
    #[case::a_version("ferry=1.0.0", "ferry.v1.0.0")]
    fn replaces_installed_bundle_of_package(#[case] text: &str, #[case] bundle: &str) {
        let expected = ["rope.v1.0.0".to_owned(), bundle.to_owned()];
        assert_eq!(parse_all(text), Ok(expected.into()));
    }

    #[rstest]
    #[case::no_package("ferry.v1.0.0", "package missing; use PACKAGE=ferry.v1.0.0")]
    #[case::no_bundle(
        "ferry=",
        "bundle of ferry missing; use a form such as ferry=ferry.v1.0.0"
    )]
    #[case::misspelled(
        "ferry=ferri.v1.1.0",
        "--from ferry=ferri.v1.1.0: package ferry has no such bundle; did you mean ferry.v1.1.0?; use --installed FILE for a bundle that is no longer in any catalog"
    )]
    fn rejects_invalid_text(#[case] text: &str, #[case] why: &str) {
        assert_eq!(parse_all(text), Err(why.to_owned()));
    }

    #[test]
    fn rejects_repeated_package() {
        let from = |text: &str| text.parse::<FromBundle>().expect("valid text");
        assert!(validate(&[from("a=1.0.0"), from("b=1.0.0")]).is_ok());
        let twice = validate(&[from("a=1.0.0"), from("a=1.1.0")]).expect_err("it is refused");
        assert_eq!(twice.message(), "--from is given twice for package a");
    }
}
