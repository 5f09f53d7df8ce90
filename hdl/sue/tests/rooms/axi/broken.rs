//! Each rule of AXI4 is broken in recordings of both sides, in every channel that it is about, and the checker names it.

use super::channels::{Address, Channel, Data, Read, Sample, Written, MANAGER, SUBORDINATE};
use super::loopback::recorded;
use super::protocol::{Checker, Rule, RULES};
use super::transfers::{lanes, octets, FIXED, INCREMENTING, PAGE, SHORT, WRAPPING};
use flitforge_model::sue::axi::AxiRequest;
use flitforge_protocol::sue::axi::{user, AxiResponse};
use flitforge_sim::kit::{rng, seed, Rng};
use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use std::collections::{BTreeMap, BTreeSet};

/// A channel of a sample.
type Of<T> = fn(&mut Sample) -> &mut Channel<T>;

/// Puts a fault into a recording; false if there is no place for it.
type Plant = Box<dyn Fn(&mut Vec<Sample>, &mut Rng) -> bool>;

const AW: Of<Address> = |sample| &mut sample.aw;
const W: Of<Data> = |sample| &mut sample.w;
const B: Of<Written> = |sample| &mut sample.b;
const AR: Of<Address> = |sample| &mut sample.ar;
const R: Of<Read> = |sample| &mut sample.r;

/// Clocks in which something that `fits` is offered for the first time.
fn offers<T: Copy>(stream: &mut [Sample], of: Of<T>, fits: impl Fn(&T) -> bool) -> Vec<usize> {
    let mut waits = false;
    let mut found = vec![];
    for (at, sample) in stream.iter_mut().enumerate() {
        let channel = of(sample);
        if !waits && channel.offered.as_ref().is_some_and(&fits) {
            found.push(at);
        }
        waits = channel.offered.is_some() && !channel.ready;
    }
    found
}

/// Changes what is offered from this clock on until it is taken.
fn change<T: Copy>(stream: &mut [Sample], of: Of<T>, at: usize, to: impl Fn(T) -> Option<T>) {
    for sample in &mut stream[at..] {
        let channel = of(sample);
        channel.offered = channel.offered.and_then(&to);
        if channel.ready {
            return;
        }
    }
}

/// Changes some offer that `fits`.
fn spoil<T: Copy + 'static>(
    of: Of<T>,
    fits: impl Fn(&T) -> bool + 'static,
    to: impl Fn(&mut T) + 'static,
) -> Plant {
    Box::new(move |stream, random| {
        let Some(at) = offers(stream, of, &fits).choose(random).copied() else { return false };
        change(stream, of, at, |mut item| {
            to(&mut item);
            Some(item)
        });
        true
    })
}

/// Some offer that has waited for a clock is another one then, or none.
fn unsteady<T: Copy + 'static>(of: Of<T>, to: impl Fn(T) -> Option<T> + 'static) -> Plant {
    Box::new(move |stream, random| {
        let clocks = 0..stream.len() - 1;
        let mut place = |at: &usize| {
            let channel = of(&mut stream[*at]);
            channel.offered.is_some() && !channel.ready
        };
        let places: Vec<usize> = clocks.filter(&mut place).collect();
        // Where all is taken at once: one that is not taken in its first clock.
        let at = match places.choose(random) {
            Some(at) => *at,
            None => offers(stream, of, |_| true).choose(random).copied().expect("some"),
        };
        let was = of(&mut stream[at]);
        was.ready = false;
        let is = was.offered.and_then(&to);
        of(&mut stream[at + 1]).offered = is;
        true
    })
}

/// A clear before a clock in which this channel alone offers something.
fn cleared(channel: usize) -> Plant {
    Box::new(move |stream, random| {
        let alone = |sample: &Sample| {
            sample.offers().iter().enumerate().all(|(index, (_, offers))| *offers == (index == channel))
        };
        let Some(at) = (1..stream.len()).filter(|at| alone(&stream[*at])).choose(random) else {
            return false;
        };
        stream[at - 1].clear = true;
        true
    })
}

/// Where a request and its transfers moved.
#[derive(Clone)]
struct Moved {
    request: AxiRequest,
    asked: usize,
    /// W of a write.
    data: Vec<usize>,
}

/// All writes, or all reads, in order.
fn requests(stream: &[Sample], writes: bool) -> Vec<Moved> {
    let mut all = vec![];
    let mut data = vec![];
    for (at, sample) in stream.iter().enumerate() {
        let address = if writes { sample.aw.taken() } else { sample.ar.taken() };
        all.extend(address.map(|address| Moved { request: address.request, asked: at, data: vec![] }));
        data.extend(sample.w.taken().map(|_| at));
    }
    let mut data = data.into_iter();
    for moved in all.iter_mut().filter(|_| writes) {
        moved.data.extend(data.by_ref().take(moved.request.transfers()));
    }
    all
}

/// The first request of each ID.
fn firsts(stream: &[Sample], writes: bool) -> Vec<Moved> {
    let mut seen = BTreeSet::new();
    requests(stream, writes).into_iter().filter(|moved| seen.insert(moved.request.id)).collect()
}

fn is_free<T>(channel: &Channel<T>) -> bool {
    channel.offered.is_none()
}

fn b_of(id: u16) -> Channel<Written> {
    Channel { offered: Some(Written { id, resp: 0, user: 0 }), ready: true }
}

fn r_of(id: u16) -> Channel<Read> {
    Channel { offered: Some(Read { id, data: 0, resp: 0, last: true, user: 0 }), ready: true }
}

/// B in the clock in which the last W of the first write of an ID moves, after AW; in that of AW if `of_address`.
fn early(of_address: bool) -> Plant {
    Box::new(move |stream, random| {
        let place = |moved: &Moved| {
            let last = *moved.data.last()?;
            let at = if of_address { moved.asked } else { last };
            let fits = (of_address || moved.asked < last) && is_free(&stream[at].b);
            fits.then_some((at, moved.request.id))
        };
        let places: Vec<_> = firsts(stream, true).iter().filter_map(place).collect();
        let Some((at, id)) = places.choose(random).copied() else { return false };
        stream[at].b = b_of(id);
        true
    })
}

/// R in the clock in which the first read of an ID is taken.
fn early_read() -> Plant {
    Box::new(|stream, random| {
        let places = firsts(stream, false).into_iter().filter(|moved| is_free(&stream[moved.asked].r));
        let Some(moved) = places.choose(random) else { return false };
        stream[moved.asked].r = r_of(moved.request.id);
        true
    })
}

/// A strobe beside the lanes of a transfer.
fn strobe() -> Plant {
    Box::new(|stream, random| {
        let mut places = vec![];
        for moved in requests(stream, true) {
            let narrow = (0..moved.data.len()).filter(|at| lanes(&moved.request, *at) != u8::MAX);
            places.extend(narrow.map(|at| (moved.data[at], !lanes(&moved.request, at))));
        }
        let Some((at, beside)) = places.choose(random).copied() else { return false };
        // Back to the clock in which it was offered first.
        let first = offers(stream, W, |_| true).into_iter().rev().find(|first| *first <= at);
        let lane = 1 << (0..8).filter(|lane| beside >> lane & 1 == 1).choose(random).expect("one of them");
        change(stream, W, first.expect("it was offered"), |data| {
            Some(Data { strobes: data.strobes | lane, ..data })
        });
        true
    })
}

/// The first response of an ID is EXOKAY, and its request is not exclusive.
fn exclusive<T: Copy + 'static>(writes: bool, of: Of<T>, id: fn(&T) -> u16, set: fn(&mut T)) -> Plant {
    Box::new(move |stream, random| {
        let plain: Vec<_> = firsts(stream, writes).into_iter().filter(|moved| !moved.request.lock).collect();
        let Some(moved) = plain.choose(random) else { return false };
        let first = offers(stream, of, |item| id(item) == moved.request.id).first().copied();
        change(stream, of, first.expect("it is answered"), |mut item| {
            set(&mut item);
            Some(item)
        });
        true
    })
}

/// The last answer of an ID never comes.
fn unanswered<T: Copy + 'static>(of: Of<T>, id: fn(&T) -> u16) -> Plant {
    Box::new(move |stream, random| {
        let all = offers(stream, of, |_| true);
        let of_id: BTreeMap<u16, usize> =
            all.into_iter().map(|at| (id(&of(&mut stream[at]).offered.expect("offered")), at)).collect();
        let Some(at) = of_id.values().choose(random).copied() else { return false };
        change(stream, of, at, |_| None);
        true
    })
}

/// In the idle clocks at the end something more is offered.
fn stray(put: fn(&mut Sample)) -> Plant {
    Box::new(move |stream, _| {
        let at = stream.len() - 5;
        put(&mut stream[at]);
        true
    })
}

/// What is wrong with requests, in both directions.
fn wrong_requests() -> Vec<(Rule, Plant)> {
    type Fits = fn(&AxiRequest) -> bool;
    type Change = fn(&mut AxiRequest);
    let many: Fits = |request| request.transfers() > SHORT;
    let odd: Fits = |request| request.transfers() == 3 && !request.lock;
    let wraps: Fits = |request| request.burst == WRAPPING && request.size > 0;
    let goes_on: Fits = |request| request.burst == INCREMENTING && request.len > 0 && !request.lock;
    let uneven: Fits = |request| !octets(request).is_power_of_two() && request.transfers() <= SHORT;
    let far: Fits = |request| octets(request) == 256 && request.transfers() <= 32;
    let all: [(Rule, Fits, Change); 11] = [
        (Rule::Size, |_| true, |request| request.size = 4),
        (Rule::Kind, |_| true, |request| request.burst = 3),
        (Rule::Length, many, |request| request.burst = FIXED),
        (Rule::Length, odd, |request| request.burst = WRAPPING),
        (Rule::Aligned, wraps, |request| request.address += 1),
        (Rule::Page, goes_on, |request| request.address |= (PAGE - 1) >> request.size << request.size),
        (Rule::Exclusive, uneven, |request| request.lock = true),
        (Rule::Exclusive, far, |request| request.lock = true),
        (
            Rule::Exclusive,
            |request| request.lock && request.size > 0,
            |request| {
                request.address ^= 1;
                request.burst = INCREMENTING;
            },
        ),
        (Rule::Cache, |_| true, |request| request.cache = 4),
        (Rule::Cache, |_| true, |request| request.cache = 9),
    ];
    let both = |(rule, fits, to): (Rule, Fits, Change)| {
        [AW, AR].map(|of| {
            let plant =
                spoil(of, move |item: &Address| fits(&item.request), move |item| to(&mut item.request));
            (rule, plant)
        })
    };
    all.into_iter().flat_map(both).collect()
}

/// All faults of one side.
fn faults(side: &str) -> Vec<(Rule, Plant)> {
    let mut all = vec![
        (Rule::Stays, unsteady(AW, |_| None)),
        (Rule::Stays, unsteady(W, |_| None)),
        (Rule::Stays, unsteady(B, |_| None)),
        (Rule::Stays, unsteady(AR, |_| None)),
        (Rule::Stays, unsteady(R, |_| None)),
        (Rule::Unchanged, unsteady(AW, |is| Some(Address { user: is.user ^ 1, ..is }))),
        (Rule::Unchanged, unsteady(W, |is| Some(Data { data: is.data ^ 1 << 63, ..is }))),
        (Rule::Unchanged, unsteady(B, |is| Some(Written { resp: is.resp ^ 2, ..is }))),
        (Rule::Unchanged, unsteady(AR, |is| Some(Address { request: flipped(is.request), ..is }))),
        (Rule::Unchanged, unsteady(R, |is| Some(Read { data: is.data ^ 1, ..is }))),
        (Rule::WriteLast, spoil(W, |is| is.last, |is| is.last = false)),
        (Rule::WriteLast, spoil(W, |is| !is.last, |is| is.last = true)),
        (Rule::Strobes, strobe()),
        (Rule::WriteKnown, early(true)),
        (Rule::WriteKnown, stray(|sample| sample.b = b_of(1))),
        (Rule::WriteDone, early(false)),
        (Rule::ReadKnown, early_read()),
        (Rule::ReadKnown, stray(|sample| sample.r = r_of(1))),
        (Rule::ReadLast, spoil(R, |is| is.last, |is| is.last = false)),
        (Rule::ReadLast, spoil(R, |is| !is.last, |is| is.last = true)),
        (Rule::ExclusiveOkay, exclusive(true, B, |is| is.id, |is| is.resp = AxiResponse::ExOkay.code())),
        (Rule::ExclusiveOkay, exclusive(false, R, |is| is.id, |is| is.resp = AxiResponse::ExOkay.code())),
        (Rule::Answered, unanswered(B, |is| is.id)),
        (Rule::Answered, unanswered(R, |is| is.id)),
        (
            Rule::Answered,
            stray(|sample| {
                let data = Data { data: 0, strobes: 0, last: true };
                sample.w = Channel { offered: Some(data), ready: true };
            }),
        ),
    ];
    all.extend((0..5).map(|channel| (Rule::Clear, cleared(channel))));
    all.extend(wrong_requests());
    if side == SUBORDINATE {
        let other = 1 << user::partition::LOW;
        all.push((Rule::Order, spoil(B, |_| true, move |is| is.user ^= other)));
        all.push((Rule::Order, spoil(R, |_| true, move |is| is.user ^= other)));
    }
    all
}

fn flipped(request: AxiRequest) -> AxiRequest {
    AxiRequest { qos: request.qos ^ 8, ..request }
}

/// The rule that a recording breaks first.
fn verdict(side: &'static str, stream: &[Sample]) -> Result<(), (Rule, String)> {
    let mut checker = Checker::new(side);
    stream.iter().try_for_each(|sample| checker.clock(sample))?;
    checker.finish()
}

#[test]
fn each_broken_rule_is_found() {
    let mut random = rng(seed(0xA46), "faults");
    let mut found: BTreeMap<Rule, u64> = BTreeMap::new();
    for (side, stream) in [SUBORDINATE, MANAGER].into_iter().zip(recorded()) {
        verdict(side, &stream).expect("nothing is broken in what was recorded");
        for (index, (rule, plant)) in faults(side).iter().enumerate() {
            for _ in 0..5 {
                let mut changed = stream.clone();
                assert!(plant(&mut changed, &mut random), "{side}: no place for fault {index} of {rule:?}");
                match verdict(side, &changed) {
                    Err((broken, _)) if broken == *rule => *found.entry(*rule).or_default() += 1,
                    other => panic!("{side}: fault {index} of {rule:?} gives {other:?}"),
                }
            }
        }
    }
    println!("{found:?}");
    assert!(RULES.iter().all(|rule| found.contains_key(rule)), "each rule has a fault");
}

/// Rules that traffic with bad input may break are counted, the others are not let pass.
#[test]
fn only_what_is_allowed_passes() {
    let [stream, _] = recorded();
    let mut changed = stream.clone();
    let mut random = rng(seed(0xA47), "fault");
    let plant = spoil(AW, |_| true, |is: &mut Address| is.request.cache = 4);
    assert!(plant(&mut changed, &mut random));
    let mut checker = Checker::new(SUBORDINATE).except(&[Rule::Cache]);
    changed.iter().try_for_each(|sample| checker.clock(sample)).expect("allowed");
    assert_eq!(checker.broken, BTreeMap::from([(Rule::Cache, 1)]));
    let mut checker = Checker::new(SUBORDINATE).except(&[Rule::Size]);
    let refused = changed.iter().try_for_each(|sample| checker.clock(sample));
    assert_eq!(refused.map_err(|(rule, _)| rule), Err(Rule::Cache));
}
