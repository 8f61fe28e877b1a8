//! Tests of invalid arguments. The program prints one sentence with the remedy, and returns the
//! right exit code.

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{FERRY, ferry_upgrades, in_demo, portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver, ferry_resolver};

const QUESTION: &str = "upgrades ferry --from ferry.v1.0.0";

#[test]
fn suggests_the_most_similar_package() {
    let line = format!("upgrades --catalog {FERRY} fery --from ferry.v1.0.0");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: catalog demo has no package fery; did you mean ferry?
    [exit 2]
    "#);
}

#[test]
fn suggests_nothing_for_a_dissimilar_package() {
    let line = format!("upgrades --catalog {FERRY} zebra --from ferry.v1.0.0");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: catalog demo has no package zebra
    [exit 2]
    "#);
}

#[test]
fn names_argument_and_column_of_invalid_package() {
    let line = format!("upgrades --catalog {FERRY} Ferry --from ferry.v1.0.0");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: <PACKAGE>: "Ferry" is not a package name: at column 1, "F" is not a lower-case letter, digit, hyphen or dot
    [exit 2]
    "#);
}

#[test]
fn names_flag_of_invalid_version() {
    let line = "--from ferry.v1.0.5 --installed-version nine";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: --installed-version: "nine" is not a version: at column 1, "n" is not a digit
    [exit 2]
    "#);
}

#[test]
fn lists_known_channels() {
    let line = "--from ferry.v1.0.0 --channel stabel";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: package ferry has no channel stabel; it has candidate, stable
    [exit 2]
    "#);
}

#[test]
fn lists_known_catalogs() {
    let line = "--from ferry.v1.0.0 --in prod";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: catalog prod not found; available catalogs: demo
    [exit 2]
    "#);
}

#[test]
fn requires_catalog_if_several_have_package() {
    let line = "--catalog other=tests/fixtures/catalogs --from ferry.v1.0.0";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stderr]
    error: --in: package ferry is in several catalogs of the same priority; select one catalog: demo, other
    [exit 2]
    "#);
}

#[test]
fn names_missing_folder() {
    let line = format!("{QUESTION} --catalog demo=./nowhere");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: cannot read catalog demo: cannot read ./nowhere: No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn rejects_catalog_without_name() {
    let line = format!("{QUESTION} --catalog ./catalogs/demo");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: invalid value './catalogs/demo' for '--catalog <NAME=PLACE>': `./catalogs/demo` is not NAME=PLACE, such as demo=./catalogs/demo

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn rejects_duplicate_catalog() {
    let line = format!("{QUESTION} --catalog {FERRY} --catalog {FERRY}");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: catalog demo is given twice; use another name for each --catalog
    [exit 2]
    "#);
}

#[test]
fn requires_source_of_facts() {
    let output = transcript(&mut portolan(QUESTION));
    let start = "[stderr]\nerror: no cluster found; use --catalog NAME=PLACE to read a catalog, --world DIR to read a dump, or --server URL to query a running resolver: ";
    assert!(output.starts_with(start), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn reports_missing_kubeconfig_once() {
    let output = transcript(portolan("diagnose").env("HOME", "/nonexistent"));
    assert_eq!(output.matches("No such file").count(), 1, "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn rejects_pipe_as_world() {
    let output = transcript(&mut portolan("diagnose --world -"));
    assert!(
        output.contains("cannot read a pipe, because the input is read more than once"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn rejects_unsupported_kind() {
    let output = transcript(&mut portolan("diagnose deploy/ferry --world deploy/demo"));
    assert!(
        output.contains("`deploy` is not a supported kind"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[rstest]
#[case::a_policy(
    "explain plan/ferry",
    "error: this command does not support the kind of plan/ferry; use operatorpolicy/NAME"
)]
#[case::a_plan(
    "review sub/ferry",
    "error: this command does not support the kind of sub/ferry; use installplan/NAME"
)]
fn suggests_a_kind_that_the_command_supports(#[case] line: &str, #[case] sentence: &str) {
    let output = transcript(&mut portolan(&format!("{line} --world deploy/demo")));
    assert!(output.contains(sentence), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

/// The answer is unknown: the version of the installed bundle is unknown, so a skip range might
/// contain the version.
#[test]
fn bundle_missing_from_catalog_gives_exit_code_3() {
    let output = transcript(&mut ferry_upgrades("--from fery.v1.0.0"));
    assert!(output.contains("did you mean ferry.v1.0.0?"), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

/// An unreadable document may contain updates. If the command finds no update, it exits with 3.
#[rstest]
#[case::an_update("upgrades ferry --from ferry.v2.0.0", 3)]
#[case::a_head_beyond("path ferry --from ferry.v1.2.0", 3)]
#[case::a_visible_update("upgrades ferry --from ferry.v1.0.0", 0)]
fn unreadable_document_may_hide_updates(#[case] question: &str, #[case] exit: u8) {
    let folder = TempFolder::empty();
    let ferry = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/catalogs/ferry/catalog.yaml"
    );
    std::fs::copy(ferry, folder.join("catalog.yaml")).expect("the fixture must exist");
    std::fs::write(folder.join("wreck.yaml"), "a: [\n").expect("the folder must be writable");
    let output = transcript(&mut in_demo(&folder, question));
    assert!(
        output.contains("Syntax: wreck.yaml:1: not YAML"),
        "{output}"
    );
    assert!(output.ends_with(&format!("[exit {exit}]")), "{output}");
}

/// The message contains the address of the API server, which refuses the connection.
#[test]
fn names_unreachable_api_server() {
    let folder = TempFolder::empty();
    let file = folder.join("kubeconfig");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: a\n\
                clusters: [{name: a, cluster: {server: \"http://127.0.0.1:1\"}}]\n\
                users: [{name: a, user: {}}]\n\
                contexts: [{name: a, context: {cluster: a, user: a}}]\n";
    std::fs::write(&file, text).expect("the folder must be writable");
    let output = transcript(portolan("upgrades").env("KUBECONFIG", &file));
    let wanted = "the API server cannot be queried: http://127.0.0.1:1/: Connection refused";
    assert!(output.contains(wanted), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

/// An argument that begins with a dash is parsed as a flag.
#[test]
fn reports_unknown_flag() {
    let output = transcript(&mut portolan("catalog check --package ferry"));
    assert!(
        output.contains("unexpected argument '--package'"),
        "{output}"
    );
    assert!(!output.contains("as a value"), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn dump_requires_new_folder() {
    let top = TempFolder::empty();
    std::fs::write(top.join("mine"), "").expect("a file");
    let output = transcript(portolan("dump").arg(&*top));
    let wanted = format!("error: folder {} is not empty", top.display());
    assert!(output.contains(&wanted), "{output}");
    assert!(
        output.ends_with(" is not empty; use a new folder\n[exit 2]"),
        "{output}"
    );

    let output = transcript(portolan("dump").arg(top.join("dump")));
    let start = "[stderr]\nerror: no cluster found; ";
    assert!(output.starts_with(start), "{output}");
    let left: Vec<_> = std::fs::read_dir(&*top).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing is left: {left:?}");
}

#[test]
fn rejects_catalog_with_server() {
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
fn requires_installed_bundle() {
    assert_snapshot!(transcript(&mut ferry_upgrades("")), @"
    [stderr]
    error: installed bundle of package ferry missing; use --from BUNDLE with one of ferry.v2.0.0, ferry.v1.2.0, ferry.v1.1.0, ferry.v1.0.0
    [exit 2]
    ");
    assert_snapshot!(transcript(&mut portolan("upgrades --from ferry.v1.0.0")), @"
    [stderr]
    error: --from ferry.v1.0.0: package missing; use PACKAGE --from ferry.v1.0.0
    [exit 2]
    ");
    let everything = portolan(&format!("upgrades --catalog {FERRY}"));
    assert_snapshot!(transcript(&mut { everything }), @"
    [stderr]
    error: --catalog reads only catalogs, which do not contain installed operators; use PACKAGE --from BUNDLE, or --world DIR
    [exit 2]
    ");
    assert_snapshot!(transcript(&mut portolan("path")), @"
    [stderr]
    error: name missing: use `path NAME` for an installed operator, or `path PACKAGE --from BUNDLE` for a bundle
    [exit 2]
    ");
}

#[test]
fn rejects_resolver_without_health_api() {
    let resolver = Resolver::start(&mut ferry_resolver());
    let output = transcript(portolan("upgrades ferry").args(["--server", &resolver.url()]));
    assert_snapshot!(output, @"
    [stderr]
    error: the server has no health service, so installed operators are unknown; use PACKAGE --from BUNDLE, or --world DIR
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
fn accepts_old_spellings_with_warning(#[case] old: &str, #[case] new: &str) {
    let run_line = |line: &str| transcript(&mut portolan(&format!("{line} --catalog {FERRY}")));
    let (old, new) = (run_line(old), run_line(new));
    assert!(old.starts_with(&*new.replace("[exit 0]", "")), "{old}");
    assert!(
        old.contains("deprecated, and will be removed in the next version; use "),
        "{old}"
    );
}

#[test]
fn suggests_the_most_similar_command() {
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
fn rejects_invalid_log_filter() {
    assert_snapshot!(transcript(ferry_upgrades("--from ferry.v1.0.0 --log").arg("=!")), @r#"
    [stderr]
    error: `=!` is not a log filter; use a level such as `debug`, or `warn,portolan=debug`
    [exit 2]
    "#);
}

#[test]
fn rejects_misspelled_log_level() {
    assert_snapshot!(transcript(&mut ferry_upgrades("--from ferry.v1.0.0 --log debgu")), @r#"
    [stderr]
    error: `debgu` is not a log filter; use a level such as `debug`, or `warn,portolan=debug`
    [exit 2]
    "#);
}

#[test]
fn rejects_host_name_as_listen_address() {
    let line = format!("serve resolver --catalog {FERRY} --listen localhost:50051");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: invalid value 'localhost:50051' for '--listen <ADDRESS>': `localhost:50051` is not an IP address with a port, such as 127.0.0.1:50051 or [::]:50051

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn rejects_invalid_duration() {
    let line = format!("serve resolver --catalog {FERRY} --drain-timeout 30x");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: invalid value '30x' for '--drain-timeout <DURATION>': `30x` is not a duration such as 500ms, 30s or 1h30m

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn resolver_requires_catalog_or_cluster() {
    let output = transcript(&mut portolan(&format!("serve resolver {ANY_PORT}")));
    let error = "error: no catalogs to serve: use --catalog NAME=PLACE, --world PATH, or select a \
     cluster";
    assert!(output.contains(error), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[rstest]
#[case::without_host("resolver")]
#[case::of_another_protocol("grpc://127.0.0.1:50051")]
fn rejects_invalid_server_url(#[case] url: &str) {
    let error = format!("`{url}` is not the URL of a server, such as http://127.0.0.1:50051");
    assert_eq!(
        transcript(portolan(QUESTION).args(["--server", url])),
        format!("[stderr]\nerror: {error}\n[exit 2]")
    );
}

#[rstest]
#[case::without_authorities(
    "--server https://127.0.0.1:50051",
    "`https://127.0.0.1:50051` uses TLS; give the certificate authorities of the server with --ca \
     FILE"
)]
#[case::a_token_for_all_to_read(
    "--server http://127.0.0.1:50051 --token-file token",
    "tokens are sent only to https:// servers, but `http://127.0.0.1:50051` is not an https:// URL"
)]
fn rejects_unsafe_connection_to_server(#[case] flags: &str, #[case] error: &str) {
    let output = transcript(&mut portolan(&format!("{QUESTION} {flags}")));
    assert_eq!(output, format!("[stderr]\nerror: {error}\n[exit 2]"));
}

#[rstest]
#[case::no_certificate(
    "serve health --tls nowhere --world deploy/demo",
    "cannot serve TLS (--tls): cannot read nowhere/tls.crt; a Secret of type kubernetes.io/tls has tls.crt and tls.key"
)]
#[case::tokens_in_the_clear(
    "serve health --authorize --kubeconfig CONFIG --listen 0.0.0.0:0",
    "--authorize requires tokens, so --tls is required unless only this machine can connect"
)]
fn rejects_unsafe_settings_of_server(#[case] line: &str, #[case] error: &str) {
    let folder = TempFolder::empty();
    let config = folder.join("config");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: a\n\
                clusters: [{name: a, cluster: {server: \"http://127.0.0.1:1\"}}]\n\
                contexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: {}}]\n";
    std::fs::write(&config, text).expect("a file");
    let line = line.replace("CONFIG", &config.display().to_string());
    let output = transcript(&mut portolan(&line));
    assert!(output.contains(error), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn error_exit_code_survives_closed_pipe() {
    let (reader, writer) = std::io::pipe().expect("a pipe must open");
    drop(reader);
    let status = portolan(QUESTION).stderr(writer).status();
    assert_eq!(status.expect("the program must run").code(), Some(2));
}

#[test]
fn errors_leave_standard_output_empty() {
    assert!(run(&mut portolan(QUESTION)).stdout.is_empty());
}

#[test]
fn rejects_folder_without_catalog_files() {
    let folder = portolan_kit::TempFolder::empty();
    let mut asked = portolan("upgrades --catalog demo=. ferry --from ferry.v1.0.0");
    assert_snapshot!(transcript(asked.current_dir(&folder)), @r#"
    [stderr]
    error: cannot read catalog demo: no catalog file found in .; names of catalog files end in .yaml, .yml, .json or .jsonl, optionally followed by .gz
    [exit 2]
    "#);
}

#[rstest]
#[case::diagnose("diagnose")]
#[case::explain("explain")]
#[case::packages("packages")]
fn warns_about_catalog_without_object(#[case] question: &str) {
    let content = "deploy/demo/catalogsources/olm/coastal";
    let line = format!("{question} --world deploy/demo --catalog olm/costal={content}");
    let output = transcript(&mut portolan(&line));
    let expected = "warning: CatalogSource or ClusterCatalog olm/costal of --catalog not found; \
                did you mean olm/coastal?\n";
    assert!(output.contains(expected), "{output}");
}

/// The program prints only one warning about an unreadable document, although the document may
/// contain objects of several kinds.
#[rstest]
#[case::diagnose("diagnose")]
#[case::explain("explain")]
#[case::health("health")]
#[case::installed("installed")]
#[case::review("review")]
#[case::upgrades("upgrades ferry")]
fn warns_once_about_unreadable_document(#[case] question: &str) {
    let folder = TempFolder::empty();
    let demo = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../deploy/demo/cluster/ferry.yaml"
    );
    std::fs::copy(demo, folder.join("ferry.yaml")).expect("the demo must exist");
    std::fs::write(folder.join("wreck.yaml"), "a: [\n").expect("the folder must be writable");
    let output = transcript(&mut portolan(&format!(
        "{question} --world {}",
        folder.display()
    )));
    let is_warning = |line: &&str| line.contains("warning: ") && line.contains("unclosed bracket");
    assert_eq!(output.lines().filter(is_warning).count(), 1, "{output}");
}

/// The most similar flag would change a cluster, so the error does not suggest it.
#[test]
fn never_suggests_a_flag_that_writes() {
    let output = transcript(&mut portolan("explain --take-ver"));
    let wanted = "error: unexpected argument '--take-ver' found";
    assert!(output.contains(wanted), "{output}");
    assert!(!output.contains("--take-over"), "{output}");
}

#[test]
fn warns_about_old_spelling_of_graph() {
    let old = transcript(&mut portolan(&format!(
        "graph --catalog {FERRY} --package ferry"
    )));
    assert!(
        old.contains("warning: `graph --package ferry` is deprecated"),
        "{old}"
    );
    assert!(old.ends_with("[exit 0]"), "{old}");
}
