//! The five channels between an AXI4 manager and its subordinate, clock by clock.

use flitforge_model::sue::axi::AxiRequest;
use std::fmt::Debug;

/// AW or AR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub request: AxiRequest,
    pub user: u64,
}

/// W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    pub data: u64,
    pub strobes: u8,
    pub last: bool,
}

/// B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub id: u16,
    pub resp: u8,
    pub user: u64,
}

/// R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    pub id: u16,
    pub data: u64,
    pub resp: u8,
    pub last: bool,
    pub user: u64,
}

/// A channel in a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel<T> {
    pub offered: Option<T>,
    pub ready: bool,
}

impl<T> Default for Channel<T> {
    fn default() -> Self {
        Self { offered: None, ready: false }
    }
}

impl<T: Copy + PartialEq + Debug> Channel<T> {
    /// What moves.
    pub fn taken(&self) -> Option<T> {
        self.offered.filter(|_| self.ready)
    }

    /// What is offered for the first time.
    pub fn begins(&self, before: &Self) -> Option<T> {
        let waited = before.offered.is_some() && !before.ready;
        self.offered.filter(|_| !waited)
    }

    /// What was offered and not taken, and what has become of it.
    pub fn gone(&self, before: &Self) -> Option<String> {
        let was = before.offered.filter(|_| !before.ready)?;
        self.offered.is_none().then(|| format!("{was:x?} is gone"))
    }

    /// The same if something else is offered instead.
    pub fn changed(&self, before: &Self) -> Option<String> {
        let was = before.offered.filter(|_| !before.ready)?;
        let is = self.offered.filter(|is| *is != was)?;
        Some(format!("{was:x?} becomes {is:x?}"))
    }
}

/// The five channels in a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub clear: bool,
    pub aw: Channel<Address>,
    pub w: Channel<Data>,
    pub b: Channel<Written>,
    pub ar: Channel<Address>,
    pub r: Channel<Read>,
}

impl Sample {
    /// What does not stand as it should, by channel: gone, and changed.
    pub fn unsteady(&self, before: &Self) -> [Vec<String>; 2] {
        let gone = [
            self.aw.gone(&before.aw),
            self.w.gone(&before.w),
            self.b.gone(&before.b),
            self.ar.gone(&before.ar),
            self.r.gone(&before.r),
        ];
        let changed = [
            self.aw.changed(&before.aw),
            self.w.changed(&before.w),
            self.b.changed(&before.b),
            self.ar.changed(&before.ar),
            self.r.changed(&before.r),
        ];
        [gone, changed].map(|all| all.into_iter().flatten().collect())
    }

    /// By channel, whether something is offered.
    pub fn offers(&self) -> [(&'static str, bool); 5] {
        [
            ("AW", self.aw.offered.is_some()),
            ("W", self.w.offered.is_some()),
            ("B", self.b.offered.is_some()),
            ("AR", self.ar.offered.is_some()),
            ("R", self.r.offered.is_some()),
        ]
    }
}

/// The sides of the adapter, as their ports are called.
pub const SUBORDINATE: &str = "s_axi";
pub const MANAGER: &str = "m_axi";

const ADDRESS: [&str; 13] = [
    "valid", "ready", "id", "addr", "len", "size", "burst", "lock", "cache", "prot", "qos", "region", "user",
];

/// The ports of the five channels.
pub struct Ports<H> {
    clear: H,
    aw: [H; 13],
    w: [H; 5],
    b: [H; 5],
    ar: [H; 13],
    r: [H; 7],
}

impl<H: Copy> Ports<H> {
    /// Those of `side`, `s_axi` or `m_axi`.
    pub fn new(side: &str, find: impl Fn(&str) -> H) -> Self {
        let at = |channel: &str, name: &str| find(&format!("{side}.{channel}{name}"));
        Self {
            clear: find("clear"),
            aw: ADDRESS.map(|name| at("aw", name)),
            w: ["valid", "ready", "data", "strb", "last"].map(|name| at("w", name)),
            b: ["valid", "ready", "id", "resp", "user"].map(|name| at("b", name)),
            ar: ADDRESS.map(|name| at("ar", name)),
            r: ["valid", "ready", "id", "data", "resp", "last", "user"].map(|name| at("r", name)),
        }
    }

    /// The channels now.
    pub fn sample(&self, mut get: impl FnMut(H) -> u64) -> Sample {
        fn channel<H: Copy, T, const N: usize>(
            ports: [H; N],
            get: &mut impl FnMut(H) -> u64,
            make: impl Fn([u64; N]) -> T,
        ) -> Channel<T> {
            let (valid, ready) = (get(ports[0]) == 1, get(ports[1]) == 1);
            Channel { offered: valid.then(|| make(ports.map(&mut *get))), ready }
        }
        let address = |of: [u64; 13]| Address {
            request: AxiRequest {
                id: of[2] as u16,
                address: of[3],
                len: of[4] as u8,
                size: of[5] as u8,
                burst: of[6] as u8,
                lock: of[7] == 1,
                cache: of[8] as u8,
                prot: of[9] as u8,
                qos: of[10] as u8,
                region: of[11] as u8,
                user: 0,
            },
            user: of[12],
        };
        let data = |of: [u64; 5]| Data { data: of[2], strobes: of[3] as u8, last: of[4] == 1 };
        let written = |of: [u64; 5]| Written { id: of[2] as u16, resp: of[3] as u8, user: of[4] };
        let read = |of: [u64; 7]| Read {
            id: of[2] as u16,
            data: of[3],
            resp: of[4] as u8,
            last: of[5] == 1,
            user: of[6],
        };
        Sample {
            clear: get(self.clear) == 1,
            aw: channel(self.aw, &mut get, address),
            w: channel(self.w, &mut get, data),
            b: channel(self.b, &mut get, written),
            ar: channel(self.ar, &mut get, address),
            r: channel(self.r, &mut get, read),
        }
    }
}
