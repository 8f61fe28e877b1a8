//! A ConfigMap with a single value. One client writes the value, and another client watches it.

use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, StreamExt as _, TryStreamExt as _};
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt as _, watcher};
use kube::{Api, Client};
use portolan_rig::{Failure, Kind, PATIENCE, until_field};
use serde_json::json;
use tokio::time::timeout;

/// The ConfigMap, as one client accesses it.
pub(crate) struct Note(Api<DynamicObject>);

/// The values that a watch reports. If a watch is closed, the next watch continues.
pub(crate) struct Watched(Pin<Box<dyn Stream<Item = Result<String, watcher::Error>>>>);

impl Note {
    pub(crate) fn of(client: &Client, namespace: &str) -> Self {
        Self(Kind::ConfigMap.within(client, namespace))
    }

    pub(crate) async fn create(&self, text: &str) -> Result<(), Failure> {
        let note = Kind::ConfigMap.object("note", json!({"data": {"text": text}}))?;
        self.0.create(&PostParams::default(), &note).await?;
        Ok(())
    }

    pub(crate) async fn write(&self, text: &str) -> Result<(), Failure> {
        let change = Patch::Merge(json!({"data": {"text": text}}));
        let params = PatchParams::default();
        self.0.patch("note", &params, &change).await?;
        Ok(())
    }

    pub(crate) async fn read(&self) -> Result<String, kube::Error> {
        self.0.get("note").await.map(|note| text(&note))
    }

    pub(crate) async fn until_text(&self, text: &str) -> Result<(), Failure> {
        let output = until_field(&self.0, "note", "/data/text", text);
        output.await.map(drop)
    }

    pub(crate) fn watch(&self) -> Watched {
        let only = watcher::Config::default().fields("metadata.name=note");
        let texts = watcher(self.0.clone(), only)
            .default_backoff()
            .applied_objects()
            .map_ok(|note| text(&note));
        Watched(Box::pin(texts))
    }
}

impl Watched {
    pub(crate) async fn until_it_shows(&mut self, wanted: &str) {
        self.shows_within(PATIENCE, wanted).await;
    }

    pub(crate) async fn shows_within(&mut self, patience: Duration, wanted: &str) {
        let shown = timeout(patience, async {
            // An error of a watch is also an item of the stream. The stream continues after it.
            while let Some(text) = self.0.next().await {
                if text.is_ok_and(|text| text == wanted) {
                    return;
                }
            }
            panic!("the watch ended");
        });
        let shown = shown.await;
        assert!(shown.is_ok(), "the watch never showed {wanted:?}");
    }
}

fn text(note: &DynamicObject) -> String {
    let text = note.data["data"]["text"].as_str();
    text.unwrap_or_default().to_owned()
}
