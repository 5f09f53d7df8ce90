use flitforge_elaborate::Value;
use flitforge_hdl::fabric::packet::{
    PacketConfig, PacketCrc, PacketRx1, PacketRx2, PacketRx4, PacketShape, PacketTx, PacketTx2, PacketWidths,
};
use flitforge_model::packet::{packet_crc, Header, Packet};
use flitforge_model::Flit;
use flitforge_protocol::packet::{body_flits, payload_words};
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;

#[test]
fn wrong_parameters_are_refused() {
    let config = PacketConfig::default();
    let refused = |config: PacketConfig| PacketTx2::new(&config).err().map(|error| error.parameter);
    assert_eq!(refused(PacketConfig { mtu: 255, ..config }), Some("mtu".into()));
    assert_eq!(refused(PacketConfig { mtu: 10_241, ..config }), Some("mtu".into()));
    assert_eq!(refused(PacketConfig { lanes: 0, ..config }), Some("lanes".into()));
    assert_eq!(refused(PacketConfig { lanes: 17, ..config }), Some("lanes".into()));
    assert_eq!(refused(PacketConfig { lanes: 1, management: true, ..config }), Some("lanes".into()));
    assert!(PacketRx2::new(&PacketConfig { mtu: 0, ..config }).is_err());
    assert!(PacketTx::<2, 130, 128, 133, 5, 16, 133, 1>::new(&config)
        .is_err_and(|error| error.parameter == "WORD_W"));
    assert!(PacketTx::<2, 130, 128, 134, 5, 16, 132, 1>::new(&config)
        .is_err_and(|error| error.parameter == "HELD_W"));
    assert!(PacketCrc::<192, 1>::new().is_err_and(|error| error.parameter == "flits"));
    assert!(PacketCrc::<128, 2>::new().is_err_and(|error| error.parameter == "STEPS"));
    let widths = PacketWidths { flits: 3, flits_bits: 195, data_bits: 192, word_bits: 198, bytes_bits: 5 };
    assert!(widths.check("x").is_err_and(|error| error.parameter == "flits"));
}

fn shape<const F: usize, const BYTES_W: usize>() {
    let mut bench = StockBlock::new(PacketShape::<F, BYTES_W>::default());
    for len in (0..300).chain([1_000, 10_231, 10_239, 10_240]) {
        bench.set("len", len as u64);
        let tail = 1 + body_flits(len);
        let expected = [payload_words(len, F), tail / F, 1 << (tail % F)].map(|value| value as u64);
        let found = ["words", "tail_beat", "tail_slot"].map(|port| bench.get(port));
        assert_eq!(found, expected, "F = {F}, {len} bytes");
        if len > 0 {
            assert_eq!(bench.get("bytes") as usize, (len - 1) % (8 * F) + 1, "F = {F}, {len} bytes");
        }
    }
}

#[test]
fn a_length_says_where_the_tail_is() {
    shape::<1, 4>();
    shape::<2, 5>();
    shape::<4, 6>();
}

/// CRCs of random packets, whose flits do not all fill their last beat.
fn crc<const W: usize, const STEPS: usize>(latency: usize) {
    let f = W / 64;
    let mut bench = StockBlock::new(PacketCrc::<W, STEPS>::new().unwrap());
    let mut random = random();
    bench.set("crc.ready", 1);
    for number in 0..40 {
        let mut flits = vec![Flit::other(random.random::<u64>() & 0x7F3F_FFF0_FFFF_FFFF | 1 << 63)];
        flits.extend((0..random.random_range(0..9)).map(|_| Flit::body(random.random())));
        let expected = packet_crc(flits[0], &flits[1..]);
        // The Tail's slot is 0 to the CRC, as is what is behind it.
        let covered = flits.len();
        flits.resize((covered + 1).next_multiple_of(f), Flit::IDLE);
        let beats = flits.len() / f;
        for (index, beat) in flits.chunks(f).enumerate() {
            let words: Vec<u64> = beat.iter().map(|flit| flit.data()).collect();
            bench.set_value("beat.data", &Value::from_words(W as u32, &words));
            bench.set("beat.valid", 1).set("first", (index == 0).into());
            bench.set("last", (index + 1 == beats).into()).set("unused", ((f - covered % f) % f) as u64);
            if index + 1 < beats {
                bench.clock();
            }
        }
        let mut waited = 0;
        while bench.get("crc.valid") == 0 && waited < 20 {
            bench.clock();
            bench.set("beat.valid", 0);
            waited += 1;
        }
        assert_eq!((bench.get("crc.data") as u32, waited), (expected, latency), "F = {f}, packet {number}");
        bench.clock();
    }
}

#[test]
fn the_crc_is_the_models() {
    crc::<64, 0>(6);
    crc::<128, 1>(7);
    crc::<256, 2>(8);
}

fn sample() -> Packet {
    let header = Header { dst: 0x0304, src: 0x0102, vl: 2, ..Header::default() };
    Packet { header, payload: (0x10..=0x23).collect(), tag: 0xBEEF }
}

/// Chapter 10, section 8: 20 bytes in five flits, three beats of two.
const SAMPLE_BEATS: [(u64, bool, u64, bool); 3] = [
    (0x8000_0142_0102_0304, false, 0x1716_1514_1312_1110, true),
    (0x1F1E_1D1C_1B1A_1918, true, 0x2322_2120, true),
    (0x4014_BEEF_AD3B_93F6, false, 0, false),
];

fn sample_beat(index: usize) -> Value {
    let (low, low_type, high, high_type) = SAMPLE_BEATS[index];
    let mut value = Value::zero(130);
    for bit in 0..64 {
        value.set_bit(bit, low >> bit & 1 == 1);
        value.set_bit(65 + bit, high >> bit & 1 == 1);
    }
    value.set_bit(64, low_type);
    value.set_bit(129, high_type);
    value
}

/// The sample's payload: 16 bytes, then 4 of 16.
fn sample_word(index: usize) -> Value {
    let mut value = Value::zero(134);
    let bytes = [16, 4][index];
    for byte in 0..bytes {
        for bit in 0..8 {
            value.set_bit((8 * byte + bit) as u32, (0x10 + 16 * index + byte) >> bit & 1 == 1);
        }
    }
    (0..5).for_each(|bit| value.set_bit(128 + bit, bytes >> bit & 1 == 1));
    value.set_bit(133, index == 1);
    value
}

fn sample_request() -> Value {
    let head = 0x0142_0102_0304_u64;
    Value::from_words(76, &[head | 0xBEEF << 60, 0xBEEF >> 4])
}

/// Gives the sender the sample; what came out and when.
fn send_sample(bench: &mut StockBlock<PacketTx2>, clocks: usize) -> Vec<(usize, Value)> {
    let (mut words, mut headers, mut came) = (0, 0, vec![]);
    bench.set("beats_out.ready", 1);
    for clock in 0..clocks {
        bench.set("header_in.valid", (headers == 0).into()).set_value("header_in.data", &sample_request());
        bench
            .set("words_in.valid", (words < 2).into())
            .set_value("words_in.data", &sample_word(words.min(1)));
        let (header, word) = (bench.get("header_in.ready"), bench.get("words_in.ready"));
        if bench.get("beats_out.valid") == 1 {
            came.push((clock, bench.get_value("beats_out.data")));
        }
        bench.clock();
        headers += header;
        words += if words < 2 { word as usize } else { 0 };
    }
    came
}

#[test]
fn the_sender_makes_the_worked_example_in_5_clocks() {
    let mut bench = StockBlock::new(PacketTx2::new(&PacketConfig::default()).unwrap());
    let came = send_sample(&mut bench, 30);
    let beats: Vec<Value> = came.iter().map(|(_, beat)| beat.clone()).collect();
    assert_eq!(beats, [0, 1, 2].map(sample_beat));
    println!("beats at clocks {:?}", came.iter().map(|(clock, _)| *clock).collect::<Vec<_>>());
    assert_eq!((came[0].0, came[1].0), (5, 6));
    // Behind its making, in clock 4: 2 to the CRC's first register and 7 for itself.
    assert_eq!(came[2].0, 12);
}

#[test]
fn clear_in_mid_packet_forgets_the_packet() {
    let mut bench = StockBlock::new(PacketTx2::new(&PacketConfig::default()).unwrap());
    for clocks in [1, 3, 4, 5, 8] {
        let before = send_sample(&mut bench, clocks);
        assert!(before.len() < 3);
        bench.set("clear", 1);
        assert_eq!(
            (bench.get("header_in.ready"), bench.get("words_in.ready")),
            (0, 0),
            "ready while cleared"
        );
        bench.clock();
        bench.set("clear", 0).set("header_in.valid", 0).set("words_in.valid", 0);
        for _ in 0..20 {
            assert_eq!(bench.get("beats_out.valid"), 0, "a beat after the clear");
            bench.clock();
        }
        assert_eq!(send_sample(&mut bench, 30).len(), 3);
    }
}

#[test]
fn a_refused_packet_is_told_and_its_words_are_taken() {
    let mut bench =
        StockBlock::new(PacketTx2::new(&PacketConfig { lanes: 2, ..PacketConfig::default() }).unwrap());
    let (mut words, mut headers, mut refusals) = (0, 0, vec![]);
    bench.set("beats_out.ready", 1);
    for _ in 0..20 {
        bench.set("header_in.valid", (headers == 0).into()).set_value("header_in.data", &sample_request());
        bench
            .set("words_in.valid", (words < 2).into())
            .set_value("words_in.data", &sample_word(words.min(1)));
        let (header, word) = (bench.get("header_in.ready"), bench.get("words_in.ready"));
        if bench.get("refused.valid") == 1 {
            refusals.push(bench.get("refused.data"));
        }
        assert_eq!(bench.get("beats_out.valid"), 0);
        bench.clock();
        headers += header;
        words += if words < 2 { word as usize } else { 0 };
    }
    assert_eq!((refusals, words), (vec![2], 2));
}

/// What came out of a receiver: (clock, value) of each stream.
#[derive(Default, Debug, PartialEq)]
struct Came {
    headers: Vec<(usize, u64)>,
    words: Vec<(usize, Value)>,
    ends: Vec<(usize, u64)>,
}

fn receive_sample(bench: &mut StockBlock<PacketRx2>, beats: usize, clocks: usize) -> Came {
    let mut came = Came::default();
    for stream in ["header_out", "words_out", "end_out"] {
        bench.set(&format!("{stream}.ready"), 1);
    }
    for clock in 0..clocks {
        bench.set("beats_in.valid", (clock < beats).into());
        bench.set_value("beats_in.data", &sample_beat(clock.min(2)));
        if bench.get("header_out.valid") == 1 {
            came.headers.push((clock, bench.get("header_out.data")));
        }
        if bench.get("words_out.valid") == 1 {
            came.words.push((clock, bench.get_value("words_out.data")));
        }
        if bench.get("end_out.valid") == 1 {
            came.ends.push((clock, bench.get("end_out.data")));
        }
        bench.clock();
    }
    came
}

#[test]
fn the_receiver_takes_the_worked_example_apart() {
    assert_eq!(sample().payload.len(), 20);
    let mut bench = StockBlock::new(PacketRx2::new(&PacketConfig::default()).unwrap());
    let came = receive_sample(&mut bench, 3, 30);
    println!("{came:x?}");
    assert_eq!(came.headers, [(5, 0x0142_0102_0304)]);
    // The words are complete with beats 1 and 2.
    assert_eq!(came.words, [(6, sample_word(0)), (7, sample_word(1))]);
    assert_eq!(came.ends, [(12, 1 << 24 | 0xBEEF)], "10 clocks behind the Tail's beat");
}

#[test]
fn clear_in_mid_packet_forgets_what_was_received() {
    let mut bench = StockBlock::new(PacketRx2::new(&PacketConfig::default()).unwrap());
    for clocks in [1, 3, 4, 5, 8] {
        assert!(receive_sample(&mut bench, 3, clocks).ends.is_empty());
        bench.set("clear", 1);
        assert_eq!(bench.get("beats_in.ready"), 0, "ready while cleared");
        bench.clock();
        bench.set("clear", 0);
        assert_eq!(receive_sample(&mut bench, 0, 20), Came::default(), "something after the clear");
        assert_eq!(receive_sample(&mut bench, 3, 30).ends.len(), 1);
    }
}

/// Nobody takes anything: the receiver takes no more beats, and what it took is not lost.
#[test]
fn an_output_that_is_not_taken_stops_the_receiver() {
    let mut bench = StockBlock::new(PacketRx2::new(&PacketConfig::default()).unwrap());
    let mut taken = 0;
    for clock in 0..100 {
        bench.set("beats_in.valid", 1);
        bench.set_value("beats_in.data", &sample_beat(taken % 3));
        taken += bench.get("beats_in.ready") as usize;
        bench.clock();
        assert!(clock < 60 || bench.get("beats_in.ready") == 0, "still taken at clock {clock}");
    }
    let came = receive_sample(&mut bench, 0, 200);
    let packets = taken / 3;
    assert_eq!(came.headers.len(), taken.div_ceil(3));
    assert_eq!((came.words.len() / 2, came.ends.len()), (packets, packets));
    assert!(came.ends.iter().all(|(_, end)| *end == 1 << 24 | 0xBEEF));
}

#[test]
fn all_widths_are_built() {
    let config = PacketConfig::default();
    assert!(PacketRx1::new(&config).is_ok() && PacketRx4::new(&config).is_ok());
}
