//! Packets, words and beats as values of ports.

use flitforge_elaborate::Value;
use flitforge_model::packet::{PacketEnd, PacketRules, Request, Word};
use flitforge_model::vl::{CameFlits, LaneBeat};
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::packet::{
    lane_beat, lane_flits, packet_end, request, word_bits, word_count_bits, word_data_bits, HEADER_BITS,
};
use flitforge_sim::kit::Rng as KitRng;
use flitforge_testkit::wide::{bits_of, place_bits};
use rand::Rng;

pub fn request_value(packet: &Request) -> Value {
    let header = packet.header.encode(packet.len).expect("fits").data();
    let word = request::header::FIELD.set(0, header & ((1 << HEADER_BITS) - 1));
    let word = request::tag::FIELD.set(word, packet.tag.into());
    Value::from_words(request::WIDTH as u32, &[word as u64, (word >> 64) as u64])
}

/// What a header port says: the Head's low bits.
pub fn header_value(header: &flitforge_model::packet::Header, len: usize) -> u64 {
    header.encode(len).expect("fits").data() & ((1 << HEADER_BITS) - 1)
}

pub fn word_value(word: &Word, flits: usize) -> Value {
    let mut value = Value::zero(word_bits(flits) as u32);
    for (index, byte) in word.data.iter().enumerate() {
        place_bits(&mut value, 8 * index, 8, u128::from(*byte));
    }
    place_bits(&mut value, word_data_bits(flits), word_count_bits(flits), word.bytes as u128);
    value.set_bit((word_bits(flits) - 1) as u32, word.last);
    value
}

pub fn word_of(value: &Value, flits: usize) -> Word {
    Word {
        data: (0..8 * flits).map(|index| bits_of(value, 8 * index, 8) as u8).collect(),
        bytes: bits_of(value, word_data_bits(flits), word_count_bits(flits)) as usize,
        last: value.bit((word_bits(flits) - 1) as u32),
    }
}

pub fn end_value(end: &PacketEnd) -> u64 {
    let word = packet_end::tag::FIELD.set(0, end.tag.into());
    let word = packet_end::reason::FIELD.set(word, end.bad.unwrap_or(0).into());
    packet_end::good::FIELD.set(word, end.bad.is_none().into()) as u64
}

/// Flits that came, as credits count them.
pub fn lane_flits_value(came: &CameFlits) -> u64 {
    let fields = [
        (lane_flits::vl::FIELD, came.vl as u64),
        (lane_flits::flits::FIELD, came.flits as u64),
        (lane_flits::ends::FIELD, came.ends.into()),
        (lane_flits::opens::FIELD, came.opens.into()),
        (lane_flits::tossed::FIELD, came.tossed as u64),
        (lane_flits::cut::FIELD, came.cut.into()),
    ];
    fields.iter().fold(0, |word, (field, value)| field.set(word, *value)) as u64
}

/// A beat and what it is.
pub fn lane_beat_value(beat: &LaneBeat) -> Value {
    let said = lane_beat::vl::FIELD.set(0, beat.vl as u64);
    let said = lane_beat::flits::FIELD.set(said, beat.flits as u64);
    let said = lane_beat::ends::FIELD.set(said, beat.ends.into());
    let said = lane_beat::opens::FIELD.set(said, beat.opens.into());
    let bits = beat.beat.len() * FLIT_BITS;
    let mut value = Value::zero((bits + lane_beat::WIDTH) as u32);
    for (slot, flit) in beat.beat.iter().enumerate() {
        place_bits(&mut value, slot * FLIT_BITS, FLIT_BITS, flit.bits());
    }
    place_bits(&mut value, bits, lane_beat::WIDTH, said);
    value
}

/// A packet to send: lengths around whole words and flits, headers of all kinds, some of them refused.
pub fn random_request(random: &mut KitRng, rules: &PacketRules) -> Request {
    let size = rules.word_bytes();
    let len = match random.random_range(0..10) {
        0..2 => 0,
        2..5 => random.random_range(1..3 * size),
        5..8 => (random.random_range(1..6) * size + 1).saturating_sub(random.random_range(0..3)),
        8 => random.random_range(0..rules.mtu.min(400) + 1),
        _ => [rules.mtu, rules.mtu + 1, rules.mtu - 1][random.random_range(0..3)],
    };
    // Longest packets rarely.
    let len = if len > 400 && rules.mtu > 400 && random.random_bool(0.95) { len % 100 } else { len };
    let header = flitforge_model::packet::Header {
        dst: random.random(),
        src: random.random(),
        vl: random.random_range(0..(rules.lanes as u8 + 1).min(16)),
        ptype: if random.random() { 2 } else { random.random_range(0..16) },
        fecn: random.random(),
        becn: random.random(),
        sl: random.random_range(0..16),
    };
    Request { header, len, tag: random.random() }
}

/// The payload as a source gives it; `broken`: not what the header says.
pub fn random_words(random: &mut KitRng, rules: &PacketRules, len: usize, broken: bool) -> Vec<Word> {
    let size = rules.word_bytes();
    let count = len.div_ceil(size);
    let mut words: Vec<Word> = (0..count)
        .map(|index| Word {
            data: (0..size).map(|_| random.random()).collect(),
            bytes: size.min(len - index * size),
            last: index + 1 == count,
        })
        .collect();
    if broken && count > 0 {
        match random.random_range(0..3) {
            0 => words[random.random_range(0..count)].last = true,
            1 => {
                words[count - 1].last = false;
                let more = random.random_range(1..4);
                words.extend((0..more).map(|index| Word {
                    data: (0..size).map(|_| random.random()).collect(),
                    bytes: size,
                    last: index + 1 == more,
                }));
            }
            _ => words[count - 1].bytes = random.random_range(0..=size),
        }
    }
    words
}
