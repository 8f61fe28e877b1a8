//! Controllers that are killed after each of the first writes of every act of a story, one after the other, and in the soak
//! after every single one; there also at each write alone. What there is after each act is always the same.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use portolan_kit::TempFolder;
use portolan_kit::proxy::{Matcher, Proxy};
use portolan_rig::{Cluster, Failure};
use tokio::sync::Notify;

use crate::health::written;
use crate::{detour, is_soak};

/// A story whose controller may be killed at any time.
pub(crate) trait Play {
    /// What somebody does.
    type Act: Copy + Debug + PartialEq;

    fn cluster(&self) -> &Cluster;
    fn kills(&mut self);
    async fn starts_at(&mut self, kubeconfig: &Path);
    async fn begin(&self, act: Self::Act) -> Result<(), Failure>;
    async fn until_ended(&self, act: Self::Act) -> Result<(), Failure>;
    /// What there is, but for names that are others each time.
    async fn end(&self) -> Result<String, Failure>;
}

/// A controller of which it is heard when it is to be killed.
struct Mortal {
    proxy: Proxy,
    landed: Arc<Notify>,
    _folder: TempFolder,
}

/// What came of a story.
#[derive(Debug, Default)]
struct Played {
    /// What there was after each act.
    ends: Vec<String>,
    /// Of each act.
    writes: Vec<usize>,
    kills: Vec<usize>,
}

/// Plays a story to its end whoever is killed. Each act comes with how many controllers in a row are killed in it without
/// a soak, after one write each.
pub(crate) async fn whoever_is_killed<P: Play>(
    story: &mut P,
    acts: &[(P::Act, usize)],
) -> Result<(), Failure> {
    let names: Vec<_> = acts.iter().map(|(act, _)| *act).collect();
    let wanted = play(story, &names, |_, _| None).await?;
    println!("undisturbed: {wanted:#?}");
    let begun = Instant::now();
    // What an API server is only asked for is a POST as well, after which nothing is different: so that each dies after
    // one has to end.
    let most = |act: P::Act| {
        let mut acts = acts.iter().zip(&wanted.writes);
        let found = acts.find(|((it, _), _)| *it == act);
        found.map_or(
            0,
            |((_, most), writes)| if is_soak() { *writes } else { *most },
        )
    };
    let killed = play(story, &names, |act, kills| (kills < most(act)).then_some(1));
    let killed = killed.await?;
    println!(
        "killed after {:?} writes in {} s",
        killed.kills,
        begun.elapsed().as_secs()
    );
    assert_eq!(killed.ends, wanted.ends);
    for ((act, most), kills) in acts.iter().zip(&killed.kills) {
        assert!(kills >= most, "{act:?}: {killed:?}");
    }
    if !is_soak() {
        return Ok(());
    }
    for ((act, most), writes) in acts.iter().zip(&wanted.writes) {
        for at in 1..=*writes {
            let killed = play(story, &names, |it, kills| {
                (it == *act && kills == 0).then_some(at)
            });
            let killed = killed.await?;
            let is_killed = killed.kills.iter().sum::<usize>() == 1;
            // An act does not have as many writes each time.
            assert!(
                is_killed || at > *most,
                "{act:?}: it is killed at write {at}"
            );
            assert_eq!(killed.ends, wanted.ends, "{act:?}: killed at write {at}");
            println!("{act:?}: killed at write {at} of {writes}");
        }
    }
    Ok(())
}

/// Plays it once. `dies` says after which of its writes the next controller of an act is killed, by how many were before
/// it in this act.
async fn play<P: Play>(
    story: &mut P,
    acts: &[P::Act],
    dies: impl Fn(P::Act, usize) -> Option<usize>,
) -> Result<Played, Failure> {
    let mut played = Played::default();
    for act in acts {
        story.kills();
        let (mut writes, mut kills) = (0, 0);
        let mut mortal = begins(story, dies(*act, 0)).await?;
        story.begin(*act).await?;
        loop {
            let ended = tokio::select! {
                ended = story.until_ended(*act) => Some(ended?),
                () = mortal.landed.notified() => None,
            };
            if ended.is_some() {
                break;
            }
            story.kills();
            kills += 1;
            writes += mortal.proxy.count(Matcher::writes());
            mortal = begins(story, dies(*act, kills)).await?;
        }
        played.ends.push(story.end().await?);
        played
            .writes
            .push(writes + mortal.proxy.count(Matcher::writes()));
        played.kills.push(kills);
    }
    story.kills();
    Ok(played)
}

/// Starts a controller that dies after a write, or does not.
async fn begins<P: Play>(story: &mut P, dies: Option<usize>) -> Result<Mortal, Failure> {
    let proxy = detour::proxy(story.cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = dies {
        detour::kill_at(&proxy, at, &landed);
    }
    let (through, folder) = written::through(&proxy);
    story.starts_at(&through).await;
    Ok(Mortal {
        proxy,
        landed,
        _folder: folder,
    })
}
