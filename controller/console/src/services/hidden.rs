//! Notes about objects that a page cannot show because of missing permissions or errors. Without
//! these notes, incomplete lists would look complete.

use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan as OurPlan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_core_console::ConsolePage;
use portolan_core_console::view::{Hidden, ObjectKind, Seen, Unseen};
use portolan_core_olm::{
    CatalogSource, ClusterCatalog, ClusterExtension, ClusterServiceVersion, InstallPlan,
    Subscription,
};
use portolan_world::{Kind, State, World as _};

use super::Services;
use crate::shown_time;

impl Services {
    pub(super) async fn hidden_at(&self, place: &ConsolePage) -> Vec<Hidden> {
        match place {
            ConsolePage::Overview => {
                let operators = self.hidden_operators().await;
                let (plans, catalogs) = tokio::join!(self.hidden_plans(), self.hidden_catalogs());
                [operators, plans, catalogs].concat()
            }
            ConsolePage::Operators(_)
            | ConsolePage::Operator { .. }
            | ConsolePage::Diagnose(_)
            | ConsolePage::Updates(_)
            | ConsolePage::Readiness(_)
            | ConsolePage::Preview(_) => self.hidden_operators().await,
            ConsolePage::Catalogs(_) | ConsolePage::Search { .. } => self.hidden_catalogs().await,
            ConsolePage::Plans(_) => self.hidden_plans().await,
            ConsolePage::Policies(_) => self.hidden_policies().await,
            ConsolePage::Installs(_) => self.hidden_installs().await,
            ConsolePage::Object(id) => match id.kind {
                ObjectKind::OlmPlan | ObjectKind::Plan => self.hidden_plans().await,
                ObjectKind::OperatorPolicy | ObjectKind::Policy | ObjectKind::PolicyBinding => {
                    self.hidden_policies().await
                }
                ObjectKind::Install => self.hidden_installs().await,
            },
            // These pages themselves report an object that cannot be read.
            ConsolePage::Catalog { .. }
            | ConsolePage::Package { .. }
            | ConsolePage::Graph { .. }
            | ConsolePage::Bundle { .. } => Vec::new(),
        }
    }

    pub(super) async fn hidden_operators(&self) -> Vec<Hidden> {
        let each = tokio::join!(
            self.hidden::<ClusterServiceVersion>("ClusterServiceVersions of OLM"),
            self.hidden::<Subscription>("Subscriptions of OLM"),
            self.hidden::<ClusterExtension>("ClusterExtensions of OLM v1"),
            self.hidden::<Operator>("Operators of Portolan"),
        );
        [each.0, each.1, each.2, each.3]
            .into_iter()
            .flatten()
            .collect()
    }

    pub(super) async fn hidden_plans(&self) -> Vec<Hidden> {
        let each = tokio::join!(
            self.hidden::<InstallPlan>("InstallPlans of OLM"),
            self.hidden::<OurPlan>("InstallPlans of Portolan"),
        );
        [each.0, each.1].into_iter().flatten().collect()
    }

    pub(super) async fn hidden_policies(&self) -> Vec<Hidden> {
        let each = tokio::join!(
            self.hidden::<OperatorPolicy>("OperatorPolicies"),
            self.hidden::<Policy>("Policies"),
            self.hidden::<PolicyBinding>("PolicyBindings"),
        );
        [each.0, each.1, each.2].into_iter().flatten().collect()
    }

    pub(super) async fn hidden_installs(&self) -> Vec<Hidden> {
        let hidden = self.hidden::<Install>("Installs").await;
        hidden.into_iter().collect()
    }

    pub(super) async fn hidden_catalogs(&self) -> Vec<Hidden> {
        let each = tokio::join!(
            self.hidden::<CatalogSource>("CatalogSources"),
            self.hidden::<ClusterCatalog>("ClusterCatalogs"),
        );
        [each.0, each.1].into_iter().flatten().collect()
    }

    /// Returns a note if the objects of a kind are hidden or outdated. Returns None if they are
    /// visible and current.
    async fn hidden<K: Kind>(&self, called: &str) -> Option<Hidden> {
        let mut objects = self.world.objects::<K>();
        let view = objects.known().await.unwrap_or_default();
        let (trouble, since) = view.state.trouble()?;
        let is_stale = matches!(view.state, State::Stale { .. });
        let why = if is_stale {
            let since = shown_time(since);
            format!("{called} are shown as of {since}: {trouble}")
        } else {
            format!("{called}: {trouble}")
        };
        Some(Hidden {
            why: Unseen(why),
            is_stale,
        })
    }
}

/// Returns all visible objects. If there are no visible objects and some objects may be hidden,
/// returns the reason as an error.
pub(super) fn unless_hidden<T>(all: Vec<T>, hidden: Vec<Hidden>) -> Seen<Vec<T>> {
    match hidden.into_iter().next() {
        Some(Hidden { why, .. }) if all.is_empty() => Err(why),
        Some(_) | None => Ok(all),
    }
}
