use rstest::rstest;

use super::*;

fn data() -> BTreeMap<String, String> {
    let data = [
        ("client-ca-file", "users"),
        ("requestheader-client-ca-file", "servers"),
        ("requestheader-allowed-names", r#"["front-proxy-client"]"#),
        (
            "requestheader-username-headers",
            r#"["X-Remote-User","X-User"]"#,
        ),
        ("requestheader-group-headers", r#"["X-Remote-Group"]"#),
        (
            "requestheader-extra-headers-prefix",
            r#"["X-Remote-Extra-"]"#,
        ),
    ];
    data.map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

fn proxy() -> FrontProxy {
    FrontProxy::parse(&data()).expect("a complete configuration")
}

fn caller(user: &str, groups: &[&str]) -> Option<Caller> {
    Some(Caller {
        user: user.to_owned(),
        groups: groups.iter().map(|&group| group.to_owned()).collect(),
        ..Caller::default()
    })
}

#[rstest]
#[case::with_groups(
    &[("x-remote-user", "mate"), ("x-remote-group", "crew"), ("x-remote-group", "a,b")],
    caller("mate", &["crew", "a,b", "system:authenticated"])
)]
#[case::an_api_server_for_itself(
    &[("x-remote-user", "system:kube-aggregator")],
    caller("system:kube-aggregator", &["system:authenticated"])
)]
#[case::without_a_user(&[("x-remote-group", "system:masters")], None)]
#[case::with_an_empty_user(&[("x-remote-user", ""), ("x-remote-group", "system:masters")], None)]
#[case::the_first_of_two(
    &[("x-remote-user", "mate"), ("x-remote-user", "captain")],
    caller("mate", &["system:authenticated"])
)]
#[case::the_first_header_of_two(
    &[("x-user", "captain"), ("x-remote-user", "mate")],
    caller("mate", &["system:authenticated"])
)]
#[case::an_anonymous_user(
    &[("x-remote-user", "system:anonymous"), ("x-remote-group", "system:unauthenticated")],
    caller("system:anonymous", &["system:unauthenticated"])
)]
#[case::an_ignored_uid(
    &[("x-remote-user", "mate"), ("x-remote-uid", "1")],
    caller("mate", &["system:authenticated"])
)]
fn reads_caller_from_headers_of_the_api_server(
    #[case] headers: &[(&str, &str)],
    #[case] expected: Option<Caller>,
) {
    assert_eq!(proxy().caller(headers.iter().copied()), expected);
}

#[test]
fn extra_attributes_are_decoded() {
    let credential = "x-remote-extra-authentication.kubernetes.io%2fcredential-id";
    let headers = [
        ("x-remote-user", "mate"),
        (credential, "one"),
        (credential, "two"),
    ];
    let extra = proxy().caller(headers).expect("a caller").extra;
    let values = vec!["one".to_owned(), "two".to_owned()];
    let expected = [(
        "authentication.kubernetes.io/credential-id".to_owned(),
        values,
    )];
    assert_eq!(extra, expected.into());
}

#[test]
fn checks_allowed_names_of_the_proxy() {
    let proxy = proxy();
    assert!(proxy.allows("front-proxy-client"));
    assert!(!proxy.allows("admin") && !proxy.allows(""));
    let mut data = data();
    data.insert("requestheader-allowed-names".to_owned(), "[]".to_owned());
    let any = FrontProxy::parse(&data).expect("a complete configuration");
    assert!(any.allows("anybody"));
}

#[rstest]
#[case::no_authority("requestheader-client-ca-file", "", NoFrontProxy::NoAuthority)]
#[case::no_user("requestheader-username-headers", "[]", NoFrontProxy::NoUserHeader)]
#[case::no_list(
    "requestheader-allowed-names",
    "front-proxy-client",
    NoFrontProxy::NoList("requestheader-allowed-names")
)]
fn rejects_incomplete_proxy_configuration(
    #[case] key: &str,
    #[case] value: &str,
    #[case] expected: NoFrontProxy,
) {
    let mut data = data();
    data.insert(key.to_owned(), value.to_owned());
    assert_eq!(FrontProxy::parse(&data), Err(expected));
}

#[rstest]
#[case::user("captain", "user \"captain\"")]
#[case::service_account(
    "system:serviceaccount:harbor:pilot",
    "the group of ServiceAccounts in namespace \"harbor\""
)]
#[case::component(
    "system:kube-controller-manager",
    "user \"system:kube-controller-manager\""
)]
#[case::odd(
    "system:serviceaccount:harbor",
    "user \"system:serviceaccount:harbor\""
)]
fn service_accounts_of_the_same_namespace_are_one_tenant(
    #[case] user: &str,
    #[case] expected: &str,
) {
    let caller = Caller::of_certificate(user, []);
    assert_eq!(caller.tenant().to_string(), expected);
}
