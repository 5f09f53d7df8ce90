//! `flitforge sue tap`: processes that talk to one another, of the golden models and with the hardware.
#![allow(clippy::expect_used)] // helpers of a test

use crate::link_campaigns::number;
use flitforge_model::sue::format::frame::{seal, FcsCover, FrameState};
use serde_json::Value;
use std::net::UdpSocket;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A process that ends with the test, whatever becomes of it.
struct End(Option<Child>);

impl End {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
        command.args(["sue", "tap"]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        End(Some(command.spawn().expect("started")))
    }

    fn output(mut self) -> Output {
        self.0.take().expect("it runs").wait_with_output().expect("it ends")
    }

    /// What it reports, if all went well.
    fn report(self) -> Value {
        let output = self.output();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        println!("{report}");
        report
    }

    /// Its exit code and its error.
    fn failure(self) -> (Option<i32>, String) {
        let output = self.output();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A port that is free now; nothing else of the tests asks for fixed ones.
fn free() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.local_addr().expect("bound").to_string()
}

/// Both ends over the loopback device, with what each is given beside the addresses; their reports.
fn both(kinds: [&[&str]; 2], common: &[&str]) -> [Value; 2] {
    let places = [free(), free()];
    let start = |end: usize| {
        let own = ["--json", "--end", &end.to_string(), "--listen", &places[end], "--to", &places[1 - end]];
        End::start(&[&own[..], kinds[end], common].concat())
    };
    [start(0), start(1)].map(End::report)
}

const LOSS: [&str; 6] = ["--commands", "3000", "--loss", "20000", "--seconds", "120"];
const HARDWARE: &[&str] = &["--hardware"];

/// Two processes in standard encapsulation, each losing some of what it sends: the ends check that each command comes once, in order and unaltered.
fn all_come(kinds: [&[&str]; 2]) -> [Value; 2] {
    let reports = both(kinds, &LOSS);
    for report in &reports {
        assert_eq!((number(report, "delivered"), number(report, "acknowledged")), (3_000, 3_000), "{report}");
        assert!(number(report, "lost") > 0 && number(report, "frames") > 100, "{report}");
    }
    assert!(reports.iter().any(|report| number(report, "replayed") > 0), "what is lost is sent again");
    reports
}

/// The hardware's own account of a run with 3,000 commands each way.
fn check_hardware(report: &Value) {
    let counters = &report["hardware"]["counters"];
    assert_eq!((number(counters, "CMD_IN"), number(counters, "CMD_OUT")), (3_000, 3_000), "{report}");
    assert_eq!(number(&report["hardware"]["port"], "FRAMES_TX"), number(report, "frames"), "{report}");
    for wrong in ["BODY_BAD", "CONN_FAIL", "RCRC", "HDR_BAD", "AFH_BAD", "RH_BAD"] {
        assert_eq!(counters[wrong], Value::Null, "{report}");
    }
}

#[test]
fn two_ends_of_the_models() {
    all_come([&[], &[]]);
}

#[test]
fn hardware_talks_to_the_models() {
    let [hardware, model] = all_come([HARDWARE, &[]]);
    check_hardware(&hardware);
    let sent = number(&hardware, "frames") - number(&hardware, "lost");
    let came: u64 = model["arrived"].as_object().expect("fates").values().filter_map(Value::as_u64).sum();
    assert!(model["arrived"]["FCS"].is_null() && came <= sent, "{came} of {sent} frames, none of them wrong");
    let bodies = number(&hardware["hardware"]["counters"], "BODY_TX");
    assert_eq!(number(&model["arrived"], "accepted"), bodies, "each body is accepted once");
}

#[test]
fn hardware_talks_to_hardware() {
    let [first, second] = all_come([HARDWARE, HARDWARE]);
    for (one, other) in [(&first, &second), (&second, &first)] {
        check_hardware(one);
        let count = |of: &Value, name: &str| number(&of["hardware"]["counters"], name);
        assert_eq!(count(one, "BODY_TX"), count(other, "BODY_RX"), "each body is accepted once");
    }
}

/// Commands of all sizes in bodies as large as can be, without loss.
#[test]
fn hardware_takes_the_largest_bodies() {
    for report in both([HARDWARE, &[]], &["--commands", "1500", "--data", "256", "--seconds", "120"]) {
        assert_eq!(
            (number(&report, "delivered"), number(&report, "acknowledged")),
            (1_500, 1_500),
            "{report}"
        );
    }
}

/// What is no frame for it is counted by the hardware, and changes nothing.
#[test]
fn hardware_counts_what_it_refuses() {
    let peer = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let (own, other) = (free(), peer.local_addr().expect("bound").to_string());
    let end = End::start(&["--hardware", "--json", "--listen", &own, "--to", &other, "--commands", "0"]);
    let sealed = |octets: &[u8]| seal(octets, FcsCover::Frame, FrameState::Good).expect("sealed");
    let mut turned = sealed(&[0x55; 80]);
    turned[20] ^= 4;
    // with a right FCS: too short, too long, and of an Ethertype that nobody has
    let frames = [turned, sealed(&[1; 10]), sealed(&[2; 20_000]), sealed(&[0x22; 100])];
    // they wait at the socket while the hardware is compiled; nothing but empty datagrams is sent before there is one
    peer.connect(&own).expect("an address");
    let is_refused = || {
        let _ = peer.send(&[]);
        std::thread::sleep(Duration::from_millis(1));
        peer.send(&[]).is_err()
    };
    while is_refused() {}
    for frame in &frames {
        peer.send(frame).expect("sent");
    }
    let report = end.report();
    let port = &report["hardware"]["port"];
    for counter in ["FCS", "RUNT", "LONG"] {
        assert_eq!(number(port, counter), 1, "{counter}: {report}");
    }
    assert_eq!(number(&report["hardware"]["counters"], "HDR_BAD"), 1, "{report}");
    assert_eq!((number(&report, "delivered"), number(&report, "frames")), (0, 0), "{report}");
}

/// Nobody answers: the run ends at its bound, and says so.
#[test]
fn a_run_is_bounded() {
    let tap = |arguments: &[&str]| End::start(arguments).failure();
    let alone = ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:9"];
    for kind in [&[][..], HARDWARE] {
        let (code, error) = tap(&[&alone[..], kind, &["--seconds", "1"]].concat());
        assert!(code == Some(1) && error.contains("after 1 s: 0 of 1000 commands"), "{code:?} {error}");
        let (code, error) = tap(&[&alone[..], kind, &["--frames", "5"]].concat());
        assert!(code == Some(1) && error.contains("after 5 frames: 0 of 1000 commands"), "{code:?} {error}");
    }
    // where TAP is allowed it is bounded, too
    let (code, error) = tap(&["--tap", "flitforge9", "--seconds", "1"]);
    assert!(code != Some(0) && (error.contains("TAP") || error.contains("1 s")), "{code:?} {error}");
    assert_eq!(tap(&["--listen", "127.0.0.1:0"]).0, Some(2));
}
