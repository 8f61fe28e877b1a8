//! Messages of OLM v1 about ClusterExtensions that it does not install. Versions 1.2 to 1.11 of OLM
//! v1 set the same reason of the condition `Progressing` for all these problems, so only the
//! message distinguishes them.

/// The problem and the bundle in a message of OLM v1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionMessage<'m> {
    /// The problem.
    pub problem: ExtensionProblem<'m>,
    /// The bundle that OLM v1 has chosen. None if the message contains no bundle.
    pub bundle: Option<&'m str>,
}

/// The reason why OLM v1 does not install a ClusterExtension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionProblem<'m> {
    /// A catalog is not served, or its content cannot be read.
    CatalogNotServed {
        /// The name of the catalog. Empty if the message does not contain it.
        catalog: &'m str,
    },
    /// Several catalogs with the same priority have the package.
    CatalogsAmbiguous {
        /// The names of the catalogs, separated by spaces.
        catalogs: &'m str,
    },
    /// No catalog has the package, or none has an allowed version of it.
    BundleMissing,
    /// The bundle declares a dependency, which OLM v1 does not support.
    DependencyUnsupported,
    /// OLM v1 does not support the install modes of the bundle.
    InstallModeUnsupported,
    /// OLM v1 does not support the bundle for another reason.
    BundleUnsupported,
    /// A CRD of the bundle removes or changes fields of the installed CRD.
    CrdUpgradeUnsafe {
        /// The name of the CRD.
        crd: &'m str,
    },
    /// An object of the bundle already exists and belongs to another owner.
    ObjectNotOwned {
        /// The kind of the object.
        kind: &'m str,
        /// The namespace of the object. Empty for a cluster-scoped object.
        namespace: &'m str,
        /// The name of the object.
        name: &'m str,
    },
    /// The image of the bundle cannot be pulled.
    ImageUnavailable,
    /// The bundle has an object of a kind that the cluster does not serve.
    KindNotServed,
    /// The ServiceAccount of the ClusterExtension does not exist.
    AccountMissing,
    /// The ServiceAccount of the ClusterExtension has too few permissions.
    PermissionMissing {
        /// The namespace of the ServiceAccount.
        namespace: &'m str,
        /// The name of the ServiceAccount.
        account: &'m str,
    },
    /// The namespace of the ClusterExtension does not exist.
    NamespaceMissing,
    /// Any other problem.
    Other,
}

/// The text before the name of the chosen bundle. Version 1.11 of OLM v1 writes it at the beginning
/// of a message, and version 1.2 at the end.
const CHOSEN: [&str; 2] = ["for resolved bundle \"", "validating bundle \""];
/// The texts with which OLM v1 reports each problem. The texts of a problem differ between the
/// versions of OLM v1. These problems have no names to extract.
const PROBLEMS: [(&[&str], ExtensionProblem<'static>); 7] = [
    (
        &["no bundles found for package"],
        ExtensionProblem::BundleMissing,
    ),
    (
        &["declared via property"],
        ExtensionProblem::DependencyUnsupported,
    ),
    (
        &[
            "install mode",
            "do not support targeting all namespaces",
            "do not support target namespaces",
        ],
        ExtensionProblem::InstallModeUnsupported,
    ),
    (
        &[
            "unsupported bundle",
            "webhookDefinitions are not supported",
            "apiServiceDefintions are not supported",
            "bundle contains unsupported resource",
        ],
        ExtensionProblem::BundleUnsupported,
    ),
    (
        &[
            "error copying image",
            "error creating image source",
            "error getting manifest",
            "error parsing image reference",
        ],
        ExtensionProblem::ImageUnavailable,
    ),
    (&["no matches for kind"], ExtensionProblem::KindNotServed),
    (
        &["missing ServiceAccount"],
        ExtensionProblem::AccountMissing,
    ),
];
/// The texts with which OLM v1 reports that the content of a catalog is unavailable.
const CATALOG: [&str; 3] = [
    "is not being served",
    "error walking catalogs",
    "cache for catalog",
];
const AMBIGUOUS: &str = "in multiple catalogs with the same priority [";
const UNSAFE: &str = "validating upgrade for CRD \"";
const NOT_OWNED: &str = " and cannot be managed by operator-controller";
const USER: &str = "User \"system:serviceaccount:";

// === impl ExtensionMessage ===

impl<'m> ExtensionMessage<'m> {
    /// Parses a message.
    pub fn of(message: &'m str) -> Self {
        Self {
            problem: ExtensionProblem::of(message),
            bundle: CHOSEN.iter().find_map(|words| quoted(message, words)),
        }
    }
}

// === impl ExtensionProblem ===

impl<'m> ExtensionProblem<'m> {
    fn of(message: &'m str) -> Self {
        let has = |all: &[&str]| all.iter().any(|words| message.contains(words));
        if let Some(catalogs) = between(message, AMBIGUOUS, "]") {
            return Self::CatalogsAmbiguous { catalogs };
        }
        if let Some(crd) = quoted(message, UNSAFE) {
            return Self::CrdUpgradeUnsafe { crd };
        }
        if let Some(named) = unowned(message).or_else(|| forbidden(message)) {
            return named;
        }
        if has(&CATALOG) {
            let catalog = quoted(message, "catalog \"").unwrap_or_default();
            return Self::CatalogNotServed { catalog };
        }
        if between(message, "namespaces \"", " not found").is_some() {
            return Self::NamespaceMissing;
        }
        let mut known = PROBLEMS.iter();
        let known = known.find(|(words, _)| has(words));
        known.map_or(Self::Other, |(_, problem)| *problem)
    }
}

/// Returns the problem that an object belongs to another owner, so that OLM v1 cannot adopt it.
/// Returns None for other messages.
fn unowned(message: &str) -> Option<ExtensionProblem<'_>> {
    let (before, _) = message.split_once(NOT_OWNED)?;
    let (object, namespace) = before.rsplit_once("' already exists in namespace '")?;
    let (kind, name) = object.rsplit_once(" '")?;
    let kind = kind.rsplit(' ').next().unwrap_or(kind);
    let namespace = namespace.trim_end_matches('\'');
    Some(ExtensionProblem::ObjectNotOwned {
        kind,
        namespace,
        name,
    })
}

/// Returns the problem that the ServiceAccount lacks a permission. Returns None for other messages.
fn forbidden(message: &str) -> Option<ExtensionProblem<'_>> {
    let (namespace, account) = quoted(message, USER)?.split_once(':')?;
    Some(ExtensionProblem::PermissionMissing { namespace, account })
}

/// Returns the text between `words` and the next quotation mark.
fn quoted<'m>(message: &'m str, words: &str) -> Option<&'m str> {
    between(message, words, "\"")
}

fn between<'m>(message: &'m str, words: &str, end: &str) -> Option<&'m str> {
    let (_, rest) = message.split_once(words)?;
    let (text, _) = rest.split_once(end)?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::ExtensionProblem as Problem;
    use super::*;

    /// The texts of some problems differ between the versions of OLM v1.
    #[test]
    fn messages_of_old_and_new_versions_have_the_same_meaning() {
        let chosen = |problem: &str| {
            format!("error for resolved bundle \"ferry.v2.0.0\" with version \"2.0.0\": {problem}")
        };
        let unsafe_crd = Problem::CrdUpgradeUnsafe {
            crd: "boats.harbor.test",
        };
        let cases = [
            (
                "validating upgrade for CRD \"boats.harbor.test\": existingFieldRemoval: removed field",
                unsafe_crd,
            ),
            (
                "validating upgrade for CRD \"boats.harbor.test\" failed: \"NoExistingFieldRemoved\"",
                unsafe_crd,
            ),
            (
                "unsupported bundle: bundle does not support AllNamespaces install mode",
                Problem::InstallModeUnsupported,
            ),
            (
                "supported install modes [OwnNamespace] do not support targeting all namespaces",
                Problem::InstallModeUnsupported,
            ),
            (
                "webhookDefinitions are not supported",
                Problem::BundleUnsupported,
            ),
            ("unsupported bundle: webhooks", Problem::BundleUnsupported),
        ];
        let chosen_by_1_2 = |problem: &str| {
            format!("{problem} for resolved bundle \"ferry.v2.0.0\" with version \"2.0.0\"")
        };
        let cases = cases.iter().flat_map(|(message, problem)| {
            [chosen(message), chosen_by_1_2(message)].map(|message| (message, *problem))
        });
        for (message, problem) in cases {
            let expected = ExtensionMessage {
                problem,
                bundle: Some("ferry.v2.0.0"),
            };
            assert_eq!(ExtensionMessage::of(&message), expected, "{message}");
        }
    }

    #[test]
    fn returns_the_names_in_a_message() {
        let cases = [
            (
                "error walking catalogs: error getting package \"ferry\" from catalog \"broken\": \
                 catalog \"broken\" is not being served",
                Problem::CatalogNotServed { catalog: "broken" },
            ),
            (
                "found bundles for package \"ferry\" in multiple catalogs with the same priority [a b]",
                Problem::CatalogsAmbiguous { catalogs: "a b" },
            ),
            (
                "error: CustomResourceDefinition 'boats.test' already exists in namespace '' and \
                 cannot be managed by operator-controller",
                Problem::ObjectNotOwned {
                    kind: "CustomResourceDefinition",
                    namespace: "",
                    name: "boats.test",
                },
            ),
            (
                "could not get information about the resource: serviceaccounts \"ferry\" is \
                 forbidden: User \"system:serviceaccount:harbor:installer\" cannot get resource",
                Problem::PermissionMissing {
                    namespace: "harbor",
                    account: "installer",
                },
            ),
            ("something else", Problem::Other),
        ];
        for (message, problem) in cases {
            assert_eq!(ExtensionMessage::of(message).problem, problem, "{message}");
        }
    }
}
