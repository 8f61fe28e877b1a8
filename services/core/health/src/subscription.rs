//! Subscriptions: wishes for operators.

use crate::case::Case;
use crate::ground::Found;
use crate::words::because;
use crate::{Code, Condition, Fact, Kind, Object, Observed, State, group, plan};

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
        format!("{}/{}", self.source_namespace, self.source)
    }

    /// What it says of its operator, and what is in the way of that.
    pub(crate) fn judge(&self, case: &Case<'_>) -> Fact {
        let mut below = group::judge(case);
        below.extend(plan::judge(case));
        below.extend(self.source(case));
        below.extend(
            self.conditions
                .iter()
                .filter_map(|said| self.said(said, case)),
        );
        self.standing(case, &below).with_below(below)
    }

    /// What it says by itself.
    fn standing(&self, case: &Case<'_>, below: &[Fact]) -> Fact {
        let object = &self.observed.object;
        if !case.is_installed() {
            return self.without_operator(case, below);
        }
        if self.is_deleting {
            let message = format!(
                "{object} is being deleted. Its operator stays, and nothing will update it."
            );
            return Fact::new(
                &self.observed,
                State::NotYet,
                Code::SubscriptionDeleting,
                &message,
            );
        }
        let message = format!(
            "{object} asks for package {} of {}.",
            self.package,
            self.catalog()
        );
        Fact::fine(&self.observed, &message)
    }

    /// What it means that there is no operator.
    fn without_operator(&self, case: &Case<'_>, below: &[Fact]) -> Fact {
        let object = &self.observed.object;
        let fact = |state, code, message: &str| Fact::new(&self.observed, state, code, message);
        let csvs = &case.ground.csvs;
        let named = [&self.installed_csv, &self.current_csv];
        if let Some(copy) = named
            .iter()
            .find(|name| case.ground.copied.contains(name.as_str()))
        {
            let message = format!(
                "{object} has no operator: {copy} is only a copy of one in another namespace, and OLM takes it for installed. Delete the Subscription; the other operator serves this namespace."
            );
            return fact(State::No, Code::OnlyCopied, &message);
        }
        if !csvs.is_clear() {
            let message = format!("No ClusterServiceVersion of {object} is seen.");
            return fact(State::NotYet, Code::NotInstalled, &message);
        }
        if !self.installed_csv.is_empty() {
            let message = format!(
                "{} is not there, though OLM takes it for installed: it was deleted. Delete {object} and make it anew, and OLM installs it again.",
                Object::new(
                    Kind::ClusterServiceVersion,
                    &object.namespace,
                    &self.installed_csv
                )
            );
            return fact(State::No, Code::NotInstalled, &message);
        }
        if self.is_unseen() {
            let message = format!(
                "OLM has not said anything of {object}. If that lasts, look whether OLM runs."
            );
            return fact(State::NotYet, Code::SubscriptionUnseen, &message);
        }
        match below.iter().any(|fact| fact.state == State::No) {
            true => fact(
                State::No,
                Code::NotInstalled,
                &format!("{object} has no operator, and something keeps OLM from installing one."),
            ),
            false => fact(
                State::NotYet,
                Code::NotInstalled,
                &format!("{object} has no operator yet."),
            ),
        }
    }

    fn is_unseen(&self) -> bool {
        self.state.is_empty()
            && self.current_csv.is_empty()
            && self.plan.is_empty()
            && self.conditions.is_empty()
    }

    /// The catalog that it names.
    fn source(&self, case: &Case<'_>) -> Option<Fact> {
        match case
            .ground
            .catalogs
            .find_in(&self.source_namespace, &self.source)
        {
            Found::There(source) => Some(Fact::fine(
                &source.observed,
                &format!("{} is there.", source.observed.object),
            )),
            Found::Missing(observed) => {
                let message = format!(
                    "{} is not there, so nothing can be installed or updated from it.",
                    observed.object
                );
                Some(Fact::judged(
                    &observed,
                    case.hindrance(),
                    Code::CatalogMissing,
                    &message,
                ))
            }
            Found::Unseen => None,
        }
    }

    /// What OLM says of it.
    fn said(&self, said: &Condition, case: &Case<'_>) -> Option<Fact> {
        let object = &self.observed.object;
        let fact = |state, code, claim: String| {
            let message = because(claim, said.words());
            Some(Fact::judged(&self.observed, state, code, &message))
        };
        if !said.is_true() {
            return None;
        }
        match said.kind.as_str() {
            "ResolutionFailed" => fact(
                case.hindrance(),
                Code::ResolutionFailed,
                format!(
                    "OLM finds no set of bundles that fits {object} and all others of the namespace"
                ),
            ),
            "BundleUnpackFailed" => fact(
                case.hindrance(),
                Code::BundleUnpackFailed,
                format!("OLM cannot unpack the bundle for {object}"),
            ),
            "BundleUnpacking" => fact(
                case.hindrance().min(State::NotYet),
                Code::BundleUnpacking,
                format!("OLM unpacks the bundle for {object}"),
            ),
            "CatalogSourcesUnhealthy" => fact(
                case.hindrance().min(State::NotYet),
                Code::CatalogSourcesUnhealthy,
                format!("OLM finds a catalog that {object} can see unhealthy"),
            ),
            "InstallPlanMissing" | "InstallPlanPending" | "InstallPlanFailed" => None,
            kind => fact(
                State::Yes,
                Code::SubscriptionCondition,
                format!("OLM says {kind} of {object}"),
            ),
        }
    }
}
