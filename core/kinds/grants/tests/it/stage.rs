//! A simulated cluster. The tests reconcile an Install on it until no step is left.

use std::cell::Cell;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use portolan_api::installs::{AccountRef, Install, Permission, Status};
use portolan_api::plan::InstallPlan;
use portolan_core_grants::{
    AccountSight, Approvals, Ask, Decision, Group, Images, Observation, PlanSeen, StampKey, Step,
    account_name, bindings, bound, decide, given_by,
};
use portolan_core_install::{Access, Discovery, GroupKind, ObjectRef, Rule, ServedKind};
use serde_json::{Value, json};

pub(crate) const HOME: &str = "portolan";
pub(crate) const UID: &str = "0a1b2c3d-0000-0000-0000-000000000000";
/// The maximum number of rounds. No Install needs so many.
const ROUNDS: usize = 20;

/// The objects and permissions of a test cluster.
pub(crate) struct Cluster {
    pub(crate) install: Value,
    /// The permissions of ServiceAccounts. Each entry contains the account as `NAMESPACE/NAME`, and
    /// one permission.
    pub(crate) held: Vec<(String, Permission)>,
    /// The roles and bindings that approvals have created, and other roles in the cluster.
    pub(crate) rbac: Vec<Value>,
    pub(crate) accounts: Vec<Value>,
    pub(crate) plans: Vec<Value>,
    pub(crate) groups: Vec<Group>,
    pub(crate) images: Images,
    /// The mode of approvals.
    pub(crate) approvals: Approvals,
    pub(crate) key: Option<StampKey>,
    pub(crate) now: Timestamp,
    /// The number of access reviews that were requested.
    pub(crate) reviews: Cell<usize>,
}

/// Returns a content entry with these manifests as text.
pub(crate) fn raw(text: &str) -> Value {
    json!([{"type": "Raw", "raw": text}])
}

pub(crate) fn permission(
    group: &str,
    resource: &str,
    verbs: &[&str],
    namespaces: &[&str],
) -> Permission {
    let set = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect();
    Permission {
        api_groups: set(&[group]),
        resources: set(&[resource]),
        verbs: set(verbs),
        namespaces: set(namespaces),
        ..Permission::default()
    }
}

fn discovery() -> Discovery {
    let kinds = [
        ("", "v1", "ConfigMap", "configmaps", true),
        ("", "v1", "Namespace", "namespaces", false),
        ("apps", "v1", "Deployment", "deployments", true),
        ("rbac.authorization.k8s.io", "v1", "Role", "roles", true),
        (
            "rbac.authorization.k8s.io",
            "v1",
            "ClusterRole",
            "clusterroles",
            false,
        ),
        (
            "rbac.authorization.k8s.io",
            "v1",
            "ClusterRoleBinding",
            "clusterrolebindings",
            false,
        ),
        (
            "rbac.authorization.k8s.io",
            "v1",
            "RoleBinding",
            "rolebindings",
            true,
        ),
        (
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            false,
        ),
    ];
    let kinds = kinds.map(|(group, version, kind, plural, is_namespaced)| {
        let served = ServedKind {
            plural: plural.to_owned(),
            is_namespaced,
            is_listed: true,
            versions: [version.to_owned()].into(),
        };
        (GroupKind::new(group, kind), served)
    });
    kinds.into_iter().collect()
}

impl Cluster {
    pub(crate) fn with(spec: Value) -> Self {
        Self {
            install: json!({
                "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install",
                "metadata": {
                    "name": "plumbus", "uid": UID, "generation": 1,
                    "finalizers": ["operators.portolan.dev/installed"],
                },
                "spec": spec,
            }),
            held: Vec::new(),
            rbac: Vec::new(),
            accounts: Vec::new(),
            plans: Vec::new(),
            groups: Vec::new(),
            images: Images::new(),
            approvals: Approvals::Off,
            key: None,
            now: Timestamp::UNIX_EPOCH,
            reviews: Cell::new(0),
        }
    }

    pub(crate) fn account() -> String {
        account_name("plumbus", UID)
    }

    pub(crate) fn status(&self) -> Status {
        serde_json::from_value(self.install["status"].clone()).unwrap_or_default()
    }

    /// Returns the status and the reason of a condition.
    pub(crate) fn condition_words(&self, type_: &str) -> String {
        let status = self.status();
        let condition = status.conditions.iter().find(|it| it.type_ == type_);
        condition.map_or_else(String::new, |it| format!("{} {}", it.status, it.reason))
    }

    pub(crate) fn message(&self, type_: &str) -> String {
        let status = self.status();
        let condition = status.conditions.into_iter().find(|it| it.type_ == type_);
        condition.map(|it| it.message).unwrap_or_default()
    }

    pub(crate) fn set(&mut self, field: &str, value: Value) {
        self.install["spec"][field] = value;
        let generation = self.install["metadata"]["generation"]
            .as_i64()
            .expect("a number");
        self.install["metadata"]["generation"] = json!(generation + 1);
    }

    pub(crate) fn approve(&mut self) {
        self.set("approval", json!("Approved"));
    }

    /// Creates the bindings that grant the pending permissions.
    pub(crate) fn bind(&mut self) {
        let status = self.status();
        let account = status.service_account_ref.expect("an account");
        let pending = status.pending.expect("pending permissions");
        let given = bindings(("plumbus", UID), &account, &pending.permissions);
        assert!(!given.is_empty());
        self.give(given);
    }

    /// Stores the roles and bindings of an approval.
    pub(crate) fn give(&mut self, objects: Vec<Value>) {
        let new = objects.into_iter().filter(|it| !self.rbac.contains(it));
        let new: Vec<_> = new.collect();
        self.rbac.extend(new);
    }

    /// Returns the permissions that approvals have granted to an account.
    fn given(&self, account: &AccountRef) -> Vec<Permission> {
        let bindings = self.rbac.iter().filter(|it| {
            let kind = it["kind"].as_str();
            kind.is_some_and(|it| it.ends_with("Binding"))
        });
        let given = bindings.flat_map(|binding| {
            let role = self.rbac.iter().find(|it| {
                it["kind"] == binding["roleRef"]["kind"]
                    && it["metadata"]["name"] == binding["roleRef"]["name"]
                    && it["metadata"]["namespace"] == binding["metadata"]["namespace"]
            });
            role.map(|role| given_by((UID, account), binding, role))
        });
        given.flatten().collect()
    }

    fn is_given(&self, account: &str, access: &Access) -> bool {
        let (namespace, name) = account.split_once('/').unwrap_or(("", account));
        let account = AccountRef {
            name: name.to_owned(),
            namespace: namespace.to_owned(),
        };
        self.given(&account).iter().any(|it| {
            let place = access.namespace.as_deref();
            let is_there = it.namespaces.is_empty()
                || place.is_some_and(|place| it.namespaces.contains(place));
            is_there && rule(it).allows(access)
        })
    }

    pub(crate) fn later(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    /// Marks the plan with this index as ready. Marks all earlier plans as replaced.
    pub(crate) fn ready(&mut self, at: usize) {
        for plan in &mut self.plans[..at] {
            plan["status"] = json!({"conditions": [condition("Replaced", "True", "HandedOver")]});
        }
        self.plans[at]["status"] = json!({"conditions": [
            condition("Valid", "True", "PlanValid"),
            condition("Permitted", "True", "PermissionsSufficient"),
            condition("Applied", "True", "AllApplied"),
            condition("Ready", "True", "AllReady"),
        ]});
    }

    pub(crate) fn plan_names(&self) -> Vec<String> {
        let names = self.plans.iter().map(|it| it["metadata"]["name"].as_str());
        names.map(|it| it.expect("a name").to_owned()).collect()
    }

    fn observed(&self) -> Observation {
        let plans = self.plans.iter().map(|it| {
            let plan: InstallPlan = serde_json::from_value(it.clone()).expect("a plan");
            let (uid, seen) = PlanSeen::read(&plan).expect("a plan of an Install");
            assert_eq!(uid, UID);
            seen
        });
        let install: Install = serde_json::from_value(self.install.clone()).expect("an Install");
        Observation {
            install: Arc::new(install),
            home: HOME.to_owned(),
            groups: Arc::new(self.groups.clone()),
            approvals: self.approvals.clone(),
            now: self.now,
            ..Observation::default()
        }
        .with_plans(plans)
    }

    fn may(&self, account: &str, access: &Access) -> bool {
        let mut held = self.held.iter();
        let is_held = held.any(|(holder, it)| {
            let place = access.namespace.as_deref();
            let is_there = it.namespaces.is_empty()
                || place.is_some_and(|place| it.namespaces.contains(place));
            holder == account && is_there && rule(it).allows(access)
        });
        is_held || self.is_given(account, access)
    }

    /// Observes the cluster and decides, as the reconciler does.
    pub(crate) fn decide(&self) -> Decision {
        let mut observed = self.observed();
        for _ in 0..ROUNDS {
            let decision = decide(&observed);
            if decision.asks.is_empty() {
                return decision;
            }
            for ask in decision.asks {
                self.answer(&mut observed, ask);
            }
        }
        panic!("the same is asked again and again");
    }

    fn answer(&self, observed: &mut Observation, ask: Ask) {
        match ask {
            Ask::Discovery => observed.discovery = Some(discovery()),
            Ask::Key => observed.approvals = Approvals::Sealed(self.key.clone()),
            Ask::ReviewApprover(approver, access) => {
                let is_allowed = self.may(&approver.user, &access);
                observed.approver.insert(access, is_allowed);
            }
            Ask::Image(image) => {
                let answer = self.images.get(&image).cloned();
                let answer = answer.unwrap_or_else(|| panic!("no registry serves {image:?}"));
                observed.images.insert(image, answer);
            }
            Ask::Role(role) => {
                let found = self.rbac.iter().find(|it| is(it, &role));
                observed.roles.insert(role, found);
            }
            Ask::Given(account) => observed.given = Some(self.given(&account)),
            Ask::Bound(roles) => {
                let bindings = self.rbac.iter().filter(|it| {
                    let namespace = it["metadata"]["namespace"].as_str();
                    roles.contains(&bound(it, namespace))
                });
                observed.bound = Some(bindings.cloned().collect());
            }
            Ask::Account(AccountRef { name, namespace }) => {
                let is_it = |it: &&Value| {
                    it["metadata"]["name"] == name && it["metadata"]["namespace"] == namespace
                };
                let found = self.accounts.iter().find(is_it);
                observed.account = Some(found.map_or(AccountSight::Missing, |it| {
                    let owners = it["metadata"]["ownerReferences"].as_array();
                    let uids = owners.into_iter().flatten();
                    let uids = uids.filter_map(|it| Some(it["uid"].as_str()?.to_owned()));
                    AccountSight::Owned(uids.collect())
                }));
            }
            Ask::Review(account, access) => {
                self.reviews.set(self.reviews.get() + 1);
                let account = format!("{}/{}", account.namespace, account.name);
                let is_allowed = self.may(&account, &access);
                observed.answers.insert(access, is_allowed);
            }
        }
    }

    /// Decides and carries out the steps until no step is left. Returns all steps.
    pub(crate) fn run(&mut self) -> Vec<Step> {
        let mut all = Vec::new();
        for _ in 0..ROUNDS {
            let decision = self.decide();
            self.install["status"] = json!(decision.status);
            if decision.steps.is_empty() {
                return all;
            }
            for step in decision.steps {
                self.carry_out(&step);
                all.push(step);
            }
        }
        panic!("the same is done again and again");
    }

    fn carry_out(&mut self, step: &Step) {
        match step {
            Step::AddFinalizer => {
                self.install["metadata"]["finalizers"] =
                    json!(["operators.portolan.dev/installed"]);
            }
            Step::RemoveFinalizer => self.install["metadata"]["finalizers"] = json!([]),
            Step::Unapprove => self.set("approval", json!("Unapproved")),
            Step::Create(objects) => {
                for object in objects {
                    let mut object = object.clone();
                    if object["kind"] == "ServiceAccount" {
                        self.accounts.push(object);
                    } else if object["kind"] == "InstallPlan" {
                        let uid = format!("plan-{}", self.plans.len());
                        object["metadata"]["uid"] = json!(uid);
                        let looked_at = condition("Valid", "Unknown", "NotObserved");
                        object["status"] = json!({"conditions": [looked_at]});
                        self.plans.push(object);
                    }
                }
            }
            Step::Delete { uid, .. } => self.plans.retain(|it| it["metadata"]["uid"] != *uid),
        }
    }
}

fn is(object: &Value, identity: &ObjectRef) -> bool {
    let metadata = &object["metadata"];
    object["kind"] == identity.kind.kind.as_str()
        && metadata["name"] == identity.name.as_str()
        && metadata["namespace"].as_str() == identity.namespace.as_deref()
}

fn rule(permission: &Permission) -> Rule {
    Rule {
        api_groups: permission.api_groups.clone(),
        resources: permission.resources.clone(),
        resource_names: permission.resource_names.clone(),
        non_resource_urls: permission.non_resource_urls.clone(),
        verbs: permission.verbs.clone(),
    }
}

fn condition(type_: &str, status: &str, reason: &str) -> Value {
    json!({
        "type": type_, "status": status, "reason": reason, "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    })
}
