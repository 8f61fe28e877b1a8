//! The Operators with their InstallPlans. Only changed objects are converted again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_core_operator::{FleetMember, OperatorHop};
use portolan_world::{Followed, Key, Turn};

/// The Operators and their InstallPlans, from the last read.
#[derive(Debug)]
pub(crate) struct Members {
    /// The namespace of the InstallPlans of Operators that name no ServiceAccount.
    home: String,
    /// The Operator to which each InstallPlan belongs, and the hop of the upgrade that the
    /// InstallPlan makes.
    hops: BTreeMap<Key, (String, OperatorHop)>,
    /// The InstallPlans of each Operator.
    plans: BTreeMap<String, BTreeSet<Key>>,
    by_name: BTreeMap<String, Arc<FleetMember>>,
}

// === impl Members ===

impl Members {
    pub(crate) fn new(home: &str) -> Self {
        Self {
            home: home.to_owned(),
            hops: BTreeMap::new(),
            plans: BTreeMap::new(),
            by_name: BTreeMap::new(),
        }
    }

    pub(crate) fn all(&self) -> &BTreeMap<String, Arc<FleetMember>> {
        &self.by_name
    }

    /// Applies the changes of Operators and InstallPlans.
    pub(crate) fn look(
        &mut self,
        (operators, turn): (&Followed<Operator>, &Turn),
        (plans, turn_of_plans): (&Followed<InstallPlan>, &Turn),
    ) {
        let mut names: BTreeSet<String> =
            turn.keys.iter().map(|key| key.name.to_string()).collect();
        for key in &turn_of_plans.keys {
            names.extend(self.forget(key));
            let plan = plans.object(&key.namespace, &key.name);
            if let Some((operator, hop)) = plan.and_then(OperatorHop::read) {
                let operator = operator.to_owned();
                let own = self.plans.entry(operator.clone()).or_default();
                own.insert(key.clone());
                names.insert(operator.clone());
                self.hops.insert(key.clone(), (operator, hop));
            }
        }
        for name in names {
            match operators.object("", &name) {
                Some(operator) => self.put(name, operator),
                None => drop(self.by_name.remove(&name)),
            }
        }
    }

    /// Removes an InstallPlan. Returns the name of its Operator.
    fn forget(&mut self, plan: &Key) -> Option<String> {
        let (operator, _) = self.hops.remove(plan)?;
        if let Some(own) = self.plans.get_mut(&operator) {
            own.remove(plan);
            if own.is_empty() {
                self.plans.remove(&operator);
            }
        }
        Some(operator)
    }

    fn put(&mut self, name: String, operator: &Operator) {
        let own = self.plans.get(&name).into_iter().flatten();
        let hops = own.filter_map(|plan| Some(self.hops.get(plan)?.1.clone()));
        let member = FleetMember::of(operator, hops.collect(), &self.home);
        // If the converted Operator is equal, the earlier value is kept. The status changes more
        // often than the relevant fields.
        if self
            .by_name
            .get(&name)
            .is_none_or(|known| **known != member)
        {
            self.by_name.insert(name, Arc::new(member));
        }
    }
}
