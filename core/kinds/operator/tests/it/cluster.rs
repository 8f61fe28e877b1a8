//! A simulated cluster that completes plans at once, unless a test specifies other results. Its
//! catalog has one upgrade edge from each version to the next version.

mod answers;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use portolan_api::operator::{ConditionType, FINALIZER, Operator, RETIRED, Status};
use portolan_api::plan::InstallPlan;
use portolan_core_names::Gvk;
use portolan_core_operator::{
    Answer, CommonRoute, Conditions, CustomResources, Decision, Deprecations, Fleet, Home,
    Installation, Move, Observation, Policies, PolicyDecision, Present, Step, decide,
};
use serde_json::{Value, json};

use crate::olm::Olm;

/// The simulated cluster of a test.
pub(crate) struct Cluster {
    pub(crate) operators: BTreeMap<String, Operator>,
    pub(crate) plans: BTreeMap<String, Value>,
    pub(crate) present: Vec<Present>,
    pub(crate) conditions: Conditions,
    pub(crate) policies: Policies,
    /// True if the updater is not installed on the cluster.
    pub(crate) is_updater_gone: bool,
    /// The decision of the policies about each bundle. If a bundle has no entry, its installation
    /// may begin.
    pub(crate) consents: BTreeMap<String, Answer<PolicyDecision>>,
    /// The queries to the approval service, as text.
    pub(crate) consulted: RefCell<Vec<String>>,
    /// The versions of each package, in order. The name of a bundle contains its version.
    pub(crate) packages: BTreeMap<String, Vec<&'static str>>,
    /// The required package and version range of each bundle that has a dependency.
    pub(crate) requires: BTreeMap<String, (String, String)>,
    /// The installations whose content differs from the default content for their bundle.
    pub(crate) others: BTreeMap<String, Installation>,
    /// The deprecations of each package.
    pub(crate) deprecations: Deprecations,
    /// The kinds that all bundles provide.
    pub(crate) provides: BTreeSet<Gvk>,
    /// The bundles whose digest differs from the digest of all other bundles.
    pub(crate) digests: BTreeMap<String, &'static str>,
    /// The images that the catalog names for bundles that are rendered from other images.
    pub(crate) named: BTreeMap<String, String>,
    /// The bundles that cannot be read, each with the reason.
    pub(crate) refused: BTreeMap<String, String>,
    /// The CRDs of bundles, by bundle name.
    pub(crate) definitions: BTreeMap<String, Value>,
    /// Additional objects of all rendered bundles.
    pub(crate) more: Vec<Value>,
    /// The routes that the simulated resolver returns. If None, it returns the routes along the
    /// upgrade edges.
    pub(crate) routes: Option<Vec<CommonRoute>>,
    /// The packages that share one route.
    pub(crate) together: BTreeSet<&'static str>,
    /// The conditions that plans report while they are suspended. By default, the plans are valid.
    pub(crate) verdicts: BTreeMap<String, Value>,
    /// The `Applied` conditions of plans whose objects have other owners.
    pub(crate) collisions: BTreeMap<String, Value>,
    /// The bundles whose plans never become ready.
    pub(crate) sick: BTreeSet<String>,
    /// True if the plan controller keeps the state of replaced plans when their successors are
    /// deleted.
    pub(crate) keeps_replaced: bool,
    /// The kind and name of each object that belongs to a plan.
    pub(crate) beside: BTreeSet<(String, String)>,
    /// The bundles whose plans have a failed Deployment and still wait for readiness.
    pub(crate) failing: BTreeSet<String>,
    /// The bundles whose plans never complete.
    pub(crate) stuck: BTreeSet<String>,
    pub(crate) now: Timestamp,
    /// The running version of each package.
    pub(crate) runs: BTreeMap<String, String>,
    /// All writes in order.
    pub(crate) written: Vec<String>,
    /// The objects of OLM, if OLM runs.
    pub(crate) olm: Olm,
    /// The other objects that exist in the cluster.
    pub(crate) there: Vec<Value>,
    /// The custom resources in the cluster. None if the reader has no permission to count them.
    pub(crate) resources: Option<Vec<CustomResources>>,
    uids: u32,
}

impl Cluster {
    pub(crate) fn new() -> Self {
        Self {
            operators: BTreeMap::new(),
            plans: BTreeMap::new(),
            present: Vec::new(),
            conditions: Conditions::default(),
            policies: Policies::default(),
            is_updater_gone: false,
            consents: BTreeMap::new(),
            consulted: RefCell::default(),
            packages: BTreeMap::new(),
            requires: BTreeMap::new(),
            deprecations: Deprecations::default(),
            provides: BTreeSet::new(),
            others: BTreeMap::new(),
            digests: BTreeMap::new(),
            named: BTreeMap::new(),
            refused: BTreeMap::new(),
            definitions: BTreeMap::new(),
            more: Vec::new(),
            routes: None,
            together: BTreeSet::new(),
            verdicts: BTreeMap::new(),
            collisions: BTreeMap::new(),
            sick: BTreeSet::new(),
            keeps_replaced: false,
            beside: BTreeSet::new(),
            failing: BTreeSet::new(),
            stuck: BTreeSet::new(),
            now: Timestamp::UNIX_EPOCH,
            runs: BTreeMap::new(),
            written: Vec::new(),
            olm: Olm::default(),
            there: Vec::new(),
            resources: Some(Vec::new()),
            uids: 0,
        }
    }

    /// Returns a cluster with a package of three versions.
    pub(crate) fn with_ferry() -> Self {
        let mut cluster = Self::new();
        let versions = vec!["1.0.0", "1.1.0", "1.2.0"];
        cluster.packages.insert("ferry".to_owned(), versions);
        cluster
    }

    /// Returns the same cluster with version 1.0.0 installed and without settle time.
    pub(crate) fn with_ferry_installed() -> Self {
        let mut cluster = Self::with_ferry();
        cluster.put("ferry", wish("ferry", "1.0.0"));
        cluster.settle();
        cluster.take_written();
        cluster
    }

    pub(crate) fn put(&mut self, name: &str, spec: Value) {
        let uid = self.uid();
        let now = self.now;
        let operator = self.operators.entry(name.to_owned()).or_insert_with(|| {
            let mut operator = Operator::new(name, Value::Null.into());
            operator.metadata.uid = Some(uid);
            operator.metadata.generation = Some(0);
            operator.metadata.creation_timestamp =
                serde_json::from_value(json!(now)).expect("time");
            operator
        });
        operator.spec = spec.into();
        let generation = &mut operator.metadata.generation;
        *generation = generation.map(|generation| generation + 1);
    }

    pub(crate) fn annotate(&mut self, name: &str, key: &str, value: &str) {
        let operator = self.operators.get_mut(name).expect("an Operator");
        let annotations = operator.metadata.annotations.get_or_insert_default();
        annotations.insert(key.to_owned(), value.to_owned());
    }

    pub(crate) fn delete(&mut self, name: &str) {
        let now = self.now;
        let operator = self.operators.get_mut(name).expect("an Operator");
        let at = serde_json::from_value(json!(now)).expect("a time");
        operator.metadata.deletion_timestamp = at;
    }

    fn uid(&mut self) -> String {
        self.uids += 1;
        format!("uid-{:04}", self.uids)
    }

    pub(crate) fn wait(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    pub(crate) fn fleet(&self) -> Fleet {
        let plans: Vec<InstallPlan> = self
            .plans
            .values()
            .map(|plan| serde_json::from_value(plan.clone()).expect("an InstallPlan"))
            .collect();
        Fleet {
            present: self
                .present
                .iter()
                .cloned()
                .chain(self.olm.present())
                .collect(),
            subscriptions: self.olm.subscriptions(),
            conditions: self.conditions.clone(),
            policies: self.policies.clone(),
            is_updater_gone: self.is_updater_gone,
            ..Fleet::of(self.operators.values(), &plans, "portolan")
        }
    }

    /// Makes decisions about an Operator until no fact is missing, and returns the last decision.
    pub(crate) fn decide(&self, name: &str) -> Decision {
        self.decide_by(name).0
    }

    /// Returns the decision and the observation on which it is based.
    pub(crate) fn decide_by(&self, name: &str) -> (Decision, Observation) {
        let operator = &self.operators[name];
        let home = Home {
            namespace: "portolan".to_owned(),
            service_account: "portolan-installer".to_owned(),
            version: "0.1.0",
        };
        let status = operator.status.clone().unwrap_or_default();
        let fleet = Arc::new(self.fleet());
        let mut observed = Observation::of(name, fleet, status, home, self.now);
        for _ in 0..20 {
            let decision = decide(&observed);
            if decision.asks.is_empty() {
                return (decision, observed);
            }
            for ask in decision.asks {
                self.look(ask, &mut observed);
            }
        }
        panic!("the same request is repeated without progress");
    }

    /// Makes one decision about an Operator, and carries out at most `most` writes. Returns true if
    /// anything was written.
    pub(crate) fn turn(&mut self, name: &str, most: usize) -> bool {
        if !self.operators.contains_key(name) {
            return false;
        }
        let decision = self.decide(name);
        let count = decision.steps.len().min(most);
        for step in decision.steps.into_iter().take(most) {
            self.write(name, step);
        }
        let Some(operator) = self.operators.get_mut(name) else {
            return true;
        };
        let is_other = operator.status.as_ref() != Some(&decision.status);
        if count < most && is_other {
            operator.status = Some(decision.status);
            return true;
        }
        count > 0
    }

    fn write(&mut self, name: &str, step: Step) {
        match step {
            Step::AddFinalizer => {
                self.written.push(format!("{name} has its finalizer"));
                let operator = self.operators.get_mut(name).expect("an Operator");
                operator.metadata.finalizers = Some(vec![FINALIZER.to_owned()]);
            }
            Step::RemoveFinalizer => {
                self.written.push(format!("{name} is gone"));
                self.operators.remove(name);
            }
            Step::Create(objects) => {
                let mut plan = objects.last().expect("a plan").clone();
                let name = plan["metadata"]["name"]
                    .as_str()
                    .expect("a name")
                    .to_owned();
                self.written.push(format!("make {name}"));
                let uid = self.uid();
                plan["metadata"]["uid"] = json!(uid);
                plan["metadata"]["generation"] = json!(1);
                plan["metadata"]["resourceVersion"] = json!("1");
                self.plans.insert(name, plan);
                let beside = objects[..objects.len() - 1].iter();
                self.beside.extend(beside.map(kind_and_name));
            }
            Step::Release { plan, uid, .. } => {
                self.written.push(format!("let {plan} go"));
                let plan = self.plans.get_mut(&plan).expect("a plan");
                assert_eq!(plan["metadata"]["uid"], json!(uid));
                plan["spec"]["suspend"] = json!(false);
            }
            // This step runs for each replaced plan in every test, so it is not recorded.
            Step::Suspend { plan, uid, .. } => {
                let plan = self.plans.get_mut(&plan).expect("a plan");
                assert_eq!(plan["metadata"]["uid"], json!(uid));
                plan["spec"]["suspend"] = json!(true);
                plan["metadata"]["annotations"][RETIRED] = json!("true");
            }
            Step::Reset {
                plan,
                uid,
                resume,
                lifecycle,
                ..
            } => {
                self.written.push(format!("restore the fields of {plan}"));
                let plan = self.plans.get_mut(&plan).expect("a plan");
                assert_eq!(plan["metadata"]["uid"], json!(uid));
                if resume {
                    plan["spec"]["suspend"] = json!(false);
                }
                if let Some(lifecycle) = lifecycle {
                    plan["spec"]["lifecycle"] = lifecycle;
                }
            }
            Step::Delete { plan, uid, .. } => {
                self.written.push(format!("delete {plan}"));
                let gone = self.plans.remove(&plan).expect("a plan");
                assert_eq!(gone["metadata"]["uid"], json!(uid));
            }
            Step::DeleteBeside(object) => {
                // An earlier round may have deleted the object already.
                self.beside.remove(&(object.kind.kind, object.name));
            }
            Step::OwnFound { plan, .. } => {
                self.written.push(format!("{plan} owns what it found"));
                let plan = self.plans.get_mut(&plan).expect("a plan");
                plan["spec"]["lifecycle"]["onFound"] = json!("Own");
            }
            Step::As(account, act) => {
                assert_eq!(account.name, "portolan-installer");
                self.written.push(self.olm.act(act));
            }
        }
    }

    fn is_fine(&self, plan: &Value) -> bool {
        let bundle = bundle_of(plan);
        let not_fine = [&self.sick, &self.stuck, &self.failing];
        not_fine
            .into_iter()
            .all(|bundles| !bundles.contains(&bundle))
    }

    /// Deletes a plan like a user. The plan still exists until the plan controller reconciles it.
    pub(crate) fn delete_plan(&mut self, name: &str) {
        let now = self.now;
        if let Some(plan) = self.plans.get_mut(name) {
            plan["metadata"]["deletionTimestamp"] = json!(now);
        }
    }

    /// Sets the running version of each package, and its CRDs, to those of the plan that was
    /// applied.
    fn apply(&mut self, replaced: &BTreeSet<String>) {
        for (name, plan) in &self.plans {
            if plan["spec"]["suspend"] == true || replaced.contains(name) {
                continue;
            }
            let bundle = bundle_of(plan);
            let (package, version) = bundle.split_once(".v").expect("a version");
            self.runs.insert(package.to_owned(), version.to_owned());
            if let Some(definition) = self.definitions.get(&bundle) {
                let name = &definition["metadata"]["name"];
                self.there.retain(|it| it["metadata"]["name"] != *name);
                self.there.push(definition.clone());
            }
        }
    }

    /// Simulates the plan controller: reconciles all plans.
    pub(crate) fn carry_out(&mut self) {
        let now = self.now;
        self.plans
            .retain(|_, plan| plan["metadata"]["deletionTimestamp"].is_null());
        let replaced: BTreeSet<String> = self
            .plans
            .values()
            .filter(|plan| plan["spec"]["suspend"] == false || !plan["status"]["record"].is_null())
            .filter(|plan| self.keeps_replaced || self.is_fine(plan))
            .filter_map(|plan| plan["spec"]["replaces"][0]["name"].as_str())
            .map(str::to_owned)
            .collect();
        self.apply(&replaced);
        for (name, plan) in &mut self.plans {
            let bundle = &bundle_of(plan);
            let is_failing = self.failing.contains(bundle);
            let is_sick = self.sick.contains(bundle) || self.stuck.contains(bundle);
            let condition = |type_: &str, status: &str, reason: &str| {
                let old = plan["status"]["conditions"]
                    .as_array()
                    .into_iter()
                    .flatten();
                let mut old = old.filter(|it| it["type"] == type_ && it["status"] == status);
                let since = old
                    .next()
                    .map_or(json!(now), |it| it["lastTransitionTime"].clone());
                json!({"type": type_, "status": status, "reason": reason,
                    "message": format!("{reason} of {name}"), "lastTransitionTime": since})
            };
            let mut conditions = vec![
                condition("Valid", "True", "PlanValid"),
                condition("Permitted", "True", "PermissionsSufficient"),
            ];
            let mut status = json!({"observedGeneration": 1});
            let is_suspended = plan["spec"]["suspend"] == true;
            let has_begun = !plan["status"]["record"].is_null();
            if is_suspended && !has_begun {
                match self.verdicts.get(bundle) {
                    Some(verdict) if verdict["type"] == "Valid" => conditions[0] = verdict.clone(),
                    Some(verdict) => conditions[1] = verdict.clone(),
                    None => conditions.push(match self.collisions.get(bundle) {
                        Some(owned) => owned.clone(),
                        None => condition("Applied", "Unknown", "Suspended"),
                    }),
                }
            } else {
                status["record"] = json!({"digest": "a", "found": {}});
                if is_failing {
                    let object = "Deployment.apps harbor/ferry";
                    status["members"] = json!([{"stage": "all", "index": 0, "object": object,
                        "state": "Failed", "message": "has exceeded the progress deadline of its \
                                                       rollout"}]);
                }
                conditions.push(if is_failing {
                    condition("Applied", "Unknown", "Applying")
                } else if self.stuck.contains(bundle) {
                    condition("Applied", "False", "StageDeadlineExceeded")
                } else {
                    condition("Applied", "True", "AllApplied")
                });
                let (ready, why) = if is_sick || is_failing {
                    ("False", "MembersNotReady")
                } else if is_suspended || replaced.contains(name) {
                    ("Unknown", "Superseded")
                } else {
                    ("True", "AllReady")
                };
                conditions.push(condition("Ready", ready, why));
                if replaced.contains(name) {
                    conditions.push(condition("Replaced", "True", "HandedOver"));
                }
            }
            status["conditions"] = json!(conditions);
            plan["status"] = status;
        }
    }

    /// Runs all simulated controllers in turn until they have no work left.
    pub(crate) fn settle(&mut self) {
        for _ in 0..200 {
            self.carry_out();
            self.olm.turn();
            let names: Vec<_> = self.operators.keys().cloned().collect();
            let turns: Vec<_> = names
                .iter()
                .map(|name| self.turn(name, usize::MAX))
                .collect();
            if !turns.contains(&true) {
                return;
            }
        }
        panic!("it never ends: {:?}", self.written);
    }

    pub(crate) fn status(&self, name: &str) -> &Status {
        let operator = &self.operators[name];
        operator.status.as_ref().expect("a status")
    }

    /// Returns a condition as a line, such as `Installing=False Frozen: it stays at 1.2.0`.
    pub(crate) fn reported(&self, name: &str) -> String {
        let installing = self.status(name).condition(ConditionType::Installing);
        let installing = installing.expect("a condition");
        let (status, reason) = (&installing.status, &installing.reason);
        format!("{status} {reason}: {}", installing.message)
    }

    pub(crate) fn installed(&self, name: &str) -> Option<&str> {
        self.status(name).versions.installed.as_deref()
    }

    pub(crate) fn take_written(&mut self) -> Vec<String> {
        std::mem::take(&mut self.written)
    }
}

/// Returns the bundle that a plan installs.
fn bundle_of(plan: &Value) -> String {
    let hop = plan["metadata"]["annotations"]["operators.portolan.dev/hop"].as_str();
    let hop: Value = serde_json::from_str(hop.expect("a hop")).expect("JSON");
    let bundle = hop["installs"]["bundle"].as_str();
    bundle.expect("a bundle").to_owned()
}

/// Returns the kind and the name of an object.
fn kind_and_name(object: &Value) -> (String, String) {
    let texts = [&object["kind"], &object["metadata"]["name"]];
    let [kind, name] = texts.map(|text| text.as_str().expect("a text").to_owned());
    (kind, name)
}

pub(crate) fn wish(package: &str, version: &str) -> Value {
    json!({"packageName": package, "version": version, "settleSeconds": 0})
}

/// Returns a CRD with one version that has these fields.
pub(crate) fn definition(fields: &[&str]) -> Value {
    let fields = fields
        .iter()
        .map(|it| ((*it).to_owned(), json!({"type": "string"})));
    let spec = json!({"type": "object", "properties": fields.collect::<BTreeMap<_, _>>()});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ships.ferry.example"},
        "spec": {
            "group": "ferry.example", "scope": "Namespaced",
            "names": {"plural": "ships", "kind": "Ship"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

pub(crate) fn move_to(package: &str, version: &str) -> Move {
    Move {
        package: package.to_owned(),
        bundle: format!("{package}.v{version}"),
        version: version.to_owned(),
    }
}
