//! Marked memories, as a library of primitives would have them, in every variant of the marker.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::marker::{Marker, MemoryMarker, ReadMarker, WriteMarker};
use rust_hdl::prelude::*;

/// Bits of a word.
pub const WIDTH: usize = 37;
/// A word.
pub type Word = Bits<WIDTH>;

/// Variant of a memory.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Kind of RAM.
    pub style: MemoryStyle,
    /// Words.
    pub depth: u32,
    /// Second register after the array.
    pub output_register: bool,
    /// Ports have enables.
    pub enables: bool,
    /// Words with contents at power-on.
    pub initial: u32,
}

impl Variant {
    /// Power-on contents.
    pub fn words(&self) -> Vec<Word> {
        let word = |at: u32| match at < self.initial {
            true => (Word::from(u64::from(at) * 77 + 5) << 28) | Word::from(u64::from(at) * 3 + 1),
            false => Word::default(),
        };
        (0..self.depth).map(word).collect()
    }

    fn marker(&self, read: ReadMarker, writes: Vec<WriteMarker>) -> String {
        let digits = |word: &Word| (0..WIDTH.div_ceil(4)).rev().map(|at| digit(word, at)).collect();
        Marker::Memory(MemoryMarker {
            depth: self.depth,
            width: WIDTH as u32,
            style: self.style,
            initial: self.words()[..self.initial as usize].iter().map(digits).collect(),
            reads: vec![read],
            writes,
        })
        .line()
    }

    fn write(&self, clock: &str) -> WriteMarker {
        WriteMarker {
            clock: clock.into(),
            address: "to".into(),
            data: "data".into(),
            enable: self.enables.then(|| "write".into()),
        }
    }
}

/// Hexadecimal digit `at` of a word, the lowest being 0.
fn digit(word: &Word, at: usize) -> char {
    let bits = (0..4).filter(|bit| 4 * at + bit < WIDTH && word.get_bit(4 * at + bit));
    char::from_digit(bits.map(|bit| 1 << bit).sum(), 16).expect("below 16")
}

/// A memory whose ports have a clock each.
#[derive(LogicBlock, Clone, Debug)]
pub struct Clocked {
    pub write_clock: Signal<In, Clock>,
    pub read_clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub to: Signal<In, Bits<4>>,
    pub data: Signal<In, Word>,
    pub read: Signal<In, Bit>,
    pub output_enable: Signal<In, Bit>,
    pub from: Signal<In, Bits<4>>,
    pub out: Signal<Out, Word>,
    _variant: Variant,
    _words: Vec<Word>,
    _array: Word,
}

impl Clocked {
    pub fn new(variant: &Variant) -> Self {
        Self {
            write_clock: Signal::default(),
            read_clock: Signal::default(),
            write: Signal::default(),
            to: Signal::default(),
            data: Signal::default(),
            read: Signal::default(),
            output_enable: Signal::default(),
            from: Signal::default(),
            out: Signal::default(),
            _words: variant.words(),
            _variant: variant.clone(),
            _array: Word::default(),
        }
    }
}

impl Logic for Clocked {
    fn update(&mut self) {
        let enables = self._variant.enables;
        if self.read_clock.pos_edge() {
            if self._variant.output_register && (self.output_enable.val() || !enables) {
                self.out.next = self._array;
            }
            if self.read.val() || !enables {
                let word = self._words.get(self.from.val().index()).copied().unwrap_or_default();
                match self._variant.output_register {
                    true => self._array = word,
                    false => self.out.next = word,
                }
            }
        }
        if self.write_clock.pos_edge() && (self.write.val() || !enables) {
            let data = self.data.val();
            if let Some(word) = self._words.get_mut(self.to.val().index()) {
                *word = data;
            }
        }
    }
    fn connect(&mut self) {
        self.out.connect();
    }
    fn hdl(&self) -> Verilog {
        let variant = &self._variant;
        let read = ReadMarker {
            clock: Some("read_clock".into()),
            address: "from".into(),
            data: "out".into(),
            enable: variant.enables.then(|| "read".into()),
            output_register: variant.output_register,
            output_enable: (variant.enables && variant.output_register).then(|| "output_enable".into()),
        };
        Verilog::Custom(variant.marker(read, vec![variant.write("write_clock")]))
    }
}
drive_ports!(impl[] Clocked { write_clock, read_clock, write, to, data, read, output_enable, from, out });

/// [`Clocked`] as part of a block with one clock.
#[derive(LogicBlock)]
pub struct OneClock {
    pub clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub to: Signal<In, Bits<4>>,
    pub data: Signal<In, Word>,
    pub read: Signal<In, Bit>,
    pub output_enable: Signal<In, Bit>,
    pub from: Signal<In, Bits<4>>,
    pub out: Signal<Out, Word>,
    pub words: Clocked,
}
impl OneClock {
    pub fn new(variant: &Variant) -> Self {
        Self {
            clock: Signal::default(),
            write: Signal::default(),
            to: Signal::default(),
            data: Signal::default(),
            read: Signal::default(),
            output_enable: Signal::default(),
            from: Signal::default(),
            out: Signal::default(),
            words: Clocked::new(variant),
        }
    }
}
impl Logic for OneClock {
    #[hdl_gen]
    fn update(&mut self) {
        self.words.write_clock.next = self.clock.val();
        self.words.read_clock.next = self.clock.val();
        self.words.write.next = self.write.val();
        self.words.to.next = self.to.val();
        self.words.data.next = self.data.val();
        self.words.read.next = self.read.val();
        self.words.output_enable.next = self.output_enable.val();
        self.words.from.next = self.from.val();
        self.out.next = self.words.out.val();
    }
}
drive_ports!(impl[] OneClock { clock, write, to, data, read, output_enable, from, out });

/// A memory with a combinational read.
#[derive(LogicBlock, Clone, Debug)]
pub struct Asynchronous {
    pub clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub to: Signal<In, Bits<4>>,
    pub data: Signal<In, Word>,
    pub from: Signal<In, Bits<4>>,
    pub out: Signal<Out, Word>,
    _variant: Variant,
    _words: Vec<Word>,
}
impl Asynchronous {
    pub fn new(variant: &Variant) -> Self {
        Self {
            clock: Signal::default(),
            write: Signal::default(),
            to: Signal::default(),
            data: Signal::default(),
            from: Signal::default(),
            out: Signal::default(),
            _words: variant.words(),
            _variant: variant.clone(),
        }
    }
}
impl Logic for Asynchronous {
    fn update(&mut self) {
        if self.clock.pos_edge() && (self.write.val() || !self._variant.enables) {
            let data = self.data.val();
            if let Some(word) = self._words.get_mut(self.to.val().index()) {
                *word = data;
            }
        }
        self.out.next = self._words.get(self.from.val().index()).copied().unwrap_or_default();
    }
    fn connect(&mut self) {
        self.out.connect();
    }
    fn hdl(&self) -> Verilog {
        let read = ReadMarker { address: "from".into(), data: "out".into(), ..Default::default() };
        Verilog::Custom(self._variant.marker(read, vec![self._variant.write("clock")]))
    }
}
drive_ports!(impl[] Asynchronous { clock, write, to, data, from, out });
