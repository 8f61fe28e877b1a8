//! Kills controllers one after the other. Each controller is killed after one of its first writes
//! in a step of the test. A soak test kills a controller after each write, and also tests each
//! write separately. The state after each step must be the same as in a run without kills.

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
    /// A step of the test, which a user makes.
    type Act: Copy + Debug + PartialEq;

    fn cluster(&self) -> &Cluster;
    fn kills(&mut self);
    async fn starts_at(&mut self, kubeconfig: &Path);
    async fn begin(&self, act: Self::Act) -> Result<(), Failure>;
    async fn until_ended(&self, act: Self::Act) -> Result<(), Failure>;
    /// Returns the state after a step, without random names.
    async fn end(&self) -> Result<String, Failure>;
}

/// A controller, and a notification for the write at which it must be killed.
struct Mortal {
    proxy: Proxy,
    landed: Arc<Notify>,
    _folder: TempFolder,
}

/// The result of a run of the test.
#[derive(Debug, Default)]
struct Played {
    /// The state after each step.
    ends: Vec<String>,
    /// The number of writes in each step.
    writes: Vec<usize>,
    kills: Vec<usize>,
}

/// Runs a test, and kills its controllers. For each step, the number is how many controllers are
/// killed one after the other in a normal run. Each controller is killed after one write.
pub(crate) async fn kill_after_each_write<P: Play>(
    test: &mut P,
    acts: &[(P::Act, usize)],
) -> Result<(), Failure> {
    let names: Vec<_> = acts.iter().map(|(act, _)| *act).collect();
    let wanted = play(test, &names, |_, _| None).await?;
    println!("undisturbed: {wanted:#?}");
    let begun = Instant::now();
    // The limit ensures that the test ends, because each controller makes only one write. A dry run
    // is also a POST, so it counts as a write although it changes nothing.
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
            // The number of writes in a step differs between runs.
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

/// Runs the test once. `dies` gets the number of earlier kills in this step. It returns the number
/// of the write after which the next controller is killed.
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

/// Starts a controller. If `dies` is given, the controller is killed after this write.
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
