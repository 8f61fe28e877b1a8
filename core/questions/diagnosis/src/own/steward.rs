//! Finds the tools that apply the objects of Portolan.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{Listed, OwnKind, OwnObjects};
use crate::{Cause, Diagnosis, Object, steward};

impl OwnObjects {
    /// Adds to each cause the tool that applies its object at fault. Replaces characters that are
    /// unsafe in a terminal.
    pub(super) fn with_steward(&self, diagnosis: Diagnosis) -> Diagnosis {
        let named = |cause: Cause| {
            let metadata = self.metadata(&cause.at_fault);
            steward::named(cause, metadata)
        };
        let cause = diagnosis.cause.map(|mut cause| {
            cause.below = cause.below.into_iter().map(named).collect();
            named(cause)
        });
        Diagnosis { cause, ..diagnosis }.made_plain()
    }

    /// Returns the metadata of a workload or of a custom resource that users or their tools apply.
    fn metadata(&self, object: &Object) -> Option<&ObjectMeta> {
        let workloads = self.workloads.nearby.iter().chain(&self.workloads.all);
        let mut workloads = workloads.filter(|it| it.object == *object);
        if let Some(workload) = workloads.next() {
            return Some(&workload.metadata);
        }
        let kind = OwnKind::ALL.iter().find(|it| it.as_str() == object.kind)?;
        match kind {
            OwnKind::Operator => find(&self.operators, |it| &it.metadata, object),
            OwnKind::InstallPlan => find(&self.plans, |it| &it.metadata, object),
            OwnKind::Install => find(&self.installs, |it| &it.metadata, object),
            OwnKind::OperatorPolicy => find(&self.operator_policies, |it| &it.metadata, object),
            OwnKind::Policy => find(&self.policies, |it| &it.metadata, object),
            OwnKind::PolicyBinding => find(&self.bindings, |it| &it.metadata, object),
            OwnKind::ClusterExtension => find(&self.extensions, |it| &it.metadata, object),
            OwnKind::ComponentOperator | OwnKind::ClusterCatalog | OwnKind::Component => None,
        }
    }
}

fn find<'a, K>(
    listed: &'a Listed<K>,
    metadata: fn(&K) -> &ObjectMeta,
    object: &Object,
) -> Option<&'a ObjectMeta> {
    let mut all = listed.objects.iter().map(|it| metadata(it));
    all.find(|metadata| {
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        metadata.name.as_deref() == Some(&*object.name) && namespace == object.namespace
    })
}
