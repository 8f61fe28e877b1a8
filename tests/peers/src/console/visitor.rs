//! A client that requests pages, but no pictures.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::failure::Failure;

/// The pause between two requests that wait for a text.
const PAUSE: Duration = Duration::from_millis(200);

/// A browser that is logged in.
pub(super) struct Visitor {
    host: String,
    cookie: String,
}

/// A response.
pub(super) struct Reply {
    /// The time from the start of the connection to the first byte.
    pub(super) first_byte: Duration,
    /// The headers and the content.
    pub(super) text: String,
}

/// An open page, which receives events about changes.
pub(super) struct OpenPage {
    stream: TcpStream,
    received: String,
}

// === impl Visitor ===

impl Visitor {
    /// Opens the address that a console has printed.
    pub(super) async fn enter(url: &str) -> Result<Self, Failure> {
        let place = url.trim().trim_start_matches("http://");
        let (host, path) = place.split_once('/').unwrap_or((place, ""));
        let visitor = Self {
            host: host.to_owned(),
            cookie: String::new(),
        };
        let reply = visitor.request(&format!("/{path}")).await?;
        let cookie = reply.text.split("set-cookie: ").nth(1).unwrap_or_default();
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        Ok(Self { cookie, ..visitor })
    }

    /// Requests a page. A page that is not shown is an error.
    pub(super) async fn get(&self, path: &str) -> Result<Reply, Failure> {
        let reply = self.request(path).await?;
        let status = reply.text.lines().next().unwrap_or_default();
        if status.starts_with("HTTP/1.1 200") {
            return Ok(reply);
        }
        Err(Failure::Expect(format!("{path} is answered with {status}")))
    }

    /// Requests a page again and again until it contains a text.
    pub(super) async fn until(
        &self,
        path: &str,
        word: &str,
        patience: Duration,
    ) -> Result<(), Failure> {
        let waiting = async {
            while !self.get(path).await?.text.contains(word) {
                tokio::time::sleep(PAUSE).await;
            }
            Ok(())
        };
        let late = |_| Failure::Expect(format!("{path} does not contain {word:?} in time"));
        timeout(patience, waiting).await.map_err(late)?
    }

    /// Opens the stream of changes of a page.
    pub(super) async fn listen(&self) -> Result<OpenPage, Failure> {
        let opened = self.sent("/changes", "").await;
        let mut page = OpenPage {
            stream: opened.map_err(reach)?,
            received: String::new(),
        };
        page.until(": here").await.map_err(reach)?;
        Ok(page)
    }

    async fn request(&self, path: &str) -> Result<Reply, Failure> {
        let begun = Instant::now();
        let requesting = async {
            let mut stream = self.sent(path, "Connection: close\r\n").await?;
            let mut bytes = vec![stream.read_u8().await?];
            let first_byte = begun.elapsed();
            stream.read_to_end(&mut bytes).await?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Ok(Reply { first_byte, text })
        };
        requesting.await.map_err(reach)
    }

    async fn sent(&self, path: &str, more: &str) -> io::Result<TcpStream> {
        let Self { host, cookie } = self;
        let mut stream = TcpStream::connect(host).await?;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{more}\r\n");
        stream.write_all(request.as_bytes()).await?;
        Ok(stream)
    }
}

// === impl OpenPage ===

impl OpenPage {
    /// Waits until the console reports a change.
    pub(super) async fn until_changed(&mut self, patience: Duration) -> Result<(), Failure> {
        let late = |_| Failure::Expect("no change is reported in time".to_owned());
        let changed = timeout(patience, self.until("event: changed")).await;
        changed.map_err(late)?.map_err(reach)
    }

    async fn until(&mut self, word: &str) -> io::Result<()> {
        while !self.received.contains(word) {
            let mut bytes = [0; 2048];
            let read = self.stream.read(&mut bytes).await?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let text = String::from_utf8_lossy(bytes.get(..read).unwrap_or_default());
            self.received.push_str(&text);
        }
        Ok(())
    }
}

fn reach(source: io::Error) -> Failure {
    Failure::Touch {
        act: "reach the console".to_owned(),
        source,
    }
}
