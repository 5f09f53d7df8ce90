use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_crc::LtpCrc;
use flitforge_protocol::crc::{Polynomial, BITS14, STANDARD};
use flitforge_testkit::{Clocked, StockBlock};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bit-serial division, written from the chapter's words; the register's highest coefficient in bit 0.
fn serial(polynomial: Polynomial, crc_bits: u32, message: &[bool]) -> u64 {
    let mask = (1u32 << crc_bits) - 1;
    let mut state = mask;
    for bit in message {
        let feedback = (state >> (crc_bits - 1) & 1 == 1) != *bit;
        state = state << 1 & mask;
        if feedback {
            state ^= polynomial.mask();
        }
    }
    (0..crc_bits).fold(0, |sum, bit| sum | u64::from(state >> (crc_bits - 1 - bit) & 1) << bit)
}

fn against_serial<const W: usize, const R: usize, const PARTS: usize>(
    polynomial: Polynomial,
    appended: usize,
) {
    let mut random = ChaCha8Rng::seed_from_u64(W as u64 + 1000 * R as u64);
    let mut bench = StockBlock::new(LtpCrc::<W, R, PARTS>::new(polynomial, appended).unwrap());
    for ltp in 0..6 {
        let mut message = vec![];
        for beat in 0..5 {
            let bits: Vec<bool> = (0..W).map(|_| ltp == 0 || random.random()).collect();
            let mut value = Value::zero(W as u32);
            (0..W).for_each(|i| value.set_bit(i as u32, bits[i]));
            message.extend(bits);
            bench
                .set_value("beat", &value)
                .set("load", 1)
                .set("step", 0)
                .set("restart", 0)
                .set("appended", 0);
            bench.clock();
            let last = beat == 4;
            if last && appended > 0 {
                let extra: u64 = random.random_range(0..1 << appended);
                (0..appended).for_each(|i| message.push(extra >> i & 1 == 1));
                bench.set("appended", extra);
            }
            bench.set("load", 0).set("step", 1).set("restart", u64::from(last));
            if last || appended == 0 {
                assert_eq!(bench.get("following"), serial(polynomial, R as u32, &message), "W {W} R {R}");
            }
            bench.clock();
        }
    }
}

#[test]
fn wrong_generators_and_widths_are_refused() {
    assert_eq!(LtpCrc::<130, 16, 32>::new(BITS14, 0).err().unwrap().parameter, "crc_bits");
    assert_eq!(LtpCrc::<130, 16, 33>::new(STANDARD, 0).err().unwrap().parameter, "partial_bits");
    assert_eq!(LtpCrc::<131, 16, 32>::new(STANDARD, 0).err().unwrap().parameter, "beat_bits");
    assert_eq!(LtpCrc::<130, 16, 32>::new(STANDARD, 3).err().unwrap().parameter, "appended");
}

#[test]
fn clear_in_mid_ltp_starts_anew() {
    let mut bench = StockBlock::new(LtpCrc::<66, 16, 16>::new(STANDARD, 0).unwrap());
    let message: Vec<bool> = (0..66).map(|i| i % 3 == 0).collect();
    let mut value = Value::zero(66);
    (0..66).for_each(|i| value.set_bit(i as u32, message[i]));
    bench.set_value("beat", &value).set("load", 1).set("step", 1);
    bench.clock();
    bench.clock();
    bench.set("step", 0).set("clear", 1);
    bench.clock();
    bench.set("clear", 0);
    assert_eq!(bench.get("following"), serial(STANDARD, 16, &message));
}

#[test]
fn every_width_of_the_link_agrees_with_the_bit_serial_division() {
    against_serial::<65, 16, 16>(STANDARD, 0);
    against_serial::<130, 16, 32>(STANDARD, 0);
    against_serial::<264, 16, 64>(STANDARD, 0);
    against_serial::<65, 14, 14>(BITS14, 2);
    against_serial::<130, 14, 28>(BITS14, 2);
    against_serial::<260, 14, 56>(BITS14, 2);
    against_serial::<132, 14, 28>(BITS14, 0);
}
