//! Tests `portolan explain`: a dry run predicts the result of the controller, and writes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use crate::approval::policy::{Policy, design};
use crate::kubectl::kubectl_get;
use crate::operatorpolicy::stage::{Stage, stage};
use crate::permitted::may;
use crate::program::{output, portolan};

/// The kinds that a dry run reads, in the form of a kubectl argument.
const KINDS: &str = "catalogsources.operators.coreos.com,\
    clusterserviceversions.operators.coreos.com,installplans.operators.coreos.com,\
    operatorconditions.operators.coreos.com,operatorgroups.operators.coreos.com,\
    operatorpolicies.policy.open-cluster-management.io,subscriptions.operators.coreos.com,\
    customresourcedefinitions.apiextensions.k8s.io,apiservices.apiregistration.k8s.io,\
    serviceaccounts,deployments.apps,replicasets.apps,pods,events,namespaces";

/// The conditions that depend on requests to registries, which a dump does not contain.
const OF_REGISTRIES: [&str; 2] = ["CatalogSourcesUnhealthy", "Compliant"];

#[tokio::test]
async fn dry_run_matches_the_controller_and_lists_its_changes() -> Result<(), Failure> {
    let offered = catalog("gig: 1.0.0 -> 1.1.0").installable();
    let Some(stage) = stage("explained", &offered).await? else {
        return Ok(());
    };
    stage.write(&allowing(&stage, &["gig.v1.0.0"])).await?;
    let reader = Reader::of(&stage).await?;
    let pinned = [
        "compliant: Compliant",
        "installed: gig.v1.0.0",
        "next: gig.v1.1.0",
    ];
    stage.until_status("gig", &pinned).await?;

    let (here, cluster) = (stage.world.namespace().to_owned(), reader.cluster());
    let on_cluster = ["-n", &here, "-o", "json", &cluster];
    let reported = until(
        "the program to say what the controller says",
        PATIENCE,
        async || {
            let before = status(&stage).await?;
            let reported = reader.explains(&on_cluster).await?;
            let after = status(&stage).await?;
            Ok(if before == after && reported.policy()["status"] == after {
                Seen::Yes(reported)
            } else {
                Seen::NotYet(format!("{after:#} and {:#}", reported.json))
            })
        },
    );
    let reported = reported.await?;
    assert_eq!(
        (reported.code, &reported.policy()["changes"]),
        (Some(0), &json!([]))
    );

    as_in_a_dump(&stage, &reader).await?;
    would_approve(&stage, &reader).await?;

    let writes = stage.world.cluster().audit()?.by(&reader.user).writes();
    assert_eq!(writes.records(), [], "a dry run writes nothing");
    let audit = stage.world.cluster().audit()?.by(&reader.user);
    assert_ne!(audit.records(), [], "it reads");
    let refused = audit.only(|record| record.code == 403);
    assert_eq!(
        refused.records(),
        [],
        "a user that may read everything gets everything"
    );
    Ok(())
}

fn allowing(stage: &Stage, bundles: &[&str]) -> Policy {
    stage.at_home(design("gig", bundles))
}

/// A dump from the same time gives the same result, except for the state of registries.
async fn as_in_a_dump(stage: &Stage, reader: &Reader) -> Result<(), Failure> {
    let (here, cluster) = (stage.world.namespace(), stage.world.cluster());
    let offline = until(
        "a dump to say what the cluster says",
        PATIENCE,
        async || {
            let dump = TempFolder::empty();
            let before = status(stage).await?;
            kubectl_get(cluster, KINDS, &dump).await?;
            let after = status(stage).await?;
            let world = dump.display().to_string();
            let place = format!("{here}/fleet={}", stage.folder.display());
            let words = [
                "-n",
                here,
                "-o",
                "json",
                "--world",
                &world,
                "--catalog",
                &place,
            ];
            let reported = reader.explains(&words).await?;
            let [message, shown] = [&reported.policy()["status"], &after].map(without_registries);
            Ok(if before == after && message == shown {
                Seen::Yes(reported)
            } else {
                Seen::NotYet(format!("{shown} and {message}"))
            })
        },
    );
    let unasked =
        format!("the registry of CatalogSource {here}/fleet was not probed; OLM reports READY");
    assert_eq!(offline.await?.policy()["unknown"], json!([unasked]));
    Ok(())
}

fn without_registries(status: &Value) -> String {
    let mut status = status.clone();
    let conditions = status["conditions"].as_array_mut().expect("conditions");
    let is_of = |condition: &Value| {
        let mut all = OF_REGISTRIES.iter();
        all.any(|type_| condition["type"] == *type_)
    };
    conditions.retain(|condition| !is_of(condition));
    status["history"] = Value::Null;
    format!("{status:#}")
}

/// Explains a policy that is not applied. The policy allows the next version, so it would approve
/// the InstallPlan.
async fn would_approve(stage: &Stage, reader: &Reader) -> Result<(), Failure> {
    let here = stage.world.namespace();
    let wider = allowing(stage, &["gig.v1.0.0", "gig.v1.1.0"]);
    let mut manifest = wider.body(here);
    manifest["apiVersion"] = json!("policy.open-cluster-management.io/v1beta1");
    manifest["kind"] = json!("OperatorPolicy");
    manifest["metadata"] = json!({"name": "gig", "namespace": here});
    let folder = TempFolder::empty();
    let file = folder.join("gig.json");
    fs::write(&file, manifest.to_string()).map_err(Failure::touch("write a policy"))?;
    let (file, cluster) = (file.display().to_string(), reader.cluster());
    // OLM creates the InstallPlan later. If a service does not respond in time, its facts are
    // unknown.
    let reported = until("all services to answer a dry run", PATIENCE, async || {
        let reported = reader.explains(&[&file, "-o", "json", &cluster]).await?;
        let policy = reported.policy().clone();
        let is_whole = policy["unknown"] == json!([]) && policy["changes"] != json!([]);
        Ok(if is_whole {
            Seen::Yes(reported)
        } else {
            Seen::NotYet(format!("{policy:#}"))
        })
    });
    let reported = reported.await?;
    let policy = reported.policy();
    let changes = policy["changes"].as_array().expect("changes");
    let changes: Vec<_> = changes
        .iter()
        .map(|change| (&change["change"], &change["object"]["kind"]))
        .collect();
    assert_eq!(changes, [(&json!("approve"), &json!("InstallPlan"))]);
    let diff = policy["changes"][0]["diff"].as_str().unwrap_or_default();
    assert!(
        diff.contains("-  approved: false\n+  approved: true\n"),
        "{diff}"
    );
    assert_eq!(policy["path"], json!(["gig.v1.0.0", "gig.v1.1.0"]));
    assert_eq!(reported.code, Some(1));
    Ok(())
}

async fn status(stage: &Stage) -> Result<Value, Failure> {
    let policy = stage.object(Kind::OperatorPolicy, "gig").await?;
    Ok(policy.map_or(Value::Null, |policy| policy.data["status"].clone()))
}

/// A user who may read everything, and may write nothing.
struct Reader {
    user: String,
    portolan: PathBuf,
    kubeconfig: PathBuf,
}

/// The output of the program, and its exit code.
struct Reported {
    json: Value,
    code: Option<i32>,
}

// === impl Reader ===

impl Reader {
    async fn of(stage: &Stage) -> Result<Self, Failure> {
        let user = format!("reader-of-{}", stage.world.namespace());
        let kubeconfig = stage.world.cluster().admit(&user, None)?;
        let all =
            json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
        may(stage.world.client(), &user, all).await?;
        Ok(Self {
            user,
            portolan: portolan().await?,
            kubeconfig,
        })
    }

    /// Returns the flag that selects the cluster.
    fn cluster(&self) -> String {
        format!("--kubeconfig={}", self.kubeconfig.display())
    }

    async fn explains(&self, words: &[&str]) -> Result<Reported, Failure> {
        let mut command = Command::new(&self.portolan);
        command
            .arg("explain")
            .args(words)
            .env_remove("PORTOLAN_WORLD")
            .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")));
        Ok(Reported::by(&output(command).await?))
    }
}

// === impl Reported ===

impl Reported {
    fn by(output: &Output) -> Self {
        let message = String::from_utf8_lossy(&output.stderr);
        let json = serde_json::from_slice(&output.stdout);
        Self {
            json: json.unwrap_or_else(|error| panic!("{error}: {message}")),
            code: output.status.code(),
        }
    }

    /// Returns the only policy in the output.
    fn policy(&self) -> &Value {
        let all = self.json["policies"].as_array().expect("policies");
        let [policy] = &all[..] else {
            panic!("one policy: {:#}", self.json);
        };
        policy
    }
}
