//! Content that the open pages of a visitor share.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use http::Request;
use portolan_core_console::view::{Applied, Hidden, PageView, Unseen};
use portolan_core_console::{ConsolePage, Order};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::harbor::Harbor;
use crate::pages::Pages;
use crate::{NotAdmitted, Source, Visitors};

/// The number of open pages of each visitor.
const PAGES: usize = 100;

/// A cluster that accepts each token, and counts the reads with each token and for each page.
#[derive(Clone)]
struct Cluster {
    reads: Arc<Mutex<BTreeMap<(String, String), usize>>>,
    news: watch::Sender<u64>,
}

/// The objects that one token can read.
struct View {
    token: String,
    cluster: Cluster,
}

impl Cluster {
    /// Returns the numbers of reads since the last call.
    fn reads(&self) -> Vec<usize> {
        let mut reads = self.reads.lock().expect("a lock");
        std::mem::take(&mut *reads).into_values().collect()
    }
}

impl Visitors for Cluster {
    fn know<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<String, NotAdmitted>> {
        std::future::ready(Ok(token.to_owned())).boxed()
    }

    fn open<'a>(
        &'a self,
        token: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Source>, NotAdmitted>> {
        let view = View {
            token: token.to_owned(),
            cluster: self.clone(),
        };
        std::future::ready(Ok(Arc::new(view) as Arc<dyn Source>)).boxed()
    }
}

impl Source for View {
    fn look<'a>(&'a self, place: &'a ConsolePage) -> BoxFuture<'a, PageView> {
        let key = (self.token.clone(), place.href().as_str().to_owned());
        let looking = async move {
            *self
                .cluster
                .reads
                .lock()
                .expect("a lock")
                .entry(key)
                .or_default() += 1;
            // All other requests arrive before the end of the first read.
            tokio::task::yield_now().await;
            let why = Unseen(format!("what {} may see", self.token));
            match place {
                ConsolePage::Operators(filter) => PageView::Operators(filter.clone(), Err(why)),
                ConsolePage::Diagnose(first) => PageView::Diagnose(*first, Err(why)),
                other => unreachable!("{other:?} is not requested"),
            }
        };
        looking.boxed()
    }

    fn hidden<'a>(&'a self, _: &'a ConsolePage) -> BoxFuture<'a, Vec<Hidden>> {
        std::future::ready(Vec::new()).boxed()
    }

    fn may_apply(&self) -> bool {
        false
    }

    fn apply<'a>(&'a self, _: &'a Order) -> BoxFuture<'a, Applied> {
        unreachable!("apply is not allowed")
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.cluster.news.subscribe()
    }
}

/// Requests two pages from all open pages of two visitors. Each visitor must see their own objects.
async fn reload_all(pages: &Pages) {
    let get = async |token: &str, path: &str| {
        let request = Request::get(path)
            .header("host", "console.example.test")
            .header("authorization", format!("Bearer {token}"))
            .body(Body::empty())
            .expect("a request");
        let from = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
        let answer = pages.answer(request, from).await;
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        let body = to_bytes(answer.into_body(), 1 << 20).await.expect("a body");
        let body = String::from_utf8(body.to_vec()).expect("text");
        assert!(body.contains(&format!("what {token} may see")), "{body}");
    };
    let all = (0..PAGES).flat_map(|_| {
        ["ann", "bob"]
            .into_iter()
            .flat_map(|token| ["/operators?state=stuck", "/diagnose"].map(|path| (token, path)))
    });
    join_all(all.map(|(token, path)| get(token, path))).await;
}

/// A change is read once for each page and visitor, and not once for each open page.
#[tokio::test(start_paused = true)]
async fn open_pages_with_equal_permissions_share_each_read() {
    let cluster = Cluster {
        reads: Arc::default(),
        news: watch::channel(0).0,
    };
    let pages = Pages::for_visitors(
        vec!["console.example.test".to_owned()],
        Arc::new(cluster.clone()),
        "The cluster".to_owned(),
        CancellationToken::new(),
    );
    let pages = pages.expect("keys");
    for _ in 0..3 {
        reload_all(&pages).await;
        assert_eq!(cluster.reads(), [1; 4]);
        reload_all(&pages).await;
        assert_eq!(cluster.reads(), [0; 0]);
        cluster.news.send_modify(|count| *count += 1);
    }
}

/// The sessions of a visitor share the content, but not the token of the forms.
#[tokio::test]
async fn each_session_has_its_own_form_token() {
    let harbor = Harbor::open().await;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let cookie = harbor.enter().await;
        for _ in 0..2 {
            let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
            let token = page.body.split("name=\"token\" value=\"").nth(1);
            let token = token.and_then(|it| it.split('"').next()).expect("a token");
            seen.push(token.to_owned());
        }
    }
    assert!(seen[0] == seen[1] && seen[2] == seen[3], "{seen:?}");
    assert_ne!(seen[0], seen[2]);
    assert!(!seen[0].is_empty());
}
