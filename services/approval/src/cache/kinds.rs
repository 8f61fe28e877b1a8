//! The watched kinds.

use portolan_api::OperatorPolicy;
use portolan_core_olm::{ClusterServiceVersion, InstallPlan, Subscription};
use portolan_world::{Area, Followed, Informer, Kind, Notifier, World};

/// The kinds whose objects affect reviews.
#[derive(Debug)]
pub(super) struct Kinds {
    pub(super) plans: Followed<InstallPlan>,
    pub(super) subscriptions: Followed<Subscription>,
    pub(super) csvs: Followed<ClusterServiceVersion>,
    pub(super) policies: Followed<OperatorPolicy>,
}

impl Kinds {
    /// Watches the kinds in the whole world or in one namespace. Policies are always watched in all
    /// namespaces, because a policy may apply to a namespace other than its own.
    pub(super) fn of(world: &impl World, namespace: Option<&str>, notifier: &Notifier) -> Self {
        let area = namespace.map(Area::namespace).unwrap_or_default();
        Self {
            plans: open(world, &area, notifier),
            subscriptions: open(world, &area, notifier),
            csvs: open(world, &area, notifier),
            // Files that are not a complete dump may have been written without the policies of the
            // cluster.
            policies: Followed::within_world(world, Area::everywhere(), notifier),
        }
    }

    /// Returns the kinds.
    pub(super) fn all(&mut self) -> Vec<&mut dyn Informer> {
        let Self {
            plans,
            subscriptions,
            csvs,
            policies,
        } = self;
        vec![plans, subscriptions, csvs, policies]
    }

    /// Returns the reasons why facts about a namespace are missing or outdated. Invalid policies
    /// are not included, because each of them has a separate reason.
    pub(super) fn unseen(&self, namespace: &str) -> Vec<String> {
        let Self {
            plans,
            subscriptions,
            csvs,
            policies,
        } = self;
        let unseen = [
            doubt("InstallPlans", plans, namespace),
            doubt("Subscriptions", subscriptions, namespace),
            doubt("ClusterServiceVersions", csvs, namespace),
            policies
                .doubt_of_all()
                .map(|why| sentence("OperatorPolicies", &why)),
            hidden(policies).map(|why| format!("OperatorPolicies may be hidden: {why}")),
        ];
        unseen.into_iter().flatten().collect()
    }
}

fn open<K: Kind>(world: &impl World, area: &Area, notifier: &Notifier) -> Followed<K> {
    Followed::of(world.objects_in::<K>(area.clone()), notifier)
}

fn doubt<K: Kind>(kinds: &str, followed: &Followed<K>, namespace: &str) -> Option<String> {
    let doubt = followed.doubt(|key| *key.namespace == *namespace);
    doubt.map(|why| sentence(kinds, &why))
}

/// Returns the fault of a document that may be a policy and whose content is unknown.
fn hidden(policies: &Followed<OperatorPolicy>) -> Option<&str> {
    let mut faults = policies.faults();
    let gone = faults.find(|(key, _)| policies.object(&key.namespace, &key.name).is_none());
    policies.unread().or(gone.map(|(_, why)| why))
}

fn sentence(kinds: &str, why: &str) -> String {
    format!("{kinds} are not observed: {why}")
}
