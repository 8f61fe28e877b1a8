//! The namespaces of the measured cluster, and the number of objects in each namespace.

/// The number of namespaces, and the number of objects in each namespace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Port {
    pub(crate) namespaces: usize,
    /// The number of InstallPlans in a namespace. The last InstallPlan is pending, and all others
    /// are complete.
    pub(crate) plans: usize,
    /// The number of policies in a namespace. Each policy has its own Subscription, and its own
    /// bundle in each InstallPlan.
    pub(crate) policies: usize,
}

/// A namespace, identified by its number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanNamespace {
    at: usize,
    pub(crate) port: Port,
}

// === impl Port ===

impl Port {
    /// Returns a port that has only the first namespace.
    pub(crate) fn alone(self) -> Self {
        Self {
            namespaces: 1,
            ..self
        }
    }

    pub(crate) fn berths(self) -> impl Iterator<Item = PlanNamespace> {
        (0..self.namespaces).map(move |at| PlanNamespace { at, port: self })
    }

    /// Returns `wanted` namespaces. After the last namespace, continues with the first.
    pub(crate) fn round(self, wanted: usize) -> impl Iterator<Item = PlanNamespace> {
        self.berths()
            .collect::<Vec<_>>()
            .into_iter()
            .cycle()
            .take(wanted)
    }

    pub(crate) fn all_plans(self) -> usize {
        self.namespaces * self.plans
    }

    pub(crate) fn all_policies(self) -> usize {
        self.namespaces * self.policies
    }
}

// === impl PlanNamespace ===

impl PlanNamespace {
    pub(crate) fn namespace(self) -> String {
        format!("berth-{:03}", self.at)
    }

    pub(crate) fn packages(self) -> impl Iterator<Item = String> {
        (0..self.port.policies).map(package)
    }

    /// Returns the name of the pending InstallPlan.
    pub(crate) fn waiting(self) -> String {
        plan(self.port.plans - 1)
    }
}

fn package(at: usize) -> String {
    format!("tug-{at}")
}

pub(crate) fn plan(at: usize) -> String {
    format!("install-{at:02}")
}

pub(crate) fn bundle(package: &str, plan: usize) -> String {
    format!("{package}.v1.{plan}.0")
}
