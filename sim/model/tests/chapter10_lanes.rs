//! Chapter 10, section 3.6: LTPs dealt to one to four lanes come back, and groups ride the lanes the state says.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::lanes::{LaneSetup, LaneWord};
use flitforge_model::{Flit, LaneCollector, LaneDistributor, Ltp, LtpBits, LtpFormat, Scrambler, Stripe};
use flitforge_protocol::ltp::{ltp_words, CrcMode};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Enough LTPs for two ALN rows on four lanes: 1200 x 33 words are 9900 rows.
const LTPS: usize = 1_200;

fn random_ltps(rng: &mut ChaCha8Rng) -> Vec<Ltp> {
    let ltp = |rng: &mut ChaCha8Rng| Ltp {
        flits: std::array::from_fn(|_| if rng.random() { Flit::body(rng.random()) } else { Flit::IDLE }),
        ..Ltp::idle()
    };
    (0..LTPS).map(|_| ltp(rng)).collect()
}

fn round_trip(rng: &mut ChaCha8Rng, format: &LtpFormat, physical: &[usize]) {
    let lanes = physical.len();
    let sent = random_ltps(rng);
    let words: Vec<u32> = sent.iter().flat_map(|ltp| format.encode(ltp).words().to_vec()).collect();
    let setup = LaneSetup::new(physical, format.mode()).expect("a setup");
    let mut distributor = LaneDistributor::new(setup.clone()).expect("a distributor");
    distributor.push(&words);
    distributor.push(&vec![0; lanes - 1]); // lets the last words out of an unfilled row
    let rows = distributor.rows().expect("rows");
    let control = rows.iter().filter(|row| matches!(row[0], LaneWord::Control(_))).count();
    assert_eq!(control, 1 + words.len().div_ceil(lanes) / 4096, "start row and ALN rows, {lanes} lanes");

    let mut collector = LaneCollector::new(setup).expect("a collector");
    let back: Vec<u32> = rows.iter().flat_map(|row| collector.push(row).expect("a good row")).collect();
    for (ltp, words) in sent.iter().zip(back.chunks(ltp_words(format.mode()))) {
        let received = format.decode(&LtpBits::from_words(words).expect("an LTP")).expect("an LTP");
        assert!(received.is_good() && received.ltp == *ltp, "{:?} on {lanes} lanes", format.mode());
    }
}

#[test]
fn ltps_come_back_over_every_number_of_lanes_in_every_mode() {
    let mut rng = ChaCha8Rng::seed_from_u64(36);
    println!("lanes: seed 36");
    for &mode in CrcMode::ALL {
        for physical in [&[2][..], &[0, 3], &[1, 2, 3], &[0, 1, 2, 3]] {
            if mode.allows_lanes(physical.len()) {
                round_trip(&mut rng, &LtpFormat::new(mode, physical.len()).expect("a format"), physical);
            }
        }
    }
}

/// Descrambles each lane on its own and looks for marked words, without the collector.
#[test]
fn transfer_group_g_rides_lane_g_plus_s() {
    for (lanes, total) in [(4, 33), (4, 34), (3, 33), (3, 34), (2, 33), (2, 34), (1, 33), (1, 34)] {
        let physical: Vec<usize> = (0..lanes).collect();
        let mode = if total == 33 { CrcMode::Standard } else { CrcMode::Overlapping48 };
        let mut distributor =
            LaneDistributor::new(LaneSetup::new(&physical, mode).expect("a setup")).expect("a distributor");
        let mark = |ltp: usize, word: usize| (ltp * 256 + word) as u32;
        (0..12).for_each(|ltp| distributor.push(&(0..total).map(|word| mark(ltp, word)).collect::<Vec<_>>()));
        let rows = distributor.rows().expect("rows");
        let mut seen = 0;
        for (lane, &seed) in physical.iter().enumerate() {
            let mut scrambler = Scrambler::new(seed).expect("a lane");
            for row in &rows[1..] {
                let LaneWord::Data(word) = row[lane] else { panic!("no ALN row so early") };
                let word = scrambler.apply(word) as usize;
                let (ltp, index) = (word / 256, word % 256);
                let state = total * ltp % lanes;
                assert_eq!(lane, (index % lanes + state) % lanes, "{lanes} lanes, LTP {ltp}, word {index}");
                let stripe = Stripe::groups(lanes).expect("lanes").of_ltp(total, ltp as u64);
                assert_eq!((stripe.state(), stripe.lane(index)), (state, lane));
                seen += 1;
            }
        }
        assert_eq!(seen, 12 * total, "every word was found: 12 LTPs fill whole rows");
    }
}
