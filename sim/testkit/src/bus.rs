//! The register bus.

use crate::clocked::Clocked;
use flitforge_protocol::register::{AccessError, DeviceId, BYTES};

/// Clocks within which every register answers (chapter overview, "register bus").
pub const MAX_BUS_CLOCKS: u64 = 64;

/// The ports of a register bus of a block under test, and how a request is given on it. A request is one of `we` and `re`
/// with `addr`, in words, and `wdata`, or `request` with `write`, `address` and `wdata`; the answer is `ack` with `rdata`.
#[derive(Clone, Debug)]
pub struct RegisterBus {
    addr: String,
    wdata: String,
    strobes: Strobes,
    rdata: Option<String>,
    ack: String,
    held: bool,
    limit: u64,
}

/// What says that there is a request, and whether it is a write.
#[derive(Clone, Debug)]
enum Strobes {
    /// One of the two.
    WriteOrRead { write: String, read: String },
    /// A request, and its kind.
    Request { request: String, write: String },
}

impl Strobes {
    fn start<R: Clocked>(&self, rig: &mut R, writes: bool) {
        match self {
            Self::WriteOrRead { write, read } => rig.set(if writes { write } else { read }, 1),
            Self::Request { request, write } => rig.set(write, writes.into()).set(request, 1),
        };
    }

    fn stop<R: Clocked>(&self, rig: &mut R, writes: bool) {
        match self {
            Self::WriteOrRead { write, read } => rig.set(if writes { write } else { read }, 0),
            Self::Request { request, .. } => rig.set(request, 0),
        };
    }
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// `rdata`.
    pub value: u64,
    /// Clocks from the one in which the request was given first to that of the `ack`.
    pub clocks: u64,
}

impl RegisterBus {
    /// `addr`, `wdata`, `we`, `re`, `rdata` and `ack`; a request is given for one clock.
    pub fn new() -> Self {
        Self::named(str::to_string)
    }

    /// `addr[end]`, `wdata[end]`, ...
    pub fn of(end: usize) -> Self {
        Self::named(|port| format!("{port}[{end}]"))
    }

    /// Ports of other names.
    pub fn named(name: impl Fn(&str) -> String) -> Self {
        Self {
            addr: name("addr"),
            wdata: name("wdata"),
            strobes: Strobes::WriteOrRead { write: name("we"), read: name("re") },
            rdata: Some(name("rdata")),
            ack: name("ack"),
            held: false,
            limit: MAX_BUS_CLOCKS,
        }
    }

    /// The bundle of this name: `bus.request`, `bus.write`, `bus.address`, `bus.wdata`, `bus.ack` and `bus.rdata`.
    pub fn bundle(name: &str) -> Self {
        let port = |port: &str| format!("{name}.{port}");
        Self {
            addr: port("address"),
            strobes: Strobes::Request { request: port("request"), write: port("write") },
            ..Self::named(port)
        }
    }

    /// A request is held until its `ack`.
    pub fn held(self) -> Self {
        Self { held: true, ..self }
    }

    /// A bus that can only be written to.
    pub fn without_rdata(self) -> Self {
        Self { rdata: None, ..self }
    }

    /// The `ack` comes within so many clocks.
    pub fn within(self, clocks: u64) -> Self {
        Self { limit: clocks, ..self }
    }

    /// Reads the register at a byte offset, or writes it. `None` if no `ack` came in time. The clock of the `ack` is over when
    /// this returns.
    ///
    /// `rdata` is 0 without an `ack`, and an `ack` is one clock long.
    #[track_caller]
    pub fn request<R: Clocked>(&self, rig: &mut R, offset: u32, write: Option<u64>) -> Option<Answer> {
        rig.set(&self.addr, (offset / BYTES).into()).set(&self.wdata, write.unwrap_or(0));
        self.strobes.start(rig, write.is_some());
        if !self.held {
            rig.clock();
            self.strobes.stop(rig, write.is_some());
        }
        for clocks in u64::from(!self.held)..=self.limit {
            if rig.get(&self.ack) == 1 {
                let value = self.value(rig);
                self.strobes.stop(rig, write.is_some());
                rig.clock();
                self.check_silence(rig, offset);
                return Some(Answer { value, clocks });
            }
            self.check_silence(rig, offset);
            rig.clock();
        }
        self.strobes.stop(rig, write.is_some());
        None
    }

    #[track_caller]
    fn check_silence<R: Clocked>(&self, rig: &mut R, offset: u32) {
        let found = (rig.get(&self.ack), self.value(rig));
        assert_eq!(found, (0, 0), "{offset:#x}: {} and rdata with no request to answer", self.ack);
    }

    fn value<R: Clocked>(&self, rig: &mut R) -> u64 {
        self.rdata.as_ref().map_or(0, |rdata| rig.get(rdata))
    }

    /// The register at a byte offset; it must answer.
    #[track_caller]
    pub fn read<R: Clocked>(&self, rig: &mut R, offset: u32) -> u64 {
        self.ask(rig, offset, None).value
    }

    /// Writes the register at a byte offset; it must answer.
    #[track_caller]
    pub fn write<R: Clocked>(&self, rig: &mut R, offset: u32, value: u64) {
        self.ask(rig, offset, Some(value));
    }

    /// A request as the manager libraries make one.
    #[track_caller]
    pub fn access<R: Clocked>(
        &self,
        rig: &mut R,
        device: DeviceId,
        offset: u32,
        write: Option<u64>,
    ) -> Result<u64, AccessError> {
        let answer = self.request(rig, offset, write);
        answer.map(|answer| answer.value).ok_or(AccessError { device, offset, problem: "no ack" })
    }

    /// A request that must be answered.
    #[track_caller]
    pub fn ask<R: Clocked>(&self, rig: &mut R, offset: u32, write: Option<u64>) -> Answer {
        match self.request(rig, offset, write) {
            Some(answer) => answer,
            None => panic!("{offset:#x}: no {} within {} clocks", self.ack, self.limit),
        }
    }
}

impl Default for RegisterBus {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, RegisterBus};
    use crate::clocked::Clocked;
    use crate::pins::Pins;
    use flitforge_elaborate::Value;
    use std::collections::BTreeMap;

    /// A page of words whose answer comes so many clocks after a request; `noisy` shows `rdata` all the time.
    struct Page {
        ports: BTreeMap<String, u64>,
        words: BTreeMap<u64, u64>,
        late: u64,
        waits: Option<u64>,
        noisy: bool,
    }

    impl Page {
        fn new(late: u64) -> Self {
            Self { ports: BTreeMap::new(), words: BTreeMap::new(), late, waits: None, noisy: false }
        }
    }

    impl Pins for Page {
        fn drive(&mut self, path: &str, words: &[u64]) {
            self.ports.insert(path.into(), words[0]);
        }

        fn sample(&mut self, path: &str) -> Value {
            Value::from_u64(64, self.ports.get(path).copied().unwrap_or(0))
        }
    }

    impl Clocked for Page {
        fn pins(&mut self) -> &mut dyn Pins {
            self
        }

        fn clock(&mut self) {
            let (write, read) = (self.get("we") == 1, self.get("re") == 1);
            let acked = self.get("ack") == 1;
            if (write || read) && self.waits.is_none() && !acked {
                self.waits = Some(self.late);
                if write {
                    let (word, value) = (self.get("addr"), self.get("wdata"));
                    self.words.insert(word, value);
                }
            }
            self.waits = self.waits.map(|clocks| clocks - 1);
            let answers = self.waits == Some(0);
            self.waits = self.waits.filter(|clocks| *clocks > 0);
            let word = self.get("addr");
            let value = self.words.get(&word).copied().unwrap_or(0);
            self.set("ack", answers.into());
            self.set("rdata", if answers || self.noisy { value } else { 0 });
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for bus in [RegisterBus::new(), RegisterBus::new().held()] {
            let mut page = Page::new(4);
            bus.write(&mut page, 24, 7);
            assert_eq!(bus.ask(&mut page, 24, None), Answer { value: 7, clocks: 4 });
            assert_eq!((bus.read(&mut page, 16), page.words[&3]), (0, 7));
        }
    }

    #[test]
    fn an_answer_that_comes_too_late_is_none() {
        let bus = RegisterBus::new().within(8);
        assert_eq!(bus.request(&mut Page::new(8), 0, None).map(|answer| answer.clocks), Some(8));
        assert!(bus.request(&mut Page::new(9), 0, None).is_none());
    }

    #[test]
    #[should_panic(expected = "0x8: ack and rdata with no request to answer")]
    fn data_without_an_answer_is_found() {
        let mut page = Page::new(4);
        page.noisy = true;
        page.words.insert(1, 5);
        RegisterBus::new().read(&mut page, 8);
    }
}
