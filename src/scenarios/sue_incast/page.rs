//! The runs as one self-contained HTML page.

use flitforge_fabric::svg::{escape, Plot, Series, Style};
use flitforge_model::sue::incast::{
    IncastReport, Pattern, Sample, SueSimShapes, DIFFERENCES, LEAST_JAIN, PUBLISHED, SIMPLIFIED,
};
use std::fmt::Write;

const FIRST: &str = "#0063b1";
const SECOND: &str = "#d97706";
const STYLE: &str = "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}table{border-collapse:\
    collapse;font-size:14px}td,th{padding:2px 8px;text-align:right;border-bottom:1px solid #ddd}td:first-child{text-align:\
    left}svg{width:100%;margin-top:1em}";

/// The page.
pub fn page(runs: &[(String, IncastReport)]) -> String {
    let title = "Scale-up Ethernet: XPUs over a switch";
    let mut body = format!("<p>{}</p>\n{}", escape(SIMPLIFIED), table(runs));
    if let Some((_, report)) = runs.iter().find(|(_, report)| report.parameters.pattern == Pattern::Uniform) {
        body += &shapes(&SueSimShapes::of(report));
    }
    for (name, report) in runs {
        let _ = writeln!(body, "<h2>{}</h2>", escape(name));
        for plot in plots(report) {
            body += &plot.svg();
        }
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n{body}</body></html>\n"
    )
}

fn table(runs: &[(String, IncastReport)]) -> String {
    let mut table = String::from(
        "<table><tr><th>run</th><th>commands</th><th>goodput, Gb/s</th><th>of the bottleneck, %</th><th>least, mean, most \
         of a sender, Gb/s</th><th>Jain</th><th>fullest queue, KB</th><th>least credits</th><th>bodies sent again</th>\
         <th>dropped</th></tr>\n",
    );
    for (name, report) in runs {
        let [least, mean, most] = report.goodput_of_senders;
        let credits = report.credits_least.map_or("-".into(), |credits| credits.to_string());
        let _ = writeln!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{:.1}</td><td>{:.1}</td><td>{least:.2}, {mean:.2}, {most:.2}</td><td>{:.4}</td>\
             <td>{:.1}</td><td>{credits}</td><td>{}</td><td>{}</td></tr>",
            escape(name),
            report.commands,
            report.goodput,
            report.of_bottleneck * 100.0,
            report.jain,
            report.queue_most as f64 / 1024.0,
            report.replays,
            report.dropped
        );
    }
    table + "</table>\n"
}

/// SUE-Sim's published figures beside ours.
fn shapes(ours: &SueSimShapes) -> String {
    let row = |name: &str, shapes: &SueSimShapes| {
        let dropped = shapes.dropped.map_or("-".into(), |dropped| dropped.to_string());
        format!(
            "<tr><td>{name}</td><td>{}</td><td>{:.1}</td><td>{:.1}</td><td>{} to {}</td><td>{dropped}</td></tr>\n",
            shapes.most_in_body,
            shapes.full * 100.0,
            shapes.single * 100.0,
            shapes.credits.0,
            shapes.credits.1
        )
    };
    format!(
        "<h2>SUE-Sim's shapes</h2>\n<table><tr><th></th><th>most transactions in a body</th><th>full bodies, %</th><th>single \
         ones, %</th><th>credits</th><th>dropped</th></tr>\n{}{}</table>\n<p>{}</p>\n",
        row("published", &PUBLISHED),
        row("here", ours),
        escape(DIFFERENCES)
    )
}

fn line(name: &str, colour: &'static str, samples: &[Sample], of: impl Fn(&Sample) -> Option<f64>) -> Series {
    let points = samples.iter().filter_map(|one| Some((one.time_ns / 1e3, of(one)?))).collect();
    Series { name: name.into(), colour, style: Style::Line, points }
}

fn over_time(title: &str, y_label: &str, series: Vec<Series>, limits: Vec<(f64, String)>) -> Plot {
    Plot {
        title: title.into(),
        x_label: "time, microseconds".into(),
        y_label: y_label.into(),
        series,
        limits,
    }
}

fn plots(report: &IncastReport) -> Vec<Plot> {
    let samples = &report.samples;
    let kilobytes = |octets: u64| Some(octets as f64 / 1024.0);
    let mut plots = vec![];
    if report.queue_most > 0 {
        let series = vec![
            line("all output queues", SECOND, samples, |one| kilobytes(one.queue_all)),
            line("the fullest one", FIRST, samples, |one| kilobytes(one.queue_most)),
        ];
        plots.push(over_time("Queues of the switch", "KB", series, vec![]));
    }
    let limit = vec![(f64::from(report.parameters.limit), "LIMIT".into())];
    let credits = vec![
        line("mean of all XPUs", SECOND, samples, |one| one.credits_mean),
        line("least", FIRST, samples, |one| one.credits_least.map(f64::from)),
    ];
    if report.credits_least.is_some() {
        plots.push(over_time("Credits of XPUs, per virtual channel", "credits", credits, limit));
    } else {
        let closed = vec![line("paused", FIRST, samples, |one| Some(one.closed as f64))];
        plots.push(over_time("Virtual channels of XPUs that may not send", "number", closed, vec![]));
    }
    let goodput = vec![line("all XPUs together", FIRST, samples, |one| Some(one.goodput))];
    plots.push(over_time("Goodput over time", "Gb/s", goodput, vec![]));
    plots.push(of_senders(report));
    let jain = vec![
        line("between two samples", SECOND, samples, |one| one.jain),
        line("since the start", FIRST, samples, |one| one.jain_so_far),
    ];
    let least = vec![(LEAST_JAIN, "promised for the whole run".into())];
    plots.push(over_time("Jain's index of the senders", "index", jain, least));
    plots
}

fn of_senders(report: &IncastReport) -> Plot {
    let bars = report.by_sender.iter().flat_map(|(xpu, goodput)| {
        let left = f64::from(*xpu);
        [(left, *goodput), (left + 0.8, 0.0)]
    });
    let mean = report.goodput_of_senders[1];
    Plot {
        title: "Goodput of each sender".into(),
        x_label: "XPU".into(),
        y_label: "Gb/s".into(),
        series: vec![Series {
            name: "goodput".into(),
            colour: FIRST,
            style: Style::Steps,
            points: bars.collect(),
        }],
        limits: vec![(mean, "mean".into())],
    }
}
