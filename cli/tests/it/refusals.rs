//! Every way to be wrong: one sentence that says what would be right, and the exit code.

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{FERRY, ferry_upgrades, in_demo, portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver, ferry_resolver};

const QUESTION: &str = "upgrades ferry --from ferry.v1.0.0";

#[test]
fn a_misspelled_package_gets_the_nearest_name() {
    let line = format!("upgrades --catalog {FERRY} fery --from ferry.v1.0.0");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: catalog demo has no package fery; did you mean ferry?
    [exit 2]
    "#);
}

#[test]
fn a_package_like_no_other_gets_no_suggestion() {
    let line = format!("upgrades --catalog {FERRY} zebra --from ferry.v1.0.0");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: catalog demo has no package zebra
    [exit 2]
    "#);
}

#[test]
fn a_name_that_is_none_points_at_the_flag_and_the_column() {
    let line = format!("upgrades --catalog {FERRY} Ferry --from ferry.v1.0.0");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: <PACKAGE>: "Ferry" is not a package name: at column 1, "F" is not a lower-case letter, digit, hyphen or dot
    [exit 2]
    "#);
}

#[test]
fn a_version_that_is_none_points_at_the_flag() {
    let line = "--from ferry.v1.0.5 --installed-version nine";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: --installed-version: "nine" is not a version: at column 1, "n" is not a digit
    [exit 2]
    "#);
}

#[test]
fn an_unknown_channel_gets_the_known_ones() {
    let line = "--from ferry.v1.0.0 --channel stabel";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: package ferry has no channel stabel; it has candidate, stable
    [exit 2]
    "#);
}

#[test]
fn an_unknown_catalog_gets_the_known_ones() {
    let line = "--from ferry.v1.0.0 --in prod";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: there is no catalog prod; there is demo
    [exit 2]
    "#);
}

#[test]
fn several_catalogs_want_one_to_be_named() {
    let line = "--catalog other=tests/fixtures/catalogs --from ferry.v1.0.0";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: --in: package ferry is in several catalogs of the same priority; say which: demo, other
    [exit 2]
    "#);
}

#[test]
fn a_missing_folder_is_named() {
    let line = format!("{QUESTION} --catalog demo=./nowhere");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: read catalog demo: read ./nowhere: No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn a_catalog_is_a_name_and_a_folder() {
    let line = format!("{QUESTION} --catalog ./catalogs/demo");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: invalid value './catalogs/demo' for '--catalog <NAME=PLACE>': `./catalogs/demo` is not NAME=PLACE, such as demo=./catalogs/demo

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn a_catalog_is_given_once() {
    let line = format!("{QUESTION} --catalog {FERRY} --catalog {FERRY}");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: catalog demo is given twice; give each --catalog a name of its own
    [exit 2]
    "#);
}

#[test]
fn a_query_needs_facts() {
    let said = transcript(&mut portolan(QUESTION));
    let start = "[stderr]\nerror: nothing to answer from: --catalog NAME=PLACE reads a catalog, \
                 --world DIR those of a dump, --server URL asks a running resolver, and there is \
                 no cluster: ";
    assert!(said.starts_with(start), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

#[test]
fn a_cluster_that_nothing_leads_to_is_told_once() {
    let told = transcript(portolan("diagnose").env("HOME", "/nonexistent"));
    assert_eq!(told.matches("No such file").count(), 1, "{told}");
    assert!(told.ends_with("[exit 2]"), "{told}");
}

#[test]
fn a_pipe_is_no_world() {
    let told = transcript(&mut portolan("diagnose --world -"));
    assert!(
        told.contains("write them to a file, and name that"),
        "{told}"
    );
    assert!(told.ends_with("[exit 2]"), "{told}");
}

#[test]
fn a_kind_that_is_not_asked_about_is_no_namespace() {
    let told = transcript(&mut portolan("diagnose deploy/ferry --world deploy/demo"));
    assert!(
        told.contains("`deploy` is no kind that is asked about"),
        "{told}"
    );
    assert!(told.ends_with("[exit 2]"), "{told}");
}

#[rstest]
#[case::a_policy(
    "explain sub/ferry",
    "error: sub/ferry is of a kind that is not asked about here; say operatorpolicy/NAME"
)]
#[case::a_plan(
    "review sub/ferry",
    "error: sub/ferry is of a kind that is not asked about here; say installplan/NAME"
)]
fn a_kind_that_is_asked_about_elsewhere_is_told_the_one_of_here(
    #[case] line: &str,
    #[case] sentence: &str,
) {
    let told = transcript(&mut portolan(&format!("{line} --world deploy/demo")));
    assert!(told.contains(sentence), "{told}");
    assert!(told.ends_with("[exit 2]"), "{told}");
}

/// A skip range might cover what is installed, but nobody knows its version.
#[test]
fn of_a_bundle_that_the_catalog_does_not_have_no_update_is_no_answer() {
    let told = transcript(&mut ferry_upgrades("--from fery.v1.0.0"));
    assert!(told.contains("did you mean ferry.v1.0.0?"), "{told}");
    assert!(told.ends_with("[exit 3]"), "{told}");
}

/// What a document that cannot be read may hide is not said to be absent.
#[rstest]
#[case::an_update("upgrades ferry --from ferry.v2.0.0", 3)]
#[case::a_head_beyond("path ferry --from ferry.v1.2.0", 3)]
#[case::what_is_seen_is_an_answer("upgrades ferry --from ferry.v1.0.0", 0)]
fn what_a_document_may_hide_is_not_known(#[case] question: &str, #[case] exit: u8) {
    let folder = TempFolder::empty();
    let ferry = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/catalogs/ferry/catalog.yaml"
    );
    std::fs::copy(ferry, folder.join("catalog.yaml")).expect("the fixture is there");
    std::fs::write(folder.join("wreck.yaml"), "a: [\n").expect("the folder takes files");
    let said = transcript(&mut in_demo(&folder, question));
    assert!(said.contains("Syntax: wreck.yaml:1: not YAML"), "{said}");
    assert!(said.ends_with(&format!("[exit {exit}]")), "{said}");
}

/// Where nobody listens: which API server that is.
#[test]
fn an_api_server_that_does_not_answer_is_named() {
    let folder = TempFolder::empty();
    let file = folder.join("kubeconfig");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: a\n\
                clusters: [{name: a, cluster: {server: \"http://127.0.0.1:1\"}}]\n\
                users: [{name: a, user: {}}]\n\
                contexts: [{name: a, context: {cluster: a, user: a}}]\n";
    std::fs::write(&file, text).expect("the folder takes files");
    let said = transcript(portolan("upgrades").env("KUBECONFIG", &file));
    let wanted = "the API server cannot be asked: http://127.0.0.1:1/: Connection refused";
    assert!(said.contains(wanted), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

/// What looks like a flag is meant as one.
#[test]
fn a_flag_that_is_none_is_not_said_to_be_a_value() {
    let told = transcript(&mut portolan("catalog check --package ferry"));
    assert!(told.contains("unexpected argument '--package'"), "{told}");
    assert!(!told.contains("as a value"), "{told}");
    assert!(told.ends_with("[exit 2]"), "{told}");
}

#[test]
fn a_dump_is_written_to_a_folder_of_its_own() {
    let top = TempFolder::empty();
    std::fs::write(top.join("mine"), "").expect("a file");
    let told = transcript(portolan("dump").arg(&*top));
    let wanted = "there is something in ";
    assert!(told.contains(wanted), "{told}");
    assert!(
        told.ends_with("say a folder that is not there yet\n[exit 2]"),
        "{told}"
    );

    let told = transcript(portolan("dump").arg(top.join("dump")));
    let start = "[stderr]\nerror: there is no cluster to dump; ";
    assert!(told.starts_with(start), "{told}");
    let left: Vec<_> = std::fs::read_dir(&*top).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing is left: {left:?}");
}

#[test]
fn facts_come_from_files_or_from_a_server() {
    let line = format!("{QUESTION} --catalog {FERRY} --server http://127.0.0.1:50051");
    assert_snapshot!(transcript(&mut portolan(&line)), @"
    [stderr]
    error: the argument '--catalog <NAME=PLACE>' cannot be used with '--server <URL>'

    Usage: portolan upgrades [OPTIONS] [NAME]
           portolan upgrades [OPTIONS] <PACKAGE> --from <BUNDLE>
           portolan upgrades --queries <FILE|->

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn a_package_needs_a_bundle_to_start_from() {
    assert_snapshot!(transcript(&mut ferry_upgrades("")), @"
    [stderr]
    error: say which bundle of package ferry is installed, with --from BUNDLE: there is ferry.v2.0.0, ferry.v1.2.0, ferry.v1.1.0, ferry.v1.0.0
    [exit 2]
    ");
    assert_snapshot!(transcript(&mut portolan("upgrades --from ferry.v1.0.0")), @"
    [stderr]
    error: --from ferry.v1.0.0: a bundle belongs to a package; say it before, as in PACKAGE --from ferry.v1.0.0
    [exit 2]
    ");
    let everything = portolan(&format!("upgrades --catalog {FERRY}"));
    assert_snapshot!(transcript(&mut { everything }), @"
    [stderr]
    error: nothing is installed in catalogs: say PACKAGE --from BUNDLE, or --world DIR
    [exit 2]
    ");
    assert_snapshot!(transcript(&mut portolan("path")), @"
    [stderr]
    error: say of what: `path NAME` for an installed operator, `path PACKAGE --from BUNDLE` for a bundle
    [exit 2]
    ");
}

#[test]
fn a_resolver_alone_does_not_know_what_is_installed() {
    let resolver = Resolver::start(&mut ferry_resolver());
    let told = transcript(portolan("upgrades ferry").args(["--server", &resolver.url()]));
    assert_snapshot!(told, @"
    [stderr]
    error: the server does not know what is installed, for it serves no health; say PACKAGE --from BUNDLE, or --world DIR
    [exit 2]
    ");
}

#[rstest]
#[case::package_and_bundle(
    "upgrades --package ferry --installed ferry.v1.0.0",
    "upgrades ferry --from ferry.v1.0.0"
)]
#[case::with_a_catalog(
    "path --package ferry --installed ferry.v1.0.0 --from demo",
    "path ferry --from ferry.v1.0.0 --in demo"
)]
#[case::a_catalog("packages ferry --from demo", "packages ferry --in demo")]
fn old_spellings_mean_the_same_for_one_version(#[case] old: &str, #[case] new: &str) {
    let told = |line: &str| transcript(&mut portolan(&format!("{line} --catalog {FERRY}")));
    let (old, new) = (told(old), told(new));
    assert!(old.starts_with(&*new.replace("[exit 0]", "")), "{old}");
    assert!(
        old.contains("which go") && old.contains("the next version; say "),
        "{old}"
    );
}

#[test]
fn a_misspelled_command_gets_the_nearest_one() {
    assert_snapshot!(transcript(&mut portolan("packagse")), @r#"
    [stderr]
    error: unrecognized subcommand 'packagse'

      tip: a similar subcommand exists: 'packages'

    Usage: portolan [OPTIONS] <COMMAND>

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn a_log_filter_that_is_none_is_refused() {
    assert_snapshot!(transcript(ferry_upgrades("--from ferry.v1.0.0 --log").arg("=!")), @r#"
    [stderr]
    error: `=!` is no log filter; use a level such as `debug`, or `warn,portolan=debug`
    [exit 2]
    "#);
}

#[test]
fn a_misspelled_log_level_is_refused() {
    assert_snapshot!(transcript(&mut ferry_upgrades("--from ferry.v1.0.0 --log debgu")), @r#"
    [stderr]
    error: `debgu` is no log filter; use a level such as `debug`, or `warn,portolan=debug`
    [exit 2]
    "#);
}

#[test]
fn an_address_to_listen_on_is_no_name() {
    let line = format!("resolver --catalog {FERRY} --listen localhost:50051");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: invalid value 'localhost:50051' for '--listen <ADDRESS>': `localhost:50051` is not an IP address with a port, such as 127.0.0.1:50051 or [::]:50051

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn a_duration_has_a_unit() {
    let line = format!("resolver --catalog {FERRY} --drain-timeout 30");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: invalid value '30' for '--drain-timeout <DURATION>': `30` is not a duration such as 500ms, 30s or 2m

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn a_resolver_needs_a_catalog_or_a_cluster() {
    let said = transcript(&mut portolan(&format!("resolver {ANY_PORT}")));
    let error = "error: nothing to serve: say --catalog NAME=PLACE, --world PATH, or which cluster";
    assert!(said.contains(error), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

#[rstest]
#[case::without_scheme("127.0.0.1:50051")]
#[case::without_host("resolver")]
#[case::of_another_protocol("grpc://127.0.0.1:50051")]
fn a_server_is_a_url(#[case] url: &str) {
    let error = format!("`{url}` is not the URL of a server, such as http://127.0.0.1:50051");
    assert_eq!(
        transcript(portolan(QUESTION).args(["--server", url])),
        format!("[stderr]\nerror: {error}\n[exit 2]")
    );
}

#[rstest]
#[case::without_authorities(
    "--server https://127.0.0.1:50051",
    "`https://127.0.0.1:50051` asks for TLS; say with --ca FILE which authorities vouch for the server"
)]
#[case::a_token_for_all_to_read(
    "--server http://127.0.0.1:50051 --token-file token",
    "a token is shown only to a server behind https://, which `http://127.0.0.1:50051` is not"
)]
fn a_server_is_asked_in_safety(#[case] flags: &str, #[case] error: &str) {
    let told = transcript(&mut portolan(&format!("{QUESTION} {flags}")));
    assert_eq!(told, format!("[stderr]\nerror: {error}\n[exit 2]"));
}

#[rstest]
#[case::no_certificate(
    "health-server --tls nowhere --world deploy/demo",
    "serve TLS (--tls): read nowhere/tls.crt; a Secret of type kubernetes.io/tls has tls.crt and tls.key"
)]
#[case::tokens_in_the_clear(
    "health-server --authorize --kubeconfig CONFIG --listen 0.0.0.0:0",
    "--authorize asks for tokens, which needs --tls where others than this machine connect"
)]
fn a_server_serves_in_safety(#[case] line: &str, #[case] error: &str) {
    let folder = TempFolder::empty();
    let config = folder.join("config");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: a\n\
                clusters: [{name: a, cluster: {server: \"http://127.0.0.1:1\"}}]\n\
                contexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: {}}]\n";
    std::fs::write(&config, text).expect("a file");
    let line = line.replace("CONFIG", &config.display().to_string());
    let told = transcript(&mut portolan(&line));
    assert!(told.contains(error), "{told}");
    assert!(told.ends_with("[exit 2]"), "{told}");
}

#[test]
fn a_refusal_needs_no_reader_for_its_exit_code() {
    let (reader, writer) = std::io::pipe().expect("a pipe must open");
    drop(reader);
    let status = portolan(QUESTION).stderr(writer).status();
    assert_eq!(status.expect("the program must run").code(), Some(2));
}

#[test]
fn a_refusal_says_nothing_on_standard_output() {
    assert!(run(&mut portolan(QUESTION)).stdout.is_empty());
}

#[test]
fn a_folder_without_catalog_files_is_asked_about() {
    let folder = portolan_kit::TempFolder::empty();
    let mut asked = portolan("upgrades --catalog demo=. ferry --from ferry.v1.0.0");
    assert_snapshot!(transcript(asked.current_dir(&folder)), @r#"
    [stderr]
    error: read catalog demo: there is no catalog file in .; their names end in .yaml, .yml, .json or .jsonl, with or without .gz behind it
    [exit 2]
    "#);
}

#[rstest]
#[case::diagnose("diagnose")]
#[case::explain("explain")]
#[case::packages("packages")]
fn a_catalog_that_no_object_names_is_told(#[case] question: &str) {
    let content = "deploy/demo/catalogsources/olm/coastal";
    let line = format!("{question} --world deploy/demo --catalog olm/costal={content}");
    let said = transcript(&mut portolan(&line));
    let told = "warning: no CatalogSource or ClusterCatalog is called olm/costal (--catalog); \
                did you mean olm/coastal?\n";
    assert!(said.contains(told), "{said}");
}

/// Whatever kinds of objects it may hide.
#[rstest]
#[case::diagnose("diagnose")]
#[case::explain("explain")]
#[case::health("health")]
#[case::installed("installed")]
#[case::review("review")]
#[case::upgrades("upgrades ferry")]
fn a_document_that_cannot_be_read_is_told_once(#[case] question: &str) {
    let folder = TempFolder::empty();
    let demo = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../deploy/demo/cluster/ferry.yaml"
    );
    std::fs::copy(demo, folder.join("ferry.yaml")).expect("the demo is there");
    std::fs::write(folder.join("wreck.yaml"), "a: [\n").expect("the folder takes files");
    let said = transcript(&mut portolan(&format!(
        "{question} --world {}",
        folder.display()
    )));
    let is_told = |line: &&str| line.contains("warning: ") && line.contains("unclosed bracket");
    assert_eq!(said.lines().filter(is_told).count(), 1, "{said}");
}

/// The nearest flag would have a cluster changed.
#[test]
fn a_slip_of_the_pen_leads_to_no_flag_that_writes() {
    let said = transcript(&mut portolan("explain --take-ver"));
    let wanted = "error: unexpected argument '--take-ver' found";
    assert!(said.contains(wanted), "{said}");
    assert!(!said.contains("--take-over"), "{said}");
}

#[test]
fn the_old_spelling_of_a_graph_warns() {
    let old = transcript(&mut portolan(&format!(
        "graph --catalog {FERRY} --package ferry"
    )));
    assert!(
        old.contains("warning: `graph --package ferry` is an old spelling"),
        "{old}"
    );
    assert!(old.ends_with("[exit 0]"), "{old}");
}
