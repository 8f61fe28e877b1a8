//! The table of all controllers of `portolan serve controller`. Each row describes a controller and
//! contains the function that starts it.

mod availability;
mod prepared;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jiff::Timestamp;
use kube::Client;
use portolan_components::{
    ComponentCache, ComponentReconciler, ConversionService, WantedDefinition,
};
use portolan_operators::{
    Home, OperatorCache, OperatorReconciler, PolicyStatusCache, PolicyStatusReconciler,
};
use portolan_plans::grants::{GrantCache, GrantReconciler};
use portolan_plans::{PlanCache, PlanReconciler};
use portolan_runtime::certificates::{CertificateCache, CertificateReconciler};
use portolan_runtime::lease::identity;
use portolan_runtime::{
    ChangePreview, Description, MetadataWatches, Registration, Requirements, Start, Starter,
};
use portolan_shell::Readiness;
use portolan_world::{AnyWorld, Area, ResolvedWorld};

pub use self::availability::{Availability, ClusterFacts, Off, availability};
pub use self::prepared::MissingForPlans;
use crate::ask::{BundleImages, ComponentCatalogs, Connections, OperatorCatalogs, Services};
use crate::crd::schema_of;
use crate::flags::{ComponentFlags, ControllerConfig, InstallFlags, OperatorFlags, ServiceName};
use crate::metrics::Metrics;
use crate::observe::{Informers, POLICY_CRD, Rules};
use crate::reconcile::{ApprovalCheck, PolicyCache, Reconciler, StatusRenderer, service_changes};
use crate::write::Writer;

/// The data that all controllers of the process share.
pub(crate) struct Shared {
    pub(crate) config: ControllerConfig,
    pub(crate) connections: Connections,
    pub(crate) services: Arc<Services>,
    pub(crate) world: AnyWorld,
    /// The client of the cluster. None if the process reads files.
    pub(crate) client: Option<Client>,
    pub(crate) rules: Rules,
    pub(crate) metrics: Arc<Metrics>,
    /// Becomes ready when all policies have been read.
    pub(crate) ready: Readiness,
}

/// The policy controller, which always runs. Without --enforce, it writes nothing.
pub(crate) const POLICIES: Description = Description {
    name: "policies",
    objects: "OperatorPolicies",
    flags: &["--enforce"],
    crds: &[POLICY_CRD],
    writes: &[
        "ClusterServiceVersion",
        "CustomResourceDefinition",
        "Event",
        "InstallPlan",
        "Namespace",
        "OperatorGroup",
        "OperatorPolicy",
        "Subscription",
    ],
    permissions: "base/controller",
    requires: Requirements::NONE,
    preview: ChangePreview::Rehearsed,
};

/// All controllers. Help pages, metrics, `docs/operations.md` and `portolan up` list them.
pub(crate) static CONTROLLERS: [Registration<ControllerConfig, Shared>; 7] = [
    Registration {
        about: POLICIES,
        is_on: |_| true,
        start: policies,
    },
    Registration {
        about: Description {
            name: "operators",
            objects: "Operators",
            flags: &["--operators"],
            crds: &["operators.operators.operatorframework.io"],
            writes: &[
                "Event",
                "InstallPlan",
                "Operator",
                "ResourceManifest",
                "Secret",
            ],
            permissions: "overlays/operators",
            requires: Requirements {
                controllers: &["plans"],
                whole_cluster: true,
                admission_policies: &[
                    "portolan-operators-in-use",
                    "portolan-operators-plans",
                    "portolan-operators-service-account",
                ],
                webhook: None,
            },
            preview: ChangePreview::Rehearsed,
        },
        is_on: |config| config.controllers.operators.operators,
        start: operators,
    },
    Registration {
        about: Description {
            name: "upgrade_policies",
            objects: "Policies, PolicyBindings",
            flags: &["--operators"],
            crds: &[
                "upgradepolicies.operators.operatorframework.io",
                "upgradepolicybindings.operators.operatorframework.io",
            ],
            writes: &["Event", "Policy", "PolicyBinding"],
            permissions: "overlays/operators",
            requires: Requirements {
                whole_cluster: true,
                ..Requirements::NONE
            },
            preview: ChangePreview::OnlyStatuses,
        },
        is_on: |config| config.controllers.operators.operators,
        start: upgrade_policies,
    },
    Registration {
        about: Description {
            name: "plans",
            objects: "InstallPlans",
            flags: &["--plans"],
            crds: &[
                "installplans.plans.portolan.dev",
                "resourcemanifests.plans.portolan.dev",
            ],
            writes: &[
                "ClusterRole",
                "ClusterRoleBinding",
                "ConfigMap",
                "CustomResourceDefinition",
                "Deployment",
                "Event",
                "InstallPlan",
                "Role",
                "RoleBinding",
                "Secret",
                "Service",
                "ServiceAccount",
            ],
            permissions: "overlays/plans",
            requires: Requirements {
                admission_policies: &["portolan-plans-service-account"],
                ..Requirements::NONE
            },
            preview: ChangePreview::Command("portolan plan diff"),
        },
        is_on: |config| config.controllers.plans,
        start: plans,
    },
    Registration {
        about: Description {
            name: "installs",
            objects: "Installs",
            flags: &["--installs"],
            crds: &["installs.operators.coreos.com"],
            writes: &[
                "ClusterRole",
                "ClusterRoleBinding",
                "Event",
                "Install",
                "InstallPlan",
                "ResourceManifest",
                "Role",
                "RoleBinding",
                "ServiceAccount",
            ],
            permissions: "overlays/installs",
            requires: Requirements {
                controllers: &["plans"],
                whole_cluster: true,
                ..Requirements::NONE
            },
            preview: ChangePreview::Command("portolan approve"),
        },
        is_on: |config| config.controllers.installs.installs,
        start: installs,
    },
    Registration {
        about: Description {
            name: "components",
            objects: "Operators v2alpha1",
            flags: &["--enable-v2alpha1", "--remove-v2alpha1"],
            crds: &["operators.operators.coreos.com"],
            writes: &[
                "APIService",
                "ClusterServiceVersion",
                "CustomResourceDefinition",
                "Deployment",
                "Event",
                "Install",
                "InstallPlan",
                "Operator",
                "Subscription",
            ],
            permissions: "overlays/v2alpha1",
            requires: Requirements {
                controllers: &[],
                whole_cluster: true,
                admission_policies: &["portolan-v2alpha1-catalogs"],
                webhook: Some("portolan webhook"),
            },
            preview: ChangePreview::Nowhere,
        },
        is_on: |config| wanted_definition(&config.controllers.components).is_some(),
        start: components,
    },
    Registration {
        about: Description {
            name: "certificates",
            objects: "certificates of webhooks",
            flags: &["--certificates"],
            crds: &[],
            writes: &[
                "APIService",
                "CustomResourceDefinition",
                "Event",
                "MutatingWebhookConfiguration",
                "Secret",
                "ValidatingWebhookConfiguration",
            ],
            permissions: "overlays/certificates",
            requires: Requirements::NONE,
            preview: ChangePreview::Nowhere,
        },
        is_on: |config| config.controllers.certificates,
        start: certificates,
    },
];

/// Returns the descriptions of all controllers.
pub fn controllers() -> impl Iterator<Item = &'static Description> {
    CONTROLLERS.iter().map(|each| &each.about)
}

/// Returns the controllers that must run: the flags enable them, and their names are not disabled.
pub(crate) fn running(
    config: &ControllerConfig,
) -> impl Iterator<Item = &'static Registration<ControllerConfig, Shared>> {
    let all = CONTROLLERS.iter();
    all.filter(|each| (each.is_on)(config) && !config.off.contains(each.about.name))
}

/// Returns true if another controller than the policy controller must run.
pub(crate) fn has_others(config: &ControllerConfig) -> bool {
    running(config).any(|each| each.about != POLICIES)
}

fn policies(shared: &Shared, starter: Starter<'_>) -> Result<(), Start> {
    let Shared {
        config,
        services,
        rules,
        metrics,
        ready,
        ..
    } = shared;
    let client = shared.client.as_ref().map(|_| starter.writing());
    let check = || ApprovalCheck(services.clone());
    let writer = client.transpose()?;
    let writer = writer.map(|client| Writer::new(client, &identity(), check()));
    let cache = PolicyCache::new(
        Informers::of(&ResolvedWorld::of(shared.world.clone()), rules.clone()),
        service_changes(services),
        schema_of(shared.client.clone()),
        metrics.clone(),
    );
    let reconciler = Reconciler {
        writer,
        services: services.clone(),
        metrics: metrics.clone(),
        is_silent: rules.read_only.is_some(),
        renderer: StatusRenderer {
            history: config.policies.history.into(),
            now: Timestamp::now,
        },
    };
    starter.start_awaited(cache, reconciler, ready.clone());
    Ok(())
}

fn operators(shared: &Shared, starter: Starter<'_>) -> Result<(), Start> {
    let OperatorFlags {
        operators: _,
        operators_namespace,
        installer,
        catalog_namespaces,
    } = shared.config.controllers.operators.clone();
    let namespaces = catalog_namespaces.into_iter().collect();
    let connections = shared.connections.clone();
    let catalogs = Arc::new(OperatorCatalogs::over(connections, namespaces));
    let home = Home {
        namespace: operators_namespace,
        service_account: installer,
        version: env!("CARGO_PKG_VERSION"),
    };
    let client = starter.client()?;
    let cache = OperatorCache::new(&shared.world, client, &home.namespace, catalogs.clone());
    let reconciler = OperatorReconciler::new(starter.writing()?, &identity(), catalogs, home);
    starter.start(cache, reconciler);
    Ok(())
}

fn upgrade_policies(shared: &Shared, starter: Starter<'_>) -> Result<(), Start> {
    let bindings = shared.metrics.bindings.clone();
    let reconciler = PolicyStatusReconciler::new(starter.writing()?, &identity(), bindings);
    starter.start(PolicyStatusCache::new(&shared.world), reconciler);
    Ok(())
}

fn plans(shared: &Shared, starter: Starter<'_>) -> Result<(), Start> {
    let only = shared.config.policies.only_namespace.as_deref();
    let area = only.map_or_else(Area::everywhere, Area::namespace);
    let watches = MetadataWatches::new(starter.client()?, MetadataWatches::PACE);
    let metrics = shared.metrics.plans.clone();
    let reconciler = PlanReconciler::new(starter.writing()?, &identity(), metrics);
    starter.start(PlanCache::new(&shared.world, area, watches), reconciler);
    Ok(())
}

fn installs(shared: &Shared, starter: Starter<'_>) -> Result<(), Start> {
    let InstallFlags {
        installs: _,
        installs_namespace,
        approvals,
    } = &shared.config.controllers.installs;
    let images = BundleImages::over(shared.connections.resolver.clone());
    let home = (&**installs_namespace, approvals.clone());
    let reconciler = GrantReconciler::new(starter.writing()?, &identity(), images, home);
    starter.start(GrantCache::new(&shared.world), reconciler);
    Ok(())
}

fn components(shared: &Shared, starter: Starter<'_>) -> Result<(), Start> {
    let controllers = &shared.config.controllers;
    let Some(wanted) = wanted_definition(&controllers.components) else {
        return Ok(());
    };
    let has_installs = controllers.installs.installs;
    let pace = ComponentCache::<ComponentCatalogs>::PACE;
    let watches = MetadataWatches::new(starter.client()?, pace);
    let resolver = shared.connections.resolver.clone();
    let catalogs = Arc::new(ComponentCatalogs::over(resolver));
    let cache = ComponentCache::new(&shared.world, watches, catalogs.clone(), has_installs);
    let wanted = (wanted, has_installs);
    let reconciler = ComponentReconciler::new(starter.writing()?, &identity(), catalogs, wanted);
    starter.start(cache, reconciler);
    Ok(())
}

fn certificates(shared: &Shared, starter: Starter<'_>) -> Result<(), Start> {
    let only = shared.config.policies.only_namespace.as_deref();
    let watches = MetadataWatches::new(starter.client()?, CertificateCache::PACE);
    let reconciler = CertificateReconciler::new(&starter.writing()?, &identity());
    starter.start(CertificateCache::new(watches, only), reconciler);
    Ok(())
}

/// Returns the state of version v2alpha1 in OLM's CRD that the flags require. Returns None if the
/// flags require no state.
fn wanted_definition(flags: &ComponentFlags) -> Option<WantedDefinition> {
    let ComponentFlags {
        enable_v2alpha1,
        keep_version,
        remove_v2alpha1,
        conversion_service,
    } = flags;
    let ServiceName {
        namespace,
        name,
        port,
    } = conversion_service.clone();
    let service = ConversionService {
        namespace,
        name,
        port,
    };
    let keep = *keep_version;
    let serve = enable_v2alpha1.then_some(WantedDefinition::Serve { service, keep });
    serve.or(remove_v2alpha1.then_some(WantedDefinition::Remove))
}
