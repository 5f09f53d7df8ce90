//! XPUs, lines and the switch, moved by events.

use super::line::{Held, Item, Line, Node};
use super::output::{Output, Queued};
use super::traffic::permutation;
use super::xpu::{octets, Frame, Xpu, COMMAND_OVERHEAD};
use super::{jain, IncastError, IncastParameters, IncastReport, Pattern, Sample};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::link_control::cf_update;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Octets of a CF_Update.
const CF_UPDATE_WIRE: u64 = cf_update::WIDTH as u64 / 8;
/// Octets of a PFC frame on the line.
const PFC_WIRE: u64 = 84;
/// The timers of senders are looked at so many times in an RTO.
const SCANS: u64 = 8;
/// After so many times the time of offering, the network has to be empty.
const PATIENCE: u64 = 200;
/// XPUs begin within so many of the largest frames.
const START: u64 = 16;
/// Samples are taken more often until so many of their intervals have passed, and so many times as often.
const EARLY: u64 = 2;
const FINER: u64 = 20;
/// The part of the time after which goodput counts.
const WARM: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Something arrives at the end of a line.
    Arrive(usize),
    /// What was being sent has left.
    Idle(usize),
    /// A frame has passed the switch, to this port.
    Ready(usize),
    /// The receiving end of a line looks at its timer.
    Timer(usize),
    /// An XPU begins.
    Kick(usize),
    /// ACK_TIMER of an XPU.
    Wake(usize),
    /// Timers of an XPU's sender.
    Scan(usize),
    /// The network is looked at.
    Sample,
}

pub struct Network {
    parameters: IncastParameters,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    count: u64,
    xpus: Vec<Xpu>,
    /// Lines that XPUs send on, by XPU and port.
    ports: Vec<Vec<usize>>,
    lines: Vec<Line>,
    outputs: Vec<Output>,
    offers: bool,
    end: u64,
    frames: [u64; 2],
    controls: [u64; 2],
    dropped: u64,
    watchdog: u64,
    commands: u64,
    /// Commands delivered by sender: in the time that counts, since the last sample, and in all.
    delivered: Vec<u64>,
    recent: Vec<u64>,
    total: Vec<u64>,
    sampled: u64,
    credits_least: Option<u16>,
    samples: Vec<Sample>,
    random: ChaCha8Rng,
}

impl Network {
    pub fn new(parameters: IncastParameters, seed: u64) -> Result<Self, IncastError> {
        let xpus = usize::from(parameters.xpus);
        let is_mesh = parameters.pattern == Pattern::Mesh;
        let partners = permutation(parameters.xpus, seed);
        let ports_of_xpu = if is_mesh { xpus - 1 } else { 1 };
        let mut network = Network {
            now: 0,
            events: BinaryHeap::new(),
            count: 0,
            xpus: vec![],
            ports: vec![],
            lines: vec![],
            outputs: (0..if is_mesh { 0 } else { xpus }).map(|_| Output::default()).collect(),
            offers: true,
            end: parameters.octets(parameters.time),
            frames: [0; 2],
            controls: [0; 2],
            dropped: 0,
            watchdog: 0,
            commands: 0,
            delivered: vec![0; xpus],
            recent: vec![0; xpus],
            total: vec![0; xpus],
            sampled: 0,
            credits_least: None,
            samples: vec![],
            random: ChaCha8Rng::seed_from_u64(seed),
            parameters,
        };
        for (number, partner) in (0..parameters.xpus).zip(partners) {
            network.xpus.push(Xpu::new(number, ports_of_xpu, &parameters, partner, seed)?);
            let first = network.lines.len();
            if is_mesh {
                for port in 0..ports_of_xpu {
                    let peer = number ^ (port as u16 + 1);
                    let back = usize::from(peer) * ports_of_xpu + port;
                    let ends = (Node::Xpu(number, port as u8), Node::Xpu(peer, port as u8));
                    network.lines.push(Line::new(ends, back, &parameters)?);
                }
                network.ports.push((first..first + ports_of_xpu).collect());
            } else {
                let (xpu, switch) = (Node::Xpu(number, 0), Node::Switch(number));
                network.lines.push(Line::new((xpu, switch), first + 1, &parameters)?);
                network.lines.push(Line::new((switch, xpu), first, &parameters)?);
                network.ports.push(vec![first]);
            }
        }
        Ok(network)
    }

    fn at(&mut self, time: u64, event: Event) {
        self.count += 1;
        self.events.push(Reverse((time, self.count, event)));
    }

    /// Until the time is over and every command is acknowledged.
    pub fn run(mut self, progress: &mut dyn FnMut(u64, u64)) -> Result<IncastReport, IncastError> {
        let scan = self.parameters.octets(self.parameters.rto) / SCANS;
        let (_, frame) = octets(self.parameters.pack_max);
        for xpu in 0..self.xpus.len() {
            // not all in the same moment, or they would never meet
            let start = self.random.random_range(0..START * frame);
            self.at(start, Event::Kick(xpu));
            self.at(start + scan, Event::Scan(xpu));
        }
        self.at(0, Event::Sample);
        while let Some(Reverse((time, _, event))) = self.events.pop() {
            self.now = time;
            self.offers = time < self.end;
            match event {
                Event::Arrive(line) => self.arrive(line)?,
                Event::Idle(line) => self.idle(line)?,
                Event::Ready(output) => self.send(2 * output + 1)?,
                Event::Timer(line) => {
                    self.lines[line].has_timer = false;
                    self.tell(line);
                }
                Event::Wake(xpu) => {
                    self.xpus[xpu].wakes = None;
                    self.kick(xpu)?;
                    self.wake(xpu);
                }
                Event::Kick(xpu) => self.kick(xpu)?,
                Event::Scan(xpu) => {
                    self.xpus[xpu].expire(time)?;
                    self.kick(xpu)?;
                    self.at(time + scan, Event::Scan(xpu));
                }
                Event::Sample => {
                    progress(self.ns(time.min(self.end)), self.parameters.time);
                    if self.sample()? {
                        return Ok(self.report());
                    }
                    let next = self.next_sample();
                    self.at(next, Event::Sample);
                }
            }
        }
        Err(self.stuck())
    }

    fn ns(&self, octets: u64) -> u64 {
        self.parameters.nanoseconds(octets) as u64
    }

    fn stuck(&self) -> IncastError {
        let offered = self.xpus.iter().map(|xpu| xpu.offered).sum();
        IncastError::Stuck { delivered: self.commands, offered, nanoseconds: self.ns(self.now) }
    }

    /// Every port of an XPU sends what it can.
    fn kick(&mut self, xpu: usize) -> Result<(), IncastError> {
        for port in 0..self.ports[xpu].len() {
            let line = self.ports[xpu][port];
            self.send(line)?;
        }
        Ok(())
    }

    /// ACK_TIMER has to be looked at when it runs out.
    fn wake(&mut self, xpu: usize) {
        if self.xpus[xpu].wakes.is_some() {
            return;
        }
        // one that has run out waits for the port or for its class
        let deadline = self.xpus[xpu].endpoint().receiver().next_deadline();
        if let Some(at) = deadline.filter(|deadline| *deadline > self.now) {
            self.xpus[xpu].wakes = Some(at);
            self.at(at, Event::Wake(xpu));
        }
    }

    /// A line that is free sends the next frame, if there is one.
    fn send(&mut self, line: usize) -> Result<(), IncastError> {
        let (now, one) = (self.now, &self.lines[line]);
        if one.is_busy {
            return Ok(());
        }
        let is_open = |class: ClassUse| one.is_open(class, now);
        let (frame, held) = match one.from {
            Node::Xpu(xpu, port) => {
                let xpu = &mut self.xpus[usize::from(xpu)];
                let Some(frame) = xpu.transmit(port, now, self.offers, is_open)? else { return Ok(()) };
                self.frames[usize::from(frame.class == ClassUse::Acknowledgments)] += 1;
                (frame, None)
            }
            Node::Switch(port) => {
                let Some(queued) = self.outputs[usize::from(port)].pop(now, is_open) else { return Ok(()) };
                (queued.frame, Some(queued.held))
            }
        };
        self.start(line, frame, held)?;
        if let Node::Xpu(xpu, _) = self.lines[line].from {
            self.wake(xpu.into());
        }
        Ok(())
    }

    fn start(&mut self, line: usize, frame: Frame, held: Option<Held>) -> Result<(), IncastError> {
        let one = &mut self.lines[line];
        one.consume(&frame)?;
        let left = one.credits(frame.class);
        (one.leaving, one.is_busy) = (held, true);
        one.busy_until = self.now + frame.wire;
        let (end, arrival) = (one.busy_until, one.busy_until + one.delay);
        one.under_way.push_back((arrival, Item::Frame(frame)));
        if let Some(left) = left {
            self.credits_least = Some(self.credits_least.map_or(left, |least| least.min(left)));
        }
        self.at(end, Event::Idle(line));
        self.at(arrival, Event::Arrive(line));
        Ok(())
    }

    fn idle(&mut self, line: usize) -> Result<(), IncastError> {
        let one = &mut self.lines[line];
        one.is_busy = false;
        if let Some(Held { line, class, bytes }) = one.leaving.take() {
            self.lines[line].free(class, bytes);
            self.tell(line);
        }
        let one = &mut self.lines[line];
        if one.busy_until > self.now {
            // something of flow control goes before the next frame
            one.is_busy = true;
            let end = one.busy_until;
            self.at(end, Event::Idle(line));
            return Ok(());
        }
        self.send(line)
    }

    /// What the receiving end of a line has to tell goes back between two frames.
    fn tell(&mut self, line: usize) {
        let back = self.lines[line].back;
        while let Some(item) = self.lines[line].news(self.now) {
            let is_pause = matches!(item, Item::Pause(_));
            self.controls[usize::from(is_pause)] += 1;
            let length = if is_pause { PFC_WIRE } else { CF_UPDATE_WIRE };
            let one = &mut self.lines[back];
            one.busy_until = one.busy_until.max(self.now) + length;
            let (end, arrival) = (one.busy_until, one.busy_until + one.delay);
            one.under_way.push_back((arrival, item));
            if !one.is_busy {
                one.is_busy = true;
                self.at(end, Event::Idle(back));
            }
            self.at(arrival, Event::Arrive(back));
        }
    }

    /// The receiving end will have to look again.
    fn set_timer(&mut self, line: usize) {
        let one = &mut self.lines[line];
        if let Some(after) = one.timer().filter(|_| !one.has_timer) {
            one.has_timer = true;
            self.at(self.now + after, Event::Timer(line));
        }
    }

    fn arrive(&mut self, line: usize) -> Result<(), IncastError> {
        let Some((_, item)) = self.lines[line].under_way.pop_front() else { return Ok(()) };
        let Item::Frame(frame) = item else {
            let back = self.lines[line].back;
            self.lines[back].learn(&item, self.now);
            return self.send(back);
        };
        let has_room = self.lines[line].receive(frame.class, frame.bytes);
        match self.lines[line].to {
            Node::Switch(_) => {
                if has_room {
                    let held = Held { line, class: frame.class, bytes: frame.bytes };
                    let ready = self.now + self.parameters.octets(self.parameters.switch);
                    let output = usize::from(frame.pdu.destination);
                    self.outputs[output].push(Queued { frame, held, ready });
                    self.at(ready, Event::Ready(output));
                } else {
                    self.dropped += 1;
                }
                self.tell(line);
                self.set_timer(line);
                Ok(())
            }
            Node::Xpu(xpu, _) => {
                // it is taken out of the buffer at once
                self.lines[line].free(frame.class, frame.bytes);
                self.tell(line);
                self.set_timer(line);
                self.deliver(xpu.into(), frame)
            }
        }
    }

    fn deliver(&mut self, xpu: usize, frame: Frame) -> Result<(), IncastError> {
        let commands = u64::from(self.xpus[xpu].receive(frame.pdu, self.now)?);
        let source = usize::from(frame.pdu.source);
        self.commands += commands;
        self.recent[source] += commands;
        self.total[source] += commands;
        if self.now >= self.end / WARM && self.now < self.end {
            self.delivered[source] += commands;
        }
        self.kick(xpu)?;
        self.wake(xpu);
        Ok(())
    }

    /// At first more often, to see queues fill.
    fn next_sample(&self) -> u64 {
        let sample = self.parameters.octets(self.parameters.sample);
        let is_early = self.now < EARLY * sample;
        self.now + if is_early { (sample / FINER).max(1) } else { sample }
    }

    /// Looks at the network; true if nothing is left to do.
    fn sample(&mut self) -> Result<bool, IncastError> {
        let now = self.now;
        self.watchdog += self.lines.iter_mut().map(|line| line.watchdog(now) as u64).sum::<u64>();
        if self.offers {
            let sample = self.look();
            self.samples.push(sample);
        }
        self.recent.iter_mut().for_each(|recent| *recent = 0);
        self.sampled = now;
        if !self.offers && self.xpus.iter().all(|xpu| xpu.completed == xpu.offered) {
            return Ok(true);
        }
        if now > PATIENCE * self.end + self.parameters.octets(self.parameters.rto) * PATIENCE {
            return Err(self.stuck());
        }
        Ok(false)
    }

    fn look(&self) -> Sample {
        let vcs = (0..self.parameters.vcs).filter_map(ClassUse::of_vc);
        let sending = self.xpus.iter().zip(&self.ports).filter(|(xpu, _)| xpu.sends());
        let lines: Vec<&Line> = sending.flat_map(|(_, ports)| ports).map(|line| &self.lines[*line]).collect();
        let classes = || vcs.clone().flat_map(|class| lines.iter().map(move |line| (*line, class)));
        let credits: Vec<u16> = classes().filter_map(|(line, class)| line.credits(class)).collect();
        let sum: f64 = credits.iter().map(|credits| f64::from(*credits)).sum();
        let passed = self.now - self.sampled;
        let shares = |commands: &[u64], octets: u64| -> Vec<f64> {
            let shares = self.shares(commands, self.parameters.nanoseconds(octets.max(1)));
            shares.into_iter().map(|(_, share)| share).collect()
        };
        let of_senders = shares(&self.recent, passed);
        // of a short time it says nothing: a frame more or less is too much
        let is_long = passed >= self.parameters.octets(self.parameters.sample);
        Sample {
            time_ns: self.parameters.nanoseconds(self.now),
            queue_most: self.outputs.iter().map(|output| output.octets).max().unwrap_or(0),
            queue_all: self.outputs.iter().map(|output| output.octets).sum(),
            credits_mean: (!credits.is_empty()).then(|| sum / credits.len() as f64),
            credits_least: credits.iter().min().copied(),
            closed: classes().filter(|(line, class)| !line.is_open(*class, self.now)).count() as u64,
            goodput: of_senders.iter().sum(),
            jain: jain(&of_senders).filter(|_| is_long),
            jain_so_far: jain(&shares(&self.total, self.now)).filter(|_| is_long),
        }
    }

    /// Data of each sender, Gb/s, for commands delivered in so many nanoseconds.
    fn shares(&self, commands: &[u64], nanoseconds: f64) -> Vec<(u16, f64)> {
        let bits = f64::from(self.parameters.data) * 8.0;
        let senders = (0..self.parameters.xpus).zip(commands.iter().zip(&self.xpus));
        let senders = senders.filter(|(_, (_, xpu))| xpu.sends());
        senders.map(|(number, (count, _))| (number, *count as f64 * bits / nanoseconds)).collect()
    }

    /// Goodput that full bodies would have on all lines that limit the pattern.
    fn bottleneck(&self) -> f64 {
        let IncastParameters { pack_max, data, gigabits, pattern, xpus, .. } = self.parameters;
        let command = COMMAND_OVERHEAD + data.next_multiple_of(2);
        let commands = pack_max / command;
        let (_, wire) = octets(commands * command);
        let lines = match pattern {
            Pattern::Incast => 1,
            Pattern::Mesh => xpus * (xpus - 1),
            Pattern::AllToAll | Pattern::Permutation | Pattern::Uniform => xpus,
        };
        f64::from(lines) * gigabits as f64 * f64::from(commands * data) / wire as f64
    }

    fn report(self) -> IncastReport {
        let sum = |of: &dyn Fn(&Xpu) -> u64| self.xpus.iter().map(of).sum::<u64>();
        let measured = self.parameters.nanoseconds(self.end - self.end / WARM);
        let by_sender = self.shares(&self.delivered, measured);
        let shares: Vec<f64> = by_sender.iter().map(|(_, share)| *share).collect();
        let goodput: f64 = shares.iter().sum();
        let least = shares.iter().copied().fold(f64::MAX, f64::min);
        let most = shares.iter().copied().fold(0.0, f64::max);
        let mut bodies = vec![0; super::HISTOGRAM_BINS];
        for (bin, sum) in bodies.iter_mut().enumerate() {
            *sum = self.xpus.iter().map(|xpu| xpu.packer().histogram()[bin]).sum();
        }
        let used = bodies.iter().rposition(|count| *count > 0).map_or(0, |bin| bin + 1);
        bodies.truncate(used);
        IncastReport {
            parameters: self.parameters,
            drained_ns: self.parameters.nanoseconds(self.now),
            commands: self.commands,
            frames: self.frames[0],
            ack_frames: self.frames[1],
            replays: sum(&|xpu| xpu.endpoint().sender().counters().replay),
            timeouts: sum(&|xpu| xpu.endpoint().sender().counters().rto_cnt),
            dropped: self.dropped,
            cf_updates: self.controls[0],
            pfc_frames: self.controls[1],
            pfc_watchdog: self.watchdog,
            queue_most: self.outputs.iter().map(|output| output.most).max().unwrap_or(0),
            credits_least: self.credits_least,
            goodput,
            goodput_of_senders: [least, goodput / shares.len() as f64, most],
            jain: jain(&shares).unwrap_or(0.0),
            of_bottleneck: goodput / self.bottleneck(),
            bodies,
            by_sender,
            samples: self.samples,
        }
    }
}
