//! Bursts of W, whole, until their command goes.

use super::ports::AxiWriteBeat;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{LutRam, Ram, RamConfig};

const ALL_STROBES: usize = 0xFF;

/// What is known of a burst.
#[packed]
pub struct BurstShape {
    /// Transfers less one.
    last_beat: Bits<5>,
    /// All strobes are set.
    full: Bit,
    /// It has more than 32 transfers.
    long: Bit,
}

/// Eight bursts of at most 32 transfers; what is beyond is dropped. A transfer per clock; a burst is there the clock after its last transfer. `clear`
/// forgets all.
#[block("sue_axi_bursts", new)]
#[derive(Clone, Debug)]
pub struct AxiBursts {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all bursts.
    clear: In<Bit>,
    /// Transfers of W.
    pub beats: StreamIn<AxiWriteBeat>,
    /// There is a whole burst.
    waits: Out<Bit>,
    /// The oldest one.
    shape: Out<BurstShape>,
    /// It is done with.
    pop: In<Bit>,
    /// The reader moves.
    moves: In<Bit>,
    /// Transfer of the oldest burst that is read.
    beat: In<Bits<5>>,
    /// Its data, two moves later.
    data: Out<Bits<64>>,
    /// Which eight transfers' strobes are read.
    group: In<Bits<2>>,
    /// Their strobes, in the same clock.
    strobes: Out<Bits<64>>,

    write_slot: Register<Bits<3>>,
    read_slot: Register<Bits<3>>,
    fill: Register<Bits<4>>,
    place: Register<Bits<6>>,
    all_set: Reg<Bit>,
    gathered: Reg<Bits<64>>,
    #[wire(write_clock = clock, read_clock = clock)]
    words: Ram<Bits<64>, 8>,
    #[wire(clock)]
    strobe_words: LutRam<Bits<64>, 5>,
    #[wire(clock)]
    shapes: LutRam<BurstShape, 3>,
}

#[logic]
impl AxiBursts {
    pub(super) fn new() -> Result<Self, ConfigError> {
        Ok(Self { words: Ram::new(RamConfig::block(1 << 8))?, .. })
    }

    fn update(&mut self) {
        let has_room = !fill[3] & !clear;
        beats.ready = has_room;
        let takes = has_room & beats.valid;
        let came = beats.data;
        let ends = takes & came.last;
        let beyond = place[5];
        let keeps = takes & !beyond;

        let now_full = came.strobes == ALL_STROBES;
        let full = now_full & (all_set | (place == 0));
        let octet = place[0..3];
        let joined = Self::with_octet(gathered, came.strobes, octet);
        if takes {
            all_set = full;
            gathered = joined;
        }
        let low_place = place[0..5];
        words.write_enable = keeps;
        words.write_address = cat(low_place, write_slot);
        words.write_data = came.data;
        strobe_words = In { write_enable: keeps, write_data: joined };
        strobe_words.write_address = cat(place[3..5], write_slot);
        let made = BurstShape { last_beat: low_place, full, long: beyond };
        shapes = In { write_enable: ends, write_address: write_slot, write_data: made };

        place.enable = takes;
        place = if came.last {
            0
        } else if beyond {
            place
        } else {
            place + 1
        };
        write_slot.enable = ends;
        write_slot = write_slot + 1;
        read_slot.enable = pop;
        read_slot = read_slot + 1;
        fill.enable = ends != pop;
        fill = if ends { fill + 1 } else { fill - 1 };

        waits = fill.any();
        shapes.read_address = read_slot;
        shape = shapes.read_data;
        words = In { read_enable: moves, output_enable: moves };
        words.read_address = cat(beat, read_slot);
        data = words.read_data;
        strobe_words.read_address = cat(group, read_slot);
        strobes = strobe_words.read_data;
    }

    /// The eight octets with one replaced.
    fn with_octet(all: Bits<64>, new: Bits<8>, at: Bits<3>) -> Bits<64> {
        let octet_0 = if at == 0 { new } else { all[0..8] };
        let octet_1 = if at == 1 { new } else { all[8..16] };
        let octet_2 = if at == 2 { new } else { all[16..24] };
        let octet_3 = if at == 3 { new } else { all[24..32] };
        let octet_4 = if at == 4 { new } else { all[32..40] };
        let octet_5 = if at == 5 { new } else { all[40..48] };
        let octet_6 = if at == 6 { new } else { all[48..56] };
        let octet_7 = if at == 7 { new } else { all[56..64] };
        let low: Bits<32> = cat(octet_0, octet_1, octet_2, octet_3);
        let high: Bits<32> = cat(octet_4, octet_5, octet_6, octet_7);
        cat(low, high)
    }
}
