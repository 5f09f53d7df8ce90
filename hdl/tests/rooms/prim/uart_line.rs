//! The UART receiver on lines of another rate and on lines with noise.

use flitforge_hdl::prim::uart::{UartConfig, UartRx, FRAME_BITS};
use flitforge_sim::port::PortHandle;
use flitforge_sim::{Bench, CompiledBench};
use flitforge_testkit::random;
use rand::Rng as _;

/// Clocks per bit; 1085 is preset `default` (125 MHz, 115,200 baud), 8 is `fast`, 25 is the register line of the boards.
const DIVIDERS: [u64; 14] = [8, 9, 10, 11, 12, 13, 16, 25, 31, 63, 64, 100, 500, 1085];
/// Parts per thousand that the receiver must stand back to back, in both signs; 9 clocks per bit are the worst.
const PROMISED: i64 = 45;
const PROMISED_OF_9: i64 = 44;

/// A receiver on a line.
struct Receiver {
    bench: CompiledBench,
    divider: u64,
    line: PortHandle,
    /// `valid`, `data` and `framing_error`.
    outputs: [PortHandle; 3],
}

impl Receiver {
    fn new(divider: u64) -> Self {
        let config = UartConfig { clock_hz: divider * 10_000, baud: 10_000 };
        assert_eq!(config.divider(), divider);
        let block = Box::new(UartRx::new(config).expect("valid"));
        let bench = CompiledBench::new("uart_line", block).expect("bench");
        let port = |path| bench.port(path).expect("port");
        let outputs = ["bytes.valid", "bytes.data", "framing_error"].map(port);
        Self { line: port("line"), outputs, bench, divider }
    }

    /// What comes out of an idle line and then these samples, and how many framing errors.
    fn receive(&mut self, samples: impl Iterator<Item = bool>) -> (Vec<u8>, usize) {
        let idle = (0..12 * self.divider).map(|_| true);
        let (mut bytes, mut broken) = (vec![], 0);
        let [valid, data, error] = self.outputs;
        for sample in idle.chain(samples) {
            self.bench.set_u64(self.line, u64::from(sample));
            self.bench.step().expect("steps");
            self.bench.settle().expect("settles");
            if self.bench.get_bit(valid) {
                bytes.push(self.bench.get_u64(data) as u8);
            }
            broken += usize::from(self.bench.get_bit(error));
        }
        (bytes, broken)
    }
}

/// The line's level at a time in bits of the sender since its first start bit began: frames without a pause, then idle.
fn level(bytes: &[u8], time: f64) -> bool {
    if time < 0.0 {
        return true;
    }
    let bit = time as usize;
    match (bytes.get(bit / FRAME_BITS), bit % FRAME_BITS) {
        (None, _) | (_, 9) => true,
        (_, 0) => false,
        (Some(byte), bit) => byte >> (bit - 1) & 1 == 1,
    }
}

/// Frames that end low, high, and turn in every bit.
const BYTES: [u8; 6] = [0x00, 0x55, 0x7F, 0xAA, 0xFF, 0x80];

/// Whether all bytes come, back to back, from a sender whose bits are longer by so many parts per thousand, wherever its edges are between
/// two clocks and two samples.
fn tolerates(receiver: &mut Receiver, longer: i64) -> bool {
    let bit = receiver.divider as f64 * (1000 + longer) as f64 / 1000.0;
    let clocks = ((BYTES.len() * FRAME_BITS + 2) as f64 * bit) as i64;
    (0..16).all(|step| {
        let phase = (f64::from(step) + 0.5) / 16.0 * (receiver.divider as f64 / 32.0).max(1.0);
        let before = (phase as i64 + 2) * 2;
        let samples = (-before..clocks).map(|clock| level(&BYTES, (clock as f64 + phase) / bit));
        receiver.receive(samples) == (BYTES.to_vec(), 0)
    })
}

#[test]
fn senders_may_be_off_by_what_is_promised_in_both_signs_back_to_back() {
    for divider in DIVIDERS {
        let promised = if divider == 9 { PROMISED_OF_9 } else { PROMISED };
        let mut receiver = Receiver::new(divider);
        // The large ones are slow: their ends only.
        let all: Vec<i64> =
            if divider > 100 { vec![-promised, 0, promised] } else { (-promised..=promised).collect() };
        for longer in all {
            assert!(
                tolerates(&mut receiver, longer),
                "{divider} clocks per bit, {longer} parts per thousand"
            );
        }
    }
}

/// Prints how far it goes; what is promised is the least of it.
#[test]
fn the_tolerance_of_the_presets() {
    for divider in DIVIDERS {
        let mut receiver = Receiver::new(divider);
        let mut most = |sign: i64| {
            (40..100).find(|longer| !tolerates(&mut receiver, sign * longer)).expect("not 10 %") - 1
        };
        let (fast, slow) = (most(-1), most(1));
        println!("{divider} clocks per bit: bits shorter by up to {fast}, longer by up to {slow} parts per thousand");
        assert!(fast < 60 && slow < 70, "no receiver can: the test is wrong");
    }
}

/// One sample of four is wrong, or as many as can be with two right ones between them.
#[test]
fn wrong_samples_alone_do_no_harm() {
    let mut random = random();
    for divider in [8, 25, 100] {
        let mut receiver = Receiver::new(divider);
        let bytes: Vec<u8> = (0..300).map(|_| random.random()).collect();
        let clocks = (bytes.len() * FRAME_BITS + 2) as u64 * divider;
        let mut right = 0;
        let samples = (0..clocks).map(|clock| {
            // Two wrong ones are at least three samples apart.
            let wrong = clock >= right && random.random_ratio(1, 4);
            if wrong {
                right = clock + 3 * (divider / 32).max(1);
            }
            level(&bytes, clock as f64 / divider as f64 - 1.0) ^ wrong
        });
        let (received, broken) = receiver.receive(samples);
        assert_eq!((received, broken), (bytes, 0), "{divider} clocks per bit");
    }
}
