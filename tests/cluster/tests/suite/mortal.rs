//! Controllers that are killed one after the other, each after one of the first writes of a step of
//! the test. In a soak, a controller is killed after every write, and each write is also tested
//! separately. The state after each step must always be the same.

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

/// A test whose controller may be killed at any time.
pub(crate) trait Play {
    /// A step of the user.
    type Act: Copy + Debug + PartialEq;

    fn cluster(&self) -> &Cluster;
    fn kills(&mut self);
    async fn starts_at(&mut self, kubeconfig: &Path);
    async fn begin(&self, act: Self::Act) -> Result<(), Failure>;
    async fn until_ended(&self, act: Self::Act) -> Result<(), Failure>;
    /// Returns the state, without random names.
    async fn end(&self) -> Result<String, Failure>;
}

/// A controller, and a notification of the write at which it is killed.
struct Mortal {
    proxy: Proxy,
    landed: Arc<Notify>,
    _folder: TempFolder,
}

/// The result of a run.
#[derive(Debug, Default)]
struct Played {
    /// The state after each step.
    ends: Vec<String>,
    /// The number of writes of each step.
    writes: Vec<usize>,
    kills: Vec<usize>,
}

/// Runs a test while its controllers are killed. The number for each step is how many controllers
/// are killed in a row if this is not a soak. Each of them is killed after one write.
pub(crate) async fn kill_after_each_write<P: Play>(
    test: &mut P,
    acts: &[(P::Act, usize)],
) -> Result<(), Failure> {
    let names: Vec<_> = acts.iter().map(|(act, _)| *act).collect();
    let wanted = play(test, &names, |_, _| None).await?;
    println!("undisturbed: {wanted:#?}");
    let begun = Instant::now();
    // A dry run is a POST too, but changes nothing. A limit is needed, because each controller dies
    // after one write.
    let most = |act: P::Act| {
        let mut acts = acts.iter().zip(&wanted.writes);
        let found = acts.find(|((it, _), _)| *it == act);
        found.map_or(
            0,
            |((_, most), writes)| if is_soak() { *writes } else { *most },
        )
    };
    let killed = play(test, &names, |act, kills| (kills < most(act)).then_some(1));
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
            let killed = play(test, &names, |it, kills| {
                (it == *act && kills == 0).then_some(at)
            });
            let killed = killed.await?;
            let is_killed = killed.kills.iter().sum::<usize>() == 1;
            // The number of writes of a step varies.
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

/// Runs the test once. `dies` gets the number of earlier kills in this step, and returns the write
/// after which the next controller is killed.
async fn play<P: Play>(
    test: &mut P,
    acts: &[P::Act],
    dies: impl Fn(P::Act, usize) -> Option<usize>,
) -> Result<Played, Failure> {
    let mut played = Played::default();
    for act in acts {
        test.kills();
        let (mut writes, mut kills) = (0, 0);
        let mut mortal = begins(test, dies(*act, 0)).await?;
        test.begin(*act).await?;
        loop {
            let ended = tokio::select! {
                ended = test.until_ended(*act) => Some(ended?),
                () = mortal.landed.notified() => None,
            };
            if ended.is_some() {
                break;
            }
            test.kills();
            kills += 1;
            writes += mortal.proxy.count(Matcher::writes());
            mortal = begins(test, dies(*act, kills)).await?;
        }
        played.ends.push(test.end().await?);
        played
            .writes
            .push(writes + mortal.proxy.count(Matcher::writes()));
        played.kills.push(kills);
    }
    test.kills();
    Ok(played)
}

/// Starts a controller, which may be killed after a write.
async fn begins<P: Play>(test: &mut P, dies: Option<usize>) -> Result<Mortal, Failure> {
    let proxy = detour::proxy(test.cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = dies {
        detour::kill_at(&proxy, at, &landed);
    }
    let (through, folder) = written::through(&proxy);
    test.starts_at(&through).await;
    Ok(Mortal {
        proxy,
        landed,
        _folder: folder,
    })
}
