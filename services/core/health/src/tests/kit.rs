//! A namespace in one line: `world()` is all well, and each verb of a [`World`] makes one thing of it
//! different.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::*;

/// The namespace of all stories.
pub(crate) const HOME: &str = "demo";

/// A namespace on its way into a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct World(pub(crate) Namespace);

/// A namespace in which all is well: package ferry in version 1, from the catalog ports.
pub(crate) fn world() -> World {
    World(Namespace {
        name: HOME.to_owned(),
        subscriptions: vec![subscription("ferry", "ferry.v1")].into(),
        groups: vec![group("only")].into(),
        plans: vec![plan("install-a", &["ferry.v1"])].into(),
        csvs: vec![csv("ferry.v1")].into(),
        copied: Vec::new().into(),
        conditions: Vec::new().into(),
        deployments: vec![deployment("ferry", "ferry.v1")].into(),
        definitions: vec![definition("ferries.demo.example")].into(),
        served: Vec::new().into(),
        catalogs: vec![catalog("ports")].into(),
    })
}

/// The same before anything is installed.
pub(crate) fn fresh() -> World {
    world().namespace(|namespace| {
        namespace.csvs.objects.clear();
        namespace.deployments.objects.clear();
        namespace.definitions.objects.clear();
        namespace.plans.objects.clear();
        let wish = &mut namespace.subscriptions.objects[0];
        (wish.state, wish.plan) = (String::new(), String::new());
        (wish.current_csv, wish.installed_csv) = (String::new(), String::new());
    })
}

/// Version 2 takes the place of version 1, and has come as far as this phase.
pub(crate) fn upgrade(phase: Phase, reason: &str) -> World {
    let next = phase.clone();
    world().namespace(|namespace| {
        namespace.csvs.objects[0].phase = Phase::Replacing;
        let newer = Csv {
            replaces: "ferry.v1".to_owned(),
            version: "2.0.0".to_owned(),
            phase: next,
            reason: reason.to_owned(),
            message: String::new(),
            ..csv("ferry.v2")
        };
        namespace.csvs.objects.push(newer);
        let wish = &mut namespace.subscriptions.objects[0];
        wish.current_csv = "ferry.v2".to_owned();
        wish.plan = "install-b".to_owned();
        namespace
            .plans
            .objects
            .push(plan("install-b", &["ferry.v2"]));
        if phase == Phase::Installing {
            namespace.deployments.objects[0].owner = "ferry.v2".to_owned();
        }
    })
}

/// The Deployment is in its first rollout, and has one Pod.
pub(crate) fn rollout(pod: impl FnOnce(&mut Pod)) -> World {
    let mut only = self::pod("ferry-1-a");
    pod(&mut only);
    world().deployment(|deployment| {
        deployment.available = 0;
        deployment.conditions = vec![
            condition("Available", "False", "MinimumReplicasUnavailable", ""),
            condition("Progressing", "True", "ReplicaSetUpdated", ""),
        ];
        deployment.below = looked(vec![only], Vec::new());
    })
}

/// The Deployment was rolled out and is not available, and has one Pod.
pub(crate) fn outage(pod: impl FnOnce(&mut Pod)) -> World {
    rollout(pod).deployment(|deployment| {
        deployment.conditions[1].reason = "NewReplicaSetAvailable".to_owned();
    })
}

/// The Deployment is in its first rollout, and its container is like this.
pub(crate) fn container(container: impl FnOnce(&mut Container)) -> World {
    rollout(|pod| container(&mut pod.containers[0]))
}

/// The only container waits for this, with this sentence.
pub(crate) fn waiting(reason: &str, message: &str) -> World {
    container(|container| {
        container.is_running = false;
        container.waiting = Some(Waiting {
            reason: reason.to_owned(),
            message: message.to_owned(),
        });
    })
}

// === impl World ===

impl World {
    pub(crate) fn namespace(mut self, change: impl FnOnce(&mut Namespace)) -> Self {
        change(&mut self.0);
        self
    }

    pub(crate) fn subscription(self, change: impl FnOnce(&mut Subscription)) -> Self {
        self.namespace(|all| change(&mut all.subscriptions.objects[0]))
    }

    pub(crate) fn group(self, change: impl FnOnce(&mut OperatorGroup)) -> Self {
        self.namespace(|all| change(&mut all.groups.objects[0]))
    }

    /// The InstallPlan that came last.
    pub(crate) fn plan(self, change: impl FnOnce(&mut InstallPlan)) -> Self {
        self.namespace(|all| {
            all.plans
                .objects
                .last_mut()
                .into_iter()
                .for_each(change_once(change))
        })
    }

    /// The newest ClusterServiceVersion.
    pub(crate) fn csv(self, change: impl FnOnce(&mut Csv)) -> Self {
        self.namespace(|all| {
            all.csvs
                .objects
                .last_mut()
                .into_iter()
                .for_each(change_once(change))
        })
    }

    pub(crate) fn deployment(self, change: impl FnOnce(&mut Deployment)) -> Self {
        self.namespace(|all| change(&mut all.deployments.objects[0]))
    }

    pub(crate) fn definition(self, change: impl FnOnce(&mut Definition)) -> Self {
        self.namespace(|all| change(&mut all.definitions.objects[0]))
    }

    pub(crate) fn catalog(self, change: impl FnOnce(&mut CatalogSource)) -> Self {
        self.namespace(|all| change(&mut all.catalogs.objects[0]))
    }

    /// OLM says this of the newest ClusterServiceVersion.
    pub(crate) fn phase(self, phase: Phase, reason: &str, message: &str) -> Self {
        self.csv(|csv| {
            csv.phase = phase;
            csv.reason = reason.to_owned();
            csv.message = message.to_owned();
        })
    }

    /// The newest ClusterServiceVersion waits for this.
    pub(crate) fn lacks(self, kind: &str, name: &str, status: &str) -> Self {
        let waits = self.phase(
            Phase::Pending,
            "RequirementsNotMet",
            "one or more requirements couldn't be found",
        );
        waits.csv(|csv| csv.requirements.push(requirement(kind, name, status)))
    }

    /// OLM says this of the Subscription.
    pub(crate) fn said(self, kind: &str, reason: &str, message: &str) -> Self {
        self.subscription(|wish| {
            wish.conditions
                .push(condition(kind, "True", reason, message))
        })
    }

    /// The InstallPlan that came last is in this phase.
    pub(crate) fn planned(self, phase: PlanPhase) -> Self {
        self.plan(|plan| {
            plan.is_approved = phase != PlanPhase::RequiresApproval;
            plan.phase = phase;
        })
    }

    /// An InstallPlan in this phase is on its way with the first ClusterServiceVersion.
    pub(crate) fn first_plan(self, phase: PlanPhase) -> Self {
        let named = self.namespace(|all| all.plans.objects.push(plan("install-a", &["ferry.v1"])));
        named.planned(phase).subscription(|wish| {
            wish.state = "UpgradePending".to_owned();
            wish.plan = "install-a".to_owned();
            wish.current_csv = "ferry.v1".to_owned();
        })
    }

    /// What Kubernetes says of the Deployment, in place of what it said of the same before.
    pub(crate) fn rolls(self, kind: &str, status: &str, reason: &str, message: &str) -> Self {
        self.deployment(|one| {
            one.conditions.retain(|said| said.kind != kind);
            one.conditions
                .push(condition(kind, status, reason, message));
        })
    }

    /// A warning about the Pod.
    pub(crate) fn event(self, reason: &str, message: &str, last_seen: &str) -> Self {
        let event = Event {
            about: Object::new(Kind::Pod, HOME, "ferry-1-a"),
            about_uid: String::new(),
            reason: reason.to_owned(),
            message: message.to_owned(),
            last_seen: last_seen.to_owned(),
        };
        self.below(|_, _, events| events.push(event))
    }

    /// What is below the Deployment.
    pub(crate) fn below(
        self,
        change: impl FnOnce(&mut Vec<ReplicaSet>, &mut Vec<Pod>, &mut Vec<Event>),
    ) -> Self {
        self.deployment(|deployment| match &mut deployment.below {
            Below::Looked {
                replica_sets,
                pods,
                events,
            } => change(
                &mut replica_sets.objects,
                &mut pods.objects,
                &mut events.objects,
            ),
            Below::NotLooked | Below::TooMany(_) => panic!("the story has nothing below"),
        })
    }

    /// What an operator says of itself.
    pub(crate) fn operator_says(self, csv: &str, said: &[(&str, &str, &str)]) -> Self {
        let conditions = said
            .iter()
            .map(|(kind, status, message)| Condition {
                generation: 1,
                ..condition(kind, status, "Said", message)
            })
            .collect();
        let own = OperatorCondition {
            observed: observed(Kind::OperatorCondition, HOME, csv),
            generation: 1,
            overrides: Vec::new(),
            conditions,
        };
        self.namespace(|all| all.conditions.objects.push(own))
    }
}

/// What has an ending.
pub(crate) trait Story {
    /// All that is said of it and is not Fine, a line each.
    fn tale(&self) -> String;
    /// The codes of all that is said of it.
    fn codes(&self) -> BTreeSet<Code>;
}

impl Story for World {
    fn tale(&self) -> String {
        judge(&self.0).iter().map(tale).collect()
    }

    fn codes(&self) -> BTreeSet<Code> {
        judge(&self.0)
            .iter()
            .flat_map(|operator| codes(&operator.facts))
            .collect()
    }
}

impl Story for (CatalogSource, Probe) {
    fn tale(&self) -> String {
        let Catalog {
            subject,
            connection,
            facts,
            verdict,
        } = judge_catalog(&self.0, &self.1);
        assert_eq!(connection, self.0.connection);
        let mut text = format!("{:?} {subject}\n", verdict.state);
        facts.iter().for_each(|fact| tell(fact, 0, &mut text));
        text
    }

    fn codes(&self) -> BTreeSet<Code> {
        codes(&judge_catalog(&self.0, &self.1).facts)
    }
}

/// Stories with their endings: a test for each, and all of them for what holds of every story. The
/// lines of an ending may be indented.
macro_rules! stories {
    ($kind:ty; $($name:ident: $story:expr => $tale:literal;)+) => {
        $(#[test]
        fn $name() {
            use $crate::tests::kit::Story;
            let lines = $tale.lines().map(str::trim).filter(|line| !line.is_empty());
            let told = lines.map(|line| format!("{line}\n")).collect::<String>();
            similar_asserts::assert_eq!($story.tale(), told);
        })+

        /// All stories of this table, by name.
        pub(crate) fn all() -> Vec<(&'static str, $kind)> {
            vec![$((stringify!($name), $story),)+]
        }
    };
}
pub(crate) use stories;

/// The codes of facts, with all below them.
pub(crate) fn codes(facts: &[Fact]) -> BTreeSet<Code> {
    let below = facts.iter().flat_map(|fact| codes(&fact.below));
    facts.iter().map(|fact| fact.code).chain(below).collect()
}

fn change_once<T>(change: impl FnOnce(&mut T)) -> impl FnMut(&mut T) {
    let mut change = Some(change);
    move |object| change.take().into_iter().for_each(|change| change(object))
}

/// An operator as text: its Verdict, then what is not Fine, what is below behind a dash.
pub(crate) fn tale(operator: &Operator) -> String {
    let mut text = format!("{:?} {}\n", operator.verdict.state, operator.subject);
    operator
        .facts
        .iter()
        .for_each(|fact| tell(fact, 0, &mut text));
    text
}

/// Facts as text.
pub(crate) fn tell(fact: &Fact, depth: usize, text: &mut String) {
    let Fact {
        observed,
        state,
        code,
        message,
        detail,
        is_remark,
        below,
    } = fact;
    if *code != Code::Fine {
        assert_eq!(*is_remark, *state == State::Yes, "{message}");
        let dashes = "- ".repeat(depth);
        let detail = if detail.is_empty() {
            String::new()
        } else {
            format!(" [{detail}]")
        };
        let object = &observed.object;
        writeln!(
            text,
            "{dashes}{state:?} {} {object}: {message}{detail}",
            code.as_str()
        )
        .unwrap();
    }
    let depth = if *code == Code::Fine {
        depth
    } else {
        depth + 1
    };
    below.iter().for_each(|fact| tell(fact, depth, text));
}

// === objects ===

pub(crate) fn observed(kind: Kind, namespace: &str, name: &str) -> Observed {
    Observed {
        object: Object::new(kind, namespace, name),
        uid: format!("uid-{name}"),
        resource_version: "7".to_owned(),
    }
}

pub(crate) fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Condition {
    Condition {
        kind: kind.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        generation: 0,
    }
}

pub(crate) fn subscription(package: &str, csv: &str) -> Subscription {
    Subscription {
        observed: observed(Kind::Subscription, HOME, package),
        package: package.to_owned(),
        channel: "stable".to_owned(),
        source_namespace: "olm".to_owned(),
        source: "ports".to_owned(),
        state: "AtLatestKnown".to_owned(),
        current_csv: csv.to_owned(),
        installed_csv: csv.to_owned(),
        plan: "install-a".to_owned(),
        conditions: Vec::new(),
        is_deleting: false,
    }
}

pub(crate) fn group(name: &str) -> OperatorGroup {
    OperatorGroup {
        observed: observed(Kind::OperatorGroup, HOME, name),
        targets: Targets::All,
        service_account: String::new(),
        conditions: Vec::new(),
        is_deleting: false,
    }
}

pub(crate) fn plan(name: &str, csvs: &[&str]) -> InstallPlan {
    InstallPlan {
        observed: observed(Kind::InstallPlan, HOME, name),
        csvs: csvs.iter().map(ToString::to_string).collect(),
        is_approved: true,
        phase: PlanPhase::Complete,
        message: String::new(),
        conditions: Vec::new(),
        open_steps: Vec::new(),
    }
}

/// An operator that runs the Deployment `ferry` and brings `ferries.demo.example`.
pub(crate) fn csv(name: &str) -> Csv {
    Csv {
        observed: observed(Kind::ClusterServiceVersion, HOME, name),
        package: "ferry".to_owned(),
        version: "1.0.0".to_owned(),
        replaces: String::new(),
        phase: Phase::Succeeded,
        reason: "InstallSucceeded".to_owned(),
        message: "install strategy completed with no errors".to_owned(),
        is_deleting: false,
        modes: BTreeSet::from([InstallMode::AllNamespaces]),
        deployments: vec![WantedDeployment {
            name: "ferry".to_owned(),
            replicas: Some(1),
        }],
        owned: vec![api("ferries.demo.example")],
        required: Vec::new(),
        serves: Vec::new(),
        needs_served: Vec::new(),
        requirements: Vec::new(),
    }
}

pub(crate) fn api(name: &str) -> Api {
    Api {
        name: name.to_owned(),
        version: "v1".to_owned(),
        kind: "Ferry".to_owned(),
    }
}

pub(crate) fn requirement(kind: &str, name: &str, status: &str) -> Requirement {
    Requirement {
        kind: kind.to_owned(),
        name: name.to_owned(),
        status: status.to_owned(),
        message: String::new(),
        dependents: Vec::new(),
    }
}

pub(crate) fn rule(status: &str, rule: &str) -> Dependent {
    Dependent {
        kind: "PolicyRule".to_owned(),
        status: status.to_owned(),
        message: rule.to_owned(),
    }
}

pub(crate) fn deployment(name: &str, owner: &str) -> Deployment {
    Deployment {
        observed: observed(Kind::Deployment, HOME, name),
        owner: owner.to_owned(),
        generation: 1,
        observed_generation: 1,
        replicas: 1,
        current: 1,
        updated: 1,
        available: 1,
        is_paused: false,
        is_deleting: false,
        conditions: vec![
            condition("Available", "True", "MinimumReplicasAvailable", ""),
            condition("Progressing", "True", "NewReplicaSetAvailable", ""),
        ],
        below: Below::NotLooked,
    }
}

pub(crate) fn looked(pods: Vec<Pod>, events: Vec<Event>) -> Below {
    Below::Looked {
        replica_sets: vec![replica_set("ferry-1", 1)].into(),
        pods: pods.into(),
        events: events.into(),
    }
}

pub(crate) fn replica_set(name: &str, revision: i64) -> ReplicaSet {
    ReplicaSet {
        observed: observed(Kind::ReplicaSet, HOME, name),
        revision,
        replicas: 1,
        conditions: Vec::new(),
    }
}

/// A Pod of the ReplicaSet `ferry-1` that runs and is not ready.
pub(crate) fn pod(name: &str) -> Pod {
    Pod {
        observed: observed(Kind::Pod, HOME, name),
        owner_uid: "uid-ferry-1".to_owned(),
        phase: "Running".to_owned(),
        reason: String::new(),
        message: String::new(),
        conditions: vec![
            condition("PodScheduled", "True", "", ""),
            condition("Ready", "False", "ContainersNotReady", ""),
        ],
        containers: vec![Container {
            name: "manager".to_owned(),
            image: "registry.example/ferry:1".to_owned(),
            is_init: false,
            is_ready: false,
            is_running: true,
            restarts: 0,
            waiting: None,
            terminated: None,
            last: None,
        }],
        is_deleting: false,
    }
}

pub(crate) fn ended(exit_code: i32, reason: &str, message: &str) -> Option<Terminated> {
    Some(Terminated {
        exit_code,
        reason: reason.to_owned(),
        message: message.to_owned(),
    })
}

pub(crate) fn definition(name: &str) -> Definition {
    Definition {
        observed: observed(Kind::CustomResourceDefinition, "", name),
        served: BTreeSet::from(["v1".to_owned()]),
        versions: BTreeSet::from(["v1".to_owned()]),
        stored: BTreeSet::from(["v1".to_owned()]),
        conditions: vec![
            condition("NamesAccepted", "True", "NoConflicts", ""),
            condition("Established", "True", "InitialNamesAccepted", ""),
        ],
        is_deleting: false,
    }
}

pub(crate) fn served(name: &str) -> ServedApi {
    ServedApi {
        observed: observed(Kind::ApiService, "", name),
        conditions: vec![condition("Available", "True", "Passed", "")],
        is_deleting: false,
    }
}

pub(crate) fn catalog(name: &str) -> CatalogSource {
    CatalogSource {
        observed: observed(Kind::CatalogSource, "olm", name),
        address: Ok("ports.example:50051".to_owned()),
        connection: "READY".to_owned(),
        reason: String::new(),
        message: String::new(),
        conditions: Vec::new(),
        is_deleting: false,
    }
}
