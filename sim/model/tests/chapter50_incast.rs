//! Many XPUs over a switch and in a mesh (chapter 50, 9, points 18 and 19), short.

#![allow(clippy::expect_used)] // helpers of a test

use flitforge_model::sue::incast::{campaign, incast, Size};

#[test]
fn experiment() {
    for run in campaign(Size::Short) {
        let started = std::time::Instant::now();
        match incast(&run.parameters, 1, &mut |_, _| ()) {
            Ok(report) => println!(
                "{}: {:.2} s, {:?} jain {:.4} goodput {:.1} ({:.3}) of {:?} queue {} credits {:?} drop {} pfc {} cf {} replay {} rto {} frames {} acks {} full {:.3} single {:.3} drained {:.0} wd {}",
                run.name, started.elapsed().as_secs_f64(), report.verdict(), report.jain, report.goodput, report.of_bottleneck, report.goodput_of_senders,
                report.queue_most, report.credits_least, report.dropped, report.pfc_frames, report.cf_updates,
                report.replays, report.timeouts, report.frames, report.ack_frames,
                report.share_of(report.most_in_body()), report.share_of(1), report.drained_ns, report.pfc_watchdog
            ),
            Err(error) => println!("{}: {error}", run.name),
        }
    }
}
