//! Tests of `portolan console`. A test requests pages in the same way as a browser.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use portolan_kit::TempFolder;

use crate::program::{portolan, transcript};
use crate::up::demo;

/// The maximum time to wait until a change appears on a page.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running console, and a browser session that is logged in. Dropping this value kills the
/// console.
pub(crate) struct Browser {
    child: Child,
    host: String,
    cookie: String,
}

impl Browser {
    /// Starts a console with these arguments, and opens the address that it prints.
    pub(crate) fn on(line: &str) -> Self {
        let mut command = portolan(line);
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = stderr.lines().map_while(Result::ok);
        let url = lines.find_map(|line| {
            let (_, rest) = line.split_once("http://")?;
            rest.contains("/enter?secret=").then(|| rest.to_owned())
        });
        // Reads all further output, because the program would block if the pipe were full.
        std::thread::spawn(move || lines.for_each(drop));
        let url = url.expect("an address");
        let (host, path) = url.split_once('/').expect("a path");
        let mut browser = Self {
            child,
            host: host.to_owned(),
            cookie: String::new(),
        };
        let response = browser.get(&format!("/{path}"));
        let cookie = response.split("set-cookie: ").nth(1).expect("a cookie");
        cookie
            .split(';')
            .next()
            .expect("a value")
            .clone_into(&mut browser.cookie);
        browser
    }

    /// Returns the HTTP headers and the content of a page.
    pub(crate) fn get(&self, target: &str) -> String {
        let Self { host, cookie, .. } = self;
        let mut stream = TcpStream::connect(host).expect("a connection");
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a text");
        response
    }

    /// Requests a page again and again until it contains the word. Returns the page.
    pub(crate) fn until(&self, target: &str, word: &str) -> String {
        let began = Instant::now();
        loop {
            let page = self.get(target);
            if page.contains(word) {
                return page;
            }
            assert!(began.elapsed() < PATIENCE, "{target} has no {word}: {page}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pages of the sample world show the same content as the commands.
#[test]
fn pages_show_sample_world() {
    let browser = Browser::on("console --world deploy/demo");
    for (target, words) in [
        ("/", vec!["lighthouse", "2 OperatorGroups", "install-m4x2c"]),
        (
            "/operators",
            vec![">waiting<", "ferries", "dredger", ">broken<"],
        ),
        (
            "/operator?namespace=ferries&name=ferry",
            vec![
                "is not in this channel; it is in candidate",
                "kubectl patch installplans.operators.coreos.com/install-hq7vd",
                "class=\"bundle path installed\"",
                "<caption>Hop by hop</caption>",
                "class=\"update c1 range path\"",
                "Deployment ferries/ferry has 1 replica available.",
            ],
        ),
        ("/catalogs", vec!["olm/coastal", ">well<"]),
        (
            "/catalog?name=olm/coastal",
            vec!["/package?catalog=olm/coastal&amp;name=tug"],
        ),
        (
            "/search?q=FER",
            vec!["/package?catalog=olm/coastal&amp;name=ferry"],
        ),
        (
            "/package?catalog=olm/coastal&name=ferry",
            vec!["<svg", "ferry.v2.0.0"],
        ),
        (
            "/bundle?catalog=olm/coastal&package=ferry&name=ferry.v1.1.0",
            vec!["Permissions after the installation"],
        ),
        // The sample world contains the files of these bundles.
        (
            "/bundle?catalog=olm/coastal&package=tug&name=tug.v2.0.0",
            vec!["may in "],
        ),
        (
            "/plans",
            vec!["Add tug.v2.1.0 to spec.allowedCSVs of policy policies/tug"],
        ),
        ("/policies", vec!["upgradeApproval: Automatic"]),
        (
            "/operators?namespace=tugs&manager=olm&sort=-installed",
            vec!["1 of ", "<td data-of=\"Installed\">2.0.0</td>"],
        ),
        // The page of an object has a link to its operator, and the page of the operator has a link
        // to the object.
        (
            "/object?kind=olm-plan&namespace=tugs&name=install-m4x2c",
            vec![
                "Add tug.v2.1.0 to spec.allowedCSVs of policy policies/tug",
                "href=\"/operator?namespace=tugs&amp;name=tug\"",
            ],
        ),
        (
            "/object?kind=operator-policy&namespace=policies&name=tug",
            vec![
                "href=\"/operator?namespace=tugs&amp;name=tug\"",
                "Conditions",
            ],
        ),
        (
            "/operator?namespace=tugs&name=tug",
            vec![
                "href=\"/object?kind=operator-policy&amp;namespace=policies&amp;name=tug\"",
                "href=\"/object?kind=olm-plan&amp;namespace=tugs&amp;name=install-m4x2c\"",
            ],
        ),
        ("/installs", vec!["There are no Installs."]),
        // The page shows the same diagnoses of Operators as `portolan diagnose`.
        (
            "/diagnose",
            vec!["PackageTaken", "At fault:", "OperatorPolicy"],
        ),
        ("/operator?namespace=&name=tug", vec!["PackageTaken"]),
        ("/updates", vec!["no Operator is updated automatically"]),
        (
            "/preview?change=add&operator=ferry&version=1.2.0",
            vec![
                "has no effect, because",
                "Current manager of package ferry",
                "portolan adopt ferry",
            ],
        ),
        (
            "/preview?change=add&operator=fery&version=",
            vec!["It cannot be"],
        ),
        (
            "/preview?change=delete&operator=ferry&version=",
            vec!["It cannot be"],
        ),
    ] {
        let page = browser.until(target, words[0]);
        for word in words {
            assert!(page.contains(word), "{target} has no {word}: {page}");
        }
        assert!(page.len() < 100_000, "{target}");
    }
    let absent = browser.get("/operator?namespace=ferries&name=nobody");
    assert!(absent.starts_with("HTTP/1.1 404"), "{absent}");
}

/// Ferry 2.0.0 changes the type of a field. No Operator requests this version yet.
#[test]
fn preview_names_unsafe_crd_changes_and_the_command_that_accepts_them() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/generate");
    let world = TempFolder::empty();
    for file in ["repo/CatalogSource-demo.yaml", "ferry.yaml"] {
        let text = fs::read_to_string(format!("{fixtures}/{file}")).expect("a file");
        fs::write(world.join(file.replace('/', "-")), text).expect("a file");
    }
    let browser = Browser::on(&format!(
        "console --world {} --catalog olm/demo={fixtures}/catalog",
        world.display()
    ));
    let place = "/preview?change=upgrade&operator=ferry&version=2.0.0";
    let page = browser.until(place, "Unsafe changes of CRDs");
    for words in [
        "ferry is not upgraded to ferry.v2.0.0",
        "ships.ferry.example: v1: .spec.capacity: type: string becomes integer (type string -&gt; integer)",
        "add ferry.v2.0.0 to spec.crdUpgradeSafety.acceptBundles of Operator ferry, or type to acceptChecks",
    ] {
        assert!(page.contains(words), "no {words}: {page}");
    }
}

/// The server sends an event to each open page after a file changes. The page then shows the
/// change.
#[test]
fn changed_files_update_open_pages() {
    let world = demo();
    let browser = Browser::on(&format!("console --world {}", world.display()));
    browser.until("/operators", "dredger");
    let mut stream = TcpStream::connect(&browser.host).expect("a connection");
    let (host, cookie) = (&browser.host, &browser.cookie);
    let request = format!("GET /changes HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == ": here"));
    let file = world.join("cluster/dredger.yaml");
    let text = fs::read_to_string(&file).expect("a text");
    fs::remove_file(&file).expect("a file");
    assert!(lines.any(|line| line == "event: changed"));
    let began = Instant::now();
    while browser.get("/operators").contains("dredger") {
        assert!(began.elapsed() < PATIENCE, "dredger must disappear: {text}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Each page escapes text from objects and catalogs.
#[test]
fn pages_escape_text_of_objects_and_catalogs() {
    let world = demo();
    let hostile = "<script>alert(1)</script>\\\"'><img src=x onerror=alert(1)>";
    for (file, from, to) in [
        (
            "cluster/ferry.yaml",
            "all available catalogsources are healthy",
            hostile,
        ),
        ("cluster/lighthouse.yaml", "Back-off pulling image", hostile),
    ] {
        let file = world.join(file);
        let text = fs::read_to_string(&file).expect("a text");
        let changed = text.replace(from, &to.replace("\\\"", ""));
        assert_ne!(text, changed, "{from}");
        fs::write(&file, changed).expect("a file");
    }
    let catalog = world.join("catalogsources/olm/coastal/ferry.yaml");
    let mut text = fs::read_to_string(&catalog).expect("a text");
    text.push_str(&format!(
        "---\nschema: olm.deprecations\npackage: ferry\nentries:\n- reference: {{schema: olm.package}}\n  \
         message: \"{hostile}\"\n"
    ));
    fs::write(&catalog, text).expect("a file");
    let browser = Browser::on(&format!("console --world {}", world.display()));
    let page = browser.until(
        "/package?catalog=olm/coastal&name=ferry",
        "&lt;script&gt;alert(1)",
    );
    let pages = [
        page,
        browser.get("/"),
        browser.get("/diagnose"),
        browser.get("/operator?namespace=lights&name=lighthouse"),
    ];
    for page in &pages {
        assert!(
            !page.contains("<script>") && !page.contains("<img"),
            "{page}"
        );
    }
    assert!(pages[3].contains("&lt;script&gt;"), "{}", pages[3]);
}

#[test]
fn up_serves_console() {
    let line = format!("up --world deploy/demo {}", crate::serving::ANY_PORT);
    let browser = Browser::on(&line);
    browser.until("/operators", "dredger");
}

#[test]
fn rejects_non_loopback_address() {
    let refused = transcript(&mut portolan(
        "console --world deploy/demo --listen 0.0.0.0:0",
    ));
    assert!(
        refused.contains("the console listens only on loopback"),
        "{refused}"
    );
    assert!(refused.ends_with("[exit 2]"), "{refused}");
}

#[test]
fn diagnose_page_lists_installs() {
    let browser = Browser::on("console --world cli/tests/fixtures/installers");
    let page = browser.until("/diagnose", "fleet");
    assert!(page.contains("Install"), "{page}");
}
