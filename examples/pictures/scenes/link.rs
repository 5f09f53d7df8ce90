//! Training and retry.

use super::rig::{Rig, Show};
use super::Picture;
use flitforge_hdl::link::replay::{INIT_BITS, POINTER_BITS};
use flitforge_hdl::link::retry_tx::LinkRetryTx2Small;
use flitforge_hdl::link::train::{LinkLanes, LinkTrainConfig};
use flitforge_model::Flit;
use flitforge_protocol::lane_word::training_set_1;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::retry::{RetryState, GUARD_LTPS, REINIT_LIMIT, RETRY_LIMIT};
use flitforge_protocol::training::CLOCKS_PER_SET;
use std::collections::VecDeque;

/// Clocks after which a scene that has not come to its end fails.
const LIMIT: usize = 4_000;

fn link_state(code: u64) -> Option<&'static str> {
    LinkState::from_code(u8::try_from(code).ok()?).map(LinkState::name)
}

fn retry_state(code: u64) -> Option<&'static str> {
    RetryState::from_code(u8::try_from(code).ok()?).map(RetryState::name)
}

/// Clocks that a word is on its way from one end to the other.
const CABLE_CLOCKS: usize = 24;
/// Clocks of a training-set time.
const SET_CLOCKS: usize = CLOCKS_PER_SET as usize;
/// Training-set times by which end B is enabled later than end A.
const LATER_SETS: usize = 6;

/// One end of a link of one lane, with short timeouts.
fn end(prefix: &str) -> anyhow::Result<Rig> {
    let mut end = Rig::new(
        "link_lanes",
        LinkLanes::<1>::new(LinkTrainConfig::short(1))?,
        prefix,
        &[
            ("state", "state", Show::Code(link_state)),
            ("train.shows_request.q", "request", Show::Plain),
            ("train.shows_answer.q", "answer", Show::Plain),
            ("train.shows_ts2.q", "ts2", Show::Any),
        ],
    )?;
    // Two flits per beat, 128 replay slots.
    let offer = 1 << training_set_1::log2_flits_per_beat::LOW | 7 << training_set_1::log2_replay_slots::LOW;
    let inputs = [("allowed", 1), ("offer", offer), ("signal_ok", 1), ("lane_lock", 1)];
    for (port, value) in inputs.into_iter().chain([("tx[0].ready", 1), ("rows_in.valid", 1)]) {
        end.set(port, value)?;
    }
    Ok(end)
}

/// One clock of both ends; a lane word of each goes into its cable, and the oldest one comes out at the other end.
fn exchange(ends: &mut [Rig; 2], cables: &mut [VecDeque<(u64, u64)>; 2], shown: bool) -> anyhow::Result<()> {
    for (end, cable) in ends.iter_mut().zip(cables.iter_mut()) {
        end.settle()?;
        cable.push_back((end.get("tx[0].valid")?, end.get("tx[0].data")?));
        if shown {
            end.record()?;
        }
        end.step()?;
    }
    for (end, cable) in ends.iter_mut().rev().zip(cables.iter_mut()) {
        let (valid, word) = cable.pop_front().unwrap_or_default();
        end.set("rx[0].valid", valid)?;
        end.set("rx[0].data", word)?;
    }
    Ok(())
}

/// Two ends of a link of one lane train; a column is a training-set time.
pub fn training() -> anyhow::Result<Picture> {
    let mut ends = [end("A ")?, end("B ")?];
    let mut cables = [(); 2].map(|()| VecDeque::from(vec![(0, 0); CABLE_CLOCKS - 1]));
    ends[0].set("enable", 1)?;
    let state = |end: &Rig| -> anyhow::Result<Option<&str>> { Ok(link_state(end.get("state")?)) };
    let mut after = 0;
    for clock in 0..LIMIT {
        let shown = clock % SET_CLOCKS == 0;
        if clock == LATER_SETS * SET_CLOCKS {
            ends[1].set("enable", 1)?;
        }
        // From Polling to the third set of both in Init.
        let begun = state(&ends[0])?.is_some_and(|name| name != LinkState::Down.name());
        exchange(&mut ends, &mut cables, shown && begun)?;
        let both = state(&ends[0])? == Some(LinkState::Init.name()) && state(&ends[1])? == state(&ends[0])?;
        after += usize::from(both && shown);
        if after == 3 {
            let rows = ends.into_iter().flat_map(Rig::into_rows).collect();
            return Ok(Picture {
                name: "training",
                title: "Two ends train: each answers the other's request before TS2 and Init",
                column: "set",
                streams: &[],
                rows,
            });
        }
    }
    anyhow::bail!("the ends have not come to Init after {LIMIT} clocks")
}

/// A beat of two body flits.
fn beat() -> [u64; 3] {
    let [low, high] = [0x1111_2222_3333_4444, 0x5555_6666_7777_8888].map(|data| Flit::body(data).bits());
    [low as u64, (low >> 64 | high << 1) as u64, (high >> 63) as u64]
}

/// Sets an input for the coming clock alone, which is not shown.
fn pulse(rig: &mut Rig, port: &str, data: Option<(&str, u64)>) -> anyhow::Result<()> {
    if let Some((port, value)) = data {
        rig.set(port, value)?;
    }
    rig.set(port, 1)?;
    rig.step()?;
    rig.set(port, 0)
}

/// Runs until a signal has a value.
fn wait(rig: &mut Rig, path: &str, value: u64) -> anyhow::Result<()> {
    for _ in 0..LIMIT {
        rig.settle()?;
        if rig.get(path)? == value {
            return Ok(());
        }
        rig.step()?;
    }
    anyhow::bail!("{path} is not {value} after {LIMIT} clocks")
}

/// Through the exchange of Init, played by hand, to originals.
fn bring_up(rig: &mut Rig) -> anyhow::Result<()> {
    let peer_is_fresh = 1 << POINTER_BITS | 1 << (INIT_BITS - 1);
    for (port, value) in [("run", 1), ("fresh", 1), ("wire_out.ready", 1), ("flits_in.valid", 1)] {
        rig.set(port, value)?;
    }
    rig.set("retry_limit", RETRY_LIMIT.into())?;
    rig.set("reinit_limit", REINIT_LIMIT.into())?;
    rig.set_words("flits_in.data", &beat())?;
    wait(rig, "state", RetryState::Init.code().into())?;
    pulse(rig, "init_in.valid", Some(("init_in.data", peer_is_fresh)))?;
    wait(rig, "replay.trip.under_way.q", 1)?;
    // The answer comes when a few LTPs have been sent.
    for _ in 0..4 {
        wait(rig, "null_tx", 1)?;
        rig.step()?;
    }
    let token = rig.get("replay.trip.sent_token.q")?;
    pulse(rig, "reply_in.valid", Some(("reply_in.data", token)))?;
    wait(rig, "init_done", 1)?;
    pulse(rig, "peer_active", None)?;
    wait(rig, "state", RetryState::Normal.code().into())
}

/// The peer asks for LTP 2 when LTP 4 is on its way.
pub fn replay() -> anyhow::Result<Picture> {
    let mut rig = Rig::new(
        "link_retry_tx",
        LinkRetryTx2Small::new(GUARD_LTPS)?,
        "",
        &[
            ("request_in.valid", "request_in.valid", Show::Plain),
            ("request_in.data", "request_in.data", Show::With("request_in.valid")),
            ("state", "state", Show::Code(retry_state)),
            ("next_tx", "next_tx", Show::Plain),
            ("next_write", "next_write", Show::Plain),
            ("tx_open", "tx_open", Show::Plain),
            ("ltp_start", "ltp_start", Show::Plain),
            ("null_tx", "null_tx", Show::Plain),
            ("replayed", "replayed", Show::Plain),
        ],
    )?;
    bring_up(&mut rig)?;
    wait(&mut rig, "next_write", 5)?;
    for clock in 0..64 {
        rig.set("request_in.valid", u64::from(clock == 3))?;
        rig.set("request_in.data", 2)?;
        rig.clock()?;
    }
    Ok(Picture {
        name: "replay",
        title: "A RetryReq leads to the RetryMrkr pair, the replay, and new originals",
        column: "clock",
        streams: &[],
        rows: rig.into_rows(),
    })
}
