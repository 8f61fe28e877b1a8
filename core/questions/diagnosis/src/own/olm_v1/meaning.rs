//! Interprets the messages of OLM v1 about ClusterExtensions: finds the object at fault, the effect
//! of a retry, and the cure.

use portolan_core_names::text::{listed, shell_word};
use portolan_core_olm::messages::{ExtensionMessage, ExtensionProblem};
use portolan_core_olm::{Availability, CATALOG_NAME, ClusterCatalog, ClusterExtension};
use serde_json::{Value, json};

use super::extension::ExtensionFacts;
use super::{
    CATALOG_OWNER, OwnKind, catalog_object, described, extension_object, ignored, is_serving,
};
use crate::command::{self, Target};
use crate::cure::Cure;
use crate::deletion::delete;
use crate::{Code, Confidence, Object, Procedure, Step};

/// The person who can change a ClusterExtension.
pub(super) const OWNER: &str = "the owner of the ClusterExtension";
const PUBLISHER: &str = "the publisher of the bundle";
const ADMINISTRATOR: &str = "a cluster administrator";
/// The reason why the cause is uncertain if Portolan does not recognize the error.
const UNCHECKED: &str = "OLM v1 reports this error. The cause of the error was not checked.";
/// The action if no version can be installed with OLM v1.
const OTHERWISE: &str = "Choose another version, or install this package with OLM v0 or with an \
                         Operator of operators.operatorframework.io.";

/// A ClusterExtension that OLM v1 does not install or upgrade, with the error message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) extension: &'a ClusterExtension,
    pub(super) object: &'a Object,
    /// The installed bundle. Empty if no bundle is installed.
    pub(super) installed: &'a str,
    pub(super) message: ExtensionMessage<'a>,
    /// The complete message of OLM v1. Empty if OLM v1 reports no message.
    pub(super) raw: &'a str,
    pub(super) facts: ExtensionFacts<'a>,
}

/// The interpretation of a message of OLM v1.
#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) code: Code,
    pub(super) at_fault: Object,
    /// True if the object at fault does not exist.
    pub(super) is_missing: bool,
    /// An explanation of the message in one or a few sentences. Empty if the message needs no
    /// explanation.
    pub(super) means: String,
    /// A sentence about whether a retry of OLM v1 can succeed.
    pub(super) retry: String,
    pub(super) cure: Cure,
    /// The certainty, if it differs from the usual certainty of the code.
    pub(super) confidence: Option<Confidence>,
    pub(super) look: Vec<Step>,
    pub(super) later: Vec<Procedure>,
}

// === impl Meaning ===

impl Meaning {
    pub(super) fn of(code: Code, at_fault: Object, means: &str, cure: Cure) -> Self {
        Self {
            code,
            at_fault,
            is_missing: false,
            means: means.to_owned(),
            retry: "OLM v1 retries, but no retry can succeed with this bundle.".to_owned(),
            cure,
            confidence: None,
            look: Vec::new(),
            later: Vec::new(),
        }
    }

    /// Adds the sentence that OLM v1 retries and succeeds after this change.
    pub(super) fn until(self, change: &str) -> Self {
        Self {
            retry: format!("OLM v1 retries, and continues by itself once {change}."),
            ..self
        }
    }

    /// Adds the sentence that OLM v1 retries and succeeds after the object at fault exists.
    fn until_created(self) -> Self {
        let meaning = self.until("it exists");
        Self {
            is_missing: true,
            ..meaning
        }
    }

    pub(super) fn looked(self, look: impl IntoIterator<Item = Step>) -> Self {
        Self {
            look: look.into_iter().collect(),
            ..self
        }
    }

    /// Adds the command that makes OLM v1 retry at once. Without the command, OLM v1 may wait up to
    /// 17 minutes between two retries.
    fn retried(self, case: &Case<'_>) -> Self {
        let step = case.target().retried();
        let title = "After that, make OLM v1 retry at once.";
        Self {
            later: vec![Procedure::of(title, vec![step], "")],
            ..self
        }
    }
}

// === impl Case ===

impl<'a> Case<'a> {
    /// Interprets the message of OLM v1.
    pub(super) fn meaning(&self) -> Meaning {
        match self.message.problem {
            ExtensionProblem::CatalogNotServed { catalog } => self.catalog_not_served(catalog),
            ExtensionProblem::CatalogsAmbiguous { catalogs } => self.catalogs_ambiguous(catalogs),
            ExtensionProblem::BundleMissing => self.bundle_missing(),
            ExtensionProblem::DependencyUnsupported => self.of_bundle(
                Code::DependencyMissing,
                "OLM v1 does not install bundles that declare dependencies.",
                OTHERWISE,
            ),
            ExtensionProblem::InstallModeUnsupported => self.of_bundle(
                Code::InstallModeUnsupported,
                "OLM v1 installs operators for all namespaces, which this bundle does not support.",
                &format!(
                    "{OTHERWISE} OLM v1 from version 1.3 on can install it for one namespace, with the \
                     feature gate SingleOwnNamespaceInstallSupport."
                ),
            ),
            ExtensionProblem::BundleUnsupported => self.of_bundle(
                Code::BundleNotInstallable,
                "This version of OLM v1 does not support the bundle.",
                OTHERWISE,
            ),
            ExtensionProblem::KindNotServed => self.kind_not_served(),
            ExtensionProblem::CrdUpgradeUnsafe { crd } => self.crd_upgrade_unsafe(crd),
            ExtensionProblem::ObjectNotOwned {
                kind,
                namespace,
                name,
            } => self.object_not_owned(Object::new(kind.to_owned(), namespace, name)),
            ExtensionProblem::ImageUnavailable => self.image_unavailable(),
            ExtensionProblem::AccountMissing => self.account_missing(),
            ExtensionProblem::PermissionMissing { namespace, account } => {
                self.permission_missing(namespace, account)
            }
            ExtensionProblem::NamespaceMissing => self.namespace_missing(),
            ExtensionProblem::Other => self.other(),
        }
    }

    fn catalog_not_served(&self, name: &str) -> Meaning {
        let named = |it: &&&ClusterCatalog| it.metadata.name.as_deref() == Some(name);
        let mut unserved = self.used().filter(|it| !is_serving(it));
        let catalog = self
            .facts
            .catalogs
            .iter()
            .find(named)
            .map(|it| catalog_object(it));
        let catalog = catalog.or_else(|| unserved.next().map(catalog_object));
        let means = "OLM v1 resolves nothing while one of the catalogs that a ClusterExtension may use is not \
                     served.";
        let action = "Repair it. Alternatively, select other catalogs in spec.source.catalog.selector of the \
                      ClusterExtension.";
        let decide = catalog.iter().map(ignored).collect();
        let look = catalog
            .as_ref()
            .map(|it| described(it, OwnKind::ClusterCatalog));
        let at_fault = catalog.unwrap_or_else(|| self.object.clone());
        let cure = Cure::advised(CATALOG_OWNER, action, decide);
        let meaning = Meaning::of(Code::CatalogNotServed, at_fault, means, cure);
        meaning.until("the catalog is served").looked(look)
    }

    fn catalogs_ambiguous(&self, catalogs: &str) -> Meaning {
        let means = "OLM v1 chooses no catalog if several catalogs of the highest priority have the package.";
        let choices = catalogs.split_whitespace().map(|name| {
            let labels = json!({CATALOG_NAME: name});
            let patch = patch_of_catalog(&json!({"selector": {"matchLabels": labels}}));
            Procedure::command(
                &format!("Use only ClusterCatalog {name} for {}.", self.object),
                self.target().merge(&patch),
                "Upgrades are then also taken from this catalog only.",
            )
        });
        let action = "Give one of the catalogs a higher spec.priority, or select one of them.";
        let cure = Cure::advised(ADMINISTRATOR, action, choices.collect());
        let meaning = Meaning::of(Code::AmbiguousCatalog, self.object.clone(), means, cure);
        meaning.until("one of the catalogs has a higher priority")
    }

    fn bundle_missing(&self) -> Meaning {
        let package = &self.extension.spec.source.catalog;
        let name = &package.package_name;
        let used: Vec<_> = self.used().map(|it| catalog_object(it).name).collect();
        let (catalogs, have) = match used.as_slice() {
            [] => (String::new(), ""),
            [one] => (format!("ClusterCatalog {one}"), "has"),
            several => (format!("ClusterCatalogs {}", listed(several)), "have"),
        };
        let mut limits = Vec::new();
        if !package.version.is_empty() {
            limits.push(format!("version \"{}\"", package.version));
        }
        if !package.channels.is_empty() {
            limits.push(channels(&package.channels));
        }
        let limits = limits.join(" in ");
        let means = match (used.as_slice(), limits.as_str(), self.installed) {
            ([], ..) => {
                "No available ClusterCatalog matches spec.source.catalog.selector.".to_owned()
            }
            (_, "", "") => format!("{catalogs} {have} no package {name}."),
            (_, "", installed) => {
                format!("{catalogs} {have} neither {installed} nor an upgrade from it.")
            }
            (_, _, "") => {
                format!("{catalogs} {have} no bundle of package {name} with {limits}.")
            }
            (_, _, installed) => {
                let catalogs_have = format!("{catalogs} {have}");
                return self.unreachable(installed, &catalogs_have, &limits);
            }
        };
        let action = "Correct spec.source.catalog, or add a catalog that has the package.";
        let cure = Cure::advised(OWNER, action, self.wider());
        let look = self.versions();
        let meaning = Meaning::of(Code::PackageMissing, self.object.clone(), &means, cure);
        let meaning = meaning.until("a catalog has such a bundle");
        meaning.looked((!used.is_empty()).then_some(look))
    }

    /// Returns the command that lists the versions of the package.
    pub(super) fn versions(&self) -> Step {
        let name = self.package();
        let list = format!("portolan packages {}", shell_word(name));
        Step::new(&format!("List the versions of package {name}"), list)
    }

    /// Returns the commands that remove the limits on versions and channels, so that OLM v1 can
    /// select more bundles.
    pub(super) fn wider(&self) -> Vec<Procedure> {
        let is_limited = !self.extension.spec.source.catalog.version.is_empty();
        let version = is_limited.then(|| {
            let risk = "OLM v1 then upgrades step by step to the newest version, and later to each \
                        newer one.";
            self.without("version", risk)
        });
        version.into_iter().chain(self.all_channels()).collect()
    }

    /// Returns the command that lets OLM v1 use all channels of the package. Returns None if OLM v1
    /// already uses all channels.
    pub(super) fn all_channels(&self) -> Option<Procedure> {
        let is_limited = !self.extension.spec.source.catalog.channels.is_empty();
        let risk = "OLM v1 then uses all channels of the package.";
        is_limited.then(|| self.without("channels", risk))
    }

    fn without(&self, field: &str, risk: &str) -> Procedure {
        let path = format!("/spec/source/catalog/{field}");
        Procedure::command(
            &format!("Remove spec.source.catalog.{field} of {}.", self.object),
            self.target()
                .patch(&json!([{"op": "remove", "path": path}])),
            risk,
        )
    }

    fn kind_not_served(&self) -> Meaning {
        let means = "The cluster does not serve a kind of the bundle. A newer Kubernetes may have removed it, or \
                     its CRD is missing.";
        let action = "Use a kind that the cluster serves. Alternatively, choose another version or install the \
                      CRD.";
        let cure = Cure::external(PUBLISHER, action);
        let meaning = Meaning::of(Code::BundleNotInstallable, self.bundle(), means, cure);
        meaning.until("the cluster serves the kind")
    }

    fn crd_upgrade_unsafe(&self, crd: &str) -> Meaning {
        let means = "Custom resources that use the removed or changed fields could lose data or become invalid.";
        let enforcement = json!({"preflight": {"crdUpgradeSafety": {"enforcement": "None"}}});
        let patch = json!({"spec": {"install": enforcement}});
        let skip = Procedure::command(
            &format!(
                "Let OLM v1 upgrade {} without any check of CRDs.",
                self.object
            ),
            self.target().merge(&patch),
            "The API server drops removed fields from custom resources, and rejects custom resources that the \
             new schema does not allow. Check the custom resources first.",
        );
        let action = "Keep the fields, or publish the change in a new version of the CRD.";
        let definition = Object::new("CustomResourceDefinition", "", crd);
        let look =
            Target::named(&definition).map(|it| Step::new(&format!("Show {definition}"), it.get()));
        let resources = Step::new("Show the custom resources", command::all(crd));
        let cure = Cure::advised(PUBLISHER, action, vec![skip]);
        let meaning = Meaning::of(Code::CrdUpgradeUnsafe, self.bundle(), means, cure);
        meaning.looked(look.into_iter().chain([resources]))
    }

    fn object_not_owned(&self, object: Object) -> Meaning {
        let is_rival = |it: &&&ClusterExtension| {
            it.status.install.is_some()
                && it.metadata.name != self.extension.metadata.name
                && it.spec.source.catalog.package_name == self.package()
        };
        let rival = self
            .facts
            .all
            .iter()
            .find(is_rival)
            .map(|it| extension_object(it));
        let means = match &rival {
            Some(rival) => format!("{rival} installs the same package, and owns the object."),
            None => "The object belongs to another installation, such as a Subscription of OLM v0."
                .to_owned(),
        };
        let action = "Remove the other installation, or this ClusterExtension.";
        let remove = self.installed.is_empty().then(|| {
            let title = format!("Delete {}, which has installed nothing.", self.object);
            let risk = "The other installation then serves all custom resources.";
            delete(&title, &[self.target()], Vec::new(), risk)
        });
        let look = Target::named(&object).map(|it| Step::new(&format!("Show {object}"), it.get()));
        let cure = Cure::advised(OWNER, action, Vec::from_iter(remove));
        let meaning = Meaning::of(Code::ObjectNotOwned, object, &means, cure);
        meaning.until("the object is gone").looked(look)
    }

    fn image_unavailable(&self) -> Meaning {
        let means = "The image of the bundle cannot be pulled.";
        let action =
            "Make the image pullable. Its registry may also be unavailable or refuse the login.";
        let cure = Cure::external(PUBLISHER, action);
        let meaning = Meaning::of(Code::ImagePullFailing, self.bundle(), means, cure);
        meaning.until("the image can be pulled").retried(self)
    }

    fn account_missing(&self) -> Meaning {
        let spec = &self.extension.spec;
        let account = Object::new(
            "ServiceAccount",
            &spec.namespace,
            &spec.service_account.name,
        );
        let means = format!("OLM v1 installs the bundle as {account}, which does not exist.");
        let fix = Procedure::command(
            &format!("Create {account}."),
            command::create_account(&account.namespace, &account.name),
            "It also needs a permission for each object of the bundle.",
        );
        let meaning = Meaning::of(Code::ReferenceMissing, account, &means, Cure::Safe(fix));
        meaning.until_created().retried(self)
    }

    fn permission_missing(&self, namespace: &str, name: &str) -> Meaning {
        let account = Object::new("ServiceAccount", namespace, name);
        let means =
            format!("OLM v1 installs the bundle as {account}, which has too few permissions.");
        let user = format!("--as=system:serviceaccount:{namespace}:{name}");
        let list = command::permissions(&user);
        let look = Step::new(&format!("List the permissions of {account}"), list);
        let bind = Procedure::command(
            &format!("Make {account} a cluster administrator."),
            command::bind_everywhere(name, "cluster-admin", &format!("{namespace}:{name}")),
            "Everyone who can use the ServiceAccount or change the ClusterExtension then has all permissions.",
        );
        let action = "Grant the permission that the message names, and those for all other objects of the bundle.";
        let cure = Cure::advised(ADMINISTRATOR, action, vec![bind]);
        let meaning = Meaning::of(Code::PermissionMissing, account, &means, cure);
        let meaning = meaning.until("it has the permissions").looked([look]);
        meaning.retried(self)
    }

    fn namespace_missing(&self) -> Meaning {
        let name = &self.extension.spec.namespace;
        let namespace = Object::new("Namespace", "", name);
        let means = format!("OLM v1 does not create {namespace}.");
        let fix = Procedure::command(
            &format!("Create {namespace}."),
            command::create_namespace(name),
            "OLM v1 then installs the operator in it.",
        );
        let meaning = Meaning::of(Code::ReferenceMissing, namespace, &means, Cure::Safe(fix));
        meaning.until_created().retried(self)
    }

    fn other(&self) -> Meaning {
        let action = "Solve the problem that OLM v1 reports. The ClusterExtension itself may be correct: \
                      the message then names another object.";
        let cure = Cure::external(OWNER, action);
        let meaning = Meaning::of(Code::ExtensionFailing, self.object.clone(), "", cure);
        let meaning = meaning.until("the problem is solved").retried(self);
        Meaning {
            confidence: Some(Confidence::likely(UNCHECKED)),
            ..meaning
        }
    }

    /// Returns the meaning of a problem in the bundle, which only another bundle can solve.
    fn of_bundle(&self, code: Code, means: &str, action: &str) -> Meaning {
        Meaning::of(code, self.bundle(), means, Cure::external(OWNER, action))
    }

    pub(super) fn package(&self) -> &str {
        &self.extension.spec.source.catalog.package_name
    }

    /// Returns the bundle that OLM v1 has selected. If the message names no bundle, returns the
    /// ClusterExtension.
    fn bundle(&self) -> Object {
        match self.message.bundle {
            Some(bundle) => Object::new("Bundle", "", bundle),
            None => self.object.clone(),
        }
    }

    /// Returns the catalogs in which OLM v1 searches bundles for the ClusterExtension.
    pub(super) fn used(&self) -> impl Iterator<Item = &'a ClusterCatalog> {
        let package = &self.extension.spec.source.catalog;
        let used = self.facts.catalogs.iter().copied();
        used.filter(|it| {
            it.spec.availability != Availability::Unavailable && package.may_be_from(it)
        })
    }

    pub(super) fn target(&self) -> Target<'_> {
        Target::new(OwnKind::ClusterExtension.resource(), "", &self.object.name)
    }
}

pub(super) fn patch_of_catalog(fields: &Value) -> Value {
    json!({"spec": {"source": {"catalog": fields}}})
}

/// Formats the channels for a sentence, such as `channel stable`.
pub(super) fn channels(channels: &[String]) -> String {
    let noun = if channels.len() == 1 {
        "channel"
    } else {
        "channels"
    };
    format!("{noun} {}", listed(channels))
}
