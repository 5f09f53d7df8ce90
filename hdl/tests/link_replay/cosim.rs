//! `link_retry_tx` clock by clock: native code, graph, rust-hdl itself and the emitted Verilog are equal under events that
//! take it through every state. What it must do is the business of the other files: a cycle-exact model would be the block
//! again.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::selfcheck::against_stock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::replay::LinkReplay;
use flitforge_hdl::link::retry_tx::{LinkRetryTx, LinkRetryTx2Small};
use flitforge_protocol::flit::{control, Opcode};
use flitforge_protocol::retry::{RetryState, GUARD_LTPS};
use flitforge_sim::cosim::CosimPlan;
use flitforge_sim::kit::{random_value, Agent};
use flitforge_sim::kit::{rng, seed, ClearDriver, Coverage, Pace, Rng, StreamSink, StreamSource, Testbench};
use flitforge_sim::{Bench, SimError};
use flitforge_testkit::{depth, drive_all};
use rand::Rng as _;

/// Clocks between two events of the receiver.
const EVENT_CLOCKS: u64 = 8;

/// The receiver and `link_train` of a link where everything happens often: Init is answered at once, requests name
/// pointers in and out of the buffer, pairs of bad LTPs, restarts.
struct Peer {
    rng: Rng,
    next_event: u64,
    stopped_until: u64,
    states: [u64; 6],
}

impl Peer {
    fn new(seed: u64) -> Self {
        Self { rng: rng(seed, "peer"), next_event: 20, stopped_until: 10, states: [0; 6] }
    }

    fn event(&mut self, bench: &mut dyn Bench, in_init: bool, next_write: u64) -> Result<(), SimError> {
        let kind = self.rng.random_range(0..16);
        match (in_init, kind) {
            (true, 0..8) => {
                let ack_fresh = self.rng.random_range(0..8u64);
                let flags = (ack_fresh & 1) << 17 | u64::from(ack_fresh == 7) << 16;
                drive_all(bench, &[("init_in.valid", 1)])?;
                let pointer = next_write.wrapping_sub(self.rng.random_range(0..10)) & 0xFFFF;
                drive_all(bench, &[("init_in.data", flags | pointer)])?;
            }
            (true, 8..10) => drive_all(bench, &[("reply_in.valid", 1)])?,
            (false, 0..3) => {
                let behind = [0, 1, 4, 9, 15, 16, 16, 17, 0xFFFF][self.rng.random_range(0..9usize)];
                drive_all(bench, &[("request_in.valid", 1)])?;
                drive_all(bench, &[("request_in.data", next_write.wrapping_sub(behind) & 0xFFFF)])?;
            }
            (false, 3) => drive_all(bench, &[("double_bad", 1)])?,
            (_, 14) => drive_all(bench, &[("answer_in.valid", 1)])?,
            _ => (),
        }
        drive_all(bench, &[("peer_active", u64::from(!in_init && kind % 3 == 0))])
    }
}

impl Agent for Peer {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        for name in [
            "double_bad",
            "peer_active",
            "request_in.valid",
            "answer_in.valid",
            "reply_in.valid",
            "init_in.valid",
        ] {
            drive_all(bench, &[(name, 0)])?;
        }
        if clock == 0 {
            drive_all(bench, &[("retry_limit", 3)])?;
            drive_all(bench, &[("reinit_limit", 2)])?;
        }
        let (state, retrain) = (bench.port("state")?, bench.port("retrain")?);
        let (state, retrain) = (bench.get_u64(state), bench.get_bit(retrain));
        let next_write = bench.get_u64(bench.port("next_write")?);
        if let Some(count) = self.states.get_mut(state as usize) {
            *count += 1;
        }
        if clock >= self.stopped_until
            && ((retrain && self.rng.random_bool(0.1)) || self.rng.random_bool(0.0003))
        {
            self.stopped_until = clock + self.rng.random_range(1..60);
            let (freeze, fresh) = (self.rng.random_range(0..12), self.rng.random_bool(0.2));
            drive_all(bench, &[("freeze_ltps", freeze)])?;
            drive_all(bench, &[("fresh", fresh.into())])?;
            let mode = self.rng.random_range(0..4);
            drive_all(bench, &[("mode", mode)])?;
        }
        drive_all(bench, &[("run", u64::from(clock >= self.stopped_until))])?;
        let (rx, hold, damage) =
            (self.rng.random::<u16>(), self.rng.random_bool(0.5), self.rng.random_bool(0.003));
        drive_all(bench, &[("next_rx", u64::from(rx))])?;
        drive_all(bench, &[("damage", damage.into())])?;
        if clock % 64 == 0 {
            drive_all(bench, &[("time_mode", hold.into())])?;
        }
        if clock >= self.next_event {
            self.next_event = clock + EVENT_CLOCKS + self.rng.random_range(0..12);
            self.event(bench, state == u64::from(RetryState::Init.code()), next_write)?;
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        for (state, clocks) in RetryState::ALL.iter().zip(self.states) {
            into.add(format!("state.{}", state.name()), clocks);
        }
    }
}

/// Idles and ForceIdles among random flits.
fn random_beat(rng: &mut Rng, flits: u32) -> Value {
    let mut beat = random_value(rng, 65 * flits);
    for slot in 0..flits {
        let flit = match rng.random_range(0..4) {
            0 => Value::zero(65),
            1 => Value::from_u64(65, u64::from(Opcode::ForceIdle.code()) << control::opcode::LOW),
            _ => continue,
        };
        (0..65).for_each(|bit| beat.set_bit(65 * slot + bit, flit.bit(bit)));
    }
    beat
}

/// The plan, without its number of clocks.
pub fn plan(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let clear = ClearDriver::new(bench, "clear", seed)?.at_random(0.0001, 1..=3);
        let peer = Peer::new(seed);
        let flits_in =
            StreamSource::new(bench, "flits_in", seed)?.items(move |rng, _| Some(random_beat(rng, flits)));
        let time_in = StreamSource::new(bench, "time_in", seed)?
            .pace(Pace::Random(0.05))
            .items(move |rng, _| Some(random_beat(rng, flits)));
        let request = StreamSource::new(bench, "retry_req", seed)?.pace(Pace::Random(0.005));
        let wire = StreamSink::new(bench, "wire_out", seed)?.pace(Pace::Random(0.95));
        testbench.add(clear).add(peer).add(flits_in).add(time_in).add(request).add(wire);
        Ok(())
    };
    let states: Vec<String> = RetryState::ALL.iter().map(|state| format!("state.{}", state.name())).collect();
    let states: Vec<&str> = states.iter().map(String::as_str).collect();
    CosimPlan::new(name, seed(0x42_50), make, stimulus).cover(&states)
}

fn cosim(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) {
    let depth = depth();
    let plan = plan(name, flits, make).clocks(60_000);
    let plan = plan.stock_limit(300, "a quick run: rust-hdl itself is slow with wide values");
    plan.to_depth(depth).run().expect("equal");
}

#[test]
fn two_flits_per_beat_are_equal_everywhere() {
    cosim("link_retry_tx_small", 2, || Box::new(LinkRetryTx2Small::new(GUARD_LTPS).expect("valid")));
}

#[test]
fn one_flit_per_beat_is_equal_everywhere() {
    type Small1 = LinkRetryTx<1, 65, 66, 68, 4, 16, 14, 68, 4, 8>;
    cosim("link_retry_tx_f1", 1, || Box::new(Small1::new(GUARD_LTPS).expect("valid")));
}

#[test]
fn four_flits_per_beat_are_equal_everywhere() {
    type Small4 = LinkRetryTx<4, 260, 264, 272, 2, 64, 56, 266, 4, 6>;
    cosim("link_retry_tx_f4", 4, || Box::new(Small4::new(GUARD_LTPS).expect("valid")));
}

#[test]
fn the_graph_equals_rust_hdl_under_random_inputs() {
    against_stock(|| LinkReplay::<2, 130, 134, 3, 4, 7>::new(GUARD_LTPS).expect("valid"), 500, 1)
        .expect("equal");
}
