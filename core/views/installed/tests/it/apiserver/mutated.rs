//! Tests of random requests.

use fastrand::Rng;
use portolan_core_installed::apiserver::{Attributes, FrontProxy, Request};

use crate::apiserver::world::{ALL, HARBOR, PARTIAL, TABLE, answered, harbor};

const ROUNDS: usize = 20_000;

/// The valid response codes. Any other code shows a bug.
const CODES: [u16; 9] = [200, 301, 304, 400, 404, 405, 406, 410, 422];

fn seeds() -> Vec<String> {
    let version = "clusterserviceversions%3A8%2Cnamespaces%3A5%2Coperatorgroups%3A6%2Coperators%3A0%2Cresourcemanifests%3A0%2Csubscriptions%3A7";
    vec![
        format!(
            "{ALL}?limit=500&labelSelector=ships+in+(yes%2Cno)%2C!x&fieldSelector=metadata.name%3Dferry.v1.0.0"
        ),
        format!(
            "{HARBOR}?watch=true&resourceVersion={version}&allowWatchBookmarks=1&timeoutSeconds=30"
        ),
        format!(
            "{HARBOR}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion="
        ),
        format!("{HARBOR}/ferry.v1.0.0%3Aolm?includeObject=Object&pretty=true"),
        format!("{ALL}?continue=eyJ2IjoiIiwibnMiOiIiLCJuYW1lIjoiIn0&limit=1&resourceVersion=0"),
        "/openapi/v3/apis/packages.operators.coreos.com/v2alpha1?hash=A".to_owned(),
        "/apis/packages.operators.coreos.com/v2alpha1".to_owned(),
    ]
}

fn mutated(text: &str, random: &mut Rng) -> String {
    let mut chars: Vec<_> = text.chars().collect();
    for _ in 0..random.usize(1..6) {
        let at = random.usize(0..chars.len() + 1);
        match random.u8(0..5) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 => chars.insert(
                at,
                *random
                    .choice(['%', '/', '?', '&', '=', ',', ':', '\\', '+'])
                    .as_ref()
                    .unwrap_or(&'%'),
            ),
            2 => chars.insert(at, random.char(..)),
            3 => chars.truncate(at),
            _ => {
                let copy: Vec<_> = chars[at..].iter().take(9).copied().collect();
                chars.splice(at..at, copy);
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn random_requests_get_a_valid_response() {
    let (index, seeds) = (harbor(), seeds());
    let mut random = Rng::with_seed(30);
    let methods = [
        "GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "LIST", "",
    ];
    for _ in 0..ROUNDS {
        let seed = &seeds[random.usize(..seeds.len())];
        let target = mutated(seed, &mut random);
        let accept = [TABLE, PARTIAL, "*/*", ""][random.usize(..4)];
        let accept = if random.bool() {
            mutated(accept, &mut random)
        } else {
            accept.to_owned()
        };
        let method = methods[random.usize(..methods.len())];
        let answer = answered(&index, method, &target, &[&accept]);
        assert!(
            CODES.contains(&answer.code),
            "{} of {method} {target:?}",
            answer.code
        );
    }
}

#[test]
fn authorization_checks_the_namespace_of_the_path() {
    let mut random = Rng::with_seed(31);
    let seeds = seeds();
    for _ in 0..ROUNDS {
        let target = mutated(&seeds[random.usize(..seeds.len())], &mut random);
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let Ok(request) = Request::parse("GET", path, query) else {
            continue;
        };
        let asked = request.attributes();
        // The caller is authorized only for the namespace in the path of the request.
        if let Some(Attributes::Resource { namespace, .. }) = &asked {
            assert_eq!(
                namespace.is_empty(),
                !path.contains("/namespaces/"),
                "{path}"
            );
        }
    }
}

#[test]
fn random_user_headers_are_parsed() {
    let data = [
        ("requestheader-client-ca-file", "x"),
        ("requestheader-username-headers", r#"["X-Remote-User"]"#),
        (
            "requestheader-extra-headers-prefix",
            r#"["X-Remote-Extra-"]"#,
        ),
    ];
    let data = data.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let proxy = FrontProxy::parse(&data.into()).expect("a sufficient configuration");
    let mut random = Rng::with_seed(32);
    for _ in 0..ROUNDS {
        let name = mutated("x-remote-extra-a%2fb", &mut random);
        let value = mutated("mate", &mut random);
        let headers = [("x-remote-user", "mate"), (&*name, &*value)];
        let caller = proxy.caller(headers).expect("a caller");
        assert_eq!(caller.user, "mate");
    }
}
