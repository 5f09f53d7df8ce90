//! Reports of the experiments: JSON for programs, one self-contained HTML page for people.

use crate::chain::{ChainConfig, ChainResult, HopRow};
use crate::failover::{FailoverConfig, FailoverResult};
use crate::statistics::ErrorStatistics;
use crate::svg::{escape, Plot, Series, Style};
use serde_json::{json, Value};
use std::fmt::Write;

/// What a figure of these reports is, and what it leaves out.
pub const CONDITIONS: &str = "Simulation in integer picoseconds. Included: oscillators off by a fixed rate and a ramp, \
    waiting for the line, alignment rows, a gearbox fill that wanders with the load, LTPs released whole, the receiver's \
    clock crossing, meter errors drawn evenly within T/128, rounding to the units of the formats, link delays measured \
    by the simulated devices themselves, retries. Not included: jitter and thermal noise of real oscillators and lines.";

const CORRECTED: &str = "#0063b1";
const UNCORRECTED: &str = "#d97706";
/// Most points of a series in a plot.
const MOST_POINTS: usize = 4000;
/// Width of a bar of a histogram, picoseconds.
const BAR_PS: i64 = 50;

/// A run of the chain with its name.
#[derive(Debug, Clone, Copy)]
pub struct NamedChain<'a> {
    /// Name, such as `PHASE_SRC BEAT`.
    pub name: &'a str,
    /// What was run.
    pub config: &'a ChainConfig,
    /// What came of it.
    pub result: &'a ChainResult,
}

/// The runs as JSON: configuration, per-hop table, losses.
#[must_use]
pub fn chain_json(runs: &[NamedChain<'_>]) -> Value {
    let one = |run: &NamedChain<'_>| {
        json!({
            "name": run.name,
            "config": run.config,
            "runs": run.result.runs,
            "hops": run.result.table(),
            "worst_ps": run.result.worst_fs() as f64 / 1000.0,
            "pairs": run.result.pairs,
            "losses": run.result.losses,
            "backward": run.result.backward,
            "steps_after_lock": run.result.steps_after_lock,
        })
    };
    json!({ "conditions": CONDITIONS, "results": runs.iter().map(one).collect::<Vec<_>>() })
}

/// The runs as an HTML page: per-hop tables, error over time and histogram of the last slave.
#[must_use]
pub fn chain_html(runs: &[NamedChain<'_>]) -> String {
    let colours = [CORRECTED, UNCORRECTED];
    let mut body = String::new();
    for run in runs {
        let _ = write!(body, "<h2>{}</h2>\n{}", escape(run.name), hop_table(&run.result.table()));
    }
    let period = runs.first().map_or(0, |run| run.config.network.line.core_period_fs) as f64 / 1e6;
    let mut over_time = vec![];
    let mut bars = vec![];
    for (run, colour) in runs.iter().zip(colours.into_iter().cycle()) {
        let Some(last) = run.result.hops.last() else { continue };
        let name = format!("{}, {} switches", run.name, last.switches);
        over_time.push(Series {
            name: name.clone(),
            colour,
            style: Style::Line,
            points: seconds(&last.series),
        });
        bars.push(Series { name, colour, style: Style::Steps, points: shares(&last.statistics) });
    }
    // What covers less is drawn later.
    over_time.reverse();
    bars.reverse();
    let plot = Plot {
        title: "Error of the last slave over time, first run".into(),
        x_label: "simulated time, s".into(),
        y_label: "error, ns".into(),
        series: over_time,
        limits: vec![(period, "+T".into()), (-period, "-T".into())],
    };
    let histogram = Plot {
        title: "How often the last slave has which error".into(),
        x_label: "error, ns".into(),
        y_label: "share, %".into(),
        series: bars,
        limits: vec![],
    };
    body += &plot.svg();
    body += &histogram.svg();
    page("Clock tree over a chain of switches", &body)
}

/// A fail-over as an HTML page: error over time of the slave with the largest error.
#[must_use]
pub fn failover_html(config: &FailoverConfig, result: &FailoverResult) -> String {
    let period = config.network.line.core_period_fs as f64 / 1e6;
    let plot = Plot {
        title: format!("{:?}: the slave with the largest error", config.change),
        x_label: "simulated time, s".into(),
        y_label: "error, ns".into(),
        series: vec![
            Series {
                name: "error".into(),
                colour: CORRECTED,
                style: Style::Line,
                points: seconds(&result.series),
            },
            mark("change", result.times.0, period),
            mark("manager acted", result.times.1, period),
        ],
        limits: vec![(period, "+T".into()), (-period, "-T".into())],
    };
    let summary = result.summary();
    let mut body = format!(
        "<p>{} errors of all slaves with a path: worst {:.0} ps, mean {:.0} ps, rms {:.0} ps.</p>\n",
        summary.samples, summary.worst_ps, summary.mean_ps, summary.rms_ps
    );
    for lost in &result.stranded {
        let _ = writeln!(
            body,
            "<p>Device {} has no path: error {:.2} ns, bound {:.2} ns.</p>",
            lost.device,
            lost.error_fs as f64 / 1e6,
            lost.bound as f64 / 256.0
        );
    }
    page("Clock tree that changes in operation", &(body + &plot.svg()))
}

fn mark(name: &str, time_ps: i64, height: f64) -> Series {
    let at = time_ps as f64 / 1e12;
    Series {
        name: name.into(),
        colour: UNCORRECTED,
        style: Style::Line,
        points: vec![(at, -height), (at, height)],
    }
}

/// Picoseconds and femtoseconds in seconds and nanoseconds, thinned to what a plot can show: of each stretch the least and the
/// largest error, so that no peak is lost.
fn seconds(series: &[(i64, i64)]) -> Vec<(f64, f64)> {
    let every = series.len().div_ceil(MOST_POINTS / 2).max(1);
    let mut kept = vec![];
    for stretch in series.chunks(every) {
        let by_error = |point: &&(i64, i64)| point.1;
        let ends = [stretch.iter().min_by_key(by_error), stretch.iter().max_by_key(by_error)];
        let mut ends: Vec<(i64, i64)> = ends.into_iter().flatten().copied().collect();
        ends.sort_unstable();
        ends.dedup();
        kept.extend(ends);
    }
    kept.into_iter().map(|(ps, fs)| (ps as f64 / 1e12, fs as f64 / 1e6)).collect()
}

/// Share of each bar in percent.
fn shares(statistics: &ErrorStatistics) -> Vec<(f64, f64)> {
    let mut bars: Vec<(i64, u64)> = vec![];
    for (fs, count) in statistics.histogram() {
        let bar = fs.div_euclid(BAR_PS * 1000);
        match bars.last_mut() {
            Some((last, sum)) if *last == bar => *sum += u64::from(count),
            _ => bars.push((bar, count.into())),
        }
    }
    let all = statistics.count().max(1) as f64;
    let edges = bars.iter().flat_map(|(bar, count)| {
        let left = (bar * BAR_PS) as f64 / 1000.0;
        [(left, *count as f64 * 100.0 / all), (left + BAR_PS as f64 / 1000.0, 0.0)]
    });
    edges.collect()
}

fn hop_table(rows: &[HopRow]) -> String {
    let mut table = String::from(
        "<table><tr><th>switches</th><th>links</th><th>errors</th><th>worst ps</th><th>mean ps</th><th>rms ps</th>\
         <th>p99 ps</th><th>lock, periods</th><th>lost, %</th></tr>\n",
    );
    for row in rows {
        let errors = row.errors;
        let _ = writeln!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1}</td><td>{:.1}</td><td>{:.1}</td><td>{:.0}</td>\
             <td>{:.1}</td><td>{:.1}</td></tr>",
            row.switches,
            row.links,
            errors.samples,
            errors.worst_ps,
            errors.mean_ps,
            errors.rms_ps,
            errors.p99_ps,
            row.lock_periods,
            row.lost * 100.0
        );
    }
    table + "</table>\n"
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>body{{font-family:\
         sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}table{{border-collapse:collapse}}td,th{{padding:2px \
         10px;text-align:right;border-bottom:1px solid #ddd}}svg{{width:100%;margin-top:1em}}</style></head>\n<body>\
         <h1>{0}</h1>\n<p>{1}</p>\n{body}</body></html>\n",
        escape(title),
        escape(CONDITIONS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::run;

    #[test]
    fn a_thinned_series_keeps_its_peaks() {
        let mut series: Vec<(i64, i64)> = (0..100_000).map(|at| (at, at % 7)).collect();
        series[51_234].1 = 5_000_000;
        series[77_777].1 = -9_000_000;
        let drawn = seconds(&series);
        assert!((1_000..=MOST_POINTS).contains(&drawn.len()), "{}", drawn.len());
        assert!(drawn.iter().any(|point| point.1 == 5.0) && drawn.iter().any(|point| point.1 == -9.0));
        assert!(drawn.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert_eq!(seconds(&[(0, 1_000_000)]), [(0.0, 1.0)]);
    }

    #[test]
    fn a_run_becomes_a_page_and_a_table() {
        let config = ChainConfig { switches: 2, periods: 20, series_every: 1, ..ChainConfig::default() };
        let result = run(&config).expect("two switches");
        let named = NamedChain { name: "PHASE_SRC BEAT", config: &config, result: &result };
        let json = chain_json(&[named]);
        let rows = json["results"][0]["hops"].as_array().expect("rows");
        assert_eq!((rows.len(), rows[1]["links"].as_u64()), (2, Some(3)));
        assert!(rows[1]["worst_ps"].as_f64().is_some_and(|worst| worst != 0.0));
        let html = chain_html(&[named]);
        assert_eq!(html.matches("<svg").count(), 2);
        assert_eq!(html.matches("<tr>").count(), 3);
        assert!(shares(&result.hops[1].statistics).iter().map(|bar| bar.1).sum::<f64>() > 99.9);
    }
}
