use flitforge_elaborate::Value;
use flitforge_hdl::fabric::packet::PacketConfig;
use flitforge_hdl::fabric::port::{FabEnds, FabGate, FabLane1, FabReader, FabStart, START_CLOCKS};
use flitforge_protocol::flit::BadReason;
use flitforge_testkit::{Clocked, StockBlock};

/// Flits of one per beat, by their two top bits and the type.
const HEAD: u64 = 1 << 63;
const TAIL: u64 = 1 << 62;
/// TailBad of lane 3, reason 1.
const CUT: u64 = 0x0A << 56 | 3 << 8 | 1;

/// A flit of type 0, or a Body.
fn flit(data: u64, body: bool) -> Value {
    let mut value = Value::from_u64(65, data);
    value.set_bit(64, body);
    value
}

fn offer(bench: &mut StockBlock<FabGate<1, 65>>, data: u64, body: bool) -> (u64, u64) {
    bench.set_value("beats_in.data", &flit(data, body)).set("beats_in.valid", 1);
    let seen = (bench.get("beats_in.ready"), bench.get("beats_out.valid"));
    bench.clock();
    bench.set("beats_in.valid", 0);
    seen
}

#[test]
fn a_gate_throws_away_the_rest_of_a_packet_that_the_link_has_lost() {
    let mut bench = StockBlock::new(FabGate::<1, 65>::new().unwrap());
    bench.set("beats_out.ready", 1);
    assert_eq!(offer(&mut bench, HEAD, false), (1, 1));
    assert_eq!(offer(&mut bench, 5, true), (1, 1));
    bench.set("starts", 1);
    assert_eq!(offer(&mut bench, 6, true), (0, 0), "nothing passes during a start");
    assert_eq!(offer(&mut bench, 6, true), (1, 0), "the packet has begun: thrown away");
    bench.set("starts", 0);
    bench.set("beats_out.ready", 0);
    assert_eq!(offer(&mut bench, 7, true), (1, 0));
    assert_eq!(offer(&mut bench, TAIL, false), (1, 0), "with its Tail");
    assert_eq!(offer(&mut bench, HEAD, false), (0, 1), "the next packet goes its way");
    bench.set("beats_out.ready", 1);
    assert_eq!(offer(&mut bench, HEAD, false), (1, 1));
    assert_eq!(offer(&mut bench, TAIL, false), (1, 1));
    // Between two packets a start takes nothing away; in clear nothing passes and all is forgotten.
    bench.set("starts", 1);
    bench.clock();
    bench.set("starts", 0);
    assert_eq!(offer(&mut bench, HEAD, false), (1, 1));
    bench.set("clear", 1).set("starts", 1);
    assert_eq!(offer(&mut bench, 1, true), (0, 0));
    bench.set("clear", 0).set("starts", 0);
    assert_eq!(offer(&mut bench, HEAD, false), (1, 1));
}

#[test]
fn a_start_lasts_eight_clocks_and_credits_begin_with_the_last() {
    let mut bench = StockBlock::new(FabStart::default());
    bench.set("restart", 1);
    bench.clock();
    bench.set("restart", 0);
    for clock in 1..=START_CLOCKS as u64 {
        assert_eq!((bench.get("starts"), bench.get("begins")), (1, u64::from(clock == 8)), "clock {clock}");
        bench.clock();
    }
    assert_eq!((bench.get("starts"), bench.get("begins")), (0, 0));
    bench.set("restart", 1);
    bench.clock();
    bench.set("restart", 0).set("clear", 1);
    bench.clock();
    assert_eq!(bench.get("starts"), 0, "cleared");
}

type Reader = FabReader<65, 67>;

/// A word at the front: its marks, its flit.
fn front(bench: &mut StockBlock<Reader>, marks: u64, data: u64, body: bool) {
    let flit = flit(data, body);
    let mut word = Value::from_u64(67, marks);
    (0..65).for_each(|bit| word.set_bit(bit + 2, flit.bit(bit)));
    bench.set_value("front.data", &word).set("front.valid", 1).set("empty", 0);
}

fn store(bench: &mut StockBlock<Reader>, marks: u64) {
    bench.set("stored", 1).set("stored_marks", marks);
    bench.clock();
    bench.set("stored", 0);
}

#[test]
fn a_reader_frees_an_au_with_its_last_beat_or_the_end_of_its_packet() {
    let mut bench = StockBlock::new(Reader::new(3));
    bench.set("last_place", 2).set("beats_out.ready", 1);
    let mut freed = vec![];
    for place in 0..5 {
        let marks = u64::from(place == 0) | u64::from(place == 4) << 1;
        front(&mut bench, marks, place, true);
        assert_eq!((bench.get("front.ready"), bench.get("beats_out.valid")), (1, 1));
        assert_eq!(bench.get_value("beats_out.data"), flit(place, true));
        bench.clock();
        freed.push(bench.get("released"));
    }
    bench.set("front.valid", 0);
    bench.clock();
    freed.push(bench.get("released"));
    assert_eq!(freed, [0, 0, 0, 1, 0, 1], "two clocks behind");
    // A beat that nobody takes frees nothing.
    bench.set("last_place", 0).set("beats_out.ready", 0);
    front(&mut bench, 3, 0, true);
    bench.clock();
    bench.clock();
    assert_eq!((bench.get("front.ready"), bench.get("released")), (0, 0));
    bench.set("stops", 1).set("beats_out.ready", 1);
    assert_eq!((bench.get("front.ready"), bench.get("beats_out.valid")), (0, 0), "stopped");
}

#[test]
fn a_packet_that_a_start_has_cut_ends_after_what_there_is_of_it() {
    assert_eq!(u64::from(BadReason::InputLinkDown.code()), 1);
    for (followed, place, frees) in [(false, 1, 1), (true, 1, 1), (false, 3, 0), (true, 3, 0)] {
        let mut bench = StockBlock::new(Reader::new(3));
        bench.set("last_place", 2).set("beats_out.ready", 1);
        for beat in 0..place {
            store(&mut bench, u64::from(beat == 0));
        }
        bench.set("severs", 1);
        bench.clock();
        bench.set("severs", 0);
        for beat in 0..place {
            front(&mut bench, u64::from(beat == 0), beat, true);
            assert_eq!(bench.get("front.ready"), 1, "what has come is read");
            bench.clock();
        }
        bench.set("front.valid", 0).set("empty", 1).set("beats_out.ready", 0);
        if followed {
            store(&mut bench, 1);
            front(&mut bench, 1, HEAD, false);
        }
        assert_eq!(bench.get("front.ready"), 0);
        bench.clock();
        assert_eq!((bench.get("beats_out.valid"), bench.get("front.ready")), (1, 0));
        assert_eq!(bench.get_value("beats_out.data"), flit(CUT, false), "TailBad");
        bench.clock();
        assert_eq!(bench.get_value("beats_out.data"), flit(CUT, false), "until it is taken");
        bench.set("beats_out.ready", 1);
        bench.clock();
        assert_eq!(bench.get("beats_out.valid"), u64::from(followed), "once");
        bench.clock();
        assert_eq!(bench.get("released"), frees, "an AU that was begun is free");
    }
}

#[test]
fn a_reader_without_an_open_packet_makes_no_end() {
    let mut bench = StockBlock::new(Reader::new(3));
    bench.set("last_place", 2).set("beats_out.ready", 1).set("empty", 1);
    store(&mut bench, 3);
    front(&mut bench, 3, HEAD, false);
    bench.clock();
    bench.set("front.valid", 0).set("empty", 1).set("severs", 1);
    bench.clock();
    bench.set("severs", 0);
    for _ in 0..4 {
        assert_eq!(bench.get("beats_out.valid"), 0);
        bench.clock();
    }
}

#[test]
fn ends_pass_one_per_clock_and_count_once() {
    let mut bench = StockBlock::new(FabEnds::<2>::default());
    let good = 1 << 24;
    bench.set("ends_in[0].data", 7 | good).set("ends_in[0].valid", 1);
    bench.set("ends_in[1].data", 9).set("ends_in[1].valid", 1);
    assert_eq!((bench.get("ends_in[0].ready"), bench.get("ends_in[1].ready")), (1, 0));
    bench.clock();
    assert_eq!((bench.get("good"), bench.get("bad")), (1, 0));
    assert_eq!((bench.get("ends_out[0].valid"), bench.get("ends_out[0].data")), (1, 7 | good));
    // Lane 0 is not taken, so lane 1 has the clock.
    assert_eq!((bench.get("ends_in[0].ready"), bench.get("ends_in[1].ready")), (0, 1));
    bench.clock();
    bench.set("ends_in[1].valid", 0);
    assert_eq!((bench.get("good"), bench.get("bad")), (0, 1));
    assert_eq!((bench.get("ends_out[1].valid"), bench.get("ends_out[1].data")), (1, 9));
    bench.set("ends_out[0].ready", 1).set("ends_out[1].ready", 1);
    assert_eq!(bench.get("ends_in[0].ready"), 1);
    bench.clock();
    assert_eq!((bench.get("ends_out[0].valid"), bench.get("ends_out[1].valid")), (1, 0));
    bench.set("clear", 1);
    assert_eq!(bench.get("ends_in[0].ready"), 0);
    bench.clock();
    bench.set("clear", 0).set("ends_in[0].valid", 0);
    assert_eq!((bench.get("ends_out[0].valid"), bench.get("good")), (0, 0));
}

#[test]
fn a_lane_that_runs_over_stores_nothing_more_until_a_start_empties_it() {
    let config = PacketConfig { mtu: 256, lanes: 1, management: false };
    let mut bench = StockBlock::new(FabLane1::<4, 5>::new(0, &config).unwrap());
    bench.set("there", 1);
    // Nothing leaves: the packets wait in the receiver and before it.
    let mut beats = 0;
    while bench.get("stopped") == 0 {
        let marks = if beats % 2 == 0 { 1 } else { 2 };
        let data = flit(if beats % 2 == 0 { HEAD } else { TAIL }, false);
        let mut word = Value::from_u64(67, marks);
        (0..65).for_each(|bit| word.set_bit(bit + 2, data.bit(bit)));
        bench.set_value("beat", &word);
        bench.clock();
        beats += 1;
        assert!(beats < 200, "it never runs over");
    }
    assert!(beats > 16, "{beats} beats fit");
    bench.set("there", 0).set("starts", 1);
    (0..7).for_each(|_| bench.clock());
    bench.set("begins", 1);
    assert_eq!(bench.get("stopped"), 1, "up to the last clock of the start");
    bench.clock();
    bench.set("starts", 0).set("begins", 0);
    assert_eq!(bench.get("stopped"), 0);
    // What had been read goes on; what was in the buffer is gone.
    bench.set("header_out.ready", 1).set("words_out.ready", 1).set("end_out.ready", 1);
    let (mut headers, mut freed) = (0, 0);
    for _ in 0..100 {
        headers += bench.get("header_out.valid");
        freed += bench.get("released");
        bench.clock();
    }
    assert!(headers > 0 && 2 * headers < beats, "{headers} of {beats} beats");
    assert!(freed <= 1, "{freed}: what was emptied is not released");
}
