//! Tests over a network connection.

use portolan_plans::grants::{ImageAnswer, ImageFault, ImageRef, Images};
use portolan_proto::approval::v1::approval_server::ApprovalServer;
use portolan_proto::health::v1::health_server::HealthServer;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::Credentials;
use similar_asserts::assert_eq;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;

use super::stage::{Stage, expected_answers};
use crate::ask::{BundleImages, Connections, Services};
use crate::flags::ServiceFlags;

#[tokio::test]
async fn services_are_found_at_their_addresses() {
    let mut stage = Stage::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let server = Server::builder()
        .add_service(ResolverServer::new(stage.resolver.clone()))
        .add_service(HealthServer::new(stage.health.clone()))
        .add_service(ApprovalServer::new(stage.approval.clone()))
        .serve_with_incoming(TcpListenerStream::new(listener));
    let server = tokio::spawn(server);
    stage.forget_streams();
    let connections = Connections::remote(&ServiceFlags {
        resolver: url.clone(),
        health: url.clone(),
        approval: url,
        credentials: Credentials::default(),
    })
    .expect("three addresses");
    stage.services = Services::of(connections);
    stage.send_all().await;
    while stage.ask().await != expected_answers() {
        stage.services.changed().await;
    }
    assert_eq!(stage.resolver.calls().get("GetPackage"), Some(&1));
    server.abort();
}

#[tokio::test]
async fn invalid_service_address_is_refused() {
    let addresses = ServiceFlags {
        resolver: "resolver:50051".to_owned(),
        health: "http://health".to_owned(),
        approval: "http://approval".to_owned(),
        credentials: Credentials::default(),
    };
    let refused = Connections::remote(&addresses)
        .map(drop)
        .map_err(|error| error.to_string());
    let sentence = "`resolver:50051` is not the URL of a server, such as http://127.0.0.1:50051";
    assert_eq!(refused, Err(sentence.to_owned()));
}

/// No server listens on port 1.
#[tokio::test]
async fn resolver_that_does_not_answer_is_named_with_the_image() {
    let absent = "http://127.0.0.1:1".to_owned();
    let connections = Connections::remote(&ServiceFlags {
        resolver: absent.clone(),
        health: absent.clone(),
        approval: absent,
        credentials: Credentials::default(),
    });
    let images = BundleImages::over(connections.expect("three addresses").resolver);
    let image = ImageRef {
        image: "registry.test/plum:v1".to_owned(),
        namespace: String::new(),
    };
    let answer = images.answer(&image).await;
    let ImageAnswer::Failed(ImageFault {
        is_invalid,
        sentence,
        ..
    }) = answer
    else {
        panic!("{answer:?}");
    };
    assert!(!is_invalid);
    assert_eq!(
        sentence,
        "the resolver, which reads image registry.test/plum:v1, does not answer: cannot connect to \
         127.0.0.1:1"
    );
}
