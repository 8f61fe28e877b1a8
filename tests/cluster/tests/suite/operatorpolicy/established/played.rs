//! Applies rows to one cluster, and compares the results with the expected results.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kube::api::{DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt as _};
use portolan_api::{CREATED_BY, ConditionType, MANAGED};
use portolan_rig::{Failure, Kind, Seen, World, until};
use serde_json::{Value, json};

use super::row::{After, Row, key};
use crate::approval::crds;
use crate::operatorpolicy::fleet::Fleet;
use crate::own_world;

/// The namespace of global catalogs. OLM installs from them in all namespaces.
const GLOBAL: &str = "olm";
/// The maximum time for all rows together. It is long, because the machine may be busy with a
/// build.
const PATIENCE: Duration = Duration::from_secs(300);
/// The pause between two comparisons.
const PAUSE: Duration = Duration::from_millis(500);
/// The time for which a result must not change. The next step of a policy or of OLM takes less
/// time.
const REST: Duration = Duration::from_secs(3);

/// A snapshot of all objects that rows create or change.
struct Whole {
    policies: BTreeMap<String, DynamicObject>,
    objects: Vec<(Kind, DynamicObject)>,
}

/// Writes the policies of all rows. Waits until each row has its expected result, and until the
/// results no longer change.
pub(super) async fn play(
    test_name: &str,
    offered: &portolan_kit::Catalog,
    rows: &[Row],
) -> Result<(), Failure> {
    let begun = Instant::now();
    let Some(world) = own_world(test_name).await? else {
        return Ok(());
    };
    crds::create_policy_crd(world.client()).await?;
    let folder = offered.temp();
    let _catalog = world.cluster().catalog(GLOBAL, "fleet", &folder).await?;
    for row in rows {
        prepare(world.client(), row).await?;
    }
    let mut waiting: Vec<&Row> = Vec::new();
    for row in rows {
        match row.after {
            After::Nothing => write(&world, row).await?,
            After::Installed(_) | After::Served(_) | After::Outrun(_) => waiting.push(row),
        }
    }
    // All rows for the same Subscription are written before one of them is checked.
    let _fleet = Fleet::of(&world).await?;
    let ready = begun.elapsed().as_millis();
    let mut reached: BTreeMap<&str, u128> = BTreeMap::new();
    until("all policies to be as expected", PATIENCE, async || {
        tokio::time::sleep(PAUSE).await;
        let whole = Whole::of(&world).await?;
        for row in std::mem::take(&mut waiting) {
            if whole.has_happened(row) {
                write(&world, row).await?;
            } else {
                waiting.push(row);
            }
        }
        for row in rows.iter().filter(|row| whole.differing(row).is_none()) {
            let now = begun.elapsed().as_millis();
            reached.entry(&row.policy.name).or_insert(now);
        }
        Ok(whole.seen(rows))
    })
    .await?;
    let all = begun.elapsed().as_millis();
    tokio::time::sleep(REST).await;
    if let Seen::NotYet(differing) = Whole::of(&world).await?.seen(rows) {
        panic!("what was reached must stay: {differing}");
    }
    println!(
        "operatorpolicy: {test_name}: ready: {ready} ms, all as expected: {all} ms: {reached:?}"
    );
    Ok(())
}

/// Creates the objects that exist before the policy.
async fn prepare(client: &Client, row: &Row) -> Result<(), Failure> {
    let params = PostParams::default();
    if row.has_namespace {
        let namespace = Kind::Namespace.object(row.namespace, json!({}))?;
        let made = Kind::Namespace.everywhere(client);
        match made.create(&params, &namespace).await {
            Err(kube::Error::Api(status)) if status.code == 409 => {}
            made => drop(made?),
        }
    }
    for object in &row.before {
        let made = object.kind.object(object.name, object.body.clone())?;
        let there = object.kind.within(client, row.namespace);
        there.create(&params, &made).await?;
    }
    Ok(())
}

async fn write(world: &World, row: &Row) -> Result<(), Failure> {
    let here = world.namespace();
    let policies = Kind::OperatorPolicy.within(world.client(), here);
    let object = Kind::OperatorPolicy.object(&row.policy.name, row.body(here))?;
    let made = policies.create(&PostParams::default(), &object).await?;
    match row.after {
        After::Outrun(_) => outrun(world, row, &made).await,
        After::Nothing | After::Installed(_) | After::Served(_) => Ok(()),
    }
}

/// Creates a Subscription before the policy, and then makes the policy enforce.
async fn outrun(world: &World, row: &Row, policy: &DynamicObject) -> Result<(), Failure> {
    let mark = format!("{}.{}", world.namespace(), row.policy.name);
    let package = policy.data["spec"]["subscription"]["name"].clone();
    let body = json!({
        "metadata": {
            "labels": {MANAGED: ""},
            "annotations": {MANAGED: mark, CREATED_BY: policy.metadata.uid},
        },
        "spec": {"name": package, "channel": "stable", "source": "fleet", "sourceNamespace": GLOBAL},
    });
    let kind = Kind::Subscription;
    let made = kind.object(package.as_str().unwrap_or_default(), body)?;
    let there = kind.within(world.client(), row.namespace);
    there.create(&PostParams::default(), &made).await?;
    let policies = Kind::OperatorPolicy.within(world.client(), world.namespace());
    let change = Patch::Merge(json!({"spec": {"remediationAction": "enforce"}}));
    let params = PatchParams::default();
    policies.patch(&row.policy.name, &params, &change).await?;
    Ok(())
}

impl Whole {
    async fn of(world: &World) -> Result<Self, Failure> {
        const LEFT: [Kind; 6] = [
            Kind::Namespace,
            Kind::OperatorGroup,
            Kind::Subscription,
            Kind::ClusterServiceVersion,
            Kind::InstallPlan,
            Kind::CustomResourceDefinition,
        ];
        let all = ListParams::default();
        let policies = Kind::OperatorPolicy.within(world.client(), world.namespace());
        let policies = policies.list(&all).await?.items.into_iter();
        let mut objects = Vec::new();
        for kind in LEFT {
            let found = kind.everywhere(world.client()).list(&all).await?;
            objects.extend(found.items.into_iter().map(|object| (kind, object)));
        }
        Ok(Self {
            policies: policies.map(|policy| (policy.name_any(), policy)).collect(),
            objects,
        })
    }

    /// Returns true if the event has happened that must precede the policy.
    fn has_happened(&self, row: &Row) -> bool {
        let (bundle, is_copy) = match row.after {
            After::Nothing => return true,
            After::Installed(bundle) => (bundle, false),
            After::Served(bundle) | After::Outrun(bundle) => (bundle, true),
        };
        let here = self.objects.iter().filter(|(_, object)| {
            let namespace = object.namespace();
            namespace.as_deref() == Some(row.namespace)
        });
        let phase = |object: &DynamicObject| text(&object.data["status"]["phase"]);
        let is_installed = here.clone().any(|(kind, object)| {
            *kind == Kind::ClusterServiceVersion
                && object.name_any() == bundle
                && is_copied(object) == is_copy
                && phase(object) == "Succeeded"
        });
        let mut plans = here.filter(|(kind, _)| *kind == Kind::InstallPlan);
        is_installed && plans.all(|(_, plan)| phase(plan) == "Complete")
    }

    /// Returns an error text with the rows whose result differs from the expected result.
    fn seen(&self, rows: &[Row]) -> Seen<()> {
        let differing: Vec<_> = rows.iter().filter_map(|row| self.differing(row)).collect();
        match differing.as_slice() {
            [] => Seen::Yes(()),
            differing => Seen::NotYet(format!("\n{}", differing.join("\n"))),
        }
    }

    /// Returns the missing and the unexpected lines of a row. Returns None if there are no
    /// differences.
    fn differing(&self, row: &Row) -> Option<String> {
        let ([expected, other], found) = (row.accepted(), self.lines(row));
        if found == expected || found == other {
            return None;
        }
        let missing = expected
            .iter()
            .filter(|line| found.get(line.0) != Some(line.1));
        let missing = missing.map(|(key, line)| (key, format!("\n  - {line}")));
        let others = found
            .iter()
            .filter(|line| expected.get(line.0) != Some(line.1));
        let others = others.map(|(key, line)| (key, format!("\n  + {line}")));
        let mut lines: Vec<_> = missing.chain(others).collect();
        lines.sort();
        let lines: Vec<_> = lines.into_iter().map(|(_, line)| line).collect();
        let head = format!("{} ({})", row.policy.name, row.rule);
        Some(format!("{head}{}", lines.concat()))
    }

    fn lines(&self, row: &Row) -> BTreeMap<String, String> {
        let policy = self.policies.get(&row.policy.name);
        let status = policy.map_or(&Value::Null, |policy| &policy.data["status"]);
        let package = policy.map_or(&Value::Null, |it| &it.data["spec"]["subscription"]["name"]);
        let package = package.as_str().unwrap_or_default();
        let lines = conditions(status).into_iter().chain(related(status));
        let lines = lines.chain(self.left(row, package));
        lines.map(|line| (key(&line).to_owned(), line)).collect()
    }

    /// Returns the objects that are left in the namespace of a row, and the CRDs of its package.
    fn left(&self, row: &Row, package: &str) -> Vec<String> {
        let here = |object: &DynamicObject| object.namespace().as_deref() == Some(row.namespace);
        let has_subscription = self.objects.iter().any(|(kind, object)| {
            *kind == Kind::Subscription && here(object) && object.name_any() == package
        });
        let line = |(kind, object): &(Kind, DynamicObject)| {
            let name = object.name_any();
            let output = match kind {
                Kind::Namespace => (name == row.namespace).then_some(name),
                Kind::CustomResourceDefinition => {
                    let is_own = object.data["spec"]["group"] == format!("{package}.example.test");
                    is_own.then(|| format!("{name}{}", labels(object)))
                }
                _ if !here(object) => None,
                Kind::OperatorGroup => Some(group(object)),
                Kind::Subscription => Some(subscription(object)),
                Kind::ClusterServiceVersion if is_copied(object) => None,
                Kind::ClusterServiceVersion => {
                    let phase = text(&object.data["status"]["phase"]);
                    Some(format!("{name} {phase}"))
                }
                Kind::InstallPlan => plan(object, has_subscription),
                kind => panic!("{kind:?} is not compared"),
            };
            output.map(|output| format!("there {kind:?} {output}"))
        };
        self.objects.iter().filter_map(line).collect()
    }
}

/// Returns the conditions that both controllers have. Our controller also writes additional
/// conditions about the Subscription.
fn conditions(status: &Value) -> Vec<String> {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let own = conditions.filter(|it| ConditionType::parse(&text(&it["type"])).is_some());
    let lines = own.map(|condition| {
        let [kind, status, reason] = ["type", "status", "reason"].map(|it| text(&condition[it]));
        format!("{kind} {status} {reason}")
    });
    let whole = format!("compliant: {}", text(&status["compliant"]));
    lines.chain([whole]).collect()
}

/// Returns the states of related objects. Each kind has one line.
fn related(status: &Value) -> Vec<String> {
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for related in status["relatedObjects"].as_array().into_iter().flatten() {
        let compliant = related["compliant"].as_str().unwrap_or("-");
        let kind = text(&related["object"]["kind"]);
        kinds.entry(kind).or_default().push(compliant.to_owned());
    }
    let line = |(kind, mut found): (String, Vec<String>)| {
        found.sort();
        format!("related {kind}: {}", found.join(", "))
    };
    kinds.into_iter().map(line).collect()
}

/// Describes an OperatorGroup: its name, its target namespaces, and its selector.
fn group(object: &DynamicObject) -> String {
    let (name, spec) = (object.name_any(), &object.data["spec"]);
    let names = spec["targetNamespaces"].as_array().into_iter().flatten();
    let names: Vec<_> = names.map(text).collect();
    let targets = match names.as_slice() {
        [] => String::new(),
        names => format!(" for {}", names.join(", ")),
    };
    let selector = &spec["selector"]["matchLabels"];
    let selector = selector.as_object().into_iter().flatten();
    let labels: Vec<_> = selector.map(|(label, _)| format!(" by {label}")).collect();
    format!("{name}{targets}{}", labels.concat())
}

fn subscription(object: &DynamicObject) -> String {
    let spec = &object.data["spec"];
    let [channel, approval] = ["channel", "installPlanApproval"].map(|field| text(&spec[field]));
    format!("{} {channel} {approval}", object.name_any())
}

/// Describes an InstallPlan that waits, or that still exists after its Subscription was deleted.
fn plan(object: &DynamicObject, has_subscription: bool) -> Option<String> {
    let names = object.data["spec"]["clusterServiceVersionNames"].as_array();
    let mut names: Vec<_> = names.into_iter().flatten().map(text).collect();
    names.sort();
    let phase = text(&object.data["status"]["phase"]);
    let waits = phase == "RequiresApproval" && object.data["spec"]["approved"] != true;
    let names = names.join(", ");
    match (waits, has_subscription) {
        (true, _) => Some(format!("{names} waits")),
        (false, false) => Some(names),
        (false, true) => None,
    }
}

fn labels(object: &DynamicObject) -> String {
    let labels = object.labels().keys();
    labels
        .filter_map(|label| label.strip_prefix("operators.coreos.com/"))
        .map(|label| format!(" of {label}"))
        .collect()
}

fn is_copied(object: &DynamicObject) -> bool {
    object.labels().contains_key("olm.copiedFrom")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
