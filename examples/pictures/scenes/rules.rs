//! What the pictures show keeps the rules that `docs/protocols.md` tells.

use super::bus::ACK_CLOCKS;
use super::rig::{Row, Sample};
use super::{all, Picture};
use flitforge_protocol::crc::STANDARD;

fn picture(name: &str) -> Picture {
    let found = all().expect("simulated").into_iter().find(|picture| picture.name == name);
    found.unwrap_or_else(|| panic!("no picture {name}"))
}

impl Picture {
    fn row(&self, name: &str) -> &Row {
        self.rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}"))
    }

    /// Columns in which a bit is 1.
    fn ones(&self, name: &str) -> Vec<usize> {
        let samples = self.row(name).samples.iter().enumerate();
        samples.filter(|(_, sample)| **sample == Sample::Bit(true)).map(|(column, _)| column).collect()
    }

    fn is(&self, name: &str, column: usize) -> bool {
        self.row(name).samples[column] == Sample::Bit(true)
    }

    fn text(&self, name: &str, column: usize) -> &str {
        match &self.row(name).samples[column] {
            Sample::Text(text) => text,
            other => panic!("{name} in column {column}: {other:?}"),
        }
    }

    /// Payloads of a stream's transfers, with their columns.
    fn transfers(&self, stream: &str) -> Vec<(usize, &str)> {
        let valid = self.ones(&format!("{stream}.valid")).into_iter();
        let moved = valid.filter(|column| self.is(&format!("{stream}.ready"), *column));
        moved.map(|column| (column, self.text(&format!("{stream}.data"), column))).collect()
    }

    /// `valid` and the payload hold until the transfer, unless `cleared`; how often they had to.
    fn waits(&self, stream: &str, cleared: impl Fn(usize) -> bool) -> usize {
        let [valid, ready, data] = ["valid", "ready", "data"].map(|part| format!("{stream}.{part}"));
        let waiting = self.ones(&valid).into_iter().filter(|column| !self.is(&ready, *column));
        let waiting: Vec<usize> = waiting.filter(|column| !cleared(*column)).collect();
        for column in &waiting {
            assert!(self.is(&valid, column + 1), "{valid} falls after clock {column}");
            assert_eq!(
                self.text(&data, *column),
                self.text(&data, column + 1),
                "{data} after clock {column}"
            );
        }
        waiting.len()
    }
}

#[test]
fn a_stream_holds_until_its_transfer_and_keeps_the_order() {
    let picture = picture("stream");
    assert!(picture.waits("words_in", |_| false) > 0 && picture.waits("words_out", |_| false) > 0);
    let words = |stream| picture.transfers(stream).into_iter().map(|(_, word)| word).collect::<Vec<_>>();
    assert_eq!(words("words_in"), ["a0", "a1", "a2", "a3"]);
    assert_eq!(words("words_out"), words("words_in"));
}

#[test]
fn a_clear_takes_nothing_and_forgets_what_is_inside() {
    let picture = picture("clear");
    let clears = picture.ones("clear");
    let [clear] = clears[..] else { panic!("one clock of clear: {clears:?}") };
    picture.waits("words_in", |_| false);
    picture.waits("words_out", |column| column == clear);
    assert!(!picture.is("words_in.ready", clear), "ready while cleared");
    assert!(!picture.is("words_out.valid", clear + 1), "a word is left");
    let lost = picture.transfers("words_in").into_iter().filter(|(column, _)| *column < clear);
    let lost: Vec<&str> = lost.map(|(_, word)| word).collect();
    assert_eq!(lost, ["b0", "b1"]);
    let out: Vec<&str> = picture.transfers("words_out").into_iter().map(|(_, word)| word).collect();
    assert_eq!(out, ["b2", "b3"]);
}

/// The definition, one bit at a time, of beats of 32 bits; bit 0 of the result is sent first.
fn crc(beats: &[u32]) -> u32 {
    let (width, mut register) = (STANDARD.width(), STANDARD.initial());
    for bit in beats.iter().flat_map(|beat| (0..32).map(move |place| beat >> place & 1)) {
        let differs = register >> (width - 1) & 1 != bit;
        register = register << 1 & STANDARD.initial() ^ if differs { STANDARD.mask() } else { 0 };
    }
    (0..width).fold(0, |word, place| word | (register >> (width - 1 - place) & 1) << place)
}

#[test]
fn a_flow_has_an_answer_for_each_frame_after_its_latency() {
    let picture = picture("flow");
    let latency = 4; // of the balanced pipeline, as the block's page has it
    let ends: Vec<usize> = picture.ones("last").into_iter().map(|column| column + latency).collect();
    assert_eq!(ends.len(), 2);
    assert_eq!(picture.ones("crc.valid"), ends);
    let frames = [&[0x0123_4567, 0x89ab_cdef, 0xfedc_ba98][..], &[0x7654_3210]];
    for (frame, column) in frames.into_iter().zip(ends) {
        assert_eq!(picture.text("crc.data", column), format!("{:x}", crc(frame)), "CRC of {frame:x?}");
    }
}

#[test]
fn a_request_on_the_bus_is_answered_before_the_next() {
    let picture = picture("register-bus");
    let (requests, acks) = (picture.ones("bus.request"), picture.ones("bus.ack"));
    assert_eq!((requests.len(), acks.len()), (3, 3));
    for (index, (request, ack)) in requests.iter().zip(&acks).enumerate() {
        assert!(request < ack && ack - request <= ACK_CLOCKS, "request {request}, ack {ack}");
        assert!(requests.get(index + 1).is_none_or(|next| next > ack), "two requests at a time");
        let address = |column| picture.text("bus.address", column);
        assert!((*request..*ack).all(|column| address(column) == address(*ack)), "the address stands");
    }
    let written = picture.text("bus.wdata", requests[0]);
    let read: Vec<&str> = acks.iter().map(|ack| picture.text("bus.rdata", *ack)).collect();
    assert_eq!(read, ["0", written, "0"], "of a write, of the word written, of no register");
}

#[test]
fn ts2_waits_for_the_answer_to_the_present_request() {
    let picture = picture("training");
    for (end, peer) in [("A", "B"), ("B", "A")] {
        let first = picture.ones(&format!("{end} ts2"))[0];
        let request = picture.text(&format!("{end} request"), first);
        assert_ne!(request, "0", "{end} has asked");
        assert_eq!(picture.text(&format!("{peer} answer"), first), request);
        assert_eq!(picture.text(&format!("{end} state"), first), "Training");
    }
}

#[test]
fn a_replay_is_a_marker_pair_and_every_ltp_from_the_pointer_on() {
    let picture = picture("replay");
    let mut states: Vec<&str> =
        (0..picture.row("state").samples.len()).map(|c| picture.text("state", c)).collect();
    let mark = states.iter().position(|state| *state == "MARK").expect("MARK");
    states.dedup();
    assert_eq!(states, ["NORMAL", "MARK", "REPLAY", "NORMAL"]);
    let number = |name, column| u64::from_str_radix(picture.text(name, column), 16).expect("hexadecimal");
    let pointer = number("request_in.data", picture.ones("request_in.valid")[0]);
    let slots = number("next_write", mark) - pointer;
    let (nulls, replayed) = (picture.ones("null_tx"), picture.ones("replayed"));
    assert_eq!((nulls.len(), replayed.len() as u64), (2, slots));
    assert!(nulls[1] < replayed[0], "the pair goes first");
    let (last, original) = (replayed[replayed.len() - 1], picture.ones("ltp_start"));
    assert!(original.iter().any(|column| *column > last), "originals go on");
    // `replayed` says that an LTP was sent; the next one may begin in that clock.
    let between = original.iter().filter(|column| (nulls[0]..last).contains(*column));
    assert_eq!(between.count(), 0, "originals in between");
}
