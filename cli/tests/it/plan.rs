//! Tests of `portolan plan`: arguments and output.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{portolan, run, transcript};

/// Returns the command for this line. `F` stands for the folder with the fixtures.
fn plan(line: &str) -> Command {
    let line = line.replace(" F/", " tests/fixtures/plans/ferry/");
    portolan(&format!("plan {line}"))
}

/// Writes the plan for a version of the fixtures into a file, and returns its path.
fn make_plan(folder: &TempFolder, version: &str, flags: &str) -> String {
    let line = format!("make F/{version} --name ferry -n harbor {flags}");
    let output = run(&mut plan(&line));
    assert!(output.status.success(), "{line}");
    let file = folder.join(format!("{version}.yaml"));
    fs::write(&file, output.stdout).expect("a file");
    file.display().to_string()
}

#[rstest]
#[case::make("make F/1 --name ferry -n harbor")]
#[case::make_the_next(
    "make F/2 --name ferry -n harbor --replaces ferry-1 --service-account captain"
)]
#[case::make_for_a_repository(
    "make F/2 --name ferry -n harbor --prune-safe --on-plan-deletion delete"
)]
#[case::make_split("make F/2 --name ferry -n harbor --split -o json")]
#[case::make_of_invalid_files("make F/broken --name Ferry")]
#[case::make_without_a_namespace("make F/2 --name ferry")]
fn make_prints_plan(#[case] line: &str) {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    insta::assert_snapshot!(
        format!("plan_{}", words.join("_")),
        transcript(&mut plan(line))
    );
}

/// One chart has a hook that plans do not support. Another chart has objects that the plan takes
/// over.
#[test]
fn unsupported_hook_is_named_with_its_position() {
    let folder = TempFolder::empty();
    let hook = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: bye\n  annotations: {helm.sh/hook: post-delete}\n\
                spec: {template: {spec: {restartPolicy: Never, containers: []}}}\n";
    fs::write(folder.join("hook.yaml"), hook).expect("a file");
    let at = folder.display();
    let output = transcript(&mut plan(&format!("make {at}/hook.yaml -n harbor")));
    let sentence =
        "hook.yaml:1: Job.batch harbor/bye has the annotation helm.sh/hook: \"post-delete\"";
    assert!(output.contains(sentence), "{output}");
    let line = "make F/1 --name ferry -n harbor --collisions if-unowned";
    let output = transcript(&mut plan(line));
    assert!(output.contains("collisions: IfUnowned"), "{output}");
}

/// The input contains finished plans, as kubectl prints them.
#[test]
fn prune_lists_finished_plans() {
    let folder = TempFolder::empty();
    let world = fs::read_to_string("../tests/fixtures/plans/world/ferries.yaml").expect("a file");
    let world = world.replace("reason: HandingOver", "reason: HandedOver");
    let labels = "name: ferry-1\n  labels: {plans.portolan.dev/name: ferry}\n  namespace";
    let world = world.replacen("name: ferry-1\n  namespace", labels, 1);
    fs::write(folder.join("ferries.yaml"), world).expect("a file");
    let line = format!(
        "prune -n harbor --keep 0 -o name --world {}",
        folder.display()
    );
    let output = transcript(&mut plan(&line));
    assert_eq!(
        output,
        "[stdout]\ninstallplans.plans.portolan.dev/ferry-1\n[exit 0]"
    );
}

#[rstest]
#[case::no_name(
    "make -",
    "error: plan name missing; use --name, such as --name ferry\n"
)]
#[case::missing_folder(
    "make F/none",
    "error: cannot read tests/fixtures/plans/ferry/none: No such file or directory (os error 2)\n"
)]
#[case::nothing_in_it(
    "make - --name ferry",
    "error: no manifests found; name files that contain manifests\n"
)]
#[case::no_plan(
    "make F/2 -f F/1/10-ships.yaml",
    "error: tests/fixtures/plans/ferry/1/10-ships.yaml does not contain an InstallPlan of plans.portolan.dev\n"
)]
#[case::none_and_others(
    "make F/2 --name ferry --replaces none --replaces ferry-1",
    "error: --replaces none cannot be combined with other plans; give either `none` or names of plans\n"
)]
fn make_rejects_invalid_arguments(#[case] line: &str, #[case] expected: &str) {
    assert_eq!(
        transcript(&mut plan(line)),
        format!("[stderr]\n{expected}[exit 2]")
    );
}

/// With `-f`, the command reads an existing plan from a file.
#[test]
fn same_manifests_make_same_plan() {
    let folder = TempFolder::empty();
    let first = make_plan(&folder, "1", "--replaces ferry-0");
    let again = run(&mut plan(&format!(
        "make F/1 --name ferry -n harbor -f {first}"
    )));
    assert_eq!(again.stdout, fs::read(&first).expect("a file"));
    let next = run(&mut plan(&format!(
        "make F/2 --name ferry -n harbor -f {first}"
    )));
    let next = String::from_utf8(next.stdout).expect("text");
    assert!(next.contains("  replaces:\n  - name: ferry-"), "{next}");
}

/// The new plan merges two plans. `diff` compares it with both plans, in files and in a world.
#[test]
fn diff_compares_merged_plan_with_all_predecessors() {
    let folder = TempFolder::empty();
    let first = make_plan(&folder, "1", "");
    let pilot = folder.join("pilot.yaml");
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: pilot, namespace: harbor}\n";
    fs::write(&pilot, map).expect("a file");
    let make = |line: &str, file: &str| {
        let output = run(&mut plan(line));
        assert!(output.status.success(), "{line}");
        let file = folder.join(file);
        fs::write(&file, output.stdout).expect("a file");
        file.display().to_string()
    };
    let pilot = pilot.display();
    let second = make(
        &format!("make {pilot} --name pilot -n harbor"),
        "second.yaml",
    );
    let diff = |line: &str| -> serde_json::Value {
        let output = run(&mut plan(&format!("diff {line} -o json")));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let [ferry, pilots] = [&first, &second].map(|file| {
        let name = diff(file)["to"].as_str().map(str::to_owned);
        name.expect("a name")
    });
    let line =
        format!("make F/1 {pilot} --name fleet -n harbor --replaces {pilots} --replaces {ferry}");
    let fleet = make(&line, "fleet.yaml");
    let text = fs::read_to_string(&fleet).expect("a file");
    let replaces = format!("  replaces:\n  - name: {ferry}\n  - name: {pilots}\n");
    assert!(text.contains(&replaces), "{text}");
    let printed = diff(&format!("{fleet} --against {first} --against {second}"));
    assert_eq!(printed["from"], format!("{ferry} and {pilots}"));
    assert_eq!(printed["added"], serde_json::json!([]));
    assert_eq!(printed["dropped"], serde_json::json!([]));
    let world = TempFolder::empty();
    for (file, name) in [(&first, "first.yaml"), (&second, "second.yaml")] {
        fs::copy(file, world.join(name)).expect("a file");
    }
    let of_world = diff(&format!("{fleet} --world {}", world.display()));
    assert_eq!(of_world["from"], format!("{pilots} and {ferry}"));
    assert_eq!(of_world["unchanged"], printed["unchanged"]);
    assert_eq!(of_world["added"], printed["added"]);
}

/// Returns files with two versions of a plan, and their folder.
fn versions() -> (TempFolder, String, String) {
    let folder = TempFolder::empty();
    let first = make_plan(&folder, "1", "");
    let flags = format!("-f {first} --on-plan-deletion delete");
    let next = make_plan(&folder, "2", &flags);
    (folder, first, next)
}

#[rstest]
#[case::files("diff NEXT --against FIRST")]
#[case::files_for_programs("diff NEXT --against FIRST -o json")]
#[case::files_that_are_the_same("diff FIRST --against FIRST")]
#[case::the_other_way_round("diff FIRST --against NEXT")]
#[case::a_first_plan("diff FIRST")]
#[case::a_deletion("diff NEXT --against FIRST --delete")]
#[case::a_deletion_of_a_first_plan("diff FIRST --delete")]
fn diff_prints_changes_between_versions(#[case] line: &str) {
    let (folder, first, next) = versions();
    let words = line.replace("NEXT", &next).replace("FIRST", &first);
    let output = transcript(&mut plan(&words));
    let output = output.replace(&folder.display().to_string(), "");
    let name: Vec<_> = line
        .split([' ', '-'])
        .filter(|word| !word.is_empty())
        .collect();
    insta::assert_snapshot!(format!("plan_{}", name.join("_")), output);
}

/// The world contains the old plan and its Secrets. The file contains the new plan.
#[test]
fn diff_compares_file_with_world() {
    let (_folder, first, next) = versions();
    let from_files = transcript(&mut plan(&format!("diff {next} --against {first}")));
    let world = TempFolder::empty();
    fs::copy(&first, world.join("first.yaml")).expect("a file");
    let at = world.display();
    assert_eq!(
        transcript(&mut plan(&format!("diff {next} --world {at}"))),
        from_files
    );
    fs::copy(&next, world.join("next.yaml")).expect("a file");
    let names = run(&mut plan(&format!("diff {next} --against {first} -o json")));
    let names: serde_json::Value = serde_json::from_slice(&names.stdout).expect("JSON");
    let (first, next) = (names["from"].as_str(), names["to"].as_str());
    let (first, next) = first.zip(next).expect("names");
    assert_eq!(
        transcript(&mut plan(&format!("diff {next} --world {at}"))),
        from_files
    );
    let line = format!("diff {next} --against {first} -n harbor --world {at}");
    assert_eq!(transcript(&mut plan(&line)), from_files);
    let near = transcript(&mut plan(&format!("diff {}x --world {at}", next)));
    let expected = format!(
        "[stderr]\nerror: InstallPlan {next}x of plans.portolan.dev not found; did you mean {next}?\n[exit 2]"
    );
    assert_eq!(near, expected);
}

#[test]
fn diff_reports_missing_secret_of_plan() {
    let (_folder, first, _) = versions();
    let text = fs::read_to_string(&first).expect("a file");
    let (_, alone) = text.split_once("---\napiVersion: plans").expect("a plan");
    let folder = TempFolder::empty();
    let file = folder.join("plan.yaml");
    fs::write(&file, format!("apiVersion: plans{alone}")).expect("a file");
    let output = transcript(&mut plan(&format!(
        "diff {} --against {first}",
        file.display()
    )));
    assert!(output.contains("refers to Secret ferry-"), "{output}");
    assert!(output.contains(", which cannot be read here\n"), "{output}");
}

#[rstest]
#[case::all("status")]
#[case::all_with_everything("status -o wide")]
#[case::the_names("status -o name")]
#[case::those_of_a_namespace("status -n quay")]
#[case::one("status ferry-2")]
#[case::one_with_all_its_objects("status ferry-2 -o wide")]
#[case::nothing_to_prune("prune -n harbor")]
#[case::one_for_programs("status ferry-2 -o json")]
#[case::one_with_a_job_that_failed("status tug")]
#[case::superseded_plan("status ferry-1")]
#[case::ready_plan("status lights")]
#[case::one_not_observed("status new")]
#[case::missing_plan("status ferri-2 -n harbor")]
#[case::none("status -n nowhere")]
#[case::an_unhealthy_object("why ferry-2 deployment/ferry -n harbor")]
#[case::an_object_that_two_plans_have("why ferry-2 cm/timetable")]
#[case::an_object_for_programs("why ferry-2 cm/timetable -o json")]
#[case::an_object_that_was_found("why ferry-1 sa/captain")]
#[case::an_object_that_only_the_old_plan_has("why ferry-1 cm/notice")]
#[case::an_object_of_a_plan_that_has_not_begun("why new ns/quay")]
#[case::missing_object("why ferry-2 cm/timetabel")]
#[case::objects_of_one_name("why ferry-2 ships/ursula")]
#[case::one_of_them("why ferry-2 ships.ferry.example/quay/ursula")]
#[case::a_change("diff ferry-2")]
#[case::a_deletion("diff ferry-2 --delete")]
#[case::a_deletion_of_a_pending_plan("diff new --delete")]
fn prints_plans_of_world(#[case] line: &str) {
    let name = line.replace([' ', '/', '-', '.'], "_");
    let line = format!("{line} --world tests/fixtures/plans/world");
    insta::assert_snapshot!(format!("plan_{name}"), transcript(&mut plan(&line)));
}

#[test]
fn why_explains_object_of_file_without_cluster() {
    let (_folder, first, _) = versions();
    let output = transcript(&mut plan(&format!("why {first} secrets/door")));
    assert!(output.contains("in the Secret ferry-"), "{output}");
    assert!(
        output.contains("the plan has not written any objects yet"),
        "{output}"
    );
    assert!(output.ends_with("[exit 0]"), "{output}");
    let elsewhere = transcript(&mut plan(&format!("why {first} secrets/door -n quay")));
    let sentence = format!("the plan of {first} is in namespace harbor, but -n is quay; omit -n");
    assert_eq!(elsewhere, format!("[stderr]\nerror: {sentence}\n[exit 2]"));
}

/// The plan is in a file. The output also lists the plans of a world that contain the same object,
/// and the plans that cannot be read.
#[test]
fn why_names_other_plans_with_same_object() {
    let (_folder, first, next) = versions();
    let world = TempFolder::empty();
    fs::copy(&first, world.join("first.yaml")).expect("a file");
    let at = world.display();
    let line = format!("why {next} cm/timetable --world {at}");
    let output = transcript(&mut plan(&line));
    assert!(
        output.contains(", which this plan replaces, with "),
        "{output}"
    );
    assert!(output.ends_with("[exit 0]"), "{output}");
    let odd = "apiVersion: plans.portolan.dev/v1alpha1\nkind: InstallPlan\n\
               metadata: {name: odd, namespace: harbor}\nspec: {stages: []}\n";
    fs::write(world.join("odd.yaml"), odd).expect("a file");
    let output = transcript(&mut plan(&line));
    let sentence = "other plans that contain the object may be missing: plan odd is invalid: ";
    assert!(output.contains(sentence), "{output}");
}

/// Writes the world of the fixtures as a dump. `extra` contains additional fields of the
/// description of the dump.
fn dump(extra: &str) -> TempFolder {
    let folder = TempFolder::empty();
    let text = format!(
        r#"{{"apiVersion": "portolan.dev/v1", "kind": "Dump", "taken": "2026-01-03T06:00:00Z", "by": "portolan"{extra}}}"#
    );
    fs::write(folder.join("dump.json"), text).expect("a file");
    fs::create_dir(folder.join("objects")).expect("a folder");
    let plans = "../tests/fixtures/plans/world/ferries.yaml";
    fs::copy(plans, folder.join("objects/ferries.yaml")).expect("a file");
    folder
}

#[rstest]
#[case::status("status ferry-2", "")]
#[case::why("why ferry-2 deployment/ferry", DOOR)]
#[case::diff("diff ferry-2", DOOR)]
fn dump_answers_like_cluster_and_warns_about_secrets(#[case] line: &str, #[case] warning: &str) {
    let folder = dump("");
    let output = transcript(&mut plan(&format!("{line} --world {}", folder.display())));
    let world = transcript(&mut plan(&format!(
        "{line} --world tests/fixtures/plans/world"
    )));
    assert_eq!(output.contains(DOOR), warning == DOOR, "{output}");
    assert_eq!(without_warnings(&output), without_warnings(&world));
}

const DOOR: &str =
    "warning: the content of Secret door is unknown, because a dump does not contain Secrets\n";

fn without_warnings(output: &str) -> Vec<&str> {
    let is_kept = |line: &&str| !line.starts_with("warning: ") && *line != "[stderr]";
    output.lines().filter(is_kept).collect()
}

#[rstest]
#[case::crd_missing(
    r#", "notServed": [{"group": "plans.portolan.dev", "kind": "InstallPlan"}]"#,
    "the CRD of the InstallPlans of plans.portolan.dev is not installed on the cluster"
)]
#[case::forbidden(
    r#", "notSeen": [{"group": "plans.portolan.dev", "kind": "InstallPlan", "why": "forbidden: no"}]"#,
    "cannot read InstallPlans"
)]
fn reports_why_dump_has_no_plans(#[case] extra: &str, #[case] sentence: &str) {
    let folder = dump(extra);
    let output = transcript(&mut plan(&format!("status --world {}", folder.display())));
    assert!(output.contains(sentence), "{output}");
}

/// A dump from an older version of the program has no list of plans. A dump of a cluster without
/// plans has an empty list.
#[rstest]
#[case::status("status")]
#[case::status_of_a_namespace("status -n harbor")]
#[case::why("why ferry-1 cm/timetable")]
fn rejects_dump_without_plan_list(#[case] line: &str) {
    let folder = dump("");
    fs::remove_file(folder.join("objects/ferries.yaml")).expect("the plans");
    let line = format!("{line} --world {}", folder.display());
    let output = transcript(&mut plan(&line));
    let sentence = "the dump was written by portolan, which did not include these objects: create \
        the dump again with this version";
    assert!(output.contains(sentence), "{output}");

    let none = r#"{"apiVersion": "v1", "kind": "List", "items": []}"#;
    let list = folder.join("objects/installplans.plans.portolan.dev.json");
    fs::write(list, none).expect("a file");
    let output = transcript(&mut plan(&line));
    assert!(
        !output.contains("the dump was written by portolan"),
        "{output}"
    );
}

/// If the files contain no plans, the user has probably specified the wrong folder.
#[rstest]
#[case::status("status")]
#[case::status_of_one("status ferry-1")]
#[case::why("why ferry-1 cm/timetable")]
fn rejects_files_without_plans(#[case] line: &str) {
    let folder = TempFolder::empty();
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n";
    fs::write(folder.join("a.yaml"), manifest).expect("a file");
    let output = transcript(&mut plan(&format!("{line} --world {}", folder.display())));
    let sentence = "error: the files contain no InstallPlan of plans.portolan.dev; check the path of --world, or create the files with `portolan dump`\n";
    assert_eq!(output, format!("[stderr]\n{sentence}[exit 2]"));
}

/// Writes a plan with these lines in its status.
fn plan_with_status(status: &str) -> TempFolder {
    let world = TempFolder::empty();
    let plan = format!(
        "apiVersion: plans.portolan.dev/v1alpha1\nkind: InstallPlan\n\
         metadata: {{name: ferry, namespace: harbor, generation: 1}}\nspec:\n  serviceAccountName: installer\n  \
         stages:\n    - name: all\n      resources:\n        \
         - manifest: {{apiVersion: v1, kind: Namespace, metadata: {{name: quay}}}}\n\
         status: {{observedGeneration: 1, {status}}}\n"
    );
    fs::write(world.join("plan.yaml"), plan).expect("a file");
    world
}

fn permissions(status: &str, flags: &str) -> String {
    let world = plan_with_status(status);
    let at = world.display();
    transcript(&mut plan(&format!(
        "permissions ferry {flags} --world {at}"
    )))
}

fn permitted(status: &str, reason: &str, message: &str) -> String {
    format!(
        "conditions: [{{type: Permitted, status: '{status}', reason: {reason}, message: {message}, \
         lastTransitionTime: '2026-01-02T06:00:00Z'}}]"
    )
}

#[test]
fn prints_roles_for_missing_permissions() {
    let rules = "missingRules: [{apiGroups: [''], resources: [namespaces], verbs: [create]}, \
                 {namespace: harbor, apiGroups: [''], resources: [secrets], resourceNames: [door], verbs: [get]}, \
                 {namespace: quay, apiGroups: [apps], resources: [deployments], verbs: [create, get, patch]}]";
    insta::assert_snapshot!("plan_permissions", permissions(rules, ""));
    let json = permissions(rules, "-o json");
    assert!(json.contains(r#""kind": "ClusterRoleBinding""#), "{json}");
    let more = permissions(&format!("{rules}, moreMissingRules: 2"), "");
    assert!(more.contains("2 more rules are missing"), "{more}");
}

#[rstest]
#[case::all_permissions(
    permitted("True", "PermissionsSufficient", "it has all"),
    "No permissions are missing for ferry.\n[exit 0]"
)]
#[case::no_account(
    permitted("False", "ServiceAccountMissing", "there is no ServiceAccount"),
    "The missing permissions of ferry are unknown: there is no ServiceAccount.\n[exit 1]"
)]
#[case::unchecked(
    "phase: Pending".to_owned(),
    "The missing permissions of ferry are unknown: no controller has checked the plan yet.\n[exit 1]"
)]
fn reports_why_no_roles_are_printed(#[case] status: String, #[case] expected: &str) {
    assert_eq!(permissions(&status, ""), format!("[stderr]\n{expected}"));
}

#[test]
fn status_takes_all_namespaces() {
    let world = plan_with_status(&permitted("True", "PermissionsSufficient", "it has all"));
    let at = world.display();
    let output = transcript(&mut plan(&format!("status -A --world {at}")));
    assert!(output.contains("harbor"), "{output}");
    let without_flag = transcript(&mut plan(&format!("status --world {at}")));
    assert_eq!(output, without_flag);
    let both = transcript(&mut plan(&format!("status -A -n harbor --world {at}")));
    assert!(both.contains("cannot be used with"), "{both}");
}

/// A running watch of a plan in a folder. The test changes the files in the folder.
struct Watch(Child, Receiver<String>);

impl Watch {
    fn of(world: &TempFolder, flags: &str) -> Self {
        let line = format!("status ferry --watch {flags} --world {}", world.display());
        let mut command = plan(&line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the watch must start");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Self(child, lines)
    }

    /// Waits until a line contains all of these words.
    fn until(&self, words: &[&str]) -> String {
        loop {
            let line = self.1.recv_timeout(Duration::from_secs(120));
            let line = line.expect("a line must come");
            if words.iter().all(|word| line.contains(word)) {
                return line;
            }
        }
    }

    fn finish(self) -> String {
        let Self(child, _) = self;
        let output = child.wait_with_output().expect("an end");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("{errors}[exit {}]", output.status.code().expect("a code"))
    }
}

/// Replaces the plan in a world. The replacement is atomic, so the watch never reads a partial
/// file.
fn renew(world: &TempFolder, next: &TempFolder) {
    fs::rename(next.join("plan.yaml"), world.join("plan.yaml")).expect("a file");
}

fn waits_for(object: &str) -> String {
    format!(
        "phase: Applying, stage: {{name: all, index: 0}}, \
         members: [{{stage: all, index: 0, object: {object}, state: NotApplied, message: waits}}]"
    )
}

#[test]
fn watch_prints_plan_again_until_it_is_ready() {
    let world = plan_with_status(&waits_for("Namespace quay"));
    let watch = Watch::of(&world, "");
    watch.until(&["harbor/ferry: Applying"]);
    watch.until(&["Namespace quay: waits"]);
    renew(&world, &plan_with_status("phase: Ready"));
    watch.until(&["Changed:"]);
    watch.until(&["harbor/ferry: Ready"]);
    assert_eq!(watch.finish(), "[exit 0]");
}

#[test]
fn wide_watch_prints_a_row_for_each_changed_object() {
    let world = plan_with_status(&waits_for("Namespace quay"));
    let watch = Watch::of(&world, "-o wide");
    watch.until(&["Namespace quay: waits"]);
    let ready = "phase: Ready, stage: {name: all, index: 0}";
    renew(&world, &plan_with_status(ready));
    watch.until(&["TIME", "STATE", "OBJECT", "MESSAGE"]);
    watch.until(&["Ready", "installplan.plans.portolan.dev/ferry"]);
    watch.until(&["Ready", "Namespace quay"]);
    assert_eq!(watch.finish(), "[exit 0]");
}

#[test]
fn watch_ends_with_exit_code_1_when_plan_is_deleted() {
    let world = plan_with_status("phase: Applying");
    let watch = Watch::of(&world, "-o json");
    watch.until(&[r#""phase":"Applying""#]);
    // One plan is deleted. Another plan is kept, because files without plans would be an error.
    let text = fs::read_to_string(world.join("plan.yaml")).expect("a file");
    let text = text.replace("name: ferry", "name: tug");
    let next = TempFolder::empty();
    fs::write(next.join("plan.yaml"), text).expect("a file");
    renew(&world, &next);
    let expected = "error: harbor/ferry is deleted\n[exit 1]";
    assert_eq!(watch.finish(), expected);
}

#[rstest]
#[case::invalid(
    "status ferry -w",
    "phase: Invalid, conditions: [{type: Valid, status: 'False', reason: SpecInvalid, message: odd, \
     lastTransitionTime: '2026-01-02T06:00:00Z'}]",
    "error: harbor/ferry has failed: Valid=False (SpecInvalid): odd\n[exit 1]"
)]
#[case::late(
    "status ferry -w --timeout 1",
    "phase: Pending",
    "error: harbor/ferry is not ready after 1 s: the controller has reported no reason; check that the controller runs with --plans\n[exit 1]"
)]
#[case::timeout_without_a_plan(
    "status -w --timeout 1",
    "phase: Pending",
    "the following required arguments were not provided"
)]
#[case::names(
    "status ferry -w -o name",
    "phase: Pending",
    "--watch prints a stream, which this output format does not support; use -o json"
)]
fn reports_failed_watch(#[case] line: &str, #[case] status: &str, #[case] expected: &str) {
    let world = plan_with_status(status);
    let printed = transcript(&mut plan(&format!("{line} --world {}", world.display())));
    assert!(printed.contains(expected), "{printed}");
}
