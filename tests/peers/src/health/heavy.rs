//! Many additional objects in a cluster, which no program requests.

use serde_json::{Value, json};

use super::filler::{prose, scrap};
use super::fleet::{Fleet, Operator};
use super::plans::{plan, step};
use super::workload::pod_status;

/// The numbers of additional objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heavy {
    pub(crate) pods: usize,
    pub(crate) plans: usize,
}

/// One Pod of this number is in a namespace with operators.
const AMONG_OPERATORS: usize = 10;

/// The number and the size of the steps in a large InstallPlan. etcd rejects objects that are
/// larger than 1.5 megabytes.
const STEPS: usize = 14;
const STEP: usize = 100_000;

// === impl Heavy ===

impl Heavy {
    pub(crate) fn namespace() -> &'static str {
        "foreign"
    }

    pub(crate) fn pods(self, fleet: Fleet) -> impl Iterator<Item = Value> {
        let among: Vec<_> = fleet.spread(self.pods / AMONG_OPERATORS).collect();
        (0..self.pods).map(move |at| match at % AMONG_OPERATORS {
            0 => pod(at, &among[at / AMONG_OPERATORS % among.len()].namespace()),
            _ => pod(at, Self::namespace()),
        })
    }

    /// Returns InstallPlans of 1.4 MB in the namespaces with operators. No Subscription refers to
    /// them.
    pub(crate) fn plans(self, fleet: Fleet) -> impl Iterator<Item = Value> {
        let owners: Vec<_> = fleet.spread(self.plans).collect();
        (0..self.plans).map(move |at| large_plan(at, owners[at % owners.len()]))
    }
}

fn large_plan(at: usize, operator: Operator) -> Value {
    let csv = format!("{}.v1.3.{at}", operator.package());
    let manifest = scrap(STEP);
    let steps = (0..STEPS).map(|at| step(&csv, at, &manifest)).collect();
    let name = format!("install-large-{at:03}");
    plan(&name, &operator.namespace(), &csv, steps)
}

fn pod(at: usize, namespace: &str) -> Value {
    let variables = (0..20).map(|at| json!({"name": format!("VAR_{at}"), "value": prose(at, 60)}));
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("cargo-{at:05}"),
            "namespace": namespace,
            "labels": {"app": "cargo"},
            "annotations": {"note": prose(at, 500)},
        },
        "spec": {
            "automountServiceAccountToken": false,
            "nodeName": "node-0",
            "containers": [{
                "name": "manager",
                "image": "registry.example/fleet/cargo:v1",
                "env": variables.collect::<Value>(),
            }],
        },
        "status": pod_status(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_plan_is_just_below_the_size_limit_of_etcd() {
        let heavy = Heavy { pods: 1, plans: 1 };
        let fleet = Fleet {
            operators: 2,
            namespaces: 1,
        };
        let plans: Vec<_> = heavy
            .plans(fleet)
            .map(|plan| plan.to_string().len())
            .collect();
        assert!(
            plans
                .iter()
                .all(|bytes| (1_400_000..1_450_000).contains(bytes)),
            "{plans:?}"
        );
    }
}
