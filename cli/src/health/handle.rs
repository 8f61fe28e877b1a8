//! What is asked about, in the words of a command line.
//!
//! ```text
//! ferry   sub/ferry   csv/ferry.v1.0.0   package/ferry   catalogsource.operators.coreos.com/shop
//! ```

use std::str::FromStr;

use portolan_proto::health::v1::get_operator_request::Handle as Wire;
use thiserror::Error;

/// One operator or one catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Handle {
    /// An operator, by whatever is known of it.
    Operator(Wire),
    /// The name of a CatalogSource.
    Catalog(String),
}

/// A text that names nothing that could be judged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum NoHandle {
    /// There is nothing before or behind the slash.
    #[error(
        "`{0}` names nothing; say the name of an operator, or KIND/NAME such as sub/ferry, \
         csv/ferry.v1.0.0, package/ferry or catalog/shop"
    )]
    Form(String),
    /// Objects of that kind are not judged.
    #[error(
        "`{0}` is no kind that is judged: a kind is sub, csv, package or catalog; a namespace is \
         said with -n"
    )]
    Kind(String),
}

// === impl Handle ===

impl FromStr for Handle {
    type Err = NoHandle;

    /// A kind is written in any way that kubectl takes or prints.
    fn from_str(text: &str) -> Result<Self, NoHandle> {
        let (kind, name) = match text.split_once('/') {
            Some((kind, name)) => (Some(kind), name),
            None => (None, text),
        };
        if name.is_empty() || name.contains('/') || kind == Some("") {
            return Err(NoHandle::Form(text.to_owned()));
        }
        let name = name.to_owned();
        let Some(kind) = kind else {
            return Ok(Self::Operator(Wire::Name(name)));
        };
        // `kubectl get -o name` puts the group behind the kind.
        let bare = kind.split('.').next().unwrap_or(kind).to_lowercase();
        match bare.as_str() {
            "sub" | "subs" | "subscription" | "subscriptions" => {
                Ok(Self::Operator(Wire::Subscription(name)))
            }
            "csv" | "csvs" | "clusterserviceversion" | "clusterserviceversions" => {
                Ok(Self::Operator(Wire::Csv(name)))
            }
            "package" | "packages" | "packagemanifest" | "packagemanifests" => {
                Ok(Self::Operator(Wire::Package(name)))
            }
            "catsrc" | "catalogsource" | "catalogsources" | "catalog" | "catalogs" => {
                Ok(Self::Catalog(name))
            }
            _ => Err(NoHandle::Kind(kind.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name("ferry", Handle::Operator(Wire::Name("ferry".to_owned())))]
    #[case::short("sub/ferry", Handle::Operator(Wire::Subscription("ferry".to_owned())))]
    #[case::long("Subscription/ferry", Handle::Operator(Wire::Subscription("ferry".to_owned())))]
    #[case::as_get_prints_it(
        "clusterserviceversion.operators.coreos.com/ferry.v1.0.0",
        Handle::Operator(Wire::Csv("ferry.v1.0.0".to_owned()))
    )]
    #[case::package("package/ferry", Handle::Operator(Wire::Package("ferry".to_owned())))]
    #[case::catalog("catalog/shop", Handle::Catalog("shop".to_owned()))]
    #[case::catalog_source("catsrc/shop", Handle::Catalog("shop".to_owned()))]
    fn a_handle_is_read_as_kubectl_writes_it(#[case] text: &str, #[case] handle: Handle) {
        assert_eq!(text.parse(), Ok(handle));
    }

    #[rstest]
    #[case::nothing("", NoHandle::Form(String::new()))]
    #[case::no_name("sub/", NoHandle::Form("sub/".to_owned()))]
    #[case::no_kind("/ferry", NoHandle::Form("/ferry".to_owned()))]
    #[case::too_much("harbor/sub/ferry", NoHandle::Form("harbor/sub/ferry".to_owned()))]
    #[case::namespace("harbor/ferry", NoHandle::Kind("harbor".to_owned()))]
    fn what_is_no_handle_is_told(#[case] text: &str, #[case] refusal: NoHandle) {
        assert_eq!(text.parse::<Handle>(), Err(refusal));
    }
}
