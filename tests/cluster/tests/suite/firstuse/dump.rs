//! Tests `portolan dump`: commands give the same answers for a dump and for its cluster. The dump
//! contains no secrets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jiff::Timestamp;
use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use crate::approval::policy::design;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::operatorpolicy::stage::{Stage, own_stage};
use crate::permitted::may;
use crate::program::{output, portolan};

/// The queries about a whole cluster, with their flags.
const QUESTIONS: [&[&str]; 11] = [
    &["packages"],
    &["packages", "gig"],
    &["upgrades"],
    &["path", "gig"],
    &["bundle", "gig", "gig.v1.1.0"],
    &["upgrades", "gig", "--from=gig.v1.0.0"],
    &["catalog", "list"],
    &["health"],
    &["review"],
    &["diagnose"],
    &["explain"],
];

/// The beginning of a secret value in environment variables.
const SECRET: &str = "mellon-";

#[tokio::test]
async fn dump_gives_the_answers_of_its_cluster_without_secrets() -> Result<(), Failure> {
    let offered = catalog("gig: 1.0.0 -> 1.1.0; dory: 2.0.0; skiff: 3.0.0").installable();
    let offered = offered.with_pod_state("2.0.0", "crash-looping");
    let Some(stage) = own_stage("dumped", &offered).await? else {
        return Ok(());
    };
    let teller = Teller {
        portolan: portolan().await?,
        cluster: kubeconfig_flag(&stage.world.cluster().kubeconfig()),
        user: &[],
    };
    stage
        .write(&stage.at_home(design("dory", &["dory.v2.0.0"])))
        .await?;
    let crashes = until("a crash to be diagnosed", PATIENCE, async || {
        let reported = teller.answer(&["diagnose"], &teller.cluster()).await?;
        let is_reported = reported.to_string().contains("CrashLooping");
        Ok(if is_reported {
            Seen::Yes(())
        } else {
            Seen::NotYet("something else is".to_owned())
        })
    });
    crashes.await?;
    let env = json!([{"name": "WORD", "value": "mellon-9c1f"}, {"name": "MODE", "value": "fast"}]);
    let configured = design("gig", &["gig.v1.0.0"]).asks("config", json!({"env": env}));
    stage.write(&stage.at_home(configured)).await?;
    let next = ["compliant: Compliant", "next: gig.v1.1.0"];
    stage.until_status("gig", &next).await?;
    drifts(&stage).await?;
    let away = json!({"spec": {"sourceType": "grpc", "address": "127.0.0.1:1"}});
    let kind = Kind::CatalogSource;
    stage.editor.create(kind, "away", away).await?;

    let top = TempFolder::empty();
    let (dump, message) = teller.dumps_alike(&top.join("whole")).await?;
    assert!(
        message.contains("/away is missing: cannot connect to "),
        "{message}"
    );
    keeps_no_secret(&dump);
    let nobodys = ["bundle", "skiff", "skiff.v3.0.0"];
    let world = dump.display().to_string();
    let reported = teller.answer(&nobodys, &["--world", &world]).await?;
    let not_given = reported[2]["notGiven"].to_string();
    assert!(not_given.contains("objects"), "{reported:#}");

    may_not_see_pods(&stage).await?;
    let blind = Teller {
        user: &["--as=blind"],
        ..teller
    };
    let (_, message) = blind.dumps_alike(&top.join("blind")).await?;
    let here = stage.world.namespace();
    let blindness = format!("objects of kind Pod in namespace {here} were not saved: forbidden: ");
    assert!(message.contains(&blindness), "{message}");
    Ok(())
}

/// Changes an environment variable in the Subscription. The status of the policy then contains its
/// previous value.
async fn drifts(stage: &Stage) -> Result<(), Failure> {
    let env = json!([{"name": "WORD", "value": "mellon-drifted"}]);
    let changed = json!({"spec": {"config": {"env": env}}});
    let kind = Kind::Subscription;
    stage.editor.patch(kind, "gig", changed).await?;
    until("the policy to quote the value", PATIENCE, async || {
        let policy = stage.object(Kind::OperatorPolicy, "gig").await?;
        let status = policy.map(|policy| policy.data["status"].to_string());
        Ok(
            if status.as_ref().is_some_and(|text| text.contains(SECRET)) {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{status:?}"))
            },
        )
    })
    .await?;
    stage.until_status("gig", &["compliant: Compliant"]).await?;
    Ok(())
}

/// Grants the user `blind` all permissions except those for Pods and related objects.
async fn may_not_see_pods(stage: &Stage) -> Result<(), Failure> {
    let of = |group: &str, resources: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": ["get", "list", "watch"]});
    let rules = json!([
        of("operators.coreos.com", &["*"]),
        of("policy.open-cluster-management.io", &["*"]),
        of("apiextensions.k8s.io", &["*"]),
        of("apiregistration.k8s.io", &["apiservices"]),
        of("apps", &["deployments"]),
        of("", &["namespaces"]),
    ]);
    may(stage.world.client(), "blind", rules).await
}

fn keeps_no_secret(dump: &Path) {
    let mut texts = 0;
    let mut folders = vec![dump.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a text");
            assert!(!text.contains(SECRET), "{}", path.display());
            texts += usize::from(text.contains("(left out: "));
        }
    }
    assert!(
        texts >= 3,
        "the policy, the Subscription and the Deployment have variables: {texts}"
    );
}

/// A user who runs the program.
struct Teller {
    portolan: PathBuf,
    cluster: String,
    /// The kubectl flag that selects the user.
    user: &'static [&'static str],
}

impl Teller {
    /// Returns the answers of all queries, without values that differ between two reads.
    async fn answers(&self, world: &[&str]) -> Result<Vec<Value>, Failure> {
        let mut answers = Vec::new();
        for question in QUESTIONS {
            answers.push(self.answer(question, world).await?);
        }
        Ok(answers)
    }

    async fn answer(&self, question: &[&str], world: &[&str]) -> Result<Value, Failure> {
        let words = [question, &["-o", "json"], world].concat();
        let output = self.run(&words).await?;
        let message = String::from_utf8_lossy(&output.stderr);
        let answer: Result<Value, _> = serde_json::from_slice(&output.stdout);
        let mut answer = answer.unwrap_or_else(|error| panic!("{question:?}: {error}: {message}"));
        comparable(&mut answer);
        Ok(json!([question, output.status.code(), answer]))
    }

    /// Returns the flags that select the cluster and the user.
    fn cluster(&self) -> Vec<&str> {
        [&[self.cluster.as_str()], self.user].concat()
    }

    /// Writes a dump, and checks that all queries give the same answers for the dump and for the
    /// cluster. Returns the dump and its log. Each dump lacks some objects.
    async fn dumps_alike(&self, to: &Path) -> Result<(PathBuf, String), Failure> {
        fs::create_dir(to).map_err(Failure::touch("make a folder"))?;
        let mut number = 0;
        until("a dump to answer as its cluster", PATIENCE, async || {
            number += 1;
            let folder = to.join(number.to_string());
            let before = self.answers(&self.cluster()).await?;
            let path = folder.display().to_string();
            let dumped = self
                .run(&[&["dump", &path], &*self.cluster()].concat())
                .await?;
            let after = self.answers(&self.cluster()).await?;
            let reported = self.answers(&["--world", &path]).await?;
            let message = String::from_utf8_lossy(&dumped.stderr).into_owned();
            assert_eq!(
                dumped.status.code(),
                Some(3),
                "something is missing: {message}"
            );
            Ok(if before == after && reported == after {
                Seen::Yes((folder, message))
            } else {
                Seen::NotYet(differences(&after, &reported))
            })
        })
        .await
    }

    async fn run(&self, words: &[&str]) -> Result<Output, Failure> {
        let mut command = Command::new(&self.portolan);
        command
            .args(words)
            .env_remove("PORTOLAN_WORLD")
            .env_remove("PORTOLAN_SERVER")
            .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")));
        output(command).await
    }
}

/// The fields with display names. Registries return them for each bundle, but dumps do not contain
/// them.
const FOR_PEOPLE: [&str; 2] = ["displayName", "displayDigest"];

/// Removes values that differ between two points in time, or between two methods to read a catalog.
fn comparable(answer: &mut Value) {
    match answer {
        Value::Object(fields) => {
            fields.retain(|name, _| !FOR_PEOPLE.contains(&name.as_str()));
            fields.values_mut().for_each(comparable);
        }
        Value::Array(items) => items.iter_mut().for_each(comparable),
        Value::String(text) => {
            let words = text
                .split(' ')
                .map(|word| if is_time(word) { "a time" } else { word });
            *text = without_values(&words.collect::<Vec<_>>().join(" "));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Removes the quoted values of environment variables from a sentence.
fn without_values(text: &str) -> String {
    let mut parts = text.split("\"value\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let behind = part.find('"').map_or("", |end| &part[end..]);
        kept + "a value" + behind
    })
}

/// Returns true if the word is a timestamp. Punctuation can follow the timestamp.
fn is_time(word: &str) -> bool {
    let time = word.trim_end_matches([':', ',', ';', '.']);
    time.parse::<Timestamp>().is_ok()
}

/// Returns the lines that only one of the two texts contains.
fn differences(cluster: &[Value], dump: &[Value]) -> String {
    let text = |answers: &[Value]| format!("{:#}", json!(answers));
    let (cluster, dump) = (text(cluster), text(dump));
    let only = |these: &str, others: &str| {
        let is_new = |line: &&str| !others.lines().any(|other| other == *line);
        these
            .lines()
            .filter(is_new)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (cluster, dump) = (only(&cluster, &dump), only(&dump, &cluster));
    format!("cluster: {cluster:#?}\ndump: {dump:#?}")
}
