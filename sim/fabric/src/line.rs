//! One direction of a link as fabric time sees it: beats on a line of words, gearbox and elastic buffer, the two lag
//! meters, and what retries do to a time flit (chapter 10, 3.5, 4.1 to 4.3; chapter 20, 4.2 and 4.5).
//!
//! Included: the core runs faster than the line, so a flit waits up to a beat; alignment rows; the gearbox fill wanders
//! with the load; an LTP is released whole, so the eight beats of an LTP wait differently; the receiver's clock crossing
//! takes one clock more or less; the phase error of the meters. Not included: jitter of the line and of oscillators
//! beyond their ramps.

use crate::oscillator::Oscillator;
use flitforge_protocol::lane_word::ALN_INTERVAL_ROWS;
use flitforge_protocol::ltp::{ltp_words, CrcMode};
use flitforge_protocol::time::{PhaseSource, TX_WAIT_MAX_DEFAULT};
use rand::Rng;
use serde::Serialize;
use thiserror::Error;

/// Fraction of a word in line positions: 8 bits.
const WORD: i64 = 256;
/// Lanes of the link.
const LANES: i64 = 4;
/// Beats of an LTP at two flits per beat.
const BEATS_PER_LTP: i64 = 8;
/// Words the gearbox holds when a beat is taken, at most.
const FILL_WORDS: i64 = 6;
/// Words by which the fill is lower at full load, at most.
const WANDER_WORDS: i64 = 2;
/// NOM of the rx meter in words: half an LTP more than the receiver's pipeline.
const RX_NOMINAL_WORDS: i64 = 14;
/// Core clocks of the receiver from a complete LTP to its first beat at plane R.
const RX_CLOCKS: u64 = 4;
/// Clock crossing of the receiver in picoseconds.
const RX_CROSSING_PS: i64 = 9_000;
/// Time both ends take to turn a bad LTP into a request and a replay, in picoseconds.
const RETRY_FIXED_PS: i64 = 300_000;

/// What is the same for all links.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LineConfig {
    /// Nominal core clock period, fs.
    pub core_period_fs: u64,
    /// Nominal word clock period, fs.
    pub word_period_fs: u64,
    /// PHASE_SRC: BEAT or NONE.
    pub phase_source: PhaseSource,
    /// Bit error rate of each direction.
    pub ber: f64,
    /// ADVANCE instead of DROP.
    pub advance: bool,
    /// Load by packets in percent.
    pub load_percent: u32,
}

impl Default for LineConfig {
    /// 156.25 MHz core, BEAT, no errors, DROP, no load.
    fn default() -> Self {
        Self {
            core_period_fs: 6_400_000,
            word_period_fs: 6_241_000,
            phase_source: PhaseSource::Beat,
            ber: 0.0,
            advance: false,
            load_percent: 0,
        }
    }
}

/// A line that cannot be simulated.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("line, {parameter} = {value}: expected {expected}")]
pub struct LineError {
    /// Parameter.
    pub parameter: &'static str,
    /// Value given.
    pub value: String,
    /// What is allowed.
    pub expected: &'static str,
}

/// One direction of one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Direction {
    /// From the transmitter's line output to the receiver's line input, ps.
    pub delay_ps: i64,
    /// Phase of the transmitter's word clock against its core clock, fs.
    pub word_phase_fs: i64,
}

/// A flit that crossed, with everything the two ends know about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossing {
    /// Transmitter's core clock of plane X.
    pub x_clock: u64,
    /// tx lag at that edge, 1/256 ns.
    pub tx_lag: i32,
    /// Receiver's core clock of plane R.
    pub r_clock: u64,
    /// Time of plane R, ps.
    pub r_time: i64,
    /// rx lag at that edge, 1/256 ns.
    pub rx_lag: i32,
}

/// What became of a flit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// It crossed.
    Crossed(Crossing),
    /// In a bad or tossed LTP: its replay is stripped (TIME_STALE).
    Stale,
    /// Taken and discarded by a closed transmitter (TIME_DROPPED).
    Dropped,
    /// Waited for a closed transmitter for too long (TX_WAIT_OVER).
    WaitedTooLong,
}

/// The links' common behaviour with its probabilities worked out.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    config: LineConfig,
    word_fs: i64,
    core_fs: i64,
    /// Probability that an LTP is bad.
    bad_ltp: f64,
    ltp_ps: i64,
}

impl Line {
    /// Refuses a core that is slower than its line, a phase source that is not modelled, and impossible rates.
    pub fn new(config: LineConfig) -> Result<Self, LineError> {
        let refuse = |parameter, value: String, expected| Err(LineError { parameter, value, expected });
        if !(0.0..=1e-3).contains(&config.ber) {
            return refuse("BER", config.ber.to_string(), "0 to 1e-3");
        }
        if config.load_percent > 100 {
            return refuse("load", config.load_percent.to_string(), "0 to 100 percent");
        }
        if !matches!(config.phase_source, PhaseSource::Beat | PhaseSource::None) {
            return refuse("PHASE_SRC", config.phase_source.name().into(), "BEAT or NONE");
        }
        let beat_fs = u128::from(config.word_period_fs) * ltp_words(CrcMode::Standard) as u128;
        let core_fs = u128::from(config.core_period_fs) * (LANES * BEATS_PER_LTP) as u128;
        if config.core_period_fs == 0 || config.word_period_fs == 0 || core_fs * 1005 > beat_fs * 1000 {
            let value = format!("{} fs, word period {} fs", config.core_period_fs, config.word_period_fs);
            return refuse(
                "core period",
                value,
                "a core at least 0.5 % faster than its line (chapter 10, section 2)",
            );
        }
        let bits = ltp_words(CrcMode::Standard) as f64 * 32.0;
        let bad_ltp = -(bits * (-config.ber).ln_1p()).exp_m1();
        let ltp_ps = (beat_fs / LANES as u128 / 1000) as i64;
        Ok(Self {
            config,
            word_fs: config.word_period_fs as i64,
            core_fs: config.core_period_fs as i64,
            bad_ltp,
            ltp_ps,
        })
    }

    /// Configuration.
    #[must_use]
    pub const fn config(&self) -> &LineConfig {
        &self.config
    }

    /// Sends a flit that is offered from core clock `ready` of the transmitter on.
    pub fn send(
        &self,
        (tx, rx): (&Oscillator, &Oscillator),
        direction: &Direction,
        ready: u64,
        rng: &mut impl Rng,
    ) -> Passage {
        let mut ready = ready;
        if self.bad_ltp > 0.0 {
            match self.retries(direction, rng) {
                Retry::None => {}
                Retry::Stale => return Passage::Stale,
                Retry::Closed(_) if !self.config.advance => return Passage::Dropped,
                Retry::Closed(for_ps) => {
                    let clocks = (for_ps * 1000 / self.core_fs) as u64 + 1;
                    if clocks > TX_WAIT_MAX_DEFAULT {
                        return Passage::WaitedTooLong;
                    }
                    ready += clocks;
                }
            }
        }
        Passage::Crossed(self.cross((tx, rx), direction, ready, rng))
    }

    /// What errors of this and of earlier LTPs do to a flit offered now.
    fn retries(&self, direction: &Direction, rng: &mut impl Rng) -> Retry {
        let toss_ps = 2 * direction.delay_ps + RETRY_FIXED_PS;
        let replay_ps = toss_ps + 2 * self.ltp_ps;
        let among = |window_ps: i64| {
            let ltps = window_ps as f64 / self.ltp_ps as f64;
            -(ltps * (-self.bad_ltp).ln_1p()).exp_m1()
        };
        // The flit's own LTP, and any LTP since whose loss the receiver still tosses everything.
        if rng.random_bool(among(toss_ps + self.ltp_ps)) {
            return Retry::Stale;
        }
        if rng.random_bool(among(replay_ps)) {
            return Retry::Closed(rng.random_range(0..replay_ps));
        }
        // Errors of the other direction are answered by a pair of Null LTPs in this one.
        if rng.random_bool(among(2 * self.ltp_ps)) {
            return Retry::Closed(rng.random_range(0..2 * self.ltp_ps));
        }
        Retry::None
    }

    fn cross(
        &self,
        (tx, rx): (&Oscillator, &Oscillator),
        direction: &Direction,
        ready: u64,
        rng: &mut impl Rng,
    ) -> Crossing {
        let wander = self.word_fs * WANDER_WORDS * i64::from(self.config.load_percent) / 100;
        let fill_fs = FILL_WORDS * self.word_fs - if wander > 0 { rng.random_range(0..wander) } else { 0 };
        let (beat, x_clock) = self.next_beat(direction, ready, fill_fs);
        let position = position(beat);
        let tx_line = x_clock as i64 * self.core_fs + direction.word_phase_fs;
        let tx_lag = position - self.words(tx_line, rng) - FILL_WORDS * WORD;

        let ltp_end = self.position_fs(self::position((beat / BEATS_PER_LTP + 1) * BEATS_PER_LTP));
        let complete = tx.time_of(ltp_end - direction.word_phase_fs) + direction.delay_ps + RX_CROSSING_PS;
        let in_ltp = (beat % BEATS_PER_LTP) as u64;
        let r_clock = rx.edge_from(complete).0 + RX_CLOCKS + in_ltp + u64::from(rng.random::<bool>());
        let r_time = rx.edge(r_clock);
        let rx_line = tx.local_fs(r_time - direction.delay_ps) + direction.word_phase_fs;
        let rx_lag = self.words(rx_line, rng) - position - RX_NOMINAL_WORDS * WORD;
        Crossing { x_clock, tx_lag: self.fine(tx_lag), r_clock, r_time, rx_lag: self.fine(rx_lag) }
    }

    /// The first beat that can be taken at core clock `ready` or later, and the clock that takes it. Beat j is taken at
    /// the first core edge at which no more than the fill is between it and the line.
    fn next_beat(&self, direction: &Direction, ready: u64, fill_fs: i64) -> (i64, u64) {
        let line_before = (ready as i64 - 1) * self.core_fs + direction.word_phase_fs;
        let reach = i128::from(line_before + fill_fs) * i128::from(WORD);
        let first = (reach / i128::from(self.word_fs)) as i64;
        let mut beat = beat_at(first);
        while self.position_fs(position(beat)) - fill_fs <= line_before {
            beat += 1;
        }
        let taken_fs = self.position_fs(position(beat)) - fill_fs - direction.word_phase_fs;
        (beat, (taken_fs.max(0) as u64).div_ceil(self.core_fs as u64).max(ready))
    }

    /// Line time of a position in 1/256 words.
    fn position_fs(&self, position: i64) -> i64 {
        ((i128::from(position) * i128::from(self.word_fs)) >> 8) as i64
    }

    /// A meter's count of words at this line time, in 1/256 words: within T/128 with a phase source, whole words without.
    fn words(&self, line_fs: i64, rng: &mut impl Rng) -> i64 {
        let (whole, rest) = (line_fs.div_euclid(self.word_fs), line_fs.rem_euclid(self.word_fs));
        if self.config.phase_source == PhaseSource::None {
            return whole * WORD;
        }
        let bound = self.core_fs / 128 - self.word_fs / (2 * WORD);
        let seen = rest + rng.random_range(-bound..=bound);
        whole * WORD + (seen * WORD + self.word_fs / 2).div_euclid(self.word_fs)
    }

    /// 1/256 words in 1/256 ns.
    fn fine(&self, words: i64) -> i32 {
        ((words * self.word_fs + 500_000).div_euclid(1_000_000)) as i32
    }

    /// Constant part of a link segment's delay in ps, from X to R: what a perfect measurement finds.
    #[must_use]
    pub fn segment_ps(&self, direction: &Direction) -> i64 {
        direction.delay_ps + (FILL_WORDS + RX_NOMINAL_WORDS) * self.word_fs / 1000
    }
}

enum Retry {
    None,
    Stale,
    /// The transmitter is closed for so many picoseconds more.
    Closed(i64),
}

/// Words of a beat on a lane in 1/256: 33 words of an LTP over four lanes and eight beats.
const BEAT_POSITIONS: i64 = ltp_words(CrcMode::Standard) as i64 * WORD / (LANES * BEATS_PER_LTP);

/// Line position of a beat's first bit in 1/256 words, alignment rows included.
const fn position(beat: i64) -> i64 {
    let rows = beat * BEAT_POSITIONS;
    rows + rows / WORD / ALN_INTERVAL_ROWS as i64 * WORD
}

/// The last beat that starts at or before a position, or one near below it.
const fn beat_at(position: i64) -> i64 {
    let alignment_rows = position / WORD / (ALN_INTERVAL_ROWS as i64 + 1) + 1;
    (position - alignment_rows * WORD) / BEAT_POSITIONS - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oscillator::RateError;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn clocks(ppb: [i64; 2]) -> [Oscillator; 2] {
        ppb.map(|ppb| Oscillator::new(6_400_000, 77, RateError { ppb, ramp_ppt_per_s: 0 }).expect("a clock"))
    }

    const DIRECTION: Direction = Direction { delay_ps: 400_000, word_phase_fs: 1_000_000 };

    #[test]
    fn impossible_lines_are_refused() {
        let good = LineConfig::default();
        assert!(Line::new(LineConfig { ber: 0.1, ..good }).is_err());
        assert!(Line::new(LineConfig { load_percent: 101, ..good }).is_err());
        assert!(Line::new(LineConfig { phase_source: PhaseSource::Phy, ..good }).is_err());
        let slow = Line::new(LineConfig { word_period_fs: 6_237_000, ..good }).expect_err("core too slow");
        assert!(slow.to_string().contains("0.5 %"), "{slow}");
    }

    #[test]
    fn corrected_by_both_lags_the_delay_is_constant() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for load_percent in [0, 50, 100] {
            let line = Line::new(LineConfig { load_percent, ..LineConfig::default() }).expect("a line");
            let [tx, rx] = clocks([150_000, -120_000]);
            let mut raw = (i64::MAX, i64::MIN);
            for number in 0..100_000u64 {
                let ready = 1000 + number * 997;
                let Passage::Crossed(c) = line.send((&tx, &rx), &DIRECTION, ready, &mut rng) else {
                    panic!("no errors, no loss")
                };
                assert!(c.x_clock >= ready && c.x_clock <= ready + 3, "{} {}", c.x_clock, ready);
                let elapsed = c.r_time - tx.edge(c.x_clock);
                raw = (raw.0.min(elapsed), raw.1.max(elapsed));
                let constant = elapsed - i64::from(c.tx_lag + c.rx_lag) * 1000 / 256;
                // Two meters of T/128, the units of the lags, and 200 ppm of 200 ns of nominal lag.
                let error = constant - line.segment_ps(&DIRECTION);
                assert!(error.abs() <= 2 * 50 + 8 + 40, "load {load_percent}: {error} ps");
            }
            assert!(raw.1 - raw.0 > 6_400, "the uncorrected delay varies by more than a clock: {raw:?}");
        }
    }

    #[test]
    fn without_phase_whole_words_are_missing() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let config = LineConfig { phase_source: PhaseSource::None, ..LineConfig::default() };
        let line = Line::new(config).expect("a line");
        let [tx, rx] = clocks([20_000, -30_000]);
        let mut seen = (i64::MAX, i64::MIN);
        for number in 0..20_000u64 {
            let Passage::Crossed(c) = line.send((&tx, &rx), &DIRECTION, 1000 + number * 997, &mut rng) else {
                panic!("no errors, no loss")
            };
            let constant = c.r_time - tx.edge(c.x_clock) - i64::from(c.tx_lag + c.rx_lag) * 1000 / 256;
            seen = (seen.0.min(constant), seen.1.max(constant));
        }
        assert!((9_000..13_000).contains(&(seen.1 - seen.0)), "up to a word at each end: {seen:?}");
    }

    #[test]
    fn losses_follow_the_error_rate() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let [tx, rx] = clocks([0, 0]);
        let lost = |ber, advance, rng: &mut ChaCha8Rng| {
            let line = Line::new(LineConfig { ber, advance, ..LineConfig::default() }).expect("a line");
            let passages = (0..100_000u64).map(|n| line.send((&tx, &rx), &DIRECTION, 1000 + n, rng));
            passages.filter(|passage| !matches!(passage, Passage::Crossed(_))).count()
        };
        assert_eq!(lost(0.0, false, &mut rng), 0);
        let (dropped, advanced) = (lost(1e-6, false, &mut rng), lost(1e-6, true, &mut rng));
        assert!((3_000..8_000).contains(&dropped) && advanced * 3 < dropped * 2, "{dropped} {advanced}");
    }
}
