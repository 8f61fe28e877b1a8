//! Tests of `portolan create`, `portolan update` and `portolan delete`, with a fake API server that
//! records requests.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::{portolan, run, transcript};

const OPERATORS: &str = "/apis/operators.operatorframework.io/v1alpha1/operators";

const POLICIES: &str = "/apis/policy.open-cluster-management.io/v1beta1/operatorpolicies";

/// A fake API server that records writes. A test can remove the CRD of Operators from it.
#[derive(Clone)]
struct ApiServer {
    is_served: bool,
    /// The recorded writes: the verb, the path and the body of each request.
    writes: Arc<Mutex<Vec<(String, String, Value)>>>,
    /// The only Operator in the cluster.
    ferry: Arc<Mutex<Value>>,
    /// The specs that other clients write. Before each patch, the server replaces the spec of the
    /// Operator with the next spec.
    rivals: Arc<Mutex<Vec<Value>>>,
}

impl ApiServer {
    /// Runs the program against this API server. The line contains the arguments.
    fn output(&self, line: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = self.clone();
        // The thread runs until the process of the test ends.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (server, stream) = (server.clone(), stream.expect("a connection"));
                thread::spawn(move || server.serve(stream));
            }
        });
        let folder = TempFolder::empty();
        let kubeconfig = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "a",
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "clusters": [{"name": "a", "cluster": {"server": format!("http://{address}")}}],
            "users": [{"name": "a", "user": {}}],
        });
        let file = folder.join("kubeconfig");
        fs::write(&file, kubeconfig.to_string()).expect("a file");
        transcript(portolan(line).arg("--kubeconfig").arg(file))
    }

    fn writes(&self) -> Vec<(String, String, Value)> {
        self.writes.lock().expect("no panic").clone()
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
        let mut line = String::new();
        reader.read_line(&mut line).expect("a request");
        let mut words = line.split_whitespace().map(str::to_owned);
        let (Some(verb), Some(path)) = (words.next(), words.next()) else {
            return;
        };
        let (mut length, mut agent) = (0, String::new());
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).expect("a header");
            match header.trim().to_lowercase().split_once(": ") {
                Some(("content-length", value)) => length = value.parse().expect("a number"),
                Some(("user-agent", value)) => value.clone_into(&mut agent),
                Some(_) => {}
                None => break,
            }
        }
        let program = concat!("portolan/", env!("CARGO_PKG_VERSION"), " (");
        // The server does not answer a request with another user agent, so the command would fail.
        assert!(agent.starts_with(program), "{line}: {agent}");
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        if path.contains("watch=") {
            return watched(&mut stream);
        }
        let (code, answer) = self.answer(&verb, &path, &body);
        let answer = answer.to_string();
        let head = format!(
            "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n",
            answer.len()
        );
        // Ignores an error: the client may have disconnected.
        let _ = stream.write_all((head + &answer).as_bytes());
    }

    /// Writes the next spec of another client, if there is one. Returns true if the patch contains
    /// an outdated version of the Operator.
    fn is_outdated(&self, patch: &Value) -> bool {
        let mut ferry = self.ferry.lock().expect("no panic");
        if let Some(spec) = self.rivals.lock().expect("no panic").pop() {
            ferry["spec"] = spec;
            let version = &ferry["metadata"]["resourceVersion"];
            let version: u32 = version.as_str().expect("text").parse().expect("a number");
            ferry["metadata"]["resourceVersion"] = json!((version + 1).to_string());
        }
        let expected = &ferry["metadata"]["resourceVersion"];
        let path = json!("/metadata/resourceVersion");
        let guards = patch.as_array().into_iter().flatten();
        let mut guards = guards.filter(|one| one["path"] == path);
        guards.any(|one| one["value"] != *expected)
    }

    fn answer(&self, verb: &str, path: &str, body: &[u8]) -> (u16, Value) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let status = |code: u16, message: &str| {
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code, "reason": "X"});
            (code, status)
        };
        if verb == "GET" && path == POLICIES {
            return (200, held_policies());
        }
        let is_known = path.starts_with(OPERATORS) || path.contains("/operatorpolicies/");
        if !self.is_served || !is_known {
            return status(404, "the server could not find the requested resource");
        }
        if verb == "GET" && path.contains("/operatorpolicies/") {
            let policy = json!({
                "apiVersion": "policy.open-cluster-management.io/v1beta1",
                "kind": "OperatorPolicy",
                "metadata": {"name": "tug", "namespace": "policies", "uid": "tug", "resourceVersion": "1"},
                "spec": {"allowedCSVs": ["*"]},
            });
            return (200, policy);
        }
        if verb == "GET" && path.ends_with("/operators/ferry") {
            return (200, self.ferry.lock().expect("no panic").clone());
        }
        if verb == "GET" && path.contains("/operators/") {
            return status(404, "not found");
        }
        if verb == "GET" {
            let list = json!({
                "kind": "OperatorList",
                "apiVersion": "operators.operatorframework.io/v1alpha1",
                "metadata": {"resourceVersion": "1"},
                "items": [],
            });
            return (200, list);
        }
        let body: Value = serde_json::from_slice(body).expect("JSON");
        if verb == "PATCH" && path.ends_with("/operators/ferry") && self.is_outdated(&body) {
            return status(409, "the object has been modified");
        }
        let is_dry_run = query.contains("dryRun=All") || body["dryRun"] == json!(["All"]);
        if !is_dry_run {
            let is_named = verb == "DELETE" || query.contains("fieldManager=portolan");
            assert!(is_named, "{verb} {path} has no field manager: {query}");
            let write = (verb.to_owned(), path.to_owned(), body.clone());
            self.writes.lock().expect("no panic").push(write);
        }
        match (verb, path.strip_prefix(OPERATORS).unwrap_or_default()) {
            ("POST", _) if body["metadata"]["name"] == "there" => status(409, "it exists"),
            ("POST", _) => {
                let mut made = body;
                made["metadata"]["uid"] = json!("1");
                made["metadata"]["generation"] = json!(1);
                made["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
                (201, made)
            }
            ("PATCH", "/ferry") => (200, ferry()),
            (_, "/nothing") => status(404, "not found"),
            (_, "/needed") => status(422, "needed is needed by ferry"),
            _ => (
                200,
                json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
            ),
        }
    }
}

/// Returns an Operator that already exists.
fn ferry() -> Value {
    json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1",
        "kind": "Operator",
        "metadata": {"name": "ferry", "uid": "1", "generation": 1, "resourceVersion": "2"},
        "spec": {"packageName": "ferry", "version": "1.0.0", "channels": ["stable"]},
    })
}

/// Returns two policies: one with the finalizer of Portolan, and one with another finalizer.
fn held_policies() -> Value {
    let policy = |name: &str, finalizers: &[&str]| {
        json!({
            "apiVersion": "meta.k8s.io/v1",
            "kind": "PartialObjectMetadata",
            "metadata": {
                "name": name,
                "namespace": "policies",
                "uid": name,
                "resourceVersion": "1",
                "finalizers": finalizers,
            },
        })
    };
    json!({
        "apiVersion": "meta.k8s.io/v1",
        "kind": "PartialObjectMetadataList",
        "metadata": {"resourceVersion": "1"},
        "items": [policy("tug", &["portolan.dev/removal"]), policy("buoy", &["another.dev/one"])],
    })
}

/// Sends two watch events. The first event adds an Operator, and the second event reports that it
/// is ready.
fn watched(stream: &mut TcpStream) {
    let ferry = |ready: &str, reason: &str| {
        let condition = |type_: &str, status: &str| json!({"type": type_, "status": status, "reason": reason, "message": "It says so.", "lastTransitionTime": "2026-01-01T00:00:00Z"});
        json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1",
            "kind": "Operator",
            "metadata": {"name": "ferry", "uid": "1", "generation": 1, "resourceVersion": "2"},
            "spec": {"packageName": "ferry"},
            "status": {
                "observedGeneration": 1,
                "versions": {"installed": "1.2.0"},
                "conditions": [condition("Ready", ready), condition("Installing", "True")],
            },
        })
    };
    let events = [
        ("ADDED", ferry("False", "Applying")),
        ("MODIFIED", ferry("True", "UpToDate")),
    ];
    let mut text = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                    transfer-encoding: chunked\r\n\r\n"
        .to_owned();
    for (what, object) in events {
        // API servers write the fields of an event in this order.
        let line = format!("{{\"type\":\"{what}\",\"object\":{object}}}\n");
        text += &format!("{:x}\r\n{line}\r\n", line.len());
    }
    let _ = stream.write_all(text.as_bytes());
    // Waits until the client closes the connection, because a watch keeps the connection open.
    let _ = stream.read(&mut [0]);
}

fn server() -> ApiServer {
    ApiServer {
        is_served: true,
        writes: Arc::default(),
        ferry: Arc::new(Mutex::new(ferry())),
        rivals: Arc::default(),
    }
}

/// The first step of an uninstall lists the policies whose finalizers it would remove.
#[test]
fn dry_run_of_release_finalizers_changes_nothing() {
    let server = server();
    assert_snapshot!(server.output("serve controller release-finalizers --dry-run"), @r#"
    [stdout]
    policies/tug: finalizer would be removed
    [exit 0]
    "#);
    assert_eq!(server.writes(), []);
    server.output("serve controller release-finalizers");
    let writes = server.writes();
    let [(verb, path, _)] = writes.as_slice() else {
        panic!("expected one released policy: {writes:?}");
    };
    assert_eq!(verb, "PATCH");
    assert!(path.ends_with("/policies/operatorpolicies/tug"), "{path}");
}

#[test]
fn create_writes_only_the_operator() {
    let server = server();
    assert_snapshot!(server.output("create ferry"), @"
    [stdout]
    operator.operators.operatorframework.io/ferry created
    [exit 0]
    ");
    assert_snapshot!(server.output("create shop.rope --version >=1.0.0 -o name"), @"
    [stdout]
    operator.operators.operatorframework.io/shop-rope
    [exit 0]
    ");
    let operator = |name: &str, spec: Value| {
        json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1",
            "kind": "Operator",
            "metadata": {
                "name": name,
                "annotations": {"operators.portolan.dev/explicit": "true"},
            },
            "spec": spec,
        })
    };
    let post = |object| ("POST".to_owned(), OPERATORS.to_owned(), object);
    // Without a version, the controller selects the best version and installs it only once.
    let ferry = operator("ferry", json!({"packageName": "ferry"}));
    let spec = json!({"packageName": "shop.rope", "version": ">=1.0.0"});
    let rope = operator("shop-rope", spec);
    assert_eq!(server.writes(), [post(ferry), post(rope)]);
}

/// With the install mode OwnNamespace, the operator watches the namespace in which it runs.
#[test]
fn each_option_of_create_sets_its_field() {
    let folder = TempFolder::empty();
    let config = folder.join("config.yaml");
    fs::write(&config, "env: [{name: A, value: b}]").expect("a file");
    let line = format!(
        "create ferry --version 1.2.0 --channel stable,fast --catalog demo -n harbor --watch-namespace harbor \
         --approval Manual --config {} -o name",
        config.display()
    );
    let server = server();
    assert_snapshot!(server.output(&line), @"
    [stdout]
    operator.operators.operatorframework.io/ferry
    [exit 0]
    ");
    let [(_, _, object)] = &server.writes()[..] else {
        panic!("one write: {:?}", server.writes());
    };
    let catalog = json!({"matchLabels": {"olm.operatorframework.io/metadata.name": "demo"}});
    let expected = json!({
        "packageName": "ferry",
        "version": "1.2.0",
        "channels": ["stable", "fast"],
        "catalogSelector": catalog,
        "namespace": "harbor",
        "watchNamespaces": ["harbor"],
        "approval": "Manual",
        "config": {"env": [{"name": "A", "value": "b"}]},
    });
    assert_eq!(object["spec"], expected);
}

#[rstest]
#[case::at_sign("ferry@1.2.0", "1.2.0")]
#[case::equals_sign("ferry=1.2.0", "1.2.0")]
#[case::option("ferry --version 1.2.0", "1.2.0")]
#[case::range("ferry@>=1.0.0", ">=1.0.0")]
#[case::range_without_sign("ferry>=1.0.0", ">=1.0.0")]
#[case::range_option("--version=>=1.0.0 ferry", ">=1.0.0")]
fn create_and_update_accept_every_spelling_of_a_version(
    #[case] words: &str,
    #[case] version: &str,
) {
    let server = server();
    server.output(&format!("create {words}"));
    server.output(&format!("update {words} --unset channel"));
    let [(_, _, created), (_, _, updated)] = &server.writes()[..] else {
        panic!("two writes: {:?}", server.writes());
    };
    assert_eq!(created["spec"]["version"], version);
    let set = json!({"op": "add", "path": "/spec/version", "value": version});
    let operations = updated.as_array().expect("operations");
    assert!(operations.contains(&set), "{updated}");
}

#[rstest]
#[case::two_versions(
    "create ferry@1.2.0 --version 1.3.0",
    "two versions are given: @1.2.0 and --version 1.3.0; omit one of the two"
)]
#[case::relative(
    "create ferry@latest-patch",
    "ferry@latest-patch: spec.version of an Operator is a version or a range; "
)]
#[case::relative_update(
    "update ferry --version latest-minor",
    "ferry@latest-minor: spec.version of an Operator is a version or a range; "
)]
fn rejects_version_that_an_operator_cannot_have(#[case] line: &str, #[case] expected: &str) {
    let server = server();
    let printed = server.output(line);
    assert!(
        printed.starts_with(&format!("[stderr]\nerror: {expected}"))
            && printed.ends_with("[exit 2]"),
        "{printed}"
    );
    assert_eq!(server.writes(), []);
}

#[test]
fn update_changes_only_named_fields() {
    let server = server();
    let line = "update ferry --version >=1.1.0 --watch-namespace harbor --unset channel,catalog";
    assert_snapshot!(server.output(line), @"
    [stdout]
    operator.operators.operatorframework.io/ferry updated
    [exit 0]
    ");
    let operations = json!([
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "2"},
        {"op": "add", "path": "/spec/version", "value": ">=1.1.0"},
        {"op": "remove", "path": "/spec/channels"},
        {"op": "add", "path": "/spec/watchNamespaces", "value": ["harbor"]},
    ]);
    let path = format!("{OPERATORS}/ferry");
    assert_eq!(server.writes(), [("PATCH".to_owned(), path, operations)]);
}

/// A write of the status by the controller does not cause a conflict.
#[test]
fn update_is_retried_if_the_spec_is_unchanged() {
    let server = server();
    let spec = ferry()["spec"].clone();
    *server.rivals.lock().expect("no panic") = vec![spec.clone(), spec];
    assert_snapshot!(server.output("update ferry --version 1.1.0"), @"
    [stdout]
    operator.operators.operatorframework.io/ferry updated
    [exit 0]
    ");
    let operations = json!([
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "4"},
        {"op": "add", "path": "/spec/version", "value": "1.1.0"},
    ]);
    let path = format!("{OPERATORS}/ferry");
    assert_eq!(server.writes(), [("PATCH".to_owned(), path, operations)]);
}

/// Two clients change the Operator at the same time.
#[test]
fn update_does_not_mix_with_the_change_of_another_client() {
    let server = server();
    let spec = json!({"packageName": "ferry", "version": "2.0.0", "channels": ["fast"]});
    *server.rivals.lock().expect("no panic") = vec![spec];
    assert_snapshot!(server.output("update ferry --version 1.1.0"), @"
    [stderr]
    error: Operator ferry was changed by another client; nothing was written. Run the command again to write the settings anyway
    [exit 1]
    ");
    assert_eq!(server.writes(), []);
}

#[test]
fn update_skips_unchanged_fields() {
    let server = server();
    assert_snapshot!(server.output("update ferry --version 1.0.0 --channel stable"), @"
    [stdout]
    operator.operators.operatorframework.io/ferry unchanged
    [exit 0]
    ");
    assert_eq!(server.writes(), []);
}

#[rstest]
#[case::nothing(
    "update ferry",
    "nothing to change; use NAME@RANGE, --unset or another setting\n[exit 2]"
)]
#[case::both(
    "update ferry --version 1.0.0 --unset version",
    "spec.version is set by one option and removed by --unset; use only one of the two options\n[exit 2]"
)]
#[case::a_namespace(
    "update ferry --namespace harbor",
    "spec.namespace of an Operator is immutable; delete the Operator, and create it in the other namespace\n[exit 2]"
)]
#[case::no_namespace(
    "update ferry --watch-namespace a_b",
    "spec.watchNamespaces[0] is \"a_b\", which cannot be a Namespace; "
)]
fn update_rejects_invalid_arguments(#[case] line: &str, #[case] expected: &str) {
    let server = server();
    let printed = server.output(line);
    assert!(
        printed.starts_with(&format!("[stderr]\nerror: {expected}")),
        "{printed}"
    );
    assert_eq!(server.writes(), []);
}

#[test]
fn delete_removes_only_the_operator() {
    let server = server();
    assert_snapshot!(server.output("delete ferry"), @"
    [stdout]
    operator.operators.operatorframework.io/ferry deleted
    [exit 0]
    ");
    let writes = server.writes();
    let [(verb, path, _)] = &writes[..] else {
        panic!("expected exactly one write: {writes:?}");
    };
    assert_eq!(
        (verb.as_str(), path.as_str()),
        (
            "DELETE",
            "/apis/operators.operatorframework.io/v1alpha1/operators/ferry"
        )
    );
}

#[test]
fn dry_run_writes_nothing() {
    let server = server();
    assert_snapshot!(server.output("create ferry --version 1.2.0 --dry-run -o yaml"), @r#"
    [stdout]
    apiVersion: operators.operatorframework.io/v1alpha1
    kind: Operator
    metadata:
      annotations:
        operators.portolan.dev/explicit: "true"
      name: ferry
    spec:
      packageName: ferry
      version: "1.2.0"
    [exit 0]
    "#);
    assert_snapshot!(server.output("delete ferry --dry-run"), @"
    [stdout]
    operator.operators.operatorframework.io/ferry deleted (dry run)
    [exit 0]
    ");
    assert_eq!(server.writes(), []);
}

#[test]
fn wait_reports_progress() {
    let printed = server().output("create ferry@1.2.0 --wait --timeout 1m");
    assert!(
        printed.starts_with(
            "[stdout]\noperator.operators.operatorframework.io/ferry created\n[stderr]\n"
        ),
        "{printed}"
    );
    assert!(printed.ends_with("ferry is ready\n[exit 0]"), "{printed}");
}

#[rstest]
#[case::already_exists(
    "create there",
    "error: Operator there already exists; to change the Operator, run: portolan update there@RANGE\n\
     [exit 2]"
)]
#[case::missing_for_update(
    "update nothing@1.0.0",
    "error: there is no Operator nothing; to list existing Operators, run: kubectl get operators.operators.operatorframework.io\n[exit 2]"
)]
#[case::missing_for_delete(
    "delete nothing",
    "error: there is no Operator nothing; to list existing Operators, run: kubectl get operators.operators.operatorframework.io\n[exit 2]"
)]
#[case::needed(
    "delete needed",
    "error: the API server rejects the request: needed is needed by ferry\n[exit 1]"
)]
fn reports_failed_writes(#[case] line: &str, #[case] expected: &str) {
    assert_eq!(server().output(line), format!("[stderr]\n{expected}"));
}

#[test]
fn unreachable_api_server_is_reported_with_the_cause() {
    let folder = TempFolder::empty();
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        // No process listens on port 1, so the API server is unreachable.
        "clusters": [{"name": "a", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "a", "user": {}}],
    });
    let file = folder.join("kubeconfig");
    fs::write(&file, kubeconfig.to_string()).expect("a file");
    let output = transcript(portolan("create ferry").arg("--kubeconfig").arg(file));
    assert_snapshot!(output, @"
    [stderr]
    error: the API server cannot be reached: http://127.0.0.1:1/: Connection refused (os error 111)
    [exit 3]
    ");
}

#[rstest]
#[case::create("create ferry")]
#[case::update("update ferry --version 1.0.0")]
#[case::delete("delete ferry")]
fn reports_missing_operator_crd(#[case] line: &str) {
    let server = ApiServer {
        is_served: false,
        ..server()
    };
    assert_eq!(
        server.output(line),
        "[stderr]\nerror: the cluster does not serve Operators of operators.operatorframework.io: \
         the CRD is not installed; run `portolan install crds`, or apply the Kustomize component \
         deploy/overlays/operators to install the CRD and the controller\n[exit 2]"
    );
    assert_eq!(server.writes(), []);
}

/// Returns a server with an Operator that waits for the approval of version 1.1.0.
fn waiting(generation: i64) -> ApiServer {
    let server = server();
    {
        let mut ferry = server.ferry.lock().expect("no panic");
        ferry["status"] = json!({
            "observedGeneration": generation,
            "bundle": {"name": "ferry.v1.0.0"},
            "path": [{"bundle": "ferry.v1.1.0", "version": "1.1.0"}],
            "conditions": [{
                "type": "Installing", "status": "False", "reason": "ApprovalRequired", "message": "wait",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }],
        });
    }
    server
}

#[test]
fn approve_approves_the_next_version_of_an_operator() {
    let server = waiting(1);
    let without_terminal = server.output("approve operator/ferry");
    assert!(without_terminal.contains("`portolan approve operator/ferry --yes`"));
    assert_eq!(server.writes(), []);
    assert_snapshot!(server.output("approve operator/ferry --yes"), @r"
    [stdout]
    operator.operators.operatorframework.io/ferry approved ferry.v1.1.0
    [stderr]
    ferry.v1.0.0 -> ferry.v1.1.0
    [exit 0]
    ");
    let [(verb, _, patch)] = &server.writes()[..] else {
        panic!("one write");
    };
    assert_eq!(verb, "PATCH");
    assert_eq!(
        *patch,
        json!([
            {"op": "replace", "path": "/metadata/resourceVersion", "value": "2"},
            {
                "op": "add", "path": "/metadata/annotations",
                "value": {"operators.portolan.dev/approve": "ferry.v1.1.0"},
            },
        ])
    );
}

#[rstest]
#[case::that_does_not_wait(server())]
#[case::with_an_outdated_status(waiting(7))]
fn approve_writes_nothing_to_an_operator(#[case] server: ApiServer) {
    assert_eq!(
        server.output("approve operator/ferry --yes"),
        "[stderr]\nerror: Operator ferry has no version that waits for approval\n[exit 1]"
    );
    assert_eq!(server.writes(), []);
}

/// The kubectl plugin has the same commands.
#[rstest]
#[case::create("create")]
#[case::update("update")]
#[case::delete("delete")]
#[case::generate("generate")]
#[case::adopt("adopt")]
#[case::release("release")]
fn commands_are_available_in_plugin(#[case] command: &str) {
    let folder = TempFolder::empty();
    let plugin = folder.join("kubectl-operator");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_portolan"), &plugin).expect("a link");
    let output = run(crate::program::command(&plugin).args([command, "--help"]));
    let help = String::from_utf8(output.stdout).expect("text");
    let usage = format!("Usage: kubectl operator {command} ");
    assert!(help.contains(&usage), "{help}");
    assert!(!help.contains("olmv1"), "{help}");
}
