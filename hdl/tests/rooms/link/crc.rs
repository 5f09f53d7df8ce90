use flitforge_elaborate::Value;
use flitforge_hdl::config::ConfigError;
use flitforge_hdl::link::crc::{CrcConfig, CrcPipeline, LinkCrc};
use flitforge_protocol::crc::{
    Polynomial, BITS14, LANE_ISOLATION, OVERLAPPING48, PER_LANE_3, PER_LANE_4, STANDARD,
};
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;

/// The definition: one bit at a time, register all ones at the start. The result is in sending order.
fn bit_serial(polynomial: Polynomial, bits: &[bool]) -> u64 {
    let r = polynomial.width();
    let mut register = polynomial.initial();
    for bit in bits {
        let top = register >> (r - 1) & 1 == 1;
        register = (register << 1) & polynomial.initial();
        if top != *bit {
            register ^= polynomial.mask();
        }
    }
    (0..r).fold(0, |word, i| word | u64::from(register >> (r - 1 - i) & 1) << i)
}

fn value_of(bits: &[bool], width: usize) -> Value {
    let mut value = Value::zero(width as u32);
    for (index, bit) in bits.iter().enumerate() {
        value.set_bit(index as u32, *bit);
    }
    value
}

/// Gives one clock of input and returns `(crc, good)` if the output was valid after it.
fn clock<const W: usize, const R: usize, const S: usize>(
    bench: &mut StockBlock<LinkCrc<W, R, S>>,
    beat: Option<(&[bool], bool, bool)>,
) -> Option<(u64, bool)> {
    bench.set("beat.valid", beat.is_some().into());
    if let Some((bits, first, last)) = beat {
        bench.set_value("beat.data", &value_of(bits, W));
        bench.set("first", first.into()).set("last", last.into());
    }
    bench.clock();
    (bench.get("crc.valid") == 1).then(|| (bench.get("crc.data"), bench.get("good") == 1))
}

#[test]
fn impossible_crcs_are_refused() {
    let config = |last_bits| CrcConfig { polynomial: STANDARD, last_bits, pipeline: CrcPipeline::Short };
    let refused = |error: Option<ConfigError>, parameter: &str| {
        assert_eq!(error.expect("refused").parameter, parameter);
    };
    refused(LinkCrc::<132, 14>::new(config(116)).err(), "R");
    refused(LinkCrc::<132, 16>::new(config(133)).err(), "last_bits");
    refused(LinkCrc::<132, 16>::new(config(0)).err(), "last_bits");
    refused(LinkCrc::<16, 16>::new(config(16)).err(), "w");
}

/// Random frames with gaps, cut-off frames and clears in mid-frame, against the definition.
fn frames<const W: usize, const R: usize, const S: usize>(config: CrcConfig, count: usize) {
    let mut rng = random();
    let mut bench = StockBlock::new(LinkCrc::<W, R, S>::new(config).unwrap());
    let latency = bench.uut.latency() as usize;
    let mut expected = vec![];
    let mut seen = vec![];
    for frame in 0..count {
        let beats = rng.random_range(1..=9);
        let bits: Vec<bool> = (0..(beats - 1) * W + config.last_bits).map(|_| rng.random()).collect();
        let cut = frame % 5 == 3;
        for (beat, chunk) in bits.chunks(W).enumerate() {
            let last = beat + 1 == beats;
            if cut && last {
                break;
            }
            while rng.random_bool(0.2) {
                seen.extend(clock(&mut bench, None));
            }
            seen.extend(clock(&mut bench, Some((chunk, beat == 0, last))));
        }
        if cut && frame % 2 == 1 {
            seen.extend((0..latency).filter_map(|_| clock(&mut bench, None)));
            bench.set("clear", 1);
            seen.extend(clock(&mut bench, None));
            bench.set("clear", 0);
        } else if !cut {
            let crc = bit_serial(config.polynomial, &bits);
            expected.push((crc, crc == 0));
        }
    }
    seen.extend((0..latency).filter_map(|_| clock(&mut bench, None)));
    assert_eq!(seen, expected, "W {W} {config:?}");
}

#[test]
fn frames_give_the_crc_of_the_definition() {
    use CrcPipeline::{Balanced, Fast, Short};
    frames::<132, 16, 4>(CrcConfig::sender(STANDARD, 132, Short), 40);
    frames::<132, 16, 4>(CrcConfig::sender(STANDARD, 132, Balanced), 40);
    frames::<132, 16, 4>(CrcConfig::sender(STANDARD, 132, Fast), 40);
    frames::<132, 16, 4>(CrcConfig::receiver(LANE_ISOLATION, 132, Fast), 20);
    frames::<66, 14, 4>(CrcConfig::sender(BITS14, 66, Short), 20);
    frames::<68, 12, 4>(CrcConfig::sender(PER_LANE_4, 68, Balanced), 20);
    frames::<264, 16, 6>(CrcConfig::sender(PER_LANE_3, 264, Fast), 20);
    frames::<272, 12, 4>(CrcConfig { last_bits: 224, ..CrcConfig::sender(OVERLAPPING48[2], 272, Fast) }, 20);
    frames::<528, 16, 8>(CrcConfig::sender(STANDARD, 528, Short), 20);
    frames::<528, 16, 12>(CrcConfig::sender(STANDARD, 528, Fast), 20);
    frames::<136, 8, 4>(CrcConfig::sender(Polynomial::new(0x107).unwrap(), 136, Short), 20);
    frames::<136, 9, 4>(CrcConfig::sender(Polynomial::new(0x211).unwrap(), 136, Short), 20);
}

#[test]
fn a_clear_takes_back_what_is_in_the_pipeline() {
    for pipeline in [CrcPipeline::Short, CrcPipeline::Balanced, CrcPipeline::Fast] {
        let mut bench =
            StockBlock::new(LinkCrc::<66, 16>::new(CrcConfig::sender(STANDARD, 66, pipeline)).unwrap());
        let latency = bench.uut.latency();
        for wait in 0..latency {
            assert_eq!(clock(&mut bench, Some((&[true; 50], true, true))).is_some(), latency == 1);
            for _ in 1..wait {
                assert_eq!(clock(&mut bench, None), None);
            }
            bench.set("clear", 1);
            assert_eq!(clock(&mut bench, Some((&[true; 50], true, true))), None);
            bench.set("clear", 0);
            for _ in 0..10 {
                assert_eq!(clock(&mut bench, None), None, "{pipeline:?}, clear after {wait}");
            }
        }
    }
}

/// Chapter 10, section 8: CRC16 = 9EFC, sent as 3F79; a receiver ends at 0, and not with one bit wrong.
#[test]
fn the_chapters_ltp_is_sent_and_found_good() {
    let words: [u32; 33] = {
        let head = [
            0x01020304, 0x80000142, 0x26242220, 0x2E2C2A28, 0x6C686462, 0x7C787470, 0x19110904, 0x00000001,
            0xD3B93F68, 0x014BEEFA, 0x00001824, 0xA0000000, 0x6AF37BC0, 0x804019E2, 0x91A2B381, 0x01000000,
            0x00000003,
        ];
        std::array::from_fn(|i| if i == 32 { 0x3F790000 } else { head.get(i).copied().unwrap_or(0) })
    };
    let bits: Vec<bool> = (0..1056).map(|i| words[i / 32] >> (i % 32) & 1 == 1).collect();
    let run = |config: CrcConfig, bits: &[bool]| {
        let mut bench = StockBlock::new(LinkCrc::<132, 16>::new(config).unwrap());
        let mut results: Vec<(u64, bool)> = vec![];
        for (beat, chunk) in bits.chunks(132).enumerate() {
            results.extend(clock(&mut bench, Some((chunk, beat == 0, beat == 7))));
        }
        results.extend((0..8).filter_map(|_| clock(&mut bench, None)));
        results
    };
    let sender = CrcConfig::sender(STANDARD, 132, CrcPipeline::Short);
    assert_eq!(run(sender, &bits[..1040]), [(0x3F79, false)]);
    let receiver = CrcConfig::receiver(STANDARD, 132, CrcPipeline::Short);
    assert_eq!(run(receiver, &bits), [(0, true)]);
    let mut wrong = bits.clone();
    wrong[777] = !wrong[777];
    assert!(matches!(run(receiver, &wrong)[..], [(_, false)]));
}
