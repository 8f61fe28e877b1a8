//! The environment of the controller: the world that it reads, the client that it writes with, and
//! each of its controllers there.

use std::sync::Arc;

use kube::{Client, Config};
use portolan_components::{
    ComponentCache, ComponentReconciler, ConversionService, WantedDefinition,
};
use portolan_core_operatorpolicy::READS;
use portolan_operators::{
    Home, OperatorCache, OperatorReconciler, PolicyStatusCache, PolicyStatusReconciler,
};
use portolan_plans::grants::{GrantCache, GrantReconciler};
use portolan_plans::{PlanCache, PlanReconciler};
use portolan_runtime::certificates::{CertificateCache, CertificateReconciler};
use portolan_runtime::lease::{Fence, identity};
use portolan_runtime::{Driver, FencedClient, MetadataWatches, Reconciler, Reconciles, Writes};
use portolan_shell::Readiness;
use portolan_webhook::Watch;
use portolan_world::{AnyWorld, Area, Cluster, Files, Pace, ReachCluster, WorldFlags};

use crate::Start;
use crate::ask::{Addresses, BundleImages, ComponentCatalogs, OperatorCatalogs};
use crate::flags::{
    CertificateFlags, ComponentFlags, InstallFlags, OperatorFlags, PlanFlags, PolicyFlags,
    ServiceName, WebhookFlags,
};
use crate::metrics::Metrics;
use crate::reconcile::AT_ONCE;

/// The world with the policies, and the client to write to its cluster; None of files.
pub(crate) struct Environment {
    pub(crate) world: AnyWorld,
    pub(crate) client: Option<Client>,
    pub(crate) config: Option<Config>,
}

// === impl Environment ===

impl Environment {
    pub(crate) async fn of(objects: WorldFlags) -> Result<Self, Start> {
        let is_given = objects.is_given();
        let WorldFlags { world, access } = objects;
        if let Some(path) = world {
            return Ok(Self {
                world: AnyWorld::Files(Files::at(path).reading(READS)),
                client: None,
                config: None,
            });
        }
        let config = access.config().await;
        let config = config.map_err(|error| match (is_given, &error) {
            (false, ReachCluster::Nowhere(_)) => Start::NoCluster(error),
            _ => Start::Reach(error),
        })?;
        let client = Client::try_from(config.clone()).map_err(unusable)?;
        Ok(Self {
            world: AnyWorld::Cluster(Cluster::of(client.clone(), Pace::default()).reading(READS)),
            client: Some(client),
            config: Some(config),
        })
    }

    /// The controller of plans, if there is to be one.
    pub(crate) fn plans(
        &self,
        PlanFlags { plans }: PlanFlags,
        policies: &PolicyFlags,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<PlanReconciler>>, Start> {
        if !plans {
            return Ok(None);
        }
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_plans())? else {
            return Ok(None);
        };
        let only = policies.only_namespace.as_deref();
        let area = only.map_or_else(Area::everywhere, Area::namespace);
        let watches = MetadataWatches::new(client, MetadataWatches::PACE);
        Ok(Some(unwaited(
            PlanCache::new(&self.world, area, watches),
            PlanReconciler::new(writing, &identity(), metrics.plans()),
            metrics.reconciles_of_plans(),
        )))
    }

    /// The controller of certificates, if there is to be one.
    pub(crate) fn certificates(
        &self,
        CertificateFlags { certificates }: CertificateFlags,
        policies: &PolicyFlags,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<CertificateReconciler>>, Start> {
        if !certificates {
            return Ok(None);
        }
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_certificates())? else {
            return Ok(None);
        };
        let watches = MetadataWatches::new(client, CertificateCache::PACE);
        Ok(Some(unwaited(
            CertificateCache::new(watches, policies.only_namespace.as_deref()),
            CertificateReconciler::new(&writing, &identity()),
            metrics.reconciles_of_certificates(),
        )))
    }

    /// The controller of Operators, if there is to be one.
    pub(crate) fn operators(
        &self,
        flags: OperatorFlags,
        addresses: &Addresses,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<OperatorReconciler<OperatorCatalogs>>>, Start> {
        let OperatorFlags {
            operators,
            operators_namespace,
            installer,
            catalog_namespaces,
        } = flags;
        if !operators {
            return Ok(None);
        }
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_operators())? else {
            return Ok(None);
        };
        let namespaces = catalog_namespaces.into_iter().collect();
        let catalogs = Arc::new(OperatorCatalogs::connect(addresses, namespaces)?);
        let home = Home {
            namespace: operators_namespace,
            service_account: installer,
            version: env!("CARGO_PKG_VERSION"),
        };
        Ok(Some(unwaited(
            OperatorCache::new(&self.world, client, &home.namespace, catalogs.clone()),
            OperatorReconciler::new(writing, &identity(), catalogs, home),
            metrics.reconciles_of_operators(),
        )))
    }

    /// The controller of Operators v2alpha1, if there is to be one.
    pub(crate) fn components(
        &self,
        (flags, are_installs_made): (&ComponentFlags, bool),
        addresses: &Addresses,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<ComponentReconciler<ComponentCatalogs>>>, Start> {
        let Some(wish) = wish(flags) else {
            return Ok(None);
        };
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_components())? else {
            return Ok(None);
        };
        let watches = MetadataWatches::new(client, ComponentCache::<ComponentCatalogs>::PACE);
        let catalogs = Arc::new(ComponentCatalogs::connect(addresses)?);
        Ok(Some(unwaited(
            ComponentCache::new(&self.world, watches, catalogs.clone(), are_installs_made),
            ComponentReconciler::new(writing, &identity(), catalogs, (wish, are_installs_made)),
            metrics.reconciles_of_components(),
        )))
    }

    /// The controller of Installs, if there is to be one.
    pub(crate) fn installs(
        &self,
        flags: &InstallFlags,
        addresses: &Addresses,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<GrantReconciler<BundleImages>>>, Start> {
        if !flags.installs {
            return Ok(None);
        }
        let Some((_, writing)) = self.writing(fence, metrics.writes_of_installs())? else {
            return Ok(None);
        };
        let home = &flags.installs_namespace;
        let images = BundleImages::connect(addresses)?;
        Ok(Some(unwaited(
            GrantCache::new(&self.world),
            GrantReconciler::new(
                writing,
                &identity(),
                images,
                (home, flags.approvals.clone()),
            ),
            metrics.reconciles_of_installs(),
        )))
    }

    /// The controller of the statuses of Policies and PolicyBindings, which belongs to that of Operators.
    pub(crate) fn policy_statuses(
        &self,
        flags: &OperatorFlags,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<PolicyStatusReconciler>>, Start> {
        if !flags.operators {
            return Ok(None);
        }
        let Some((_, writing)) = self.writing(fence, metrics.writes_of_operators())? else {
            return Ok(None);
        };
        Ok(Some(unwaited(
            PolicyStatusCache::new(&self.world),
            PolicyStatusReconciler::new(writing, &identity(), metrics.bindings()),
            metrics.reconciles_of_upgrade_policies(),
        )))
    }

    /// Returns the watch that reports on the webhook; None of files, or if none is wanted.
    pub(crate) fn webhook(
        &self,
        WebhookFlags { webhook }: WebhookFlags,
        fence: &Fence,
        is_silent: bool,
        metrics: &Metrics,
    ) -> Result<Option<Watch>, Start> {
        let (Some(name), Some((client, writing))) =
            (webhook, self.writing(fence, metrics.writes())?)
        else {
            return Ok(None);
        };
        let identity = identity();
        let events = (!is_silent).then_some((writing, &*identity));
        Ok(Some(Watch::new(client, &name, metrics.webhook(), events)))
    }

    /// A client that looks, and one that writes with nothing of it going on once this replica leads
    /// no more; None of files.
    fn writing(
        &self,
        fence: &Fence,
        writes: Writes,
    ) -> Result<Option<(Client, FencedClient)>, Start> {
        let (Some(client), Some(config)) = (&self.client, &self.config) else {
            return Ok(None);
        };
        let writing = fence.client(config.clone()).map_err(unusable)?;
        let writing = FencedClient::new(writing, fence.clone(), writes);
        Ok(Some((client.clone(), writing)))
    }
}

/// A controller for whose first look nobody waits: what it looks at may not be served, or allowed, yet.
fn unwaited<R: Reconciler>(cache: R::Cache, reconciler: R, metrics: Reconciles) -> Driver<R> {
    Driver {
        cache,
        reconciler: Arc::new(reconciler),
        at_once: AT_ONCE,
        ready: Readiness::pending(),
        metrics,
    }
}

/// Returns the wish for version v2alpha1 of the definition; None if the flags ask for nothing.
fn wish(flags: &ComponentFlags) -> Option<WantedDefinition> {
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

pub(crate) fn unusable(error: kube::Error) -> Start {
    Start::Reach(ReachCluster::Client(Box::new(error)))
}
