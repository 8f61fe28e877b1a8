//! Tests with registries that always send data, but only one byte per second.

use std::sync::Arc;
use std::time::Duration;

use portolan_images::{Host, Options, Registries};
use portolan_kit::oci;
use rstest::rstest;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::kit::{image, images};

/// A slow registry with one image.
struct Slow {
    host: String,
    image: oci::Image,
    /// If the path of a request contains one of these texts, the response is sent at one byte per
    /// second.
    drips: Vec<String>,
}

impl Slow {
    /// Pulls the image from a slow registry on a free port.
    async fn pulled(image: oci::Image, drips: Vec<String>) -> Result<(), String> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let host = listener.local_addr().expect("an address").to_string();
        let slow = Self {
            host: host.clone(),
            image,
            drips,
        };
        let plain: Host = host.parse().expect("a host");
        let options = Options {
            registries: Registries::default().and([&*host]).expect("a list"),
            plain: vec![plain],
            ..Options::default()
        };
        let images = images(options);
        let wanted = format!("{host}/ferry/bundle:v1").parse();
        let wanted = wanted.expect("a reference");
        let pulled = tokio::select! {
            pulled = images.pull(&wanted, &|_| {}) => pulled,
            () = Arc::new(slow).serve(listener) => unreachable!("it serves for ever"),
            () = tick() => unreachable!("it ticks for ever"),
        };
        let pulled = pulled.map(drop);
        pulled.map_err(|failure| failure.to_string().replace(&host, "HOST"))
    }

    async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("an open connection");
            connections.spawn(self.clone().answer(stream));
        }
    }

    async fn answer(self: Arc<Self>, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while stream.read_line(&mut head).await.is_ok_and(|read| read > 0) {
            if !head.ends_with("\r\n\r\n") {
                continue;
            }
            let path = head.split(' ').nth(1).expect("a path").to_owned();
            if self.send(&mut stream, &path, &head).await.is_err() {
                return;
            }
            head.clear();
        }
    }

    async fn send(
        &self,
        stream: &mut BufReader<TcpStream>,
        path: &str,
        head: &str,
    ) -> std::io::Result<()> {
        let (status, body) = self.content(path, head);
        let length = body.len();
        let realm = format!("Bearer realm=\"http://{}/token\"", self.host);
        let response = format!(
            "HTTP/1.1 {status}\r\nwww-authenticate: {realm}\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(response.as_bytes()).await?;
        if !self.drips.iter().any(|drip| path.contains(drip)) {
            return stream.write_all(&body).await;
        }
        for byte in body {
            sleep(Duration::from_secs(1)).await;
            stream.write_all(&[byte]).await?;
        }
        Ok(())
    }

    fn content(&self, path: &str, head: &str) -> (&str, Vec<u8>) {
        if path.starts_with("/token") {
            return ("200 OK", br#"{"token": "a"}"#.repeat(100));
        }
        if !head.contains("authorization: Bearer a") && self.drips == ["/token"] {
            return ("401 Unauthorized", Vec::new());
        }
        let blobs = self.image.blobs.iter();
        let mut blobs = blobs.filter(|(digest, _)| path.ends_with(digest.as_str()));
        let blob = blobs.next().map(|(_, blob)| blob.clone());
        (
            "200 OK",
            blob.unwrap_or_else(|| self.image.manifest.clone()),
        )
    }
}

/// The paused clock advances to the next timer whenever a task waits for data. This timer limits
/// each step to a short time.
async fn tick() {
    loop {
        sleep(Duration::from_millis(10)).await;
    }
}

#[rstest]
#[case::a_manifest("manifests/v1")]
#[case::a_blob("/blobs/")]
#[case::a_token("/token")]
#[tokio::test(start_paused = true)]
async fn one_byte_per_second_is_too_slow(#[case] drips: &str) {
    let refused = Slow::pulled(image(), vec![drips.to_owned()]).await;
    let refused = refused.expect_err("too slow");
    let begin = "HOST/ferry/bundle:v1 cannot be pulled: HOST sent ";
    assert!(refused.starts_with(begin), "{refused}");
    let end = " bytes in 30 s; the minimum is 300000";
    assert!(refused.ends_with(end), "{refused}");
}

/// Each layer ends before its rate is checked. All layers together take longer than the time limit
/// for the image.
#[tokio::test(start_paused = true)]
async fn many_small_layers_share_a_time_limit() {
    let layers = (0..20).map(|at| format!("layer {at:2} of many others").into_bytes());
    let layers: Vec<_> = layers.collect();
    let drips = layers.iter().map(|layer| oci::digest(layer)).collect();
    let image = oci::Image::of_layers(layers, &serde_json::json!({}));
    let refused = Slow::pulled(image, drips).await;
    assert_eq!(
        refused,
        Err(
            "HOST/ferry/bundle:v1 cannot be pulled: HOST has not sent all data after 300 s"
                .to_owned()
        )
    );
}
