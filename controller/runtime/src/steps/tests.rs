use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Returns the order of five steps. Step 2 depends on step 1, step 3 depends on step 2, and step 4
/// depends on step 0.
fn order() -> StepOrder {
    let mut order = StepOrder::default();
    for after in [&[][..], &[], &[1], &[2], &[0]] {
        order.add(after.iter().copied());
    }
    order
}

#[tokio::test]
async fn steps_after_a_failed_step_are_blocked_and_other_steps_are_done() {
    let act = |step| async move { if step == 1 { Err("no") } else { Ok(step) } };
    let steps = carry_out(&order(), 8, act).await;
    let expected = [
        StepResult::Done(0),
        StepResult::Failed("no"),
        StepResult::Blocked(1),
        StepResult::Blocked(2),
        StepResult::Done(4),
    ];
    assert_eq!(steps, expected);
}

#[tokio::test]
async fn concurrent_steps_are_limited() {
    let mut order = StepOrder::default();
    for _ in 0..300 {
        order.add([]);
    }
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (running, most) = (&running, &most);
    let steps = carry_out(&order, 7, |_| async move {
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        running.fetch_sub(1, Ordering::SeqCst);
        Ok::<_, ()>(())
    })
    .await;
    assert_eq!(steps, vec![StepResult::Done(()); 300]);
    assert_eq!(most.load(Ordering::SeqCst), 7);
}

#[tokio::test]
async fn sequence_stops_at_the_first_failed_step() {
    let act = |step| async move { if step == 1 { Err(()) } else { Ok(()) } };
    let steps = carry_out(&StepOrder::sequence(3), 8, act).await;
    assert_eq!(
        steps,
        [
            StepResult::Done(()),
            StepResult::Failed(()),
            StepResult::Blocked(1)
        ]
    );
}
