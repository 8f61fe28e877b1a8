//! Tests with malformed requests on the socket.

use std::time::Duration;

use fastrand::Rng;
use futures::{StreamExt, stream};

use super::harbor::{CARGO, Harbor};

/// The default number of requests. The environment variable `PORTOLAN_CONSOLE_REQUESTS` overrides
/// this number.
const REQUESTS: usize = 500;
/// The number of requests that the test sends at the same time.
const TOGETHER: usize = 100;
/// The timeout of each request. An incomplete request gets no response.
const PATIENCE: Duration = Duration::from_secs(3);

/// The permitted status codes. Some responses come from this server. Other responses come from the
/// HTTP library, before this server handles the request.
const CODES: [u16; 11] = [200, 303, 400, 401, 403, 404, 405, 414, 421, 429, 431];

/// A form that requests a change, with an invalid token.
const FORM: &str = "token=AAAA&bearer=a.b.c&change=add&operator=ferry&version=1.0.0&seen=";

fn mutated(seed: &str, random: &mut Rng) -> Vec<u8> {
    let mut bytes = seed.as_bytes().to_vec();
    // The last four bytes are not mutated, so that the request is complete.
    let room = bytes.len() - 4;
    for _ in 0..random.usize(1..6) {
        let at = random.usize(..room);
        match random.u8(0..6) {
            0 => bytes[at] = b'%',
            1 => bytes[at] = b' ',
            2 => bytes[at] = random.u8(b'!'..b'~'),
            3 => bytes[at] = random.u8(..),
            4 => {
                bytes.remove(at);
                bytes.insert(room - 1, b'a');
            }
            _ => bytes.splice(at..at, *b"&name=%00").for_each(drop),
        }
    }
    bytes
}

/// Visitors without a session see no data, whatever they send. Logged-in visitors are not affected.
#[tokio::test(flavor = "multi_thread")]
async fn mutated_requests_get_a_response_and_reveal_nothing() {
    let harbor = Harbor::open().await;
    let cookie = harbor.enter().await;
    let host = harbor.address;
    let head = |cookie: &str| {
        format!(
            "HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{cookie}Connection: close\r\n\r\n"
        )
    };
    let forged = cookie.replacen('=', "=A", 1);
    let of_form = |cookie: &str| {
        let length = FORM.len();
        format!("Cookie: {cookie}\r\nContent-Length: {length}\r\n")
    };
    let seeds = [
        format!("GET / {}", head("")),
        format!(
            "GET /operator?namespace=a&name=b {}",
            head(&format!("Cookie: {forged}\r\n"))
        ),
        format!("GET /enter?secret=AAAA {}", head("")),
        format!("POST /log-out {}", head("Content-Length: 0\r\n")),
        format!("GET /graph.svg?catalog=a%2Fb&name=c {}", head("")),
        format!("GET /changes {}", head("")),
        format!(
            "GET /operators {}",
            head("Authorization: Bearer a.b.c\r\nSec-Fetch-Site: same-origin\r\n")
        ),
        // A logged-in visitor sends a form from a page of another site.
        format!("POST /apply {}{FORM}", head(&of_form(&cookie))),
        format!("POST /log-in {}{FORM}", head(&of_form(&forged))),
    ];
    let many = std::env::var("PORTOLAN_CONSOLE_REQUESTS");
    let many = many.ok().and_then(|many| many.parse().ok());
    let many = many.unwrap_or(REQUESTS);
    let mut random = Rng::with_seed(34);
    let requests = (0..many).map(|_| {
        let seed = &seeds[random.usize(..seeds.len())];
        mutated(seed, &mut random)
    });
    let requests: Vec<_> = requests.collect();
    let response = stream::iter(&requests).map(async |request| {
        let response = harbor.response_within(PATIENCE, request).await;
        let request = String::from_utf8_lossy(request);
        if let Some(response) = &response {
            assert!(
                CODES.contains(&response.code),
                "{} of {request:?}",
                response.code
            );
            assert!(!response.body.contains(CARGO), "{request:?}");
        }
        response.is_some()
    });
    let response: Vec<_> = response.buffer_unordered(TOGETHER).collect().await;
    let answered = response.iter().filter(|is_answered| **is_answered).count();
    assert!(answered > many * 9 / 10, "{answered} of {many}");
    assert_eq!(harbor.views(), 0);
    let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
    assert_eq!(page.code, 200);
    assert_eq!(harbor.views(), 1);
}
