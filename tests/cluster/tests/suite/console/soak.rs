//! Tests with many operators and many open pages. Prints the resources that they use.

use std::path::Path;
use std::time::{Duration, Instant};

use futures::future::{try_join, try_join_all};
use portolan_rig::{Failure, PATIENCE};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::stage::{Console, INLAND, make_operator, say_ready, stage};
use crate::is_soak;
use crate::process::resident;

/// The number of operators and of open pages, in normal runs and in soak tests.
const FEW: (usize, usize) = (20, 10);
const MANY: (usize, usize) = (500, 100);

/// The maximum size of a page in bytes.
const HEAVY: usize = 60_000;

/// The pages: the path, and a text that the page must contain.
const PAGES: [(&str, &str); 8] = [
    ("/", "the mast is broken"),
    ("/operators", "the mast is broken"),
    ("/operator?name=ship-7", "the mast is broken"),
    ("/catalogs", "olm/inland"),
    ("/plans", "There are no plans"),
    ("/updates", "ship-1"),
    ("/diagnose", "the mast is broken"),
    ("/preview?change=add&operator=buoy", "portolan create buoy"),
];

/// Each open page shows a change. Pages stay small, even if there are many operators.
#[tokio::test]
async fn every_open_page_receives_changes_of_many_operators() -> Result<(), Failure> {
    let Some((world, browser)) = stage("console-soak").await? else {
        return Ok(());
    };
    let (operators, pages) = if is_soak() { MANY } else { FEW };
    for at in 0..operators {
        let name = format!("ship-{at}");
        make_operator(&world, &name).await?;
        say_ready(&world, &name, "False", "the mast is broken").await?;
    }
    let kubeconfig = world.cluster().kubeconfig();
    let console = Console::of(&kubeconfig, &[INLAND]).await?;
    let kilobytes = || resident(Path::new(&console.folder())).unwrap_or_default();
    let held = || kilobytes() / 1024;
    let url = console.address().await?;
    let visitor = Visitor::of(&url).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    tab.visit(&format!("{place}/operators")).await?;
    tab.until_text("the mast is broken").await?;
    let with_one = kilobytes();
    println!(
        "{operators} operators: {} MiB held with one page open",
        with_one / 1024
    );

    for (page, word) in PAGES {
        let mut took: Vec<Duration> = Vec::new();
        let mut weight = 0;
        for _ in 0..5 {
            let begun = Instant::now();
            let text = visitor.get(page).await?;
            took.push(begun.elapsed());
            assert!(text.starts_with("HTTP/1.1 200"), "{page}: {text:.300}");
            assert!(text.contains(word), "{page} has no {word}: {text}");
            weight = text.len();
            assert!(weight < HEAVY, "{page} has {weight} bytes");
        }
        took.sort();
        println!(
            "{page}: {} ms in the middle, {} kB",
            took[2].as_millis(),
            weight / 1000
        );
    }

    let mut open = Vec::new();
    for _ in 0..pages {
        open.push(visitor.listen().await?);
    }
    println!("{pages} pages open: {} MiB held", held());
    // One of the pages is open in a browser.
    tab.visit(&format!("{place}/operator?name=ship-7")).await?;
    tab.until_text("the mast is broken").await?;
    tab.evaluate("window.stays = 'here'").await?;
    let begun = Instant::now();
    say_ready(&world, "ship-7", "True", "the mast is mended").await?;
    let on_screen = async {
        tab.until_text("the mast is mended").await?;
        Ok::<_, Failure>(begun.elapsed())
    };
    // Requests the page again when an event arrives, as the script of the page does.
    let reported = open.iter_mut().map(async |page| {
        page.until_changed().await?;
        visitor.get("/operators").await
    });
    let reported = async {
        let reported = try_join_all(reported).await?;
        Ok((reported, begun.elapsed()))
    };
    let ((reported, all), on_screen) = try_join(reported, on_screen).await?;
    println!(
        "a change is on the screen {} ms after it, and on all {pages} pages after {} ms",
        on_screen.as_millis(),
        all.as_millis()
    );
    assert!(reported.iter().all(|text| text.starts_with("HTTP/1.1 200")));
    assert_eq!(tab.evaluate("window.stays").await?, "here");
    println!(
        "then: {} MiB held, {} kB more for each page than with one",
        held(),
        kilobytes().saturating_sub(with_one) / pages
    );
    Ok(())
}

/// A client that requests pages, but no pictures.
struct Visitor {
    host: String,
    cookie: String,
}

/// An open page, which receives events about changes.
struct Open(TcpStream, String);

impl Visitor {
    async fn of(url: &str) -> Result<Self, Failure> {
        let path = url.trim_start_matches("http://");
        let (host, path) = path.split_once('/').unwrap_or((path, ""));
        let visitor = Self {
            host: host.to_owned(),
            cookie: String::new(),
        };
        let reported = visitor.get(&format!("/{path}")).await?;
        let cookie = reported.split("set-cookie: ").nth(1).unwrap_or_default();
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        Ok(Self { cookie, ..visitor })
    }

    async fn get(&self, path: &str) -> Result<String, Failure> {
        let mut stream = self.asked(path, "Connection: close\r\n").await?;
        let mut reported = Vec::new();
        let read = stream.read_to_end(&mut reported).await;
        read.map_err(Failure::touch("read a page"))?;
        Ok(String::from_utf8_lossy(&reported).into_owned())
    }

    async fn listen(&self) -> Result<Open, Failure> {
        let mut open = Open(self.asked("/changes", "").await?, String::new());
        open.until(": here").await?;
        Ok(open)
    }

    async fn asked(&self, path: &str, more: &str) -> Result<TcpStream, Failure> {
        let Self { host, cookie } = self;
        let stream = TcpStream::connect(host).await;
        let mut stream = stream.map_err(Failure::touch("reach the console"))?;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{more}\r\n");
        let sent = stream.write_all(request.as_bytes()).await;
        sent.map_err(Failure::touch("ask the console"))?;
        Ok(stream)
    }
}

impl Open {
    async fn until_changed(&mut self) -> Result<(), Failure> {
        self.until("event: changed").await
    }

    async fn until(&mut self, word: &str) -> Result<(), Failure> {
        let Self(stream, reported) = self;
        let hearing = async {
            while !reported.contains(word) {
                let mut bytes = [0; 2048];
                let read = stream.read(&mut bytes).await?;
                if read == 0 {
                    return Err(std::io::ErrorKind::UnexpectedEof.into());
                }
                reported.push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
            Ok(())
        };
        let heard = timeout(PATIENCE, hearing).await;
        let heard = heard
            .map_err(|_| Failure::touch("hear of a change")(std::io::ErrorKind::TimedOut.into()))?;
        heard.map_err(Failure::touch("hear of a change"))
    }
}
