//! The kinds of Portolan. Their diagnosis depends on the status of their objects.

use std::marker::PhantomData;

use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_core_olm::{AnyDeployment, ClusterCatalog, ClusterExtension, ComponentOperator};
use portolan_diagnosis::DiagnosisService;
use portolan_resolver::source::{CatalogAt, SourceAccess};
use portolan_world::{AnyWorld, Area, Kind, ResolvedWorld};

use super::diagnosis::local_diagnosis;
use super::{ObjectArgs, Subject};
use crate::facts::DiagnosisConnection;
use crate::failure::Failure;

/// Objects of one kind of Portolan, which the diagnosis service diagnoses.
pub(super) struct Own<K>(PhantomData<K>);

/// A kind of Portolan.
pub(super) trait OwnKind: Kind {
    /// The message if a cluster does not serve the kind.
    const UNKNOWN: &'static str;
}

// === impl ObjectArgs ===

impl ObjectArgs {
    /// Connects to the diagnosis service for objects of one kind of Portolan.
    pub(super) async fn own_diagnosis<K: OwnKind>(
        &self,
        namespace: &str,
    ) -> Result<DiagnosisConnection, Failure> {
        let open = |world: AnyWorld, namespace: Option<&str>| {
            let world = ResolvedWorld::of(world);
            let diagnosis = DiagnosisService::of_own_objects(&world, namespace);
            Ok(local_diagnosis(diagnosis))
        };
        self.connect::<Own<K>, _>(namespace, open).await
    }

    /// Connects to the diagnosis service for ClusterExtensions. The service reads the content of
    /// catalogs only if a diagnosis needs the content.
    pub(super) async fn extension_diagnosis(
        &self,
        namespace: &str,
        catalogs: (Vec<CatalogAt>, SourceAccess),
    ) -> Result<DiagnosisConnection, Failure> {
        let open = |world: AnyWorld, namespace: Option<&str>| {
            let diagnosis =
                DiagnosisService::of_own_objects_and_catalogs(world, namespace, catalogs);
            Ok(local_diagnosis(diagnosis))
        };
        self.connect::<Own<ClusterExtension>, _>(namespace, open)
            .await
    }
}

// === impl Own ===

impl<K: OwnKind> Subject for Own<K> {
    type AskedAbout = K;
    type Besides = K;

    const WHAT: &'static str = "object of this kind";

    const UNKNOWN: [Option<&'static str>; 2] = [Some(K::UNKNOWN), None];

    fn area_besides(area: Area) -> Area {
        area
    }

    async fn left_out(_world: &AnyWorld) -> Vec<String> {
        Vec::new()
    }
}

impl OwnKind for Operator {
    const UNKNOWN: &'static str = "the CRD of the Operators of \
                                   operators.operatorframework.io is not installed on the cluster";
}

impl OwnKind for InstallPlan {
    const UNKNOWN: &'static str = "the CRD of the InstallPlans of \
                                   plans.portolan.dev is not installed on the cluster";
}

impl OwnKind for Install {
    const UNKNOWN: &'static str = "the CRD of Installs is not installed on the cluster";
}

impl OwnKind for OperatorPolicy {
    const UNKNOWN: &'static str = "the CRD of OperatorPolicies is not installed on the cluster";
}

impl OwnKind for Policy {
    const UNKNOWN: &'static str = "the CRD of the Policies of \
                                   operators.operatorframework.io is not installed on the cluster";
}

impl OwnKind for PolicyBinding {
    const UNKNOWN: &'static str = "the CRD of PolicyBindings is not installed on the cluster";
}

impl OwnKind for ComponentOperator {
    const UNKNOWN: &'static str =
        "the API operators.coreos.com/v2alpha1 is not installed on the cluster";
}

impl OwnKind for ClusterExtension {
    const UNKNOWN: &'static str = "the CRD of ClusterExtensions is not installed on the cluster, because OLM v1 is not installed";
}

impl OwnKind for ClusterCatalog {
    const UNKNOWN: &'static str = "the CRD of ClusterCatalogs is not installed on the cluster, because OLM v1 is not installed";
}

/// The kind for components of Portolan, because most components are Deployments.
impl OwnKind for AnyDeployment {
    const UNKNOWN: &'static str = "the cluster does not have the API of Deployments (apps/v1)";
}
