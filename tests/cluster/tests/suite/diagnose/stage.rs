//! The test environment of a diagnosis.

use std::time::{Duration, Instant};

use portolan_core_diagnosis::Code;
use portolan_kit::{TempFolder, assert_same};
use portolan_proto::diagnosis::v1::{Cause, OperatorDiagnosis};
use portolan_rig::{Catalog, Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::{Value, json};

use super::diagnoses::{Diagnoses, Wanted, one, root};
use super::own::ward;
use super::user::{Printed, User, first_fix, fix, later, looks};
use crate::approval::crds;
use crate::editor::Editor;
use crate::kubectl::list_into;
use crate::{own_world, world};

/// The kinds that a diagnosis reads.
const KINDS: [[&str; 2]; 15] = [
    ["operators.coreos.com/v1alpha1", "CatalogSource"],
    ["operators.coreos.com/v1alpha1", "ClusterServiceVersion"],
    ["operators.coreos.com/v1alpha1", "InstallPlan"],
    ["operators.coreos.com/v2", "OperatorCondition"],
    ["operators.coreos.com/v1", "OperatorGroup"],
    [
        "policy.open-cluster-management.io/v1beta1",
        "OperatorPolicy",
    ],
    ["operators.coreos.com/v1alpha1", "Subscription"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    ["apiregistration.k8s.io/v1", "APIService"],
    ["v1", "ServiceAccount"],
    ["apps/v1", "Deployment"],
    ["apps/v1", "ReplicaSet"],
    ["batch/v1", "Job"],
    ["v1", "Pod"],
    ["v1", "Event"],
];

/// The maximum time until the diagnosis of a cluster equals the diagnosis of a dump.
const MOMENT: Duration = Duration::from_secs(180);
/// The maximum number of times that a test runs a command which OLM may undo.
const REPEATS: usize = 3;
/// The time in which OLM may fix the problem without a command.
const GRACE: Duration = Duration::from_secs(10);

/// A namespace on a cluster with OLM and the CRD of policies. A test waits for diagnoses in the
/// namespace, and runs the printed commands as a user.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) editor: Editor,
    pub(super) diagnoses: Diagnoses,
    user: User,
    /// The content of each catalog in the namespace, by the name of the CatalogSource.
    offered: Vec<(String, TempFolder)>,
}

/// The extent to which the diagnoses of a dump and of the cluster must be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dumped {
    /// The output must be equal.
    Alike,
    /// The operator, the state, the cause and the object at fault must be equal. The message may
    /// differ: only the diagnosis of a cluster can query registries, and OLM may retry so often
    /// that two reads never return the same objects.
    InOtherWords,
    /// The dump does not show the problem, because only a running registry shows this cause.
    Unknown,
}

/// Returns a stage, or `None` if tests with a cluster are skipped.
pub(super) async fn stage(test_name: &str) -> Result<Option<Stage>, Failure> {
    match world(test_name).await? {
        Some(world) => Stage::on(world).await.map(Some),
        None => Ok(None),
    }
}

/// Returns a stage on a separate cluster, for tests that affect all namespaces.
pub(super) async fn own_stage(test_name: &str) -> Result<Option<Stage>, Failure> {
    match own_world(test_name).await? {
        Some(world) => Stage::on(world).await.map(Some),
        None => Ok(None),
    }
}

// === impl Stage ===

impl Stage {
    async fn on(world: World) -> Result<Self, Failure> {
        crds::create_policy_crd(world.client()).await?;
        let user = User::of(&world).await?;
        user.types(&elsewhere()).await?;
        Ok(Self {
            editor: Editor::of(world.client(), world.namespace()),
            diagnoses: Diagnoses::of(&world).await?,
            user,
            world,
            offered: Vec::new(),
        })
    }

    // --- the environment ---

    /// Serves a catalog to the namespace.
    pub(super) async fn serve(
        &mut self,
        name: &str,
        offered: &portolan_kit::Catalog,
    ) -> Result<Catalog, Failure> {
        let folder = offered.temp();
        let catalog = self.world.catalog(name, &folder).await?;
        self.offers(name, folder);
        Ok(catalog)
    }

    /// Serves new content of a catalog.
    pub(super) async fn serve_again(
        &mut self,
        catalog: &mut Catalog,
        offered: &portolan_kit::Catalog,
    ) -> Result<(), Failure> {
        let folder = offered.temp();
        catalog.serve(&folder).await?;
        self.offers(catalog.name(), folder);
        Ok(())
    }

    /// Adds the content of a catalog to all later dumps.
    pub(super) fn offers(&mut self, name: &str, folder: TempFolder) {
        self.offered.retain(|(known, _)| known != name);
        self.offered.push((name.to_owned(), folder));
    }

    /// Creates a Subscription with the name of its package, in the catalog `fleet`. Examples of
    /// `text`: `a`, `a/fast`, `a manual`, `a is b` for package `b`, `a start=a.v1.0.0`, `a from
    /// two`. The options can be combined. The default channel is `stable`.
    pub(super) async fn subscribe(&self, text: &str) -> Result<(), Failure> {
        let mut words = text.split_whitespace();
        let head = words.next().expect("the text must name a package");
        let (name, channel) = head.split_once('/').unwrap_or((head, "stable"));
        let mut spec = json!({
            "name": name,
            "channel": channel,
            "source": "fleet",
            "sourceNamespace": self.world.namespace(),
        });
        while let Some(word) = words.next() {
            match word.split_once('=') {
                Some(("start", bundle)) => spec["startingCSV"] = bundle.into(),
                None if word == "manual" => spec["installPlanApproval"] = "Manual".into(),
                None if word == "is" => spec["name"] = words.next().into(),
                None if word == "from" => spec["source"] = words.next().into(),
                _ => panic!("{word:?} is no field of a Subscription"),
            }
        }
        let body = json!({"spec": spec});
        self.editor.create(Kind::Subscription, name, body).await
    }

    /// Runs a script in a shell. `$NS` is the namespace.
    pub(super) async fn types(&self, text: &str) -> Result<(), Failure> {
        self.user.types(text).await
    }

    /// Runs another command of the program, and returns its output.
    pub(super) async fn portolan(&self, words: &[&str]) -> Result<String, Failure> {
        self.user.portolan(words).await
    }

    /// Waits until an operator is healthy. OLM (v0.46) may decide on outdated objects and not try
    /// again. The diagnosis reports this, and the function runs its fix.
    pub(super) async fn well(&self, of: &str) -> Result<(), Failure> {
        let first = self.diagnoses.until_rest(of).await;
        if !self.diagnoses.is_stale(of, &first) {
            return Ok(());
        }
        tokio::time::sleep(GRACE).await;
        let all = self.diagnoses.until_rest(of).await;
        if self.diagnoses.is_stale(of, &all) {
            let printed = self.live().await?;
            println!("diagnose: {}:\n{}", self.world.namespace(), printed.text);
            let block = printed.block(&heading(&all, of));
            let is_still = block.iter().any(|line| {
                let mut late = super::diagnoses::LATE.iter();
                late.any(|code| line.contains(code.as_str()))
            });
            let fix = first_fix(&block).filter(|_| is_still);
            self.types(fix.as_deref().unwrap_or("true")).await?;
        }
        self.diagnoses.until_well(of).await;
        Ok(())
    }

    /// Waits until all InstallPlans are complete.
    pub(super) async fn plans_are_done(&self) -> Result<(), Failure> {
        let wait = "kubectl -n $NS wait installplans.operators.coreos.com --all --timeout=180s \
                    --for=jsonpath='{.status.phase}'=Complete";
        self.types(wait).await
    }

    /// Waits until this version of an operator is installed. The next version may already be
    /// pending.
    pub(super) async fn well_as(&self, of: &str, csv: &str) {
        let versions = self.editor.objects(Kind::ClusterServiceVersion);
        let there = portolan_rig::until_field(&versions, csv, "/status/phase", "Succeeded");
        let there = there.await;
        assert!(there.is_ok(), "{of}: {there:?}");
    }

    /// Waits until the status of a Subscription names this version. OLM writes this status after
    /// the status of the ClusterServiceVersion.
    pub(super) async fn installed_as(&self, of: &str, csv: &str) {
        self.well_as(of, csv).await;
        let subscriptions = self.editor.objects(Kind::Subscription);
        let there = portolan_rig::until_field(&subscriptions, of, "/status/installedCSV", csv);
        let there = there.await;
        assert!(there.is_ok(), "{of}: {there:?}");
    }

    // --- diagnoses and fixes ---

    /// Waits for this diagnosis, and runs the first printed fix without changes. Then waits until
    /// the operator is healthy.
    pub(super) async fn heals(&self, wanted: Wanted) -> Result<(), Failure> {
        self.does(wanted).await?;
        self.diagnoses.until_well(wanted.of).await;
        Ok(())
    }

    /// Waits for this diagnosis, and runs the first printed fix. Does not wait until the operator
    /// is healthy.
    pub(super) async fn does(&self, wanted: Wanted) -> Result<(), Failure> {
        let fix = self.fix(wanted, Dumped::Alike).await?;
        self.types(&fix).await
    }

    /// Waits for this diagnosis, and runs the fix whose sentence begins with `sentence`. Then waits
    /// until the operator is healthy. Only `-o wide` prints this fix.
    pub(super) async fn heals_by(&self, wanted: Wanted, sentence: &str) -> Result<(), Failure> {
        self.does_by(wanted, sentence).await?;
        self.diagnoses.until_well(wanted.of).await;
        Ok(())
    }

    /// Waits for this diagnosis, and runs the fix whose sentence begins with `sentence`. Does not
    /// wait until the operator is healthy.
    pub(super) async fn does_by(&self, wanted: Wanted, sentence: &str) -> Result<(), Failure> {
        let begun = Instant::now();
        let [n, here] = self.here();
        let words = [n, here, "-o".to_owned(), "wide".to_owned()];
        loop {
            let all = self.diagnoses.until(&wanted).await;
            let printed = self.user.diagnose(&words).await?;
            let block = printed.block(&heading(&all, wanted.of));
            if let Some(fix) = fix(&block, sentence) {
                return self.types(&fix).await;
            }
            let text = &printed.text;
            assert!(begun.elapsed() < MOMENT, "no fix says {sentence:?}: {text}");
        }
    }

    /// Runs the change whose title begins with this text, from the diagnosis of all namespaces. The
    /// diagnosis of one namespace does not read the OperatorGroups of other namespaces.
    pub(super) async fn does_of_all(
        &self,
        (of, code): (&str, Code),
        title: &'static str,
    ) -> Result<(), Failure> {
        let what = format!("{of}: {code}: {title}");
        let remedy = until(what, PATIENCE, async || {
            let words = ["-o", "json"].map(str::to_owned);
            let printed = self.user.diagnose(&words).await?;
            let answer: Value = serde_json::from_str(&printed.text).unwrap_or_default();
            let mut all = answer["diagnoses"].as_array().into_iter().flatten();
            let subject = json!({"namespace": self.world.namespace(), "name": of});
            let one = all.find(|one| {
                let mut fields = ["namespace", "name"].into_iter();
                fields.all(|field| one["subject"][field] == subject[field])
            });
            let cause = one.map(|one| one["cause"].clone()).unwrap_or_default();
            Ok(if cause["code"] == code.as_str() {
                Seen::Yes(cause["remedy"].clone())
            } else {
                Seen::NotYet(format!("{cause:#}"))
            })
        })
        .await?;
        let procedure = ward::procedure(&remedy, ward::Cure::Decide(title));
        let steps = procedure.and_then(|it| it["steps"].as_array());
        for step in steps.into_iter().flatten() {
            self.types(&ward::line(step)).await?;
        }
        Ok(())
    }

    /// Runs a fix again whenever OLM has undone it, until the operator is healthy.
    pub(super) async fn repeats_by(&self, wanted: Wanted, sentence: &str) -> Result<(), Failure> {
        let begun = Instant::now();
        loop {
            self.does_by(wanted, sentence).await?;
            // Gives OLM time to undo the fix.
            tokio::time::sleep(GRACE).await;
            if self.diagnoses.until_well_or(&wanted).await {
                return Ok(());
            }
            assert!(begun.elapsed() < PATIENCE, "OLM undoes {sentence:?} again");
        }
    }

    /// Waits until one of two diagnoses is reported. Runs the fix of the first diagnosis, which
    /// leads to the second.
    pub(super) async fn is_cleared_by(
        &self,
        first: Wanted,
        sentence: &str,
        then: Wanted,
    ) -> Result<(), Failure> {
        let is_reported =
            |wanted: &Wanted, all: &[OperatorDiagnosis]| self.diagnoses.is_reported(wanted, all);
        let either =
            |all: &[OperatorDiagnosis]| is_reported(&first, all) || is_reported(&then, all);
        let all = self.diagnoses.shows("either", either).await;
        if is_reported(&first, &all) {
            self.does_until_gone(first, sentence).await?;
        }
        Ok(())
    }

    /// Waits for a diagnosis. If the status of the Subscription names a deleted plan, first runs
    /// the fix for this problem.
    pub(super) async fn plans_again(&self, wanted: Wanted) -> Result<(), Failure> {
        let gone = root(wanted.of, Code::PlanMissing, "InstallPlan install-");
        until(format!("{wanted:?}"), PATIENCE, async || {
            let all = self.diagnoses.all().await;
            if self.diagnoses.is_reported(&wanted, &all) {
                return Ok(Seen::Yes(()));
            }
            let printed = self.live().await?;
            let block = printed.block(&heading(&all, wanted.of));
            let fix = fix(&block, "Remove the InstallPlan from the status");
            if let Some(fix) = fix.filter(|_| self.diagnoses.is_reported(&gone, &all)) {
                // Ignores an error: OLM may make the same change first.
                self.types(&format!("{fix} || true")).await?;
            }
            Ok(Seen::NotYet(printed.text))
        })
        .await
    }

    /// Runs a fix again as long as OLM undoes it.
    async fn does_until_gone(&self, wanted: Wanted, sentence: &str) -> Result<(), Failure> {
        for _ in 0..REPEATS {
            self.does_by(wanted, sentence).await?;
            tokio::time::sleep(GRACE).await;
            let all = self.diagnoses.all().await;
            if !self.diagnoses.is_reported(&wanted, &all) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the first fix that the program prints.
    pub(super) async fn fix(&self, wanted: Wanted, dumped: Dumped) -> Result<String, Failure> {
        let (all, printed) = self.until_diagnosed(wanted, dumped).await?;
        let block = printed.block(&heading(&all, wanted.of));
        let fix = first_fix(&block);
        Ok(fix.unwrap_or_else(|| panic!("there must be a fix: {}", printed.text)))
    }

    /// Waits for a diagnosis that only another party can fix. The diagnosis must name this party.
    /// The output must contain no change, or only a change that does not depend on this party.
    pub(super) async fn external(&self, wanted: Wanted, dumped: Dumped) -> Result<(), Failure> {
        let (all, printed) = self.until_diagnosed(wanted, dumped).await?;
        let root = one(&all, wanted.of).and_then(|one| one.cause.as_ref());
        let responsible = root.and_then(|root| root.responsible.clone());
        let responsible = responsible.unwrap_or_else(|| panic!("no party must act: {root:?}"));
        let block = printed.block(&heading(&all, wanted.of));
        let lines = [
            format!("    Responsible: {}", responsible.who),
            format!("    Action: {}", responsible.action),
        ];
        for line in lines {
            assert!(block.contains(&line.as_str()), "{}", printed.text);
        }
        let is_kept = first_fix(&block) == fix(&block, "Do not wait");
        assert!(is_kept, "{}", printed.text);
        for look in looks(&block) {
            self.types(&as_far_as_nodes(look.trim())).await?;
        }
        Ok(())
    }

    /// Returns the printed commands for a later time, below a sentence that begins with `why`.
    /// Waits for them, because the program may read new catalog content after a short time.
    pub(super) async fn later(&self, wanted: Wanted, why: &str) -> Result<String, Failure> {
        until(format!("later: {why}"), PATIENCE, async || {
            let (all, printed) = self.until_diagnosed(wanted, Dumped::InOtherWords).await?;
            let block = printed.block(&heading(&all, wanted.of));
            Ok(match later(&block, why) {
                Some(later) => Seen::Yes(later),
                None => Seen::NotYet(printed.text),
            })
        })
        .await
    }

    /// Waits for this diagnosis. Returns all diagnoses and the output of the program at this time.
    /// The diagnosis of a dump from the same time must be equal, as far as `dumped` requires.
    pub(super) async fn until_diagnosed(
        &self,
        wanted: Wanted,
        dumped: Dumped,
    ) -> Result<(Vec<OperatorDiagnosis>, Printed), Failure> {
        self.diagnoses.until(&wanted).await;
        let (begun, namespace) = (Instant::now(), self.world.namespace());
        loop {
            let before = self.diagnoses.until(&wanted).await;
            let live = self.live().await?;
            let offline = self.dump().await?;
            let after = self.diagnoses.all().await;
            let is_steady = dumped == Dumped::InOtherWords || gist(&before) == gist(&after);
            let is_one_moment = is_steady && self.diagnoses.is_reported(&wanted, &after);
            let is_alike = is_alike(dumped, &live, &offline, wanted);
            if is_one_moment && is_alike {
                println!("diagnose: {namespace}:\n{}", live.text);
                return Ok((after, live));
            }
            if begun.elapsed() > MOMENT {
                assert_same!(self.diagnoses.lines(&before), self.diagnoses.lines(&after));
                assert_same!(offline.text, live.text);
                assert_same!(before, after);
            }
        }
    }

    /// Runs the program with the cluster.
    pub(super) async fn live(&self) -> Result<Printed, Failure> {
        let here = self.here();
        self.user.diagnose(&here).await
    }

    fn here(&self) -> [String; 2] {
        ["-n".to_owned(), self.world.namespace().to_owned()]
    }

    /// Runs the program with a dump.
    async fn dump(&self) -> Result<Printed, Failure> {
        let folder = TempFolder::empty();
        list_into(self.world.client(), &KINDS, &folder).await?;
        let world = ["--world".to_owned(), folder.display().to_string()];
        let namespace = self.world.namespace();
        let catalogs = self.offered.iter().flat_map(|(name, content)| {
            let place = format!("{namespace}/{name}={}", content.display());
            ["--catalog".to_owned(), place]
        });
        let words = self.here().into_iter().chain(world).chain(catalogs);
        self.user.diagnose(&words.collect::<Vec<_>>()).await
    }
}

/// Returns objects that each cluster with operators contains, because a dump without them counts as
/// incomplete. Two tests may create them at the same time.
fn elsewhere() -> String {
    let place = "dx-elsewhere";
    let named = json!({"name": "any", "namespace": place});
    let owned = json!({"name": "any", "namespace": place, "labels": {"olm.owner": "any.v1"}});
    let labels = json!({"app": "any"});
    let pods = json!({
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "any", "image": "any.test/any:1"}]},
    });
    let deployment = json!({"replicas": 0, "selector": {"matchLabels": labels}, "template": pods});
    let policy = json!({
        "remediationAction": "inform",
        "complianceType": "musthave",
        "upgradeApproval": "None",
        "subscription": {"name": "any", "namespace": place},
    });
    let all = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}},
        {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": named,
         "spec": {"targetNamespaces": [place]}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": owned, "spec": deployment},
        {"apiVersion": "policy.open-cluster-management.io/v1beta1", "kind": "OperatorPolicy",
         "metadata": named, "spec": policy},
    ]});
    let apply = format!("echo '{all}' | kubectl apply --server-side -f -");
    format!("{apply} || (sleep 1; {apply})")
}

/// Returns the diagnoses without evidence and fixes, because OLM retries and each retry changes the
/// evidence.
fn gist(all: &[OperatorDiagnosis]) -> Vec<OperatorDiagnosis> {
    let mut all = all.to_vec();
    for root in all.iter_mut().filter_map(|one| one.cause.as_mut()) {
        for cause in &mut root.below {
            strip(cause);
        }
        strip(root);
    }
    all
}

fn strip(cause: &mut Cause) {
    cause.evidence.clear();
    cause.remedy = None;
}

fn is_alike(dumped: Dumped, live: &Printed, offline: &Printed, wanted: Wanted) -> bool {
    let is_row = |line: &&str| !line.is_empty();
    let rows = |printed: &Printed| -> Vec<String> {
        let rows = printed.text.lines().take_while(is_row);
        rows.map(str::to_owned).collect()
    };
    let is_reported = |printed: &Printed| printed.text.contains(wanted.code.as_str());
    is_reported(live)
        && match dumped {
            Dumped::Alike => live == offline,
            Dumped::InOtherWords => rows(live) == rows(offline) && live.code == offline.code,
            Dumped::Unknown => !is_reported(offline),
        }
}

/// Returns the heading of an operator in the output.
fn heading(all: &[OperatorDiagnosis], of: &str) -> String {
    let one = one(all, of).expect("it must have a diagnosis");
    let subject = one.subject.as_ref().expect("it must have a subject");
    format!("{}/{}: ", subject.namespace, subject.name)
}

/// Returns a command that ignores errors about Nodes. No kubelet in this cluster has logs, and the
/// API server contacts a kubelet only if the Pod and the container exist.
fn as_far_as_nodes(look: &str) -> String {
    if !look.starts_with("kubectl logs ") {
        return look.to_owned();
    }
    format!(
        "said=$({look} 2>&1) || true; echo \"$said\"; \
         case \"$said\" in *containerLogs*|*\"preferred addresses\"*) ;; *) false ;; esac"
    )
}
