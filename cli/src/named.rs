//! Parses the names of objects that users write as arguments: NAME, NAMESPACE/NAME or KIND/NAME.
//! Tables and kubectl print names in the same form.
//!
//! ```text
//! ferry   harbor/ferry   sub/ferry   csv/ferry.v1.0.0   package/ferry   installplan/install-x7k2p   plan/ferry-1
//! operator/ferry
//! ```

use std::str::FromStr;

use portolan_api::installs;
use portolan_api::operator;
use portolan_api::plan::GROUP;
use thiserror::Error;

use crate::failure::Failure;

/// The kinds that a name can select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Subscription,
    Csv,
    Package,
    Catalog,
    /// An InstallPlan of OLM.
    InstallPlan,
    Policy,
    /// An InstallPlan of Portolan.
    Plan,
    /// An Operator of Portolan.
    Operator,
    /// An Install of Portolan.
    Install,
    /// A Policy of operators.operatorframework.io.
    UpgradePolicy,
    /// A PolicyBinding of operators.operatorframework.io.
    PolicyBinding,
    /// A ClusterExtension of OLM v1.
    Extension,
    /// A ClusterCatalog of OLM v1.
    ClusterCatalog,
    /// An Operator of operators.coreos.com/v2alpha1.
    ComponentOperator,
    /// A component of Portolan.
    Component,
}

/// The name of an object on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The namespace in the name. Empty if the name has no namespace, as in KIND/NAME.
    namespace: String,
    /// The kind in the name. None if the object can have any kind that the command supports.
    pub(crate) kind: Option<Kind>,
    pub(crate) name: String,
}

/// The reason why a text is not the name of an object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum NoName {
    /// The text before or after the slash is empty, or there are several slashes.
    #[error("`{0}` is not a name; use NAME, NAMESPACE/NAME, or KIND/NAME such as sub/ferry")]
    Form(String),
    /// The word before the slash is neither a supported kind nor a valid namespace.
    #[error(
        "`{0}` is not a supported kind; use sub, csv, package, catalog, installplan (of OLM), plan, operator or install (of Portolan), extension (a ClusterExtension), operatorpolicy, upgradepolicy, policybinding, operatorv2alpha1, clustercatalog, or component (of Portolan)"
    )]
    Kind(String),
}

/// Words for kinds in kubectl that no command accepts. A namespace is unlikely to have such a name.
const OTHER_KINDS: [&str; 10] = [
    "crd",
    "deploy",
    "deployment",
    "deployments",
    "ns",
    "og",
    "operatorgroup",
    "po",
    "pod",
    "pods",
];

// === impl Kind ===

impl Kind {
    /// The kinds of names that can select an installed operator.
    pub(crate) const OF_INSTALLED: [Self; 7] = [
        Self::Subscription,
        Self::Csv,
        Self::Package,
        Self::Operator,
        Self::Extension,
        Self::Install,
        Self::Plan,
    ];

    /// The kinds that `diagnose` supports.
    pub(crate) const DIAGNOSED: [Self; 13] = [
        Self::Subscription,
        Self::Csv,
        Self::Package,
        Self::Operator,
        Self::Plan,
        Self::Install,
        Self::Policy,
        Self::UpgradePolicy,
        Self::PolicyBinding,
        Self::Extension,
        Self::ClusterCatalog,
        Self::ComponentOperator,
        Self::Component,
    ];

    /// Returns the word for the kind on the command line.
    fn word(self) -> &'static str {
        match self {
            Self::Subscription => "sub",
            Self::Csv => "csv",
            Self::Package => "package",
            Self::Catalog => "catalog",
            Self::InstallPlan => "installplan",
            Self::Policy => "operatorpolicy",
            Self::Plan => "plan",
            Self::Operator => "operator",
            Self::Install => "install",
            Self::UpgradePolicy => "upgradepolicy",
            Self::PolicyBinding => "policybinding",
            Self::Extension => "extension",
            Self::ClusterCatalog => "clustercatalog",
            Self::ComponentOperator => "operatorv2alpha1",
            Self::Component => "component",
        }
    }

    /// Parses a kind in any form that kubectl accepts or prints.
    pub(crate) fn read(text: &str) -> Option<Self> {
        // `kubectl get -o name` prints the kind with its API group.
        let (bare, group) = text.split_once('.').unwrap_or((text, ""));
        let bare = bare.to_lowercase();
        if group == GROUP {
            return matches!(bare.as_str(), "installplan" | "installplans").then_some(Self::Plan);
        }
        if group == operator::GROUP {
            return match bare.as_str() {
                "operator" | "operators" => Some(Self::Operator),
                "policy" | "upgradepolicy" | "upgradepolicies" => Some(Self::UpgradePolicy),
                "policybinding" | "upgradepolicybinding" | "upgradepolicybindings" => {
                    Some(Self::PolicyBinding)
                }
                _ => None,
            };
        }
        if group == installs::GROUP && ["operator", "operators"].contains(&bare.as_str()) {
            return Some(Self::ComponentOperator);
        }
        match bare.as_str() {
            "sub" | "subs" | "subscription" | "subscriptions" => Some(Self::Subscription),
            "csv" | "csvs" | "clusterserviceversion" | "clusterserviceversions" => Some(Self::Csv),
            "package" | "packages" | "packagemanifest" | "packagemanifests" => Some(Self::Package),
            "catsrc" | "catalogsource" | "catalogsources" | "catalog" | "catalogs" => {
                Some(Self::Catalog)
            }
            "operatorpolicy" | "operatorpolicies" => Some(Self::Policy),
            "ip" | "installplan" | "installplans" => Some(Self::InstallPlan),
            "plan" | "plans" | "pplan" | "pplans" => Some(Self::Plan),
            "operator" | "operators" if group.is_empty() => Some(Self::Operator),
            "install" | "installs" => Some(Self::Install),
            "upgradepolicy" | "upgradepolicies" => Some(Self::UpgradePolicy),
            "policybinding"
            | "policybindings"
            | "upgradepolicybinding"
            | "upgradepolicybindings" => Some(Self::PolicyBinding),
            "extension" | "extensions" | "clusterextension" | "clusterextensions" => {
                Some(Self::Extension)
            }
            "clustercatalog" | "clustercatalogs" => Some(Self::ClusterCatalog),
            "operatorv2alpha1" | "operatorsv2alpha1" => Some(Self::ComponentOperator),
            "component"
            | "components"
            | "apiservice"
            | "apiservices"
            | "validatingwebhookconfiguration"
            | "validatingwebhookconfigurations" => Some(Self::Component),
            _ => None,
        }
    }
}

// === impl Named ===

impl FromStr for Named {
    type Err = NoName;

    /// Parses a name. If the word before the slash is a kind, it counts as the kind, and otherwise
    /// as the namespace. If a namespace has the name of a kind, the user must use `-n`.
    fn from_str(text: &str) -> Result<Self, NoName> {
        let (before, name) = match text.split_once('/') {
            Some((before, name)) => (Some(before), name),
            None => (None, text),
        };
        if name.is_empty() || name.contains('/') || before == Some("") {
            return Err(NoName::Form(text.to_owned()));
        }
        let kind = before.and_then(Kind::read);
        if let Some(other) = before.filter(|before| OTHER_KINDS.contains(before)) {
            return Err(NoName::Kind(other.to_owned()));
        }
        let namespace = before.filter(|_| kind.is_none()).unwrap_or_default();
        if !namespace.chars().all(is_of_namespaces) {
            return Err(NoName::Kind(namespace.to_owned()));
        }
        Ok(Self {
            namespace: namespace.to_owned(),
            kind,
            name: name.to_owned(),
        })
    }
}

impl Named {
    /// Returns true if this can be the name of a package.
    pub(crate) fn may_be_package(&self) -> bool {
        match self.kind {
            None => self.namespace.is_empty(),
            Some(kind) => kind == Kind::Package,
        }
    }

    /// Returns the name of the package, or an error if this cannot be the name of a package.
    pub(crate) fn package(self) -> Result<String, Failure> {
        if self.may_be_package() {
            return Ok(self.name);
        }
        Err(Failure::usage(format!(
            "--from requires a package, but {0} is not the name of a package; use package/{0}, or omit --from",
            self.name
        )))
    }

    /// Returns the end of an error message if the name was not found. The message lists the
    /// supported kinds, because the user may have misspelled a kind. Returns None if the name has
    /// no word before a slash.
    pub(crate) fn unknown_kind(&self, kinds: &[Kind]) -> Option<String> {
        let word = Some(&self.namespace).filter(|word| !word.is_empty())?;
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
        Some(format!(
            "; {word} was interpreted as a namespace; for a kind, use one of {}",
            kinds.join(", ")
        ))
    }

    /// Returns the name, or an error if the command does not support its kind.
    pub(crate) fn among(self, kinds: &[Kind]) -> Result<Self, Failure> {
        match self.kind {
            Some(kind) if !kinds.contains(&kind) => {
                let meant = kinds.iter().map(|kind| format!("{}/NAME", kind.word()));
                Err(Failure::usage(format!(
                    "this command does not support the kind of {}/{}; use {}",
                    kind.word(),
                    self.name,
                    meant.collect::<Vec<_>>().join(" or ")
                )))
            }
            Some(_) | None => Ok(self),
        }
    }
}

/// Returns the namespace from the name or from `-n`. An empty namespace means all namespaces.
pub(crate) fn namespace(named: Option<&Named>, flag: &str) -> Result<String, Failure> {
    let said = named.map_or("", |named| &named.namespace);
    match (said, flag) {
        ("", flag) => Ok(flag.to_owned()),
        (said, "") => Ok(said.to_owned()),
        (said, flag) if said == flag => Ok(said.to_owned()),
        (said, flag) => Err(Failure::usage(format!(
            "the name contains namespace {said}, but -n is {flag}; omit one of the two"
        ))),
    }
}

fn is_of_namespaces(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name("ferry", "", None, "ferry")]
    #[case::in_the_form_of_tables("harbor/ferry", "harbor", None, "ferry")]
    #[case::short("sub/ferry", "", Some(Kind::Subscription), "ferry")]
    #[case::long("Subscription/ferry", "", Some(Kind::Subscription), "ferry")]
    #[case::in_the_form_of_kubectl_get(
        "clusterserviceversion.operators.coreos.com/ferry.v1.0.0",
        "",
        Some(Kind::Csv),
        "ferry.v1.0.0"
    )]
    #[case::package("package/ferry", "", Some(Kind::Package), "ferry")]
    #[case::catalog("catalog/shop", "", Some(Kind::Catalog), "shop")]
    #[case::catalog_source("catsrc/shop", "", Some(Kind::Catalog), "shop")]
    #[case::plan_of_olm("ip/install-x7k2p", "", Some(Kind::InstallPlan), "install-x7k2p")]
    #[case::plan("plan/ferry-1", "", Some(Kind::Plan), "ferry-1")]
    #[case::operator("operator/ferry", "", Some(Kind::Operator), "ferry")]
    #[case::operator_in_the_form_of_kubectl_get(
        "operator.operators.operatorframework.io/ferry",
        "",
        Some(Kind::Operator),
        "ferry"
    )]
    #[case::extension("extension/ferry", "", Some(Kind::Extension), "ferry")]
    #[case::extension_in_the_form_of_kubectl_get(
        "clusterextension.olm.operatorframework.io/ferry",
        "",
        Some(Kind::Extension),
        "ferry"
    )]
    #[case::catalog_of_olm_v1_in_the_form_of_kubectl_get(
        "clustercatalog.olm.operatorframework.io/shop",
        "",
        Some(Kind::ClusterCatalog),
        "shop"
    )]
    #[case::operator_v2alpha1_in_the_form_of_kubectl_get(
        "operator.operators.coreos.com/plumbus.harbor",
        "",
        Some(Kind::ComponentOperator),
        "plumbus.harbor"
    )]
    #[case::component(
        "component/portolan-resolver",
        "",
        Some(Kind::Component),
        "portolan-resolver"
    )]
    #[case::install("install/plumbus", "", Some(Kind::Install), "plumbus")]
    #[case::install_in_the_form_of_kubectl_get(
        "install.operators.coreos.com/a.b",
        "",
        Some(Kind::Install),
        "a.b"
    )]
    #[case::policy_in_the_form_of_kubectl_get(
        "upgradepolicy.operators.operatorframework.io/nights",
        "",
        Some(Kind::UpgradePolicy),
        "nights"
    )]
    #[case::policy_in_the_form_of_diagnose(
        "policy.operators.operatorframework.io/nights",
        "",
        Some(Kind::UpgradePolicy),
        "nights"
    )]
    #[case::policy_binding("policybinding/nights", "", Some(Kind::PolicyBinding), "nights")]
    #[case::plan_in_the_form_of_kubectl_get(
        "installplan.plans.portolan.dev/ferry-1",
        "",
        Some(Kind::Plan),
        "ferry-1"
    )]
    #[case::plan_of_olm_in_the_form_of_kubectl_get(
        "installplan.operators.coreos.com/install-x7k2p",
        "",
        Some(Kind::InstallPlan),
        "install-x7k2p"
    )]
    fn parses_names_of_tables_and_kubectl(
        #[case] text: &str,
        #[case] namespace: &str,
        #[case] kind: Option<Kind>,
        #[case] name: &str,
    ) {
        let named = Named {
            namespace: namespace.to_owned(),
            kind,
            name: name.to_owned(),
        };
        assert_eq!(text.parse(), Ok(named));
    }

    #[rstest]
    #[case::of_a_namespace_or_unknown_kind(
        "gadget/ferry",
        Some("; gadget was interpreted as a namespace; for a kind, use one of sub, csv")
    )]
    #[case::of_a_kind("sub/ferry", None)]
    #[case::alone("ferry", None)]
    fn error_about_a_name_lists_the_kinds(#[case] text: &str, #[case] expected: Option<&str>) {
        let named: Named = text.parse().expect("a name");
        let kinds = [Kind::Subscription, Kind::Csv];
        assert_eq!(named.unknown_kind(&kinds).as_deref(), expected);
    }

    #[rstest]
    #[case::nothing("", NoName::Form(String::new()))]
    #[case::no_name("sub/", NoName::Form("sub/".to_owned()))]
    #[case::no_name_of_an_install("install/", NoName::Form("install/".to_owned()))]
    #[case::no_kind("/ferry", NoName::Form("/ferry".to_owned()))]
    #[case::too_much("harbor/sub/ferry", NoName::Form("harbor/sub/ferry".to_owned()))]
    #[case::another_kind("Pod/ferry", NoName::Kind("Pod".to_owned()))]
    fn rejects_invalid_names(#[case] text: &str, #[case] refusal: NoName) {
        assert_eq!(text.parse::<Named>(), Err(refusal));
    }
}
