//! Recordings: what one back end did, every back end does; bad files are refused with file and line.
#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Bug, Counter, StreamRegister, TwoClocks};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_sim::kit::{
    random_value, rng, seed, ClearDriver, StimulusFn, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::{BackEnd, Bench, PortKind, Recording, SimError};
use std::path::Path;

/// Random traffic with clears on a stream register.
fn recorded(bug: Bug, clocks: u64) -> Recording {
    let seed = seed(0x4ec0);
    let bench = BackEnd::Graph.open("stream_register", StreamRegister::<70>::boxed(bug)).expect("bench");
    let mut testbench = Testbench::new(bench);
    let source = StreamSource::new(testbench.bench(), "words_in", seed).expect("ports");
    let sink = StreamSink::new(testbench.bench(), "words_out", seed).expect("ports");
    let clear = ClearDriver::new(testbench.bench(), "clear", seed).expect("port").at_random(0.01, 1..=3);
    testbench.add(clear).add(source).add(sink).record();
    testbench.run(clocks).expect("runs");
    let trace = testbench.finish().expect("finished").expect("recorded");
    Recording::of_trace(&trace, "70 bits", seed, true)
}

fn through_a_file(recording: &Recording, folder: &Path) -> Recording {
    let path = folder.join("new/run.jsonl");
    recording.write(&path).expect("written");
    Recording::read(&path).expect("read")
}

#[test]
fn a_recording_replays_on_every_back_end() {
    let folder = tempfile::tempdir().expect("folder");
    let written = recorded(Bug::None, 3_000);
    let recording = through_a_file(&written, folder.path());
    assert_eq!((recording.header(), recording.len()), (written.header(), 3_000));
    assert_eq!(recording.header().inputs["words_in.data"], 70);
    for back_end in BackEnd::BUILT_IN {
        let mut bench = back_end.open("other", StreamRegister::<70>::boxed(Bug::None)).expect("bench");
        recording.replay_on(bench.as_mut()).expect("equal");
    }
}

#[test]
fn a_block_that_differs_is_found_at_its_first_clock() {
    let folder = tempfile::tempdir().expect("folder");
    let recording = through_a_file(&recorded(Bug::None, 3_000), folder.path());
    let mut found = vec![];
    for back_end in BackEnd::BUILT_IN {
        let block = StreamRegister::<70>::boxed(Bug::ReadyWhileCleared);
        let mut bench = back_end.open("stream_register", block).expect("bench");
        let error = recording.replay_on(bench.as_mut()).expect_err("differs");
        let text = error.to_string();
        let SimError::Mismatch(mismatch) = error else { panic!("{text}") };
        assert_eq!((mismatch.port.as_str(), mismatch.expected.value[0]), ("words_in.ready", 0));
        assert!(text.contains("run.jsonl") && text.contains("clear=1"), "{text}");
        found.push(mismatch.clock);
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
}

#[test]
fn clocks_rise_as_they_rose() {
    let open =
        |back_end: BackEnd| back_end.open("two_clocks", Box::new(TwoClocks::default())).expect("bench");
    let mut testbench = Testbench::new(open(BackEnd::Graph));
    let clocks = testbench.bench().ports().of_kind(PortKind::Clock);
    testbench.set_schedule(ClockSchedule::new(&[(clocks[0], 4_000, 0), (clocks[1], 6_200, 1_000)]));
    let data = testbench.bench().port("d").expect("port");
    let mut random = rng(1, "d");
    testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
        bench.set(data, &random_value(&mut random, 4));
        Ok(())
    }));
    testbench.record();
    testbench.run(500).expect("runs");
    let trace = testbench.finish().expect("finished").expect("recorded");
    let recording = Recording::of_trace(&trace, "default", 1, true);
    for back_end in BackEnd::BUILT_IN {
        recording.replay_on(open(back_end).as_mut()).expect("equal");
    }
}

#[test]
fn a_recording_of_another_block_is_refused() {
    let recording = recorded(Bug::None, 10);
    let error = |block: Box<dyn DriveBlock>| {
        let mut bench = BackEnd::Graph.open("other", block).expect("bench");
        recording.replay_on(bench.as_mut()).expect_err("refused").to_string()
    };
    assert!(error(Counter::<8>::boxed()).contains("words_in"));
    let text = error(StreamRegister::<12>::boxed(Bug::None));
    assert!(text.contains("70 bits") && text.contains("12"), "{text}");
}

#[test]
fn bad_files_are_refused_with_file_and_line() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("bad.jsonl");
    let header = r#"{"recording":1,"block":"counter","preset":"","seed":"0x1","clocks":["clock"],"inputs":{"enable":1,"clear":1},"outputs":{"count":8}}"#;
    let refused = |text: String| {
        std::fs::write(&path, text).expect("written");
        Recording::read(&path).expect_err("refused").to_string()
    };
    let line = |text: &str| refused(format!("{header}\n{{\"clock\":0}}\n{text}\n"));
    let cases = [
        (refused(String::new()), "line 1", "header"),
        (refused("{}".into()), "line 1", "recording"),
        (refused(header.replace(":1,\"block\"", ":2,\"block\"")), "line 1", "version 2"),
        (refused(header.replace("0x1", "one")), "line 1", "`one`"),
        (line("{\"clock\":1"), "line 3", "EOF"),
        (line("{\"clock\":2}"), "line 3", "clock 1 is expected"),
        (line("{\"clock\":1,\"in\":{\"enabel\":\"1\"}}"), "line 3", "clear, enable"),
        (line("{\"clock\":1,\"in\":{\"enable\":\"2\"}}"), "line 3", "does not fit 1 bits"),
        (line("{\"clock\":1,\"in\":{\"enable\":\"x\"}}"), "line 3", "hexadecimal"),
        (line("{\"clock\":1,\"out\":{\"count\":\"\"}}"), "line 3", "hexadecimal"),
        (line("{\"clock\":1,\"out\":{\"enable\":\"1\"}}"), "line 3", "no output `enable`"),
        (line("{\"clock\":1,\"rise\":[\"clok\"]}"), "line 3", "`clok`"),
        (line("{\"clock\":1,\"inputs\":{}}"), "line 3", "inputs"),
        (
            refused(header.replace("\"clocks\"", "\"edges\":2,\"clocks\"") + "\n{\"clock\":0}\n"),
            "line 2",
            "not whole",
        ),
    ];
    for (error, place, what) in cases {
        assert!(
            error.contains("bad.jsonl") && error.contains(place) && error.contains(what),
            "{what}: {error}"
        );
    }
    let missing = Recording::read(&folder.path().join("none.jsonl")).expect_err("missing");
    assert!(missing.to_string().contains("none.jsonl"));
    std::fs::write(
        &path,
        format!("{header}\n{{\"clock\":0,\"in\":{{\"enable\":\"1\"}},\"out\":{{\"count\":\"00\"}}}}\n"),
    )
    .expect("written");
    let mut bench = BackEnd::Graph.open("counter", Counter::<8>::boxed()).expect("bench");
    Recording::read(&path).expect("good").replay_on(bench.as_mut()).expect("equal");
}

#[test]
fn a_full_disk_is_an_error_with_the_file() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("full.jsonl");
    std::os::unix::fs::symlink("/dev/full", &path).expect("link");
    let error = recorded(Bug::None, 100).write(&path).expect_err("no room").to_string();
    assert!(error.contains("full.jsonl") && error.contains("No space left"), "{error}");
}
