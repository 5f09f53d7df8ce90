//! The port's master on the register bus: brings it up, carries out commands, reads what the console shows.

use flitforge_hdl_link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link_registers::{
    counter_offset, crc_cfg, ctrl, inject, lanes, CRC_CFG, CTRL, INJECT, LANES, STATUS,
};
use flitforge_protocol::register::BYTES;

/// Values read in turn: STATUS, LANES, RX_GOOD, RX_BAD, REPLAYED.
const READ: usize = 5;
/// Bits kept of a value that was read.
pub const VALUE_BITS: usize = 48;
/// The word of an LTP, and its bit, that an injected error flips.
const ERROR_WORD: u64 = 4;
const ERROR_BIT: u64 = 9;

/// What is on the bus, or waited for.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum SequencerState {
    /// Chooses what is next.
    Choose,
    /// CTRL.disable.
    Disable,
    /// Until the port is Down.
    WaitDown,
    /// LANES.allowed.
    Allow,
    /// CRC_CFG.
    Prefer,
    /// CTRL.enable.
    Enable,
    /// CTRL.clear_counters.
    Zero,
    /// CTRL.restore.
    Restore,
    /// INJECT without `go`.
    Aim,
    /// INJECT with `go`.
    Fire,
    /// Reads the next value.
    Read,
}

/// Writes and reads a port's registers. After `clear`, and after a pulse on `restart`: Down, then up with the lanes and
/// the CRC mode that `lanes` and `mode` name. Pulses that come while one of their kind waits count as one.
#[block("port_sequencer")]
pub struct PortSequencer {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Pulse: Down and up again.
    restart: In<Bit>,
    /// Pulse: the port's counters become 0.
    zero: In<Bit>,
    /// Pulse: lanes that were removed are tried again.
    restore: In<Bit>,
    /// Pulse: one bit of an LTP goes wrong.
    inject: In<Bit>,
    /// Lanes that may be used, minus one, from lane 0 on.
    lanes: In<Bits<2>>,
    /// Preferred CRC mode, 0 or 1.
    mode: In<Bits<2>>,
    /// The port's state.
    state: In<Bits<3>>,
    /// Register bus.
    addr: Out<Bits<WORD_ADDRESS_BITS>>,
    /// Register bus.
    wdata: Out<Bits<64>>,
    /// Register bus.
    we: Out<Bit>,
    /// Register bus.
    re: Out<Bit>,
    /// Register bus.
    rdata: In<Bits<64>>,
    /// Register bus.
    ack: In<Bit>,
    /// From the first to the last write of a restart.
    restarting: Out<Bit>,
    /// What was read last of STATUS, LANES, RX_GOOD, RX_BAD and REPLAYED.
    values: [Out<Bits<VALUE_BITS>>; READ],

    step: Reg<SequencerState>,
    #[init(true)]
    restart_waits: Register<Bit>,
    zero_waits: Reg<Bit>,
    restore_waits: Reg<Bit>,
    inject_waits: Reg<Bit>,
    /// Value to be read next.
    place: Reg<Bits<3>>,
    #[wire(d = _)]
    value: [Reg<Bits<VALUE_BITS>>; READ],
    /// The request stands on the bus.
    asks: Reg<Bit>,
    address: Reg<Bits<WORD_ADDRESS_BITS>>,
    data: Reg<Bits<64>>,
    writes: Reg<Bit>,
    /// `ack` and `rdata` of the clock before.
    answered: Reg<Bit>,
    answer: Reg<Bits<VALUE_BITS>>,

    word: Local<Bits<WORD_ADDRESS_BITS>>,
    written: Local<Bits<64>>,
    on_bus: Local<Bit>,
    #[init(lanes::allowed::LOW)]
    allowed_place: Constant<Bits<16>>,
    #[init(crc_cfg::preferred::LOW)]
    mode_place: Constant<Bits<16>>,
    #[init(word(CTRL))]
    ctrl_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    #[init(word(LANES))]
    lanes_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    #[init(word(CRC_CFG))]
    crc_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    #[init(word(INJECT))]
    inject_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    #[init(|place| word(READ_OFFSETS[place]))]
    read_words: [Constant<Bits<WORD_ADDRESS_BITS>>; READ],
    #[init(fields(&[(1, ctrl::disable::LOW)]))]
    go_down: Constant<Bits<64>>,
    #[init(fields(&[(1, ctrl::enable::LOW)]))]
    come_up: Constant<Bits<64>>,
    #[init(fields(&[(1, ctrl::enable::LOW), (1, ctrl::clear_counters::LOW)]))]
    enable_zero: Constant<Bits<64>>,
    #[init(fields(&[(1, ctrl::enable::LOW), (1, ctrl::restore::LOW)]))]
    enable_restore: Constant<Bits<64>>,
    #[init(fields(&[(7, crc_cfg::enabled::LOW)]))]
    all_modes: Constant<Bits<64>>,
    #[init(fields(&ERROR))]
    aim: Constant<Bits<64>>,
    #[init(fields(&ERROR) | fields(&[(1, inject::go::LOW)]))]
    fire: Constant<Bits<64>>,
    #[init(READ - 1)]
    last_place: Constant<Bits<3>>,
    #[init(|place| place)]
    places: [Constant<Bits<3>>; READ],
}

/// What is read.
const READ_OFFSETS: [u32; READ] = [
    STATUS,
    LANES,
    counter_offset(LinkCounter::RxGood),
    counter_offset(LinkCounter::RxBad),
    counter_offset(LinkCounter::Replayed),
];
/// The fields of INJECT for an error: by value and lowest bit.
const ERROR: [(u64, usize); 5] = [
    (0xF, inject::lanes::LOW),
    (ERROR_WORD, inject::first::LOW),
    (1, inject::words::LOW),
    (1 << ERROR_BIT, inject::xor_mask::LOW),
    (1, inject::ltps::LOW),
];

fn word(offset: u32) -> Bits<WORD_ADDRESS_BITS> {
    u64::from(offset / BYTES).into()
}

/// Fields by value and lowest bit.
fn fields(fields: &[(u64, usize)]) -> Bits<64> {
    fields.iter().fold(0, |sum, (value, low)| sum | value << low).into()
}

#[logic]
impl PortSequencer {
    fn update(&mut self) {
        self.take_requests();
        self.drive_bus();
        self.go_on();
        if clear {
            step = SequencerState::Choose;
            zero_waits = false;
            restore_waits = false;
            inject_waits = false;
            place = 0;
            asks = false;
            answered = false;
        }

        addr = address;
        wdata = data;
        we = asks & writes;
        re = asks & !writes;
        restarting = (step == SequencerState::Disable)
            | (step == SequencerState::WaitDown)
            | (step == SequencerState::Allow)
            | (step == SequencerState::Prefer)
            | (step == SequencerState::Enable);
    }

    /// What is asked for.
    fn take_requests(&mut self) {
        restart_waits.enable = restart | (step == SequencerState::Disable);
        restart_waits = restart;
        if step == SequencerState::Zero {
            zero_waits = false;
        }
        if step == SequencerState::Restore {
            restore_waits = false;
        }
        if step == SequencerState::Aim {
            inject_waits = false;
        }
        if zero {
            zero_waits = true;
        }
        if restore {
            restore_waits = true;
        }
        if inject {
            inject_waits = true;
        }
    }

    /// What a step puts on the bus.
    fn drive_bus(&mut self) {
        let mut allowed: Bits<64> = 1;
        match lanes {
            1 => allowed = 3,
            2 => allowed = 7,
            3 => allowed = 15,
            _ => allowed = 1,
        }
        on_bus = true;
        word = ctrl_word;
        written = come_up;
        match step {
            SequencerState::Choose => {
                on_bus = false;
            }
            SequencerState::Disable => {
                written = go_down;
            }
            SequencerState::WaitDown => {
                on_bus = false;
            }
            SequencerState::Allow => {
                word = lanes_word;
                written = allowed << allowed_place;
            }
            SequencerState::Prefer => {
                word = crc_word;
                written = all_modes | (bit_cast::<64, 2>(mode) << mode_place);
            }
            SequencerState::Enable => {
                written = come_up;
            }
            SequencerState::Zero => {
                written = enable_zero;
            }
            SequencerState::Restore => {
                written = enable_restore;
            }
            SequencerState::Aim => {
                word = inject_word;
                written = aim;
            }
            SequencerState::Fire => {
                word = inject_word;
                written = fire;
            }
            SequencerState::Read => {
                word = read_words[0];
                for i in 1..5 {
                    if place == places[i] {
                        word = read_words[i];
                    }
                }
            }
        }
        address = word;
        data = written;
        writes = step != SequencerState::Read;
        answered = ack & asks;
        answer = rdata.bits::<VALUE_BITS>(0);
        asks = on_bus & !answered;
        if ack {
            asks = false;
        }
    }

    /// From step to step.
    fn go_on(&mut self) {
        if step == SequencerState::Choose {
            step = SequencerState::Read;
            if inject_waits {
                step = SequencerState::Aim;
            }
            if restore_waits {
                step = SequencerState::Restore;
            }
            if zero_waits {
                step = SequencerState::Zero;
            }
            if restart_waits {
                step = SequencerState::Disable;
            }
        }
        if (step == SequencerState::WaitDown) & !state.any() {
            step = SequencerState::Allow;
        }
        if answered {
            step = SequencerState::Choose;
            if step == SequencerState::Disable {
                step = SequencerState::WaitDown;
            }
            if step == SequencerState::Allow {
                step = SequencerState::Prefer;
            }
            if step == SequencerState::Prefer {
                step = SequencerState::Enable;
            }
            if step == SequencerState::Aim {
                step = SequencerState::Fire;
            }
            if step == SequencerState::Read {
                place = place + 1;
                if place == last_place {
                    place = 0;
                }
            }
        }
        for i in 0..5 {
            value[i] = value[i];
            if answered & !writes & (place == places[i]) {
                value[i] = answer;
            }
            if clear {
                value[i] = 0;
            }
            values[i] = value[i];
        }
    }
}
