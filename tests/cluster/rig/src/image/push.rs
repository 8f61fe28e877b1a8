//! Pushes images to a registry that uses no TLS.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::{Image, ImageIndex, KIND, digest};
use crate::failure::Failure;

/// A response of the registry.
struct Answer {
    status: u16,
    location: Option<String>,
}

/// A repository in a registry.
struct Place<'a> {
    host: &'a str,
    repository: &'a str,
}

impl Image {
    /// Pushes the image to `<host>:<port>/<repository>:<tag>`, without TLS. Skips blobs that
    /// already exist in the registry. Returns the reference of the image with its digest.
    /// # Errors
    /// The reference is incomplete, or the registry rejects the image.
    pub fn push(&self, reference: &str) -> Result<String, Failure> {
        let (place, tag) = parts(reference)?;
        place.put_image(self, tag)?;
        Ok(place.named(&self.digest()))
    }
}

impl ImageIndex {
    /// Pushes all images and the index to `<host>:<port>/<repository>:<tag>`, without TLS. Returns
    /// the reference of the index with its digest.
    /// # Errors
    /// The reference is incomplete, or the registry rejects an image.
    pub fn push(&self, reference: &str) -> Result<String, Failure> {
        let (place, tag) = parts(reference)?;
        for image in self.images() {
            place.put_image(image, &image.digest())?;
        }
        let manifest = self.manifest();
        place.put(tag, &Self::kind(), &manifest)?;
        Ok(place.named(&digest(&manifest)))
    }
}

impl Place<'_> {
    fn named(&self, digest: &str) -> String {
        format!("{}/{}@{digest}", self.host, self.repository)
    }

    /// Pushes the blobs of an image, and then its manifest. `tag` is a tag or the digest of the
    /// manifest.
    fn put_image(&self, image: &Image, tag: &str) -> Result<(), Failure> {
        let Self { host, repository } = self;
        for (digest, blob) in &image.blobs {
            let path = format!("/v2/{repository}/blobs/{digest}");
            if ask(host, "HEAD", &path, "", &[])?.status != 200 {
                upload(host, repository, digest, blob)?;
            }
        }
        self.put(tag, &format!("{KIND}.manifest.v1+json"), &image.manifest)
    }

    fn put(&self, tag: &str, kind: &str, manifest: &[u8]) -> Result<(), Failure> {
        let path = format!("/v2/{}/manifests/{tag}", self.repository);
        expect(ask(self.host, "PUT", &path, kind, manifest)?, &path)
    }
}

/// Splits a reference into its repository and its tag.
fn parts(reference: &str) -> Result<(Place<'_>, &str), Failure> {
    let split = || {
        let (host, rest) = reference.split_once('/')?;
        let (repository, tag) = rest.rsplit_once(':')?;
        host.contains(':')
            .then_some((Place { host, repository }, tag))
    };
    split().ok_or_else(|| rejected(reference, "it must be HOST:PORT/REPOSITORY:TAG"))
}

fn upload(host: &str, repository: &str, digest: &str, blob: &[u8]) -> Result<(), Failure> {
    let begin = format!("/v2/{repository}/blobs/uploads/");
    let begun = ask(host, "POST", &begin, "", &[])?;
    let place = begun.location.clone().unwrap_or_default();
    expect(begun, &begin)?;
    let own = format!("http://{host}");
    let path = place.strip_prefix(&own).unwrap_or(&place);
    let join = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{join}digest={digest}");
    expect(
        ask(host, "PUT", &path, "application/octet-stream", blob)?,
        digest,
    )
}

fn expect(answer: Answer, what: &str) -> Result<(), Failure> {
    match answer.status {
        200..300 => Ok(()),
        status => Err(rejected(what, &format!("the registry answered {status}"))),
    }
}

fn rejected(what: &str, why: &str) -> Failure {
    Failure::Push {
        what: what.to_owned(),
        why: why.to_owned(),
    }
}

/// Sends a request on a new connection, and reads the response.
fn ask(host: &str, method: &str, path: &str, kind: &str, body: &[u8]) -> Result<Answer, Failure> {
    let touch = || Failure::touch(format!("push to {host}"));
    let mut stream = TcpStream::connect(host).map_err(touch())?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).map_err(touch())?;
    stream.write_all(body).map_err(touch())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(touch())?;
    let answer = String::from_utf8_lossy(&answer);
    let mut lines = answer.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let location = lines.take_while(|line| !line.is_empty()).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location")
            .then(|| value.trim().to_owned())
    });
    Ok(Answer {
        status: status.unwrap_or_default(),
        location,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_reference_without_a_port_or_a_tag_is_rejected() {
        let whole = parts("127.0.0.1:5000/ferry/bundle:v1").expect("a whole reference");
        let (place, tag) = whole;
        assert_eq!(
            (place.host, place.repository, tag),
            ("127.0.0.1:5000", "ferry/bundle", "v1")
        );
        assert!(parts("quay.io/ferry:v1").is_err());
        assert!(parts("127.0.0.1:5000/ferry").is_err());
    }
}
