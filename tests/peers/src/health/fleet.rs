//! The operators of the measured cluster, and the names of their objects.

/// The number of operators, and the number of namespaces that contain them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fleet {
    pub(crate) operators: usize,
    pub(crate) namespaces: usize,
}

/// An operator, identified by its number. All of its objects are derived from the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operator {
    at: usize,
    namespaces: usize,
}

const DEPLOYMENT: &str = "-controller-manager";

// === impl Fleet ===

impl Fleet {
    pub(crate) fn operators(self) -> impl Iterator<Item = Operator> {
        (0..self.operators).map(move |at| self.operator(at))
    }

    /// Returns `wanted` operators. Their numbers are as far apart as possible.
    pub(crate) fn spread(self, wanted: usize) -> impl Iterator<Item = Operator> {
        let wanted = wanted.min(self.operators);
        (0..wanted).map(move |at| self.operator(at * self.operators / wanted))
    }

    pub(crate) fn namespaces(self) -> impl Iterator<Item = String> {
        (0..self.namespaces).map(namespace)
    }

    fn operator(self, at: usize) -> Operator {
        Operator {
            at,
            namespaces: self.namespaces,
        }
    }
}

// === impl Operator ===

impl Operator {
    /// Returns the name of the package, which is also the name of the Subscription.
    pub(crate) fn package(self) -> String {
        format!("ship-{:04}", self.at)
    }

    pub(crate) fn namespace(self) -> String {
        namespace(self.at % self.namespaces)
    }

    pub(crate) fn csv(self) -> String {
        format!("{}.v1.4.2", self.package())
    }

    pub(crate) fn deployment(self) -> String {
        format!("{}{DEPLOYMENT}", self.package())
    }

    pub(crate) fn replica_set(self) -> String {
        format!("{}-6b7f9d", self.deployment())
    }

    pub(crate) fn plan(self) -> String {
        format!("install-{:04}", self.at)
    }

    pub(crate) fn group(self) -> String {
        format!("{}.fleet.example", self.package())
    }

    pub(crate) fn definition(self) -> String {
        format!("harbors.{}", self.group())
    }

    /// Returns the key with which watchers identify the operator.
    pub(crate) fn key(self) -> String {
        key(&self.namespace(), &self.package())
    }
}

/// Returns the key of an operator. `name` is the name of its package or its Deployment.
pub(crate) fn key(namespace: &str, name: &str) -> String {
    let package = name.strip_suffix(DEPLOYMENT).unwrap_or(name);
    format!("{namespace}/{package}")
}

fn namespace(at: usize) -> String {
    format!("fleet-{at:03}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLEET: Fleet = Fleet {
        operators: 10,
        namespaces: 3,
    };

    #[test]
    fn deployment_has_the_key_of_its_operator() {
        let operator = FLEET.operators().last().unwrap();
        assert_eq!(operator.key(), "fleet-000/ship-0009");
        let deployment = key(&operator.namespace(), &operator.deployment());
        assert_eq!(deployment, operator.key());
    }

    #[test]
    fn spread_operators_are_distinct_and_at_most_all() {
        let packages = |wanted| {
            FLEET
                .spread(wanted)
                .map(Operator::package)
                .collect::<Vec<_>>()
        };
        assert_eq!(packages(3), ["ship-0000", "ship-0003", "ship-0006"]);
        assert_eq!(packages(99).len(), 10);
    }
}
