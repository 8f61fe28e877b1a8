//! Subscriptions: wishes for operators.

use portolan_core_names::trouble;

use crate::case::Case;
use crate::ground::Found;
use crate::{
    CatalogSource, Code, Condition, Fact, Kind, Object, Observed, PlanPhase, Sight, State, group,
    plan,
};

mod said;

/// The wish for an operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subscription {
    /// Which object.
    pub observed: Observed,
    /// The package.
    pub package: String,
    /// The channel; empty for any.
    pub channel: String,
    /// The namespace of the CatalogSource.
    pub source_namespace: String,
    /// The CatalogSource.
    pub source: String,
    /// How far OLM says it is, such as `AtLatestKnown`. It says nothing of health.
    pub state: String,
    /// The bundle that is on its way, or was the last that came; empty before the first.
    pub current_csv: String,
    /// The bundle that OLM takes for installed; empty before the first.
    pub installed_csv: String,
    /// The InstallPlan that brings, or brought, the bundle on its way; empty if there is none.
    pub plan: String,
    /// What OLM says of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

// === impl Subscription ===

impl Subscription {
    /// The catalog that it names, as `namespace/name`.
    pub(crate) fn catalog(&self) -> String {
        match self.source.is_empty() {
            true => String::new(),
            false => format!("{}/{}", self.source_namespace, self.source),
        }
    }

    /// What it says of its operator, and what is in the way of that.
    pub(crate) fn judge(&self, case: &Case<'_>) -> Fact {
        let mut below = group::judge(case);
        below.extend(plan::judge(case));
        below.extend(self.source(case));
        below.extend(self.said(case));
        let fact = match case.is_installed() {
            true => self.with_operator(),
            false => self.without_operator(case, &below),
        };
        fact.with_below(below)
    }

    /// What it says if there is an operator.
    fn with_operator(&self) -> Fact {
        let object = &self.observed.object;
        if self.is_deleting {
            let message =
                format!("{object} is being deleted. Its operator stays, and nothing updates it.");
            return self.fact(State::NotYet, Code::SubscriptionDeleting, &message);
        }
        let catalog = self.catalog();
        let message = format!("{object} asks for package {} of {catalog}.", self.package);
        Fact::fine(&self.observed, &message)
    }

    /// What it means that there is no operator.
    fn without_operator(&self, case: &Case<'_>, below: &[Fact]) -> Fact {
        let object = &self.observed.object;
        let absent = |state, claim: &str| {
            self.fact(
                state,
                Code::NotInstalled,
                &format!("{object} has no operator{claim}."),
            )
        };
        if let Some(copy) = self.copy(case) {
            return self.fact(State::No, Code::OnlyCopied, &only_copied(object, copy));
        }
        let named = [self.current_csv.as_str(), self.installed_csv.as_str()];
        if !named.iter().all(|name| case.ground.csvs.is_clear_of(name)) {
            return absent(State::NotYet, " that is seen");
        }
        if !self.installed_csv.is_empty() {
            if *case.ground.copied_sight != Sight::Clear {
                // It may be a copy, which is no reason to delete anything.
                return absent(State::NotYet, " that is seen");
            }
            return absent(State::No, &self.deleted());
        }
        if self.is_unseen() {
            let message = format!(
                "OLM has not said anything of {object}. If that lasts, look whether OLM runs."
            );
            return self.fact(State::NotYet, Code::SubscriptionUnseen, &message);
        }
        if below.iter().any(|fact| fact.state == State::No) {
            return absent(State::No, ", and something keeps OLM from installing one");
        }
        let plan = case.plan().and_then(Found::object);
        match plan.is_some_and(|plan| plan.phase == PlanPhase::Complete) {
            true => absent(
                State::No,
                ", though its InstallPlan is carried out: it was deleted",
            ),
            false => absent(State::NotYet, " yet"),
        }
    }

    /// The copy that OLM takes for the operator.
    fn copy(&self, case: &Case<'_>) -> Option<&str> {
        let names = [self.installed_csv.as_str(), self.current_csv.as_str()];
        names
            .into_iter()
            .find(|name| case.ground.copied.contains(name))
    }

    fn deleted(&self) -> String {
        let object = &self.observed.object;
        let kind = Kind::ClusterServiceVersion;
        let csv = Object::new(kind, &object.namespace, &self.installed_csv);
        format!(
            ": {csv} was deleted, and OLM takes it for installed. Delete the Subscription and \
             create it anew, and OLM installs it again"
        )
    }

    fn is_unseen(&self) -> bool {
        let words = [&self.state, &self.current_csv, &self.plan];
        words.iter().all(|word| word.is_empty()) && self.conditions.is_empty()
    }

    /// The catalog that it names, as far as the objects tell.
    fn source(&self, case: &Case<'_>) -> Option<Fact> {
        match case
            .ground
            .catalogs
            .find_in(&self.source_namespace, &self.source)
        {
            Found::There(source) => Some(reachable(source, case)),
            Found::Missing(observed) => {
                let claim = trouble::no_catalog(&self.source_namespace, &self.source);
                let message = format!("{claim}.");
                let state = case.hindrance();
                Some(Fact::judged(
                    &observed,
                    state,
                    Code::CatalogMissing,
                    &message,
                ))
            }
            Found::Unseen => None,
        }
    }

    fn fact(&self, state: State, code: Code, message: &str) -> Fact {
        Fact::new(&self.observed, state, code, message)
    }
}

fn only_copied(object: &Object, copy: &str) -> String {
    format!(
        "{object} has no operator: {copy} is the copy of one in another namespace, and OLM takes \
         it for installed. If that one serves this namespace, the Subscription is not needed."
    )
}

/// What a catalog that is there means for an operator. Which word OLM has for not being connected
/// changes every few seconds.
fn reachable(source: &CatalogSource, case: &Case<'_>) -> Fact {
    let object = &source.observed.object;
    let trouble = match source.connection.as_str() {
        _ if source.is_deleting => Some("is being deleted"),
        "" | "READY" => None,
        _ => Some("has no connection to OLM"),
    };
    match trouble {
        None => Fact::fine(&source.observed, &format!("{object} is there.")),
        Some(trouble) => {
            let message = format!("{object} {trouble}.");
            let state = case.delay();
            Fact::judged(&source.observed, state, Code::CatalogTrouble, &message)
                .with_detail(&source.connection)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
