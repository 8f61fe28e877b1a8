//! Tests of `portolan approve` for InstallPlans of OLM, with a fake API server that records
//! patches.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use portolan_kit::{TempFolder, World, world};
use rstest::rstest;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::program::{portolan, transcript};

/// The resourceVersion of all objects.
const VERSION: &str = "7";

/// A fake API server with these objects.
#[derive(Clone)]
struct ApiServer {
    objects: Arc<Mutex<Vec<Value>>>,
    /// The query string and the body of each patch.
    patches: Arc<Mutex<Vec<(String, Value)>>>,
    /// True if another client changes the plan before each patch.
    has_rival: bool,
}

/// The path of each resource in the API, and the kind of the resource.
const KINDS: [(&str, &str); 5] = [
    (
        "/apis/operators.coreos.com/v1alpha1/installplans",
        "InstallPlan",
    ),
    (
        "/apis/operators.coreos.com/v1alpha1/subscriptions",
        "Subscription",
    ),
    (
        "/apis/operators.coreos.com/v1alpha1/clusterserviceversions",
        "ClusterServiceVersion",
    ),
    (
        "/apis/operators.coreos.com/v1alpha1/catalogsources",
        "CatalogSource",
    ),
    (
        "/apis/policy.open-cluster-management.io/v1beta1/operatorpolicies",
        "OperatorPolicy",
    ),
];

// === impl ApiServer ===

impl ApiServer {
    fn of(world: &World) -> Self {
        let mut objects = world.objects().to_vec();
        for object in &mut objects {
            object["metadata"]["uid"] = json!("its-uid");
            object["metadata"]["resourceVersion"] = json!(VERSION);
        }
        Self {
            objects: Arc::new(Mutex::new(objects)),
            patches: Arc::default(),
            has_rival: false,
        }
    }

    /// Runs the program against this API server. The line contains the arguments.
    fn output(&self, line: &str) -> String {
        self.output_of(&mut portolan(line))
    }

    /// Runs the program against this API server, on a terminal. The line contains the arguments,
    /// and `text` is the input of the user.
    fn output_of_typed(&self, line: &str, text: &str) -> String {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal must open");
        grantpt(&screen).expect("the terminal must be ours");
        unlockpt(&screen).expect("the terminal must be unlocked");
        let name = ptsname(&screen, Vec::new()).expect("the terminal must have a name");
        let keys = File::open(OsStr::from_bytes(name.as_bytes())).expect("the terminal must open");
        let mut screen = File::from(screen);
        screen.write_all(text.as_bytes()).expect("keys");
        self.output_of(portolan(line).stdin(keys))
    }

    fn output_of(&self, command: &mut Command) -> String {
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
        transcript(command.arg("--kubeconfig").arg(file))
    }

    fn patches(&self) -> Vec<(String, Value)> {
        self.patches.lock().expect("no panic").clone()
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
        let mut line = String::new();
        // Ignores an error: a client may disconnect before it sends a request.
        let _ = reader.read_line(&mut line);
        let mut words = line.split_whitespace();
        let (Some(verb), Some(target)) = (words.next(), words.next()) else {
            return;
        };
        let mut length = 0;
        loop {
            let mut header = String::new();
            let _ = reader.read_line(&mut header);
            match header.trim().to_lowercase().split_once(": ") {
                Some(("content-length", value)) => length = value.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        let _ = reader.read_exact(&mut body);
        if target.contains("watch=") {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                        transfer-encoding: chunked\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            // Waits until the client closes the connection, because a watch keeps the connection
            // open.
            let _ = stream.read(&mut [0]);
            return;
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let answer = match verb {
            "PATCH" => self.patch(path, query, &body),
            _ => self.read(path),
        };
        let (code, answer) = match answer {
            Ok(answer) => (200, answer),
            Err(code) => {
                let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure",
                    "message": "the server refuses it", "code": code, "reason": "X"});
                (code, status)
            }
        };
        let answer = answer.to_string();
        let head = format!(
            "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n",
            answer.len()
        );
        // Ignores an error: the client may have disconnected.
        let _ = stream.write_all((head + &answer).as_bytes());
    }

    /// Returns the list or the object at a path, or an HTTP status code.
    fn read(&self, path: &str) -> Result<Value, u16> {
        let (kind, namespace, name) = place(path).ok_or(404_u16)?;
        let objects = self.objects.lock().expect("no panic");
        let found = objects.iter().filter(|it| {
            let metadata = &it["metadata"];
            it["kind"] == kind
                && (namespace.is_empty() || metadata["namespace"] == namespace)
                && (name.is_empty() || metadata["name"] == name)
        });
        let found: Vec<_> = found.cloned().collect();
        if name.is_empty() {
            let metadata = json!({"resourceVersion": VERSION});
            return Ok(
                json!({"apiVersion": "v1", "kind": "List", "metadata": metadata, "items": found}),
            );
        }
        found.into_iter().next().ok_or(404)
    }

    fn patch(&self, path: &str, query: &str, body: &[u8]) -> Result<Value, u16> {
        let body: Value = serde_json::from_slice(body).expect("JSON");
        if self.has_rival {
            for object in self.objects.lock().expect("no panic").iter_mut() {
                object["metadata"]["resourceVersion"] = json!("8");
            }
        }
        let object = self.read(path)?;
        for field in ["uid", "resourceVersion"] {
            if object["metadata"][field] != body["metadata"][field] {
                return Err(409);
            }
        }
        let patch = (query.to_owned(), body);
        self.patches.lock().expect("no panic").push(patch);
        Ok(object)
    }
}

/// Returns the kind, the namespace and the name in a path.
fn place(path: &str) -> Option<(&'static str, &str, &str)> {
    KINDS.iter().find_map(|(resource, kind)| {
        let (version, plural) = resource.rsplit_once('/').expect("a path");
        let rest = path.strip_prefix(version)?;
        let (namespace, rest) = match rest.strip_prefix("/namespaces/") {
            Some(rest) => rest.split_once('/')?,
            None => ("", rest.strip_prefix('/')?),
        };
        let (found, name) = rest.split_once('/').unwrap_or((rest, ""));
        (found == plural).then_some((*kind, namespace, name))
    })
}

/// Returns a world with a pending plan of package `a`. A policy allows the plan.
fn waiting() -> World {
    let shop = world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1");
    shop.waiting("a")
}

/// Returns a world with the same plan, and a policy that allows only the installed bundle.
fn denied() -> World {
    waiting().edit(|policy| policy["spec"]["allowedCSVs"] = json!(["a.v1.0.0"]))
}

/// Returns the patch that approves the plan in the state that the user saw.
fn approved() -> Value {
    let metadata = json!({"uid": "its-uid", "resourceVersion": VERSION});
    json!({"metadata": metadata, "spec": {"approved": true}})
}

/// Returns the bodies of the patches.
fn bodies(server: &ApiServer) -> Vec<Value> {
    server.patches().into_iter().map(|(_, body)| body).collect()
}

#[rstest]
#[case::package("a")]
#[case::subscription("sub/a")]
#[case::plan("installplan/install-1 -n a-system")]
#[case::namespaced_plan("a-system/install-1")]
fn approves_pending_plan_in_the_displayed_state(#[case] name: &str) {
    let server = ApiServer::of(&waiting());
    let output = server.output(&format!("approve {name} --yes"));
    for text in [
        "a-system/install-1",
        "Yes a.v1.1.0",
        "a-system/a (generation",
        "ClusterServiceVersion a.v1.1.0",
        "installplan.operators.coreos.com/install-1 approved\n",
        "[exit 0]",
    ] {
        assert!(output.contains(text), "{text}: {output}");
    }
    assert_eq!(bodies(&server), [approved()], "{output}");
}

#[test]
fn dry_run_changes_nothing() {
    let server = ApiServer::of(&waiting());
    let output = server.output("approve a --dry-run");
    assert!(
        output.contains("install-1 approved (server dry run)"),
        "{output}"
    );
    let patches = server.patches();
    assert!(
        patches
            .iter()
            .all(|(query, _)| query.contains("dryRun=All")),
        "{patches:?}"
    );
    assert_eq!(patches.len(), 1);
}

#[test]
fn requires_yes_without_terminal() {
    let server = ApiServer::of(&waiting());
    let output = server.output("approve a");
    let command = "use `portolan approve installplan/install-1 -n a-system --yes`";
    assert!(output.contains(command), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
    assert_eq!(server.patches(), []);
}

#[rstest]
#[case::yes("yes\n", "install-1 approved\n", "[exit 0]", 1)]
#[case::no("n\n", "InstallPlan a-system/install-1 is not approved", "[exit 1]", 0)]
fn approves_on_terminal_only_after_confirmation(
    #[case] typed: &str,
    #[case] expected: &str,
    #[case] exit: &str,
    #[case] patches: usize,
) {
    let server = ApiServer::of(&waiting());
    let output = server.output_of_typed("approve a", typed);
    assert!(output.contains("Type yes to approve:"), "{output}");
    assert!(
        output.contains(expected) && output.ends_with(exit),
        "{output}"
    );
    assert_eq!(server.patches().len(), patches);
}

#[test]
fn denying_policy_must_be_named() {
    let server = ApiServer::of(&denied());
    let output = server.output("approve a --yes");
    assert!(output.contains("NotAllowed: "), "{output}");
    let command =
        "use `portolan approve installplan/install-1 -n a-system --override-policy a-system/a`";
    assert!(output.contains(command), "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");

    let output = server.output("approve a --yes --override-policy a-system/b");
    assert!(
        output.contains("--override-policy: a-system/b does not deny InstallPlan"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
    assert_eq!(server.patches(), []);

    let output = server.output("approve a --yes --override-policy a-system/a");
    assert!(output.ends_with("[exit 0]"), "{output}");
    assert_eq!(bodies(&server), [approved()]);
}

#[test]
fn plan_without_policy_may_be_approved() {
    let server = ApiServer::of(&waiting());
    let mut objects = server.objects.lock().expect("no panic");
    objects.retain(|it| it["kind"] != "OperatorPolicy");
    drop(objects);
    let output = server.output("approve a --yes");
    assert!(output.ends_with("[exit 0]"), "{output}");
    assert_eq!(bodies(&server), [approved()]);
}

#[test]
fn changed_plan_is_not_approved() {
    let server = ApiServer {
        has_rival: true,
        ..ApiServer::of(&waiting())
    };
    let output = server.output("approve a --yes");
    assert!(
        output.contains("InstallPlan a-system/install-1 has changed since it was displayed"),
        "{output}"
    );
    assert!(output.ends_with("[exit 1]"), "{output}");
    assert_eq!(server.patches(), []);
}

#[test]
fn approved_plan_needs_no_approval() {
    let server = ApiServer::of(&waiting());
    for object in server.objects.lock().expect("no panic").iter_mut() {
        if object["kind"] == "InstallPlan" {
            object["spec"]["approved"] = json!(true);
        }
    }
    let output = server.output("approve installplan/install-1 --yes");
    assert!(output.contains("is already approved"), "{output}");
    assert!(output.ends_with("[exit 0]"), "{output}");
    assert_eq!(server.patches(), []);
}

#[rstest]
#[case::unknown(
    "nosuch",
    "no Install, InstallPlan, Subscription or package nosuch found; for an Operator use operator/nosuch"
)]
#[case::kind("plan/a", "this command does not support the kind of plan/a")]
fn rejects_unusable_plan_names(#[case] name: &str, #[case] expected: &str) {
    let output = ApiServer::of(&waiting()).output(&format!("approve {name} --yes"));
    assert!(output.contains(expected), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn name_in_two_namespaces_is_ambiguous() {
    let server = ApiServer::of(&waiting().waiting("b"));
    let output = server.output("approve install-1 --yes");
    assert!(
        output.contains(
            "install-1 is ambiguous; use `portolan approve installplan/install-1 -n a-system` or \
             `portolan approve installplan/install-1 -n b-system`"
        ),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
    assert_eq!(server.patches(), []);
}
