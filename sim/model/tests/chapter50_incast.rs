//! Many XPUs over a switch and in a mesh (chapter 50, 9, points 18 and 19). `flitforge sim sue-incast --campaign 2` runs 1,024 XPUs, too.

#![allow(clippy::expect_used)] // helpers of a test

use flitforge_model::sue::incast::{
    campaign, incast, jain, CreditUnit, FlowKind, IncastError, IncastParameters, IncastReport, Pattern, Size,
    SueSimShapes,
};

fn run(parameters: &IncastParameters) -> IncastReport {
    incast(parameters, 0x50, &mut |_, _| ()).expect("every command once and in order")
}

/// 16 XPUs over a short time.
fn small() -> IncastParameters {
    IncastParameters { xpus: 16, time: 400_000, sample: 4_000, ..IncastParameters::default() }
}

/// All patterns with both windows and both kinds of flow control, and SUE-Sim's values.
#[test]
fn the_campaign_drops_nothing_and_is_fair() {
    for run_of in campaign(Size::Short) {
        let report = run(&run_of.parameters);
        println!("{}: Jain {:.4}, {:.1} Gb/s", run_of.name, report.jain, report.goodput);
        assert_eq!(report.verdict(), Ok(()), "{}", run_of.name);
        assert_eq!((report.dropped, report.replays, report.timeouts), (0, 0, 0), "{}", run_of.name);
        assert!(report.of_bottleneck > 0.9 && report.of_bottleneck < 1.005, "{}: {report:?}", run_of.name);
        let is_credits = run_of.parameters.flow == FlowKind::Cbfc;
        assert_eq!(report.credits_least.is_some(), is_credits, "{}", run_of.name);
        assert!(report.samples.len() > 100 && report.by_sender.len() > 3, "{}", run_of.name);
    }
}

/// The window bounds what one connection has in the switch, and LIMIT what one virtual channel of a link has.
#[test]
fn a_larger_window_fills_the_queue_until_credits_end_it() {
    let wide = IncastParameters { limit: 2_000, ..small() };
    let [narrow, wide, held] = [
        run(&IncastParameters { window: 16, ..wide }),
        run(&IncastParameters { window: 64, ..wide }),
        run(&IncastParameters { window: 64, limit: 90, ..small() }),
    ];
    // 15 senders with 4 VCs; full frames of 1,934 octets and 8 cells
    let frames = |report: &IncastReport| report.queue_most / 1_934 / 60;
    assert!((14..=16).contains(&frames(&narrow)), "{}", frames(&narrow));
    assert!((56..=64).contains(&frames(&wide)), "{}", frames(&wide));
    assert!((9..=11).contains(&frames(&held)), "{}", frames(&held));
    assert!(narrow.credits_least > Some(1_000) && held.credits_least < Some(9), "{:?}", held.credits_least);
}

/// Without flow control the same buffers overflow, and go-back-N still delivers every command once and in order.
#[test]
fn without_flow_control_frames_are_dropped_and_sent_again() {
    let lossy = IncastParameters { flow: FlowKind::None, xoff: 8_192, rto: 100_000, ..small() };
    let report = run(&lossy);
    assert!(report.dropped > 100 && report.replays > 100, "{report:?}");
    assert_eq!(report.verdict(), Ok(()), "nothing is promised there");
    let report = run(&IncastParameters { flow: FlowKind::Pfc, ..lossy });
    assert!(report.dropped == 0 && report.pfc_frames > 100, "{report:?}");
}

/// A LIMIT of the largest frame: one frame at a time, and never more than that.
#[test]
fn the_least_limit_still_moves_everything() {
    let report = run(&IncastParameters { limit: 9, time: 100_000, sample: 1_000, ..small() });
    assert!(report.dropped == 0 && report.commands > 5_000, "{report:?}");
    let refused = incast(&IncastParameters { limit: 8, ..small() }, 1, &mut |_, _| ());
    assert_eq!(refused, Err(IncastError::Limit { limit: 8, cells: 9 }));
}

/// Point 19: bodies of 8 at most, nearly all of them full, no drop, and most of the 85 credits never used.
#[test]
fn shapes_are_those_of_sue_sim() {
    let parameters = IncastParameters { time: 200_000, sample: 2_000, ..IncastParameters::sue_sim() };
    assert_eq!((parameters.credit_unit, parameters.limit), (CreditUnit::Frames, 85));
    let report = run(&parameters);
    let shapes = SueSimShapes::of(&report);
    println!("{shapes:?}");
    assert_eq!(shapes.verdict(), Ok(()));
    assert!(shapes.full >= 0.8 && shapes.most_in_body == 8 && shapes.dropped == Some(0), "{shapes:?}");
    assert!((60..85).contains(&shapes.credits.0), "{shapes:?}");
    let packed = run(&IncastParameters { pool: 4, ..parameters });
    assert!(SueSimShapes::of(&packed).verdict().is_err(), "with few commands waiting bodies are small");
}

/// STRICT_MAP gives each pair a link of its own: three of them add up.
#[test]
fn a_mesh_carries_three_times_a_link() {
    let report = run(&IncastParameters { pattern: Pattern::Mesh, xpus: 4, ..small() });
    assert!(report.goodput_of_senders[0] > 3.0 * 175.0 && report.queue_most == 0, "{report:?}");
    let refused = incast(&IncastParameters { pattern: Pattern::Mesh, ..small() }, 1, &mut |_, _| ());
    assert_eq!(refused, Err(IncastError::Mesh { xpus: 16 }));
}

#[test]
fn jain_is_one_for_equals_and_one_in_n_for_one() {
    assert_eq!(jain(&[3.0; 8]), Some(1.0));
    assert_eq!(jain(&[0.0, 4.0, 0.0, 0.0]), Some(0.25));
    assert_eq!(jain(&[0.0; 4]), None);
}
