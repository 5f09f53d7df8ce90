//! R of all tags, until their bursts are whole.

use super::ports::AxiReadBeat;
use flitforge_hdl_prim::fifo::SmallFifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{LutRam, Ram, RamConfig};
use flitforge_hdl_prim::skid::Skid;

/// 32 transfers for each of 32 tags, so that bursts of different tags may be interleaved. A tag's next burst waits until the one before is done with. A
/// transfer per clock. Of more than 32 transfers the last ones stand in the place of the 32nd.
#[block("sue_axi_read_store", new)]
#[derive(Clone, Debug)]
pub struct AxiReadStore {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all transfers.
    clear: In<Bit>,
    /// R.
    pub beats: StreamIn<AxiReadBeat>,
    /// Tags whose bursts are whole.
    pub whole: StreamOut<Bits<5>>,
    /// The burst of `tag` is done with.
    done: In<Bit>,
    /// The tag that is looked at.
    tag: In<Bits<5>>,
    /// Transfers less one of its burst.
    last_beat: Out<Bits<5>>,
    /// RRESP of its transfers, the first in the top bits.
    resps: Out<Bits<64>>,
    /// The reader moves.
    moves: In<Bit>,
    /// The transfer that is read.
    beat: In<Bits<5>>,
    /// Its data, two moves later.
    data: Out<Bits<64>>,

    #[wire(clock, clear)]
    arriving: Skid<AxiReadBeat>,
    #[wire(clock, clear)]
    tags: SmallFifo<Bits<5>, 5, 6>,
    #[wire(write_clock = clock, read_clock = clock)]
    words: Ram<Bits<64>, 10>,
    #[wire(clock)]
    places: LutRam<Bits<5>, 5>,
    #[wire(clock)]
    open_resps: LutRam<Bits<64>, 5>,
    #[wire(clock)]
    whole_resps: LutRam<Bits<64>, 5>,
    #[wire(clock)]
    lasts: LutRam<Bits<5>, 5>,
    /// Tags with a part of a burst, and with a whole one.
    begun: Register<Bits<32>>,
    complete: Register<Bits<32>>,
    // The transfer a clock later.
    stored: Reg<AxiReadBeat>,
    stored_valid: Register<Bit>,
    place: Reg<Bits<5>>,
    /// It is the first of its burst.
    fresh: Reg<Bit>,
}

#[logic]
impl AxiReadStore {
    pub(super) fn new() -> Result<Self, ConfigError> {
        Ok(Self { words: Ram::new(RamConfig::block(1 << 10))?, tags: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        link(beats, arriving.words_in);
        let came = arriving.words_out.data;
        let own = came.tag;
        let takes = arriving.words_out.valid & !complete[own] & !clear;
        arriving.words_out.ready = !complete[own];
        places.read_address = own;
        let has_begun = begun[own];
        let place_now: Bits<5> = if has_begun { places.read_data } else { 0 };
        let after: Bits<5> = if place_now.all() { 31 } else { place_now + 1 };
        places = In { write_enable: takes, write_address: own, write_data: after };
        begun.enable = takes;
        begun = begun.with(own, !came.last);
        let finished = if done { complete.with(tag, false) } else { complete };
        complete = if takes & came.last { finished.with(own, true) } else { finished };
        stored_valid = takes;
        if takes {
            stored = came;
            place = place_now;
            fresh = !has_begun;
        }
        self.store();

        whole_resps.read_address = tag;
        lasts.read_address = tag;
        resps = whole_resps.read_data;
        last_beat = lasts.read_data;
        words = In { read_enable: moves, output_enable: moves, read_address: cat(beat, tag) };
        data = words.read_data;
    }

    /// The transfer is kept; with the last one the burst is whole.
    fn store(&mut self) {
        let kept = stored.tag;
        open_resps.read_address = kept;
        let before: Bits<64> = if fresh { 0 } else { open_resps.read_data };
        let joined = before | Self::placed(stored.resp, place);
        let ends = stored_valid & stored.last;
        words = In { write_enable: stored_valid, write_address: cat(place, kept), write_data: stored.data };
        open_resps = In { write_enable: stored_valid, write_address: kept, write_data: joined };
        whole_resps = In { write_enable: ends, write_address: kept, write_data: joined };
        lasts = In { write_enable: ends, write_address: kept, write_data: place };
        // Never full: a tag is in it at most once.
        tags.words_in = In { data: kept, valid: ends };
        link(whole, tags.words_out);
    }

    /// A response in the place of a transfer.
    fn placed(resp: Bits<2>, place: Bits<5>) -> Bits<64> {
        let top: Bits<64> = cat(bits::<62>(0), resp);
        let one = if place[0] { top >> 2 } else { top };
        let two = if place[1] { one >> 4 } else { one };
        let four = if place[2] { two >> 8 } else { two };
        let eight = if place[3] { four >> 16 } else { four };
        let sixteen = if place[4] { eight >> 32 } else { eight };
        sixteen
    }
}
