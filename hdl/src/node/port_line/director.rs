//! The port's master on the register bus: brings it up, carries out commands, reads what the console shows.

use crate::link::regs::WORD_ADDRESS_BITS;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
pub enum DirectorState {
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
#[derive(LogicBlock)]
pub struct PortDirector {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Pulse: Down and up again.
    pub restart: Signal<In, Bit>,
    /// Pulse: the port's counters become 0.
    pub zero: Signal<In, Bit>,
    /// Pulse: lanes that were removed are tried again.
    pub restore: Signal<In, Bit>,
    /// Pulse: one bit of an LTP goes wrong.
    pub inject: Signal<In, Bit>,
    /// Lanes that may be used, minus one, from lane 0 on.
    pub lanes: Signal<In, Bits<2>>,
    /// Preferred CRC mode, 0 or 1.
    pub mode: Signal<In, Bits<2>>,
    /// The port's state.
    pub state: Signal<In, Bits<3>>,
    /// Register bus.
    pub addr: Signal<Out, Bits<WORD_ADDRESS_BITS>>,
    /// Register bus.
    pub wdata: Signal<Out, Bits<64>>,
    /// Register bus.
    pub we: Signal<Out, Bit>,
    /// Register bus.
    pub re: Signal<Out, Bit>,
    /// Register bus.
    pub rdata: Signal<In, Bits<64>>,
    /// Register bus.
    pub ack: Signal<In, Bit>,
    /// From the first to the last write of a restart.
    pub restarting: Signal<Out, Bit>,
    /// What was read last of STATUS, LANES, RX_GOOD, RX_BAD and REPLAYED.
    pub values: [Signal<Out, Bits<VALUE_BITS>>; READ],

    step: DFF<DirectorState>,
    restart_waits: Register<Bit>,
    zero_waits: DFF<Bit>,
    restore_waits: DFF<Bit>,
    inject_waits: DFF<Bit>,
    /// Value to be read next.
    place: DFF<Bits<3>>,
    value: [DFF<Bits<VALUE_BITS>>; READ],
    /// The request stands on the bus.
    asks: DFF<Bit>,
    address: DFF<Bits<WORD_ADDRESS_BITS>>,
    data: DFF<Bits<64>>,
    writes: DFF<Bit>,
    /// `ack` and `rdata` of the clock before.
    answered: DFF<Bit>,
    answer: DFF<Bits<VALUE_BITS>>,

    word: Signal<Local, Bits<WORD_ADDRESS_BITS>>,
    written: Signal<Local, Bits<64>>,
    on_bus: Signal<Local, Bit>,
    allowed: Signal<Local, Bits<64>>,
    allowed_place: Constant<Bits<16>>,
    mode_place: Constant<Bits<16>>,
    ctrl_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    lanes_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    crc_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    inject_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    read_words: [Constant<Bits<WORD_ADDRESS_BITS>>; READ],
    go_down: Constant<Bits<64>>,
    come_up: Constant<Bits<64>>,
    enable_zero: Constant<Bits<64>>,
    enable_restore: Constant<Bits<64>>,
    all_modes: Constant<Bits<64>>,
    aim: Constant<Bits<64>>,
    fire: Constant<Bits<64>>,
    last_place: Constant<Bits<3>>,
    places: [Constant<Bits<3>>; READ],
}

fn word(offset: u32) -> Constant<Bits<WORD_ADDRESS_BITS>> {
    Constant::new(u64::from(offset / BYTES).into())
}

fn bits(fields: &[(u64, usize)]) -> Constant<Bits<64>> {
    Constant::new(fields.iter().fold(0, |sum, (value, low)| sum | value << low).into())
}

impl Default for PortDirector {
    fn default() -> Self {
        let counter = |counter| word(counter_offset(counter));
        let error = [
            (0xF, inject::lanes::LOW),
            (ERROR_WORD, inject::first::LOW),
            (1, inject::words::LOW),
            (1 << ERROR_BIT, inject::xor_mask::LOW),
            (1, inject::ltps::LOW),
        ];
        Self {
            clock: Default::default(),
            clear: Default::default(),
            restart: Default::default(),
            zero: Default::default(),
            restore: Default::default(),
            inject: Default::default(),
            lanes: Default::default(),
            mode: Default::default(),
            state: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            restarting: Default::default(),
            values: Default::default(),
            step: Default::default(),
            restart_waits: Register::new(true),
            zero_waits: Default::default(),
            restore_waits: Default::default(),
            inject_waits: Default::default(),
            place: Default::default(),
            value: Default::default(),
            asks: Default::default(),
            address: Default::default(),
            data: Default::default(),
            writes: Default::default(),
            answered: Default::default(),
            answer: Default::default(),
            word: Default::default(),
            written: Default::default(),
            on_bus: Default::default(),
            allowed: Default::default(),
            allowed_place: Constant::new((lanes::allowed::LOW as u64).into()),
            mode_place: Constant::new((crc_cfg::preferred::LOW as u64).into()),
            ctrl_word: word(CTRL),
            lanes_word: word(LANES),
            crc_word: word(CRC_CFG),
            inject_word: word(INJECT),
            read_words: [
                word(STATUS),
                word(LANES),
                counter(LinkCounter::RxGood),
                counter(LinkCounter::RxBad),
                counter(LinkCounter::Replayed),
            ],
            go_down: bits(&[(1, ctrl::disable::LOW)]),
            come_up: bits(&[(1, ctrl::enable::LOW)]),
            enable_zero: bits(&[(1, ctrl::enable::LOW), (1, ctrl::clear_counters::LOW)]),
            enable_restore: bits(&[(1, ctrl::enable::LOW), (1, ctrl::restore::LOW)]),
            all_modes: bits(&[(7, crc_cfg::enabled::LOW)]),
            aim: bits(&error),
            fire: bits(&[&error[..], &[(1, inject::go::LOW)]].concat()),
            last_place: Constant::new((READ as u64 - 1).into()),
            places: std::array::from_fn(|place| Constant::new((place as u64).into())),
        }
    }
}

impl Logic for PortDirector {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, zero_waits, restore_waits, inject_waits, place, asks, address);
        dff_setup!(self, clock, data, writes, answered, answer);
        clock!(self, clock, restart_waits);

        // What is asked for.
        self.restart_waits.clear.next = self.clear.val();
        self.restart_waits.enable.next = self.restart.val() | (self.step.q.val() == DirectorState::Disable);
        self.restart_waits.d.next = self.restart.val();
        if self.step.q.val() == DirectorState::Zero {
            self.zero_waits.d.next = false;
        }
        if self.step.q.val() == DirectorState::Restore {
            self.restore_waits.d.next = false;
        }
        if self.step.q.val() == DirectorState::Aim {
            self.inject_waits.d.next = false;
        }
        if self.zero.val() {
            self.zero_waits.d.next = true;
        }
        if self.restore.val() {
            self.restore_waits.d.next = true;
        }
        if self.inject.val() {
            self.inject_waits.d.next = true;
        }

        // What a step puts on the bus.
        self.allowed.next = 1.into();
        match self.lanes.val().index() {
            1 => self.allowed.next = 3.into(),
            2 => self.allowed.next = 7.into(),
            3 => self.allowed.next = 15.into(),
            _ => self.allowed.next = 1.into(),
        }
        self.on_bus.next = true;
        self.word.next = self.ctrl_word.val();
        self.written.next = self.come_up.val();
        match self.step.q.val() {
            DirectorState::Choose => {
                self.on_bus.next = false;
            }
            DirectorState::Disable => {
                self.written.next = self.go_down.val();
            }
            DirectorState::WaitDown => {
                self.on_bus.next = false;
            }
            DirectorState::Allow => {
                self.word.next = self.lanes_word.val();
                self.written.next = self.allowed.val() << self.allowed_place.val();
            }
            DirectorState::Prefer => {
                self.word.next = self.crc_word.val();
                self.written.next =
                    self.all_modes.val() | (bit_cast::<64, 2>(self.mode.val()) << self.mode_place.val());
            }
            DirectorState::Enable => {
                self.written.next = self.come_up.val();
            }
            DirectorState::Zero => {
                self.written.next = self.enable_zero.val();
            }
            DirectorState::Restore => {
                self.written.next = self.enable_restore.val();
            }
            DirectorState::Aim => {
                self.word.next = self.inject_word.val();
                self.written.next = self.aim.val();
            }
            DirectorState::Fire => {
                self.word.next = self.inject_word.val();
                self.written.next = self.fire.val();
            }
            DirectorState::Read => {
                self.word.next = self.read_words[0].val();
                for i in 1..5 {
                    if self.place.q.val() == self.places[i].val() {
                        self.word.next = self.read_words[i].val();
                    }
                }
            }
        }
        self.address.d.next = self.word.val();
        self.data.d.next = self.written.val();
        self.writes.d.next = self.step.q.val() != DirectorState::Read;
        self.answered.d.next = self.ack.val() & self.asks.q.val();
        self.answer.d.next = self.rdata.val().get_bits::<VALUE_BITS>(0);
        self.asks.d.next = self.on_bus.val() & !self.answered.q.val();
        if self.ack.val() {
            self.asks.d.next = false;
        }

        // From step to step.
        if self.step.q.val() == DirectorState::Choose {
            self.step.d.next = DirectorState::Read;
            if self.inject_waits.q.val() {
                self.step.d.next = DirectorState::Aim;
            }
            if self.restore_waits.q.val() {
                self.step.d.next = DirectorState::Restore;
            }
            if self.zero_waits.q.val() {
                self.step.d.next = DirectorState::Zero;
            }
            if self.restart_waits.q.val() {
                self.step.d.next = DirectorState::Disable;
            }
        }
        if (self.step.q.val() == DirectorState::WaitDown) & !self.state.val().any() {
            self.step.d.next = DirectorState::Allow;
        }
        if self.answered.q.val() {
            self.step.d.next = DirectorState::Choose;
            if self.step.q.val() == DirectorState::Disable {
                self.step.d.next = DirectorState::WaitDown;
            }
            if self.step.q.val() == DirectorState::Allow {
                self.step.d.next = DirectorState::Prefer;
            }
            if self.step.q.val() == DirectorState::Prefer {
                self.step.d.next = DirectorState::Enable;
            }
            if self.step.q.val() == DirectorState::Aim {
                self.step.d.next = DirectorState::Fire;
            }
            if self.step.q.val() == DirectorState::Read {
                self.place.d.next = self.place.q.val() + 1;
                if self.place.q.val() == self.last_place.val() {
                    self.place.d.next = 0.into();
                }
            }
        }
        for i in 0..5 {
            self.value[i].clock.next = self.clock.val();
            self.value[i].d.next = self.value[i].q.val();
            if self.answered.q.val() & !self.writes.q.val() & (self.place.q.val() == self.places[i].val()) {
                self.value[i].d.next = self.answer.q.val();
            }
            if self.clear.val() {
                self.value[i].d.next = 0.into();
            }
            self.values[i].next = self.value[i].q.val();
        }
        if self.clear.val() {
            self.step.d.next = DirectorState::Choose;
            self.zero_waits.d.next = false;
            self.restore_waits.d.next = false;
            self.inject_waits.d.next = false;
            self.place.d.next = 0.into();
            self.asks.d.next = false;
            self.answered.d.next = false;
        }

        self.addr.next = self.address.q.val();
        self.wdata.next = self.data.q.val();
        self.we.next = self.asks.q.val() & self.writes.q.val();
        self.re.next = self.asks.q.val() & !self.writes.q.val();
        self.restarting.next = (self.step.q.val() == DirectorState::Disable)
            | (self.step.q.val() == DirectorState::WaitDown)
            | (self.step.q.val() == DirectorState::Allow)
            | (self.step.q.val() == DirectorState::Prefer)
            | (self.step.q.val() == DirectorState::Enable);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_director", &[])
    }
}

drive_ports!(impl[] PortDirector {
    clock, clear, restart, zero, restore, inject, lanes, mode, state, addr, wdata, we, re, rdata, ack, restarting, values,
});
