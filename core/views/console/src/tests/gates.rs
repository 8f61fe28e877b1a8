//! Tests of the checks that accept or reject requests.

use rstest::rstest;

use crate::{Asked, Gate, Refused, VisitorState};

const HOST: &str = "127.0.0.1:8080";
const OURS: &str = "http://127.0.0.1:8080";

fn read(host: &str) -> Asked<'_> {
    Asked {
        method: "GET",
        host: Some(host),
        origin: None,
        site: None,
    }
}

fn sent<'a>(origin: Option<&'a str>, site: Option<&'a str>) -> Asked<'a> {
    Asked {
        method: "POST",
        host: Some(HOST),
        origin,
        site,
    }
}

#[rstest]
#[case::by_its_address(read(HOST), Ok(()))]
#[case::by_its_name(read("LocalHost:8080"), Ok(()))]
#[case::by_the_new_address(read("[::1]:8080"), Ok(()))]
#[case::host_name_of_another_server(read("evil.test:8080"), Err(Refused::Host))]
#[case::by_another_port(read("127.0.0.1:80"), Err(Refused::Host))]
#[case::without_a_port(read("localhost"), Err(Refused::Host))]
#[case::by_a_name_within_a_name(read("localhost:8080.evil.test"), Err(Refused::Host))]
#[case::by_no_name(Asked { host: None, ..read(HOST) }, Err(Refused::Host))]
#[case::in_another_way(Asked { method: "DELETE", ..read(HOST) }, Err(Refused::Method))]
#[case::a_form_of_ours(sent(Some(OURS), Some("same-origin")), Ok(()))]
#[case::of_an_older_browser(sent(Some(OURS), None), Ok(()))]
#[case::of_a_page_elsewhere(
    sent(Some("http://evil.test"), Some("cross-site")),
    Err(Refused::Origin)
)]
#[case::of_the_same_machine(
    sent(Some("http://127.0.0.1:9090"), Some("same-site")),
    Err(Refused::Origin)
)]
#[case::of_another_name_of_ours(sent(Some("http://localhost:8080"), None), Err(Refused::Origin))]
#[case::of_another_scheme(sent(Some("https://127.0.0.1:8080"), None), Err(Refused::Origin))]
#[case::of_no_page(sent(Some("null"), None), Err(Refused::Origin))]
#[case::without_an_origin(sent(None, None), Err(Refused::Origin))]
#[case::with_contradicting_headers(sent(Some(OURS), Some("cross-site")), Err(Refused::Origin))]
fn request_is_accepted_or_rejected_by_its_headers(
    #[case] asked: Asked<'_>,
    #[case] answer: Result<(), Refused>,
) {
    assert_eq!(Gate::of_loopback(8080).lets(&asked), answer);
}

#[rstest]
#[case::of_a_visitor(VisitorState::Known, true, Ok(()))]
#[case::without_the_token_of_a_page(VisitorState::Known, false, Err(Refused::Token))]
#[case::of_a_stranger(VisitorState::Stranger, true, Err(Refused::Stranger))]
fn form_is_accepted_only_with_a_token(
    #[case] standing: VisitorState,
    #[case] has_token: bool,
    #[case] answer: Result<(), Refused>,
) {
    assert_eq!(Gate::takes_form(standing, has_token), answer);
}

#[test]
fn accepts_the_configured_host_behind_tls() {
    let gate = Gate::of_hosts(["Console.example.test".to_owned()]);
    let asked = Asked {
        method: "POST",
        host: Some("console.example.test"),
        origin: Some("https://console.example.test"),
        site: Some("same-origin"),
    };
    assert_eq!(gate.lets(&asked), Ok(()));
    assert_eq!(gate.lets(&read("127.0.0.1:8080")), Err(Refused::Host));
}
