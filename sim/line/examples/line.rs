//! Cases of the line bench without the whole command: `line phy=2 event=1 cases=20 seed=1 first=0 lanes=4 ratio=4000000`.

use flitforge_line::{Campaign, Choice, Event, Phy, Report, KINDS};

fn main() {
    let value = |name: &str| {
        let given = std::env::args()
            .find_map(|argument| argument.strip_prefix(&format!("{name}=")).map(String::from));
        given.and_then(|text| text.parse::<u64>().ok())
    };
    let at = |name: &str| value(name).and_then(|value| (value as usize).checked_sub(1));
    let choice = Choice {
        kinds: at("ports").map(|at| KINDS[at]),
        phy: at("phy").map(|at| Phy::ALL[at]),
        event: at("event").map(|at| Event::ALL[at]),
        lanes: value("lanes").map(|lanes| lanes as usize),
        ratio: value("ratio"),
        flits: value("flits").map(|flits| flits as usize),
        straight: value("straight") == Some(1),
    };
    let campaign = Campaign {
        seed: value("seed").unwrap_or(1),
        first: value("first").unwrap_or(0),
        cases: value("cases").unwrap_or(1),
        jobs: value("jobs").unwrap_or(1) as usize,
        choice,
        stop: value("stop") == Some(1),
    };
    let begin = std::time::Instant::now();
    let mut report = Report::new(value("tell").unwrap_or(20) as usize);
    campaign.run(&mut |case, outcome| report.add(case, &outcome));
    let metrics = report.metrics(begin.elapsed().as_secs_f64());
    println!("{}", serde_json::to_string_pretty(&metrics).unwrap_or_default());
}
