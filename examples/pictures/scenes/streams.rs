//! Stream, flow and clear.

use super::rig::{Rig, Show};
use super::Picture;
use flitforge_hdl::link::crc::{CrcConfig, CrcPipeline, LinkCrc};
use flitforge_hdl::prim::Skid;
use flitforge_protocol::crc::STANDARD;
use rust_hdl::prelude::Bits;

/// Bits of a beat of the flow; the link's own are wider than a picture.
const BEAT_BITS: usize = 32;
const CRC_BITS: usize = STANDARD.width();

/// A skid buffer gives out four words while its sink stops for three clocks.
pub fn stream() -> anyhow::Result<Picture> {
    let mut rig = Rig::new(
        "skid",
        Skid::<Bits<8>>::default(),
        "",
        &[
            ("words_in.valid", "words_in.valid", Show::Plain),
            ("words_in.ready", "words_in.ready", Show::Plain),
            ("words_in.data", "words_in.data", Show::With("words_in.valid")),
            ("words_out.valid", "words_out.valid", Show::Plain),
            ("words_out.ready", "words_out.ready", Show::Plain),
            ("words_out.data", "words_out.data", Show::With("words_out.valid")),
        ],
    )?;
    offer(&mut rig, 0xa0..0xa4, 10, |rig, clock| {
        rig.set("words_out.ready", u64::from(!(2..5).contains(&clock)))
    })?;
    Ok(Picture {
        name: "stream",
        title: "Two streams at a skid buffer: four words, and a sink that stops for three clocks",
        column: "clock",
        streams: &["words_in", "words_out"],
        rows: rig.into_rows(),
    })
}

/// A skid buffer that is full is cleared, and takes another word.
pub fn clear() -> anyhow::Result<Picture> {
    let mut rig = Rig::new(
        "skid",
        Skid::<Bits<8>>::default(),
        "",
        &[
            ("clear", "clear", Show::Plain),
            ("words_in.valid", "words_in.valid", Show::Plain),
            ("words_in.ready", "words_in.ready", Show::Plain),
            ("words_in.data", "words_in.data", Show::With("words_in.valid")),
            ("words_out.valid", "words_out.valid", Show::Plain),
            ("words_out.ready", "words_out.ready", Show::Plain),
            ("words_out.data", "words_out.data", Show::With("words_out.valid")),
        ],
    )?;
    offer(&mut rig, 0xb0..0xb4, 10, |rig, clock| {
        rig.set("words_out.ready", u64::from(clock >= 6))?;
        rig.set("clear", u64::from(clock == 4))
    })?;
    Ok(Picture {
        name: "clear",
        title: "A skid buffer that is full is cleared: the two words in it are gone, the word on offer waits",
        column: "clock",
        streams: &["words_in", "words_out"],
        rows: rig.into_rows(),
    })
}

/// Offers words one after another, each until it is taken.
fn offer(
    rig: &mut Rig,
    words: std::ops::Range<u64>,
    clocks: u64,
    inputs: impl Fn(&mut Rig, u64) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut word = words.start;
    for clock in 0..clocks {
        let valid = word < words.end;
        rig.set("words_in.valid", u64::from(valid))?;
        rig.set("words_in.data", word)?;
        inputs(rig, clock)?;
        rig.settle()?;
        rig.record()?;
        word += u64::from(valid) & rig.get("words_in.ready")?;
        rig.step()?;
    }
    Ok(())
}

/// A CRC over a frame of three beats with a gap, and over one of a single beat right after it.
pub fn flow() -> anyhow::Result<Picture> {
    let config = CrcConfig::receiver(STANDARD, BEAT_BITS, CrcPipeline::Balanced);
    let mut rig = Rig::new(
        "link_crc",
        LinkCrc::<BEAT_BITS, CRC_BITS>::new(config)?,
        "",
        &[
            ("beat.valid", "beat.valid", Show::Plain),
            ("beat.data", "beat.data", Show::With("beat.valid")),
            ("first", "first", Show::Plain),
            ("last", "last", Show::Plain),
            ("crc.valid", "crc.valid", Show::Plain),
            ("crc.data", "crc.data", Show::With("crc.valid")),
        ],
    )?;
    // Beat, first, last.
    let beats = [
        None,
        Some((0x0123_4567, true, false)),
        Some((0x89ab_cdef, false, false)),
        None,
        Some((0xfedc_ba98, false, true)),
        Some((0x7654_3210, true, true)),
    ];
    for clock in 0..11 {
        let beat = beats.get(clock).copied().flatten();
        let (data, first, last) = beat.unwrap_or_default();
        rig.set("beat.valid", u64::from(beat.is_some()))?;
        rig.set("beat.data", data)?;
        rig.set("first", u64::from(first))?;
        rig.set("last", u64::from(last))?;
        rig.clock()?;
    }
    Ok(Picture {
        name: "flow",
        title: "Two flows at a CRC: beats with a gap in them, and a CRC for each of two frames",
        column: "clock",
        streams: &[],
        rows: rig.into_rows(),
    })
}
