//! A table that has a field of every access.

use flitforge_protocol::register::{Page, Reset};

/// First register of the window at its end.
pub const WINDOW: u32 = 0x200;

flitforge_protocol::registers! {
    panel_registers_table, "a test", Reset::Value(0);
    /// What was built.
    ID = 0x000, Read reset(Reset::Value(0x50_414E_454C)), id, { magic [0 +: 40] "PANEL"; built [48 +: 8] "number of it"; }
    /// Commands and what is kept beside them.
    CTRL = 0x008, ReadWrite except { go: SelfClearing, stop: SelfClearing, near: Read } reset(Reset::Value(5 << 8 | 1)), ctrl, {
        on [0 +: 1] "on"; go [1 +: 1] "starts"; stop [2 +: 1] "stops"; near [3 +: 1] "it is near"; speed [8 +: 7] "speed"; far [60 +: 4] "far away"; }
    /// What is shown.
    STATE = 0x010, Read, state, { level [0 +: 12] "level"; full [63 +: 1] "full"; }
    /// A word.
    WORD = 0x018, ReadWrite reset(Reset::Value(0x1234_5678_9ABC_DEF0)), word, { value [0 +: 64] "all of it"; }
    /// What is written while the link is Down.
    SHAPE = 0x020, ReadWriteDown, shape, { lanes [4 +: 4] "lanes"; name [32 +: 32] "name"; }
    /// Events.
    EVENT = 0x028, WriteOneClears, event, { begun [0 +: 1] "begun"; ended [3 +: 1] "ended"; lost [7 +: 1] "lost"; }
    /// Events that interrupt.
    EVENT_MASK = 0x030, ReadWrite, event_mask, { mask [0 +: 8] "bits as in EVENT"; }
    /// Says that there was no room.
    OVER = 0x038, Read except { seen: Counter }, over, { seen [0 +: 1] "seen"; most [8 +: 8] "most"; }
    /// A command with a value.
    SET = 0x040, Write, set, { by [0 +: 16] "by"; up [20 +: 1] "upwards"; }
    /// A number that stands elsewhere.
    INDEX = 0x048, ReadWrite, index, { value [0 +: 10] "number"; }
    /// Half of it stands elsewhere.
    LEFT = 0x050, ReadWrite, left, { now [0 +: 16] "left now"; length [16 +: 16] "length"; }
    /// What cannot be written with both halves set.
    ROLE = 0x058, ReadWrite, role, { up [0 +: 4] "up"; down [4 +: 4] "down"; }
    /// What is checked for a while.
    SLOW = 0x060, ReadWrite reset(Reset::Value(9)), slow, { rate [0 +: 8] "rate"; }
    /// Bits that may not be there.
    TREES = 0x068, ReadWrite, trees, { first [0 +: 2] "first"; enable [8 +: 4] "enabled"; }
    /// Takes something when it is read.
    POP = 0x070, Read, pop, { valid [0 +: 1] "there was something"; }
    /// A row of numbers, which others answer for.
    ROW[3] = 0x078, Read, row, { number [0 +: 8] "number"; }
    /// In the window.
    PLACE = WINDOW + 0x08, ReadWrite, place, { value [0 +: 20] "place"; }
    ;
    /// Counters.
    COUNTS = 0x100, 32, { STARTED, STOPPED, DROPPED }
    /// Counters of the window.
    WINDOW_COUNTS = WINDOW + 0x10, 32, { PASSED, HELD }
}

/// The table as a page.
pub const PAGE: Page = Page {
    name: "panel",
    title: "A panel",
    source: "a test",
    bytes: 0x400,
    registers: REGISTERS,
    counters: &[COUNTS, WINDOW_COUNTS],
};
