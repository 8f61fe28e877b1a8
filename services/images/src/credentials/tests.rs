use rstest::rstest;

use super::*;

const CONFIG: &str = r#"{
  "auths": {
    "https://index.docker.io/v1/": {"auth": "aHViOnNlY3JldA=="},
    "quay.io": {"auth": "d2hvbGU6c2VjcmV0"},
    "quay.io/ferry": {"auth": "ZmVycnk6c2U6Y3JldA"},
    "quay.io/ferry/bundle": {"username": "bundle", "password": "secret"},
    "r.example:5000": {"identitytoken": "it"},
    "t.example": {"registrytoken": "rt", "auth": "eDp5"},
    "*.corp.example": {"auth": "c3RhcjpzZWNyZXQ="},
    "a.corp.example": {"auth": "YTpzZWNyZXQ="},
    "empty.example": {}
  },
  "credHelpers": {"helped.example": "ecr-login"}
}"#;

fn password(user: &str, password: &str) -> Option<Login> {
    Some(Login::Password {
        user: user.to_owned(),
        password: password.to_owned(),
    })
}

fn of(repository: &str) -> Repository {
    Repository::parse(repository).expect("a repository")
}

#[rstest]
#[case::of_docker_itself("docker.io/a/b", password("hub", "secret"))]
#[case::of_a_registry("quay.io/other/bundle", password("whole", "secret"))]
#[case::of_a_path("quay.io/ferry/index", password("ferry", "se:cret"))]
#[case::of_the_longest_path("quay.io/ferry/bundle", password("bundle", "secret"))]
#[case::of_no_path_that_only_begins_so("quay.io/ferry2/a", password("whole", "secret"))]
#[case::of_a_port("r.example:5000/a", Some(Login::Identity("it".to_owned())))]
#[case::of_no_other_port("r.example/a", None)]
#[case::that_is_a_token("t.example/a", Some(Login::Registry("rt".to_owned())))]
#[case::of_a_pattern("b.corp.example/a", password("star", "secret"))]
#[case::of_a_name_before_a_pattern("a.corp.example/a", password("a", "secret"))]
#[case::of_a_pattern_for_one_label("a.b.corp.example/a", None)]
#[case::of_nothing("empty.example/a", None)]
#[case::of_an_unknown_registry("other.example/a", None)]
fn login_of_the_most_specific_scope_is_used(
    #[case] repository: &str,
    #[case] expected: Option<Login>,
) {
    let credentials = Credentials::of_docker_config(CONFIG.as_bytes()).expect("a config");
    let found = credentials.login(&of(repository)).expect("no helper");
    assert_eq!(found.cloned(), expected);
}

#[rstest]
#[case::for_one_registry(CONFIG, "helped.example/a", "helped.example", "ecr-login")]
#[case::for_all(
    r#"{"auths": {"quay.io": {}}, "credsStore": "desktop"}"#,
    "quay.io/a",
    "quay.io",
    "desktop"
)]
fn login_in_a_credential_helper_is_rejected_with_a_remedy(
    #[case] config: &str,
    #[case] repository: &str,
    #[case] scope: &str,
    #[case] helper: &str,
) {
    let credentials = Credentials::of_docker_config(config.as_bytes()).expect("a config");
    let refused = credentials.login(&of(repository)).expect_err("a helper");
    assert_eq!(
        refused.to_string(),
        format!(
            "the credential helper {helper:?} keeps the login for {scope}, but Portolan does not \
             run credential helpers; to write the login into a file, run `podman login --authfile \
             FILE {scope}`"
        )
    );
}

#[test]
fn store_without_a_login_for_the_registry_is_ignored() {
    let config = br#"{"auths": {"quay.io": {}}, "credsStore": "desktop"}"#;
    let credentials = Credentials::of_docker_config(config).expect("a config");
    assert_eq!(credentials.login(&of("other.example/a")), Ok(None));
}

#[test]
fn first_of_two_files_is_used() {
    let [first, second] = [r#"{"auths": {"a.io": {"auth": "YTox"}}}"#; 2];
    let second = second
        .replace("YTox", "YToy")
        .replace("{\"a.io\"", "{\"b.io\": {\"auth\": \"Yjox\"}, \"a.io\"");
    let read = |text: &str| Credentials::of_docker_config(text.as_bytes()).expect("a config");
    let both = read(first).and(read(&second));
    let login = |repository| both.login(&of(repository)).expect("no helper").cloned();
    assert_eq!(login("a.io/x"), password("a", "1"));
    assert_eq!(login("b.io/x"), password("b", "1"));
}

#[rstest]
#[case::of_today(
    DOCKER_CONFIG,
    ".dockerconfigjson",
    r#"{"auths": {"a.io": {"auth": "YTox"}}}"#
)]
#[case::of_old(DOCKER_CFG, ".dockercfg", r#"{"https://a.io": {"auth": "YTox"}}"#)]
fn pull_secret_formats_are_supported(#[case] kind: &str, #[case] key: &str, #[case] value: &str) {
    let data = BTreeMap::from([(key.to_owned(), value.as_bytes().to_vec())]);
    let credentials = Credentials::of_pull_secret(kind, &data).expect("a Secret");
    let login = credentials.login(&of("a.io/x")).expect("no helper");
    assert_eq!(login.cloned(), password("a", "1"));
}

#[rstest]
#[case::another_type(
    "Opaque",
    "{}",
    "a Secret of type \"Opaque\" contains no logins; use type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg"
)]
#[case::another_key(DOCKER_CFG, "{}", "the Secret has no .dockercfg")]
#[case::no_config(
    DOCKER_CONFIG,
    "user:secret",
    "the content is not a config.json of Docker"
)]
#[case::no_base64(
    DOCKER_CONFIG,
    r#"{"auths": {"a.io": {"auth": "se-cret"}}}"#,
    "the login for \"a.io\" cannot be read: its auth is not base64"
)]
#[case::no_password(
    DOCKER_CONFIG,
    r#"{"auths": {"a.io": {"auth": "c2VjcmV0"}}}"#,
    "the login for \"a.io\" cannot be read: its auth has no colon between a name and a password"
)]
fn pull_secret_without_logins_is_refused_without_its_content(
    #[case] kind: &str,
    #[case] config: &str,
    #[case] expected: &str,
) {
    let data = BTreeMap::from([(".dockerconfigjson".to_owned(), config.as_bytes().to_vec())]);
    let refused = Credentials::of_pull_secret(kind, &data).expect_err("no logins");
    assert_eq!(refused.to_string(), expected);
}

#[test]
fn debug_output_contains_no_secret() {
    let credentials = Credentials::of_docker_config(CONFIG.as_bytes()).expect("a config");
    let shown = format!("{credentials:?}");
    for secret in ["secret", "se:cret", "\"it\"", "\"rt\""] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
