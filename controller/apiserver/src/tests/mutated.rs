//! Tests with random changes in the bytes of requests.

use std::time::Duration;

use fastrand::Rng;
use futures::{StreamExt, stream};
use portolan_kit::Vouched;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::client::code;
use super::pier::{ALL, HARBOR, Pier};

const REQUESTS: usize = 5_000;

/// The status codes that a response may have. Some are sent by the HTTP library, before the request
/// reaches this server.
const CODES: [u16; 13] = [
    200, 301, 400, 401, 403, 404, 405, 406, 410, 414, 422, 431, 504,
];

fn seeds() -> [String; 4] {
    let head = "HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: mate\r\nX-Remote-Group: crew\r\n\
                Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\nConnection: close\r\n\r\n";
    [
        format!("GET {ALL}?limit=1&labelSelector=a%3Db {head}"),
        format!("GET {HARBOR}/ferry.v1.0.0 {head}"),
        format!("GET {HARBOR}?watch=true&timeoutSeconds=1&resourceVersion=0 {head}"),
        format!("GET /apis {head}"),
    ]
}

fn mutated(seed: &str, random: &mut Rng) -> Vec<u8> {
    let mut bytes = seed.as_bytes().to_vec();
    // The last bytes are not changed, so that each request is complete.
    let room = bytes.len() - 4;
    for _ in 0..random.usize(1..5) {
        let at = random.usize(..room);
        bytes[at] = match random.u8(0..4) {
            0 => b'%',
            1 => b' ',
            2 => random.u8(b'!'..b'~'),
            _ => random.u8(..),
        };
    }
    bytes
}

/// The number of simultaneous requests.
const TOGETHER: usize = 32;

/// Sends a request and returns the status code of the response. Returns 0 if the server closes the
/// connection without a response. Returns None if there is no response in time, for example because
/// the request announces a body that is not sent.
async fn answered(pier: &Pier, front: &Vouched, request: &[u8]) -> Option<u16> {
    let mut client = pier.client(Some(front)).await;
    client.stream.write_all(request).await.expect("a request");
    let mut head = [0; 12];
    let read = client.stream.read_exact(&mut head);
    let read = timeout(Duration::from_secs(4), read).await;
    let is_answered = read.ok()?.is_ok();
    Some(if is_answered {
        code(&String::from_utf8_lossy(&head))
    } else {
        0
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn mutated_requests_get_a_response_and_affect_no_other_requests() {
    let pier = Pier::open().await;
    let front = pier.servers.admit("front-proxy-client", &[]);
    let (mut random, seeds) = (Rng::with_seed(33), seeds());
    let requests = (0..REQUESTS).map(|_| {
        let seed = &seeds[random.usize(..seeds.len())];
        mutated(seed, &mut random)
    });
    let requests: Vec<_> = requests.collect();
    let codes = stream::iter(&requests).map(async |request| {
        let code = answered(&pier, &front, request).await;
        let request = String::from_utf8_lossy(request);
        assert!(
            code.is_none_or(|code| CODES.contains(&code)),
            "{code:?} of {request:?}"
        );
        code
    });
    let codes: Vec<_> = codes.buffer_unordered(TOGETHER).collect().await;
    let answered = codes.iter().flatten().count();
    let refused = codes.iter().flatten().filter(|code| **code >= 400).count();
    assert!(answered > REQUESTS * 9 / 10, "{answered}");
    assert!(refused > REQUESTS / 20 && refused < answered, "{refused}");
    let mut client = pier.front().await;
    let response = client
        .asks("GET", HARBOR, &[("X-Remote-User", "harbor")])
        .await;
    assert_eq!(response.code, 200, "it must be as well as before");
}
