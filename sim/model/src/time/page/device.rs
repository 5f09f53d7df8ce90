//! The register bus and the device's own registers.

use super::{Counters, Kept, Pace};
use crate::time::config::check_generation;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers::{
    self as page, gen_cfg, mstr_ctl, port_sel, servo_stat, set_cmd, slew_cnt, sync_info, tree_prio,
};
use flitforge_protocol::time_servo::SourceWriteCode;
use flitforge_protocol::Field;
use std::collections::BTreeMap;

fn put(fields: &[(Field, u64)]) -> u64 {
    fields.iter().fold(0, |word, &(field, value)| field.set(word, value)) as u64
}

fn get(value: u64, field: Field) -> u64 {
    field.get(value.into())
}

/// What `time_source` and the servo show.
#[derive(Debug, Clone, Default)]
pub struct SourceLevels {
    /// INC_NOM, LIMITS, F_ACC, SLEW_P and what is left of SLEW_CNT, by offset.
    pub registers: BTreeMap<u32, u64>,
    /// Shadow set: LocalTime and SyncTime in ns and 2^-32 ns, SYNC_EPOCH.
    pub shadow: ((u64, u64), (u64, u64), u64),
    /// Servo state.
    pub state: u64,
    /// Last phase error.
    pub error: u64,
    /// Tree followed.
    pub followed: u64,
}

/// Inputs of an edge.
#[derive(Debug, Clone, Default)]
pub struct DeviceInputs {
    /// `clear`.
    pub clear: bool,
    /// `re` or `we`: word of the page, and the value of a write.
    pub request: Option<(u32, Option<u64>)>,
    /// A window answers.
    pub answered: bool,
    /// What the windows show, `answered` or not.
    pub shown: u64,
    /// A port refused a write.
    pub port_refused: bool,
    /// Bits of EVENT.
    pub happened: u64,
    /// Events of the counters.
    pub counted: [u64; 6],
    /// `wdata`.
    pub data: u64,
    /// `source_write.ready`.
    pub ready: bool,
    /// `stepped`.
    pub stepped: bool,
    /// Levels.
    pub levels: SourceLevels,
}

/// Outputs before an edge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeviceOutputs {
    /// `ack` and `rdata`.
    pub ack: Option<u64>,
    /// `interrupt`.
    pub interrupt: bool,
    /// Word of the page, whether it is written, the value.
    pub asked: (u32, bool, u64),
    /// Requests for the trees, the rings, the port.
    pub windows: (u64, bool, bool),
    /// A write for `time_source`: code and value.
    pub offer: Option<(SourceWriteCode, u64)>,
    /// The shadow set is loaded.
    pub read_shadow: bool,
    /// A SET_CMD steps SyncTime.
    pub new_era: bool,
    /// The generator starts with this era.
    pub start: Option<u64>,
}

/// A write to `time_source`.
#[derive(Debug, Clone, Copy)]
enum Offer {
    Waits(SourceWriteCode, u64),
    Taken,
}

/// The page without its windows.
#[derive(Debug, Clone)]
pub struct DevicePage {
    kept: Kept,
    built: BTreeMap<u32, u64>,
    trees: u64,
    ports: u64,
    ring: bool,
    counters: Counters,
    pace: Pace,
    /// The request: word, written value.
    request: (u32, Option<u64>),
    /// What `wdata` was, written or not.
    data: u64,
    busy: bool,
    /// Clocks since the request, up to the strobe.
    age: Option<u32>,
    ack: Option<u64>,
    /// Own answer.
    answer: Option<u64>,
    event: u64,
    interrupt: bool,
    shadow_state: u64,
    start: Option<u64>,
    offer: Option<Offer>,
    new_era: bool,
    /// Clocks since the check of GEN_CFG began.
    check: Option<u32>,
}

/// Clocks of a check of GEN_CFG.
const CHECK_CLOCKS: u32 = 9;

impl DevicePage {
    /// With `trees` and `ports` and maybe rings; `built` says what the description leaves to the build.
    #[must_use]
    pub fn new(
        built: BTreeMap<u32, u64>,
        (trees, ports, ring): (u64, u64, bool),
        started: Option<u32>,
    ) -> Self {
        let offsets = [
            page::SET_TIME,
            page::GAIN,
            page::GAIN_ACQ,
            page::THR,
            page::LOCK_CFG,
            page::SERVO_CTL,
            page::MSTR_CTL,
            page::GEN_CFG,
            page::EVENT_MASK,
            page::TREE_PRIO,
            page::PORT_SEL,
            page::SLEW_CNT,
        ];
        DevicePage {
            kept: Kept::new(&offsets, &built),
            built,
            trees,
            ports,
            ring,
            counters: Counters::new(page::CORE_COUNTERS.names.len(), 0, started),
            pace: Pace::default(),
            request: (0, None),
            data: 0,
            busy: false,
            age: None,
            ack: None,
            answer: None,
            event: 0,
            interrupt: false,
            shadow_state: 0,
            start: None,
            offer: None,
            new_era: false,
            check: None,
        }
    }

    /// A register that keeps what was written.
    #[must_use]
    pub fn kept(&self, offset: u32) -> u64 {
        self.kept.get(offset)
    }

    /// Who is asked: trees, rings, port, or none of them.
    fn windows(&self) -> (u64, bool, bool) {
        let offset = self.request.0 * BYTES;
        let tree = (0..4_u32).find(|t| (page::tree(*t)..page::tree(*t) + page::TREE_STEP).contains(&offset));
        let tree = tree.filter(|tree| u64::from(*tree) < self.trees);
        let inside = |first: u32| (first..first + 0x100).contains(&offset);
        let selected = get(self.kept(page::PORT_SEL), port_sel::port::FIELD);
        (
            tree.map_or(0, |tree| 1 << tree),
            self.ring && inside(page::RING_CFG),
            inside(page::PORT) && selected < self.ports,
        )
    }

    /// A clock: what the ports show in it, then the edge.
    pub fn clock(&mut self, inputs: &DeviceInputs) -> DeviceOutputs {
        let asks = self.age == Some(2);
        let windows = if asks { self.windows() } else { (0, false, false) };
        let outputs = DeviceOutputs {
            ack: self.ack,
            interrupt: self.interrupt,
            asked: (self.request.0, self.request.1.is_some(), self.data),
            windows,
            offer: match self.offer {
                Some(Offer::Waits(code, value)) => Some((code, value)),
                _ => None,
            },
            read_shadow: false,
            new_era: self.new_era,
            start: self.start.take(),
        };
        self.interrupt = self.event & self.kept(page::EVENT_MASK) != 0;
        let own = asks && windows == (0, false, false);
        let (read_shadow, found) = self.own(inputs, own);
        self.bus(inputs);
        self.answer = found.filter(|_| !inputs.clear);
        DeviceOutputs { read_shadow, ..outputs }
    }

    /// The device's own registers: whether the shadow set is loaded, and what is found.
    fn own(&mut self, inputs: &DeviceInputs, asked: bool) -> (bool, Option<u64>) {
        let age = self.pace.clock(asked, inputs.clear);
        let (word, write) = self.request;
        let offset = word * BYTES;
        let places = page::CORE_COUNTERS.offset / BYTES;
        let counter = (places..places + 16).contains(&word);
        let mut events = inputs.counted;
        events[4] += u64::from(inputs.port_refused) + u64::from(self.refuses());
        let wanted =
            (age == Some(1) && counter).then_some((word - places * u32::from(counter), write == Some(0)));
        let mut found = self.counters.clock(inputs.clear, wanted, &events);
        let (done, begins) = (self.slow(inputs), age == Some(1));
        found = found.or(done.then_some(0));
        let mut cleared = 0;
        if let (true, Some(value)) = (begins, write) {
            cleared = self.write(offset, value);
        }
        let loads = begins && write.is_none() && offset == page::LOCAL_TIME;
        if loads {
            self.shadow_state = inputs.levels.state;
        }
        let slow =
            write.is_some_and(|value| offset == page::GEN_CFG || source_write(offset, value, 0).is_some());
        if age == Some(2) && !counter && !slow {
            found = Some(if write.is_some() { 0 } else { self.read(offset, &inputs.levels) });
        }
        self.event = self.event & !cleared | inputs.happened;
        if inputs.clear {
            (self.offer, self.new_era, self.check) = (None, false, None);
        }
        (loads, found.map(|value| if write.is_some() { 0 } else { value }))
    }

    /// The check of GEN_CFG ends in this clock and refuses.
    fn refuses(&self) -> bool {
        let fields = self.request.1.unwrap_or(0);
        let [period, high_every] =
            [gen_cfg::period::FIELD, gen_cfg::high_every::FIELD].map(|f| get(fields, f));
        self.check == Some(CHECK_CLOCKS) && check_generation(period, high_every).is_err()
    }

    /// What takes longer; true in the clock in which it ends.
    fn slow(&mut self, inputs: &DeviceInputs) -> bool {
        let checked = self.check == Some(CHECK_CLOCKS);
        if checked && !self.refuses() {
            self.kept.write(page::GEN_CFG, self.request.1.unwrap_or(0));
        }
        self.check = self.check.filter(|age| *age < CHECK_CLOCKS).map(|age| age + 1);
        self.new_era &= !inputs.stepped;
        match self.offer {
            Some(Offer::Waits(..)) if inputs.ready => {
                self.new_era |= self.request.0 * BYTES == page::SET_CMD;
                self.offer = Some(Offer::Taken);
                checked
            }
            Some(Offer::Taken) if inputs.ready => {
                self.offer = None;
                true
            }
            _ => checked,
        }
    }

    /// Carries a write out; gives the events it clears.
    fn write(&mut self, offset: u32, value: u64) -> u64 {
        match offset {
            page::GEN_CFG => self.check = Some(1),
            page::EVENT => return value & 0xFF,
            page::SLEW_CNT => {
                let length = value & slew_cnt::length::FIELD.mask() as u64;
                self.kept.write(offset, length);
            }
            page::TREE_PRIO => {
                let trees = get(value, tree_prio::slave_en::FIELD) & ((1 << self.trees) - 1);
                self.kept.write(offset, tree_prio::slave_en::FIELD.set(value.into(), trees) as u64);
            }
            page::MSTR_CTL => {
                let enabled = get(value, mstr_ctl::gen_en::FIELD) == 1;
                self.start = enabled.then(|| get(value, mstr_ctl::era::FIELD));
                self.kept.write(offset, value);
            }
            _ => self.kept.write(offset, value),
        }
        let offered = source_write(offset, value, self.kept(page::SET_TIME));
        self.offer = offered.map_or(self.offer, |(code, value)| Some(Offer::Waits(code, value)));
        0
    }

    fn read(&self, offset: u32, levels: &SourceLevels) -> u64 {
        let (local, sync, epoch) = levels.shadow;
        match offset {
            page::TIME_ID => self.built.get(&offset).copied().unwrap_or(0),
            page::LOCAL_TIME => local.0,
            page::LOCAL_FRAC => local.1,
            page::SYNC_TIME => sync.0,
            page::SYNC_INFO => put(&[
                (sync_info::frac::FIELD, sync.1),
                (sync_info::epoch::FIELD, epoch),
                (sync_info::state::FIELD, self.shadow_state),
            ]),
            page::SERVO_STAT => put(&[
                (servo_stat::error::FIELD, levels.error),
                (servo_stat::state::FIELD, levels.state),
                (servo_stat::tree::FIELD, levels.followed),
            ]),
            page::EVENT => self.event,
            _ => self.kept(offset) | levels.registers.get(&offset).copied().unwrap_or(0),
        }
    }

    /// The bus after the device's and the windows' answers.
    fn bus(&mut self, inputs: &DeviceInputs) {
        let own = self.answer;
        let answered = own.is_some() || inputs.answered;
        let was_acked = self.ack.is_some();
        let value = own.unwrap_or(0) | inputs.shown;
        let value = if self.request.1.is_some() { 0 } else { value };
        self.ack = (answered && self.busy && !inputs.clear).then_some(value);
        let takes = inputs.request.filter(|_| !self.busy && !inputs.clear);
        self.age = self.age.filter(|age| *age < 2 && !inputs.clear).map(|age| age + 1);
        if let Some((word, write)) = takes {
            (self.request, self.data) = ((word, write), inputs.data);
            self.age = Some(1);
        }
        self.busy = (takes.is_some() || self.busy) && !was_acked && !inputs.clear;
    }
}

/// What a write is for `time_source`, if it is anything.
fn source_write(offset: u32, value: u64, set_time: u64) -> Option<(SourceWriteCode, u64)> {
    let code = match offset {
        page::INC_NOM => SourceWriteCode::IncNom,
        page::LIMITS => SourceWriteCode::Limits,
        page::F_ACC => SourceWriteCode::FAcc,
        page::SLEW_P => SourceWriteCode::SlewP,
        page::SLEW_CNT => SourceWriteCode::SlewCnt,
        page::SET_CMD if get(value, set_cmd::set::FIELD) == 1 => {
            return Some((SourceWriteCode::Set, set_time))
        }
        page::SET_CMD if get(value, set_cmd::add::FIELD) == 1 => {
            return Some((SourceWriteCode::Add, set_time))
        }
        _ => return None,
    };
    Some((code, value))
}
