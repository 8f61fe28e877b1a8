//! Tests of Policies and PolicyBindings: their effect on InstallPlans in the output of commands.

use std::fs;
use std::thread;

use portolan_kit::{TempFolder, world};
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::{command, portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver as Server};

/// Returns a world with pending plans for the packages a and b, in two namespaces. OperatorPolicies
/// allow both plans.
fn waiting(objects: &[Value]) -> TempFolder {
    let shop = world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1");
    let plans = shop.waiting("a").waiting("b");
    let objects = objects.iter().cloned();
    objects.fold(plans, portolan_kit::World::object).temp()
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": kind,
        "metadata": {"name": name}, "spec": spec,
    })
}

fn binding(package: &str, policy: &str) -> Value {
    let namespace = format!("{package}-system");
    let subject = json!({"kind": "operatorPolicy", "namespace": namespace, "name": package});
    let spec = json!({"subjects": [subject], "policyRef": [{"name": policy}]});
    object("PolicyBinding", package, &spec)
}

/// Returns the verdict about the plan in this namespace, and its reasons.
fn judged(server: &Server, namespace: &str) -> String {
    let line = format!(
        "review -n {namespace} install-1 -o json --server {}",
        server.url()
    );
    let output = run(&mut portolan(&line));
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{output:?} must be JSON"));
    let verdict = &answer["review"]["verdict"];
    let reasons = verdict["reasons"].as_array().into_iter().flatten();
    let codes = reasons.filter_map(|reason| reason["code"].as_str());
    let words = verdict["state"].as_str().into_iter().chain(codes);
    words.collect::<Vec<_>>().join(" ")
}

fn approval(folder: &TempFolder, flags: &str) -> Server {
    let place = folder.display();
    Server::start(&mut portolan(&format!(
        "serve approval {ANY_PORT} --world {place} {flags}"
    )))
}

/// The PolicyBinding for a names a Policy that does not exist. No PolicyBinding names the Policy
/// for b.
#[rstest]
#[case::defaults("", ["YES", "YES"])]
#[case::broken_deny("--broken deny", ["NO DeniedByPolicy", "YES"])]
#[case::unbound_deny("--unbound deny", ["NO DeniedByPolicy", "NO DeniedByPolicy"])]
#[case::both_deny("--broken deny --unbound deny", ["NO DeniedByPolicy", "NO DeniedByPolicy"])]
fn flags_deny_broken_and_unbound_policies(#[case] flags: &str, #[case] expected: [&str; 2]) {
    let folder = waiting(&[binding("a", "gone")]);
    let server = approval(&folder, flags);
    let verdicts = ["a-system", "b-system"].map(|namespace| judged(&server, namespace));
    assert_eq!(verdicts, expected);
}

/// A dry run for the sample world. Its policy ferry allows the pending plan.
#[rstest]
#[case::no_binding("rope", "weekends", "--at 2026-11-25T12:00:00Z", "")]
#[case::a_window_is_open("ferry", "weekends", "--at 2026-11-28T12:00:00Z", "")]
#[case::a_window_is_closed(
    "ferry",
    "weekends",
    "--at 2026-11-25T12:00:00Z",
    "Policy weekends (by PolicyBinding own) opens its next time window at 2026-11-28T00:01:00Z"
)]
#[case::a_binding_is_broken("ferry", "gone", "", "")]
#[case::broken_deny(
    "ferry",
    "gone",
    "--broken deny",
    "PolicyBinding own names missing objects: Policy gone; "
)]
#[case::unbound_deny(
    "ferry",
    "gone",
    "--unbound deny",
    "no PolicyBinding names the operator, but this cluster allows upgrades only with a \
     PolicyBinding"
)]
fn dry_run_applies_windows_and_bindings(
    #[case] bound: &str,
    #[case] policy: &str,
    #[case] flags: &str,
    #[case] expected: &str,
) {
    let folder = TempFolder::empty();
    let copied = run(command("cp").arg("-r").arg("deploy/demo/.").arg(&*folder));
    assert!(copied.status.success(), "{copied:?}");
    let weekends = json!({"schedule": [{"start": "1 0 * * 6", "end": "59 23 * * 0"}]});
    let subject = json!({"kind": "operatorPolicy", "namespace": "policies", "name": bound});
    let spec = json!({"subjects": [subject], "policyRef": [{"name": policy}]});
    for object in [
        object("Policy", "weekends", &weekends),
        object("PolicyBinding", "own", &spec),
    ] {
        let kind = object["kind"].as_str().unwrap_or_default();
        let file = folder.join("cluster").join(format!("{kind}.json"));
        fs::write(file, object.to_string()).expect("a file");
    }
    let line = format!("explain --world {} -o wide ferry {flags}", folder.display());
    let output = transcript(&mut portolan(&line));
    let approves = output.contains("Would approve InstallPlan ferries/install-hq7vd");
    assert_eq!(approves, expected.is_empty(), "{output}");
    assert!(output.contains(expected), "{output}");
}

/// A slow rule of one operator does not delay requests about other operators.
#[test]
fn slow_rule_does_not_delay_other_operators() {
    let bomb = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/policies/bombs.yaml"
    ));
    let bomb = bomb.expect("the fixture must exist");
    let (bomb, _) = bomb.split_once("---\n").expect("several documents");
    let calm = json!({"opaPolicy": "allow := true"});
    let objects = [
        binding("a", "squares"),
        binding("b", "calm"),
        object("Policy", "calm", &calm),
    ];
    let folder = waiting(&objects);
    fs::write(folder.join("bomb.yaml"), bomb).expect("a file");
    let server = approval(&folder, "");
    thread::scope(|scope| {
        let bombed = scope.spawn(|| judged(&server, "a-system"));
        let mut others = 0;
        while !bombed.is_finished() {
            assert_eq!(judged(&server, "b-system"), "YES");
            others += usize::from(!bombed.is_finished());
        }
        let verdict = bombed.join().expect("it must end");
        // On a slow machine, the request reaches its time limit before the rule is evaluated.
        let denied = ["NOT_YET DeniedByPolicy", "NOT_YET PolicyServiceUnavailable"];
        assert!(denied.contains(&&*verdict), "{verdict}");
        assert!(
            others > 0,
            "expected other requests to be answered meanwhile"
        );
    });
}
