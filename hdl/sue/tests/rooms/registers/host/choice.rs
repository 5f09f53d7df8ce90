//! What the host asks for.

use super::Host;
use super::Kind;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::sue_port_registers as port;
use flitforge_protocol::sue_registers as instance;
use rand::Rng as _;

impl Host {
    /// A value for a register, near what it holds and near the ends of its ranges.
    fn value(&mut self, offset: u32) -> u64 {
        let Some(register) = self.golden.register(offset) else { return self.random.random() };
        if self.random.random_bool(0.1) {
            return self.random.random();
        }
        let ranges = self.golden.ranges_of(offset);
        let mut word = u128::from(self.golden.kept.get(&offset).copied().unwrap_or(0));
        for _ in 0..self.random.random_range(1..3) {
            let field = register.layout.fields[self.random.random_range(0..register.layout.fields.len())];
            let range = ranges.iter().find(|range| range.field == field.name);
            let (least, most) =
                range.map_or((0, field.ones()), |range| (range.least, range.most.min(field.ones())));
            let value = match self.random.random_range(0..8) {
                0 => 0,
                1 => field.ones(),
                2 => least,
                3 => most,
                4 => least.wrapping_sub(1) & field.ones(),
                5 => most.wrapping_add(1) & field.ones(),
                6 => self.random.random_range(least..=most),
                _ => self.random.random::<u64>() & field.ones(),
            };
            word = field.set(word, value);
        }
        word as u64
    }

    /// The class of requests or of acknowledgments, perhaps with the PCP or the virtual channel of the other.
    fn near_the_other_class(&mut self, offset: u32, value: u64) -> u64 {
        let other = self.golden.kept[&(instance::CLASS0 + instance::CLASS4 - offset)];
        let mask = [0xE, 0x1F << 10, 0, 0][self.random.random_range(0..4)];
        value & !mask | other & mask
    }

    pub(super) fn choose(&mut self) -> (bool, u32, u64) {
        let registers = self.golden.page.registers;
        let control = if self.golden.kind == Kind::Port { port::P_CTRL } else { instance::CTRL };
        let offset = match self.random.random_range(0..100) {
            0..55 => registers[self.random.random_range(0..registers.len())].offset,
            55..70 => control,
            70..78 if self.golden.kind == Kind::Instance => instance::EVENT,
            78..83 if self.golden.kind == Kind::Instance => instance::TBL_DATA,
            83..89 if self.golden.kind == Kind::Instance => {
                registers[self.random.random_range(0..registers.len())].offset
            }
            70..96 => self.load.any_offset(&mut self.random),
            _ => self.random.random_range(0..self.golden.page.bytes.min(0x600) / BYTES) * BYTES,
        };
        let write = self.random.random_bool(0.6);
        let mut value = self.value(offset);
        if offset == control && self.random.random_bool(0.7) {
            value &= !1;
        }
        if (self.golden.kind, offset) == (Kind::Instance, instance::FMT) && self.random.random_bool(0.4) {
            value = value & !7 | 4;
        }
        if self.golden.kind == Kind::Instance && [instance::CLASS0, instance::CLASS4].contains(&offset) {
            value = self.near_the_other_class(offset, value);
        }
        if self.load.place_of(offset).is_some() && self.random.random_bool(0.7) {
            value = 0;
        }
        if (self.golden.kind, offset) == (Kind::Instance, instance::EVENT) && self.random.random_bool(0.5) {
            value = u64::MAX;
        }
        (write, offset, value)
    }
}
