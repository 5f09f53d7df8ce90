//! Local tags of one direction: each stands for a source and its ID.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;

/// Who asked.
#[packed]
pub struct TagOwner {
    /// XPU.
    source: Bits<10>,
    /// ID there.
    id: Bits<16>,
    /// Partition.
    partition: Bits<10>,
}

#[packed]
enum TagPhase {
    Idle,
    Scans,
    Compares,
    Chooses,
    Decides,
    Rests,
    Spare,
    Spare2,
}

/// 32 tags. While `ask` is high it looks for one, 4 entries per clock, for ever: the one that this source and ID have, else a free one. At most 15 requests
/// have the same. Another partition of a source and ID waits until its tag is free. It takes 13 clocks if there is one, a clock more with a release between.
#[block("sue_axi_tags")]
#[derive(Clone, Debug)]
pub struct AxiTags {
    /// Rising edge counts.
    clock: In<Clock>,
    /// All tags are free.
    clear: In<Bit>,
    /// A tag is wanted; it holds with `owner` until `given`.
    ask: In<Bit>,
    /// For whom.
    owner: In<TagOwner>,
    /// It has one: high for one clock.
    given: Out<Bit>,
    /// The tag.
    tag: Out<Bits<5>>,
    /// A request with `looked` is answered.
    release: In<Bit>,
    /// The tag that is looked at.
    looked: In<Bits<5>>,
    /// Its owner, in the same clock.
    looked_owner: Out<TagOwner>,
    /// It is in use.
    in_use: Out<Bit>,

    phase: Reg<TagPhase>,
    row: Reg<Bits<3>>,
    read_row: Reg<Bits<3>>,
    reads: Reg<Bit>,
    busy: Register<Bits<32>>,
    #[wire(clock)]
    banks: [LutRam<TagOwner, 3>; 4],
    #[wire(clock)]
    owners: LutRam<TagOwner, 5>,
    #[wire(clock)]
    counts: LutRam<Bits<4>, 5>,
    #[wire(d = _)]
    entries: [Reg<TagOwner>; 4],
    #[wire(d = _)]
    entry_busy: Reg<Bits<4>>,
    has_match: Reg<Bit>,
    may_join: Reg<Bit>,
    has_free: Reg<Bit>,
    match_tag: Reg<Bits<5>>,
    free_tag: Reg<Bits<5>>,
    chosen: Reg<Bits<5>>,
    may: Reg<Bit>,
    given_now: Register<Bit>,
    raised: Reg<Bits<4>>,
    release_waits: Register<Bit>,
    released: Reg<Bits<5>>,
}

#[logic]
impl AxiTags {
    fn update(&mut self) {
        self.scan();
        // A release waits while a tag is given, at most two clocks.
        let decides = phase == TagPhase::Decides;
        let releases = release_waits & !decides & !(phase == TagPhase::Rests);
        release_waits = (release & busy[looked]) | (release_waits & !releases);
        if release {
            released = looked;
        }
        let operated = if releases { released } else { chosen };
        counts.read_address = operated;
        let was_busy = busy[operated];
        let count: Bits<4> = if was_busy { counts.read_data } else { 0 };
        let gives = decides & may & !count.all();
        given_now = gives;
        given = given_now;
        tag = chosen;
        raised = count + 1;
        let counted = if given_now { raised } else { count - 1 };
        counts = In { write_enable: given_now | releases, write_address: operated, write_data: counted };
        busy.enable = given_now | releases;
        let stays = given_now | (count != 1);
        busy = busy.with(operated, stays);

        owners = In { write_enable: given_now, write_address: chosen, write_data: owner };
        owners.read_address = looked;
        looked_owner = owners.read_data;
        in_use = busy[looked];
        for i in 0..4 {
            banks[i].write_enable = given_now & (chosen[0..2] == i);
            banks[i].write_address = chosen[2..5];
            banks[i].write_data = owner;
            banks[i].read_address = row;
            entries[i] = banks[i].read_data;
        }
        let low_place: Bits<5> = cat(bits::<2>(0), row);
        entry_busy = busy.bits::<4>(low_place);
        if phase == TagPhase::Rests {
            phase = TagPhase::Idle;
        }
        if decides {
            phase = TagPhase::Rests;
        }
        if clear {
            phase = TagPhase::Idle;
            reads = false;
        }
    }

    /// Rows are read, and compared a clock later.
    fn scan(&mut self) {
        let scans = phase == TagPhase::Scans;
        reads = scans;
        read_row = row;
        if scans {
            row = row + 1;
        }
        if (phase == TagPhase::Idle) & ask {
            phase = TagPhase::Scans;
            row = 0;
            has_match = false;
            has_free = false;
        }
        if scans & row.all() {
            phase = TagPhase::Compares;
        }
        if phase == TagPhase::Compares {
            phase = TagPhase::Chooses;
        }
        if phase == TagPhase::Chooses {
            chosen = if has_match { match_tag } else { free_tag };
            may = if has_match { may_join } else { has_free };
            phase = TagPhase::Decides;
        }
        for i in 0..4 {
            let entry = entries[i];
            let same = (entry.source == owner.source) & (entry.id == owner.id);
            let here: Bits<5> = cat(bits::<2>(i), read_row);
            if reads & entry_busy[i] & same {
                has_match = true;
                may_join = entry.partition == owner.partition;
                match_tag = here;
            }
            if reads & !entry_busy[i] {
                has_free = true;
                free_tag = here;
            }
        }
    }
}
