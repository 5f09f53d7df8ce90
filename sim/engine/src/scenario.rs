//! Named simulations for the command line.

use crate::error::SimError;
use crate::waves::WaveRequest;
use serde_json::Value;
use std::collections::BTreeMap;

/// One parameter of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioParameter {
    /// Name, for instance `clocks`.
    pub name: &'static str,
    /// Value when none is given.
    pub default: u64,
    /// Lowest allowed value.
    pub min: u64,
    /// Highest allowed value.
    pub max: u64,
    /// One line: what it sets, with its unit.
    pub doc: &'static str,
}

/// What a scenario measured: names and JSON values, in the order they were added.
pub type Metrics = serde_json::Map<String, serde_json::Value>;

/// Receives the work done and the work there is, in units of the scenario.
pub type Progress<'a> = dyn FnMut(u64, u64) + 'a;

/// A named simulation with parameters.
pub trait Scenario: Sync {
    /// Name on the command line.
    fn name(&self) -> &str;

    /// One line: what it shows.
    fn summary(&self) -> &str;

    /// Its parameters.
    fn parameters(&self) -> &[ScenarioParameter];

    /// How long a run with the defaults takes, for instance `2 s`.
    fn takes(&self) -> &str;

    /// One sentence on a run: what was run, and what held, with exact counts.
    fn sentence(&self, metrics: &Metrics) -> String;

    /// True if it drives a bench, so that waveforms and recordings of it can be asked for.
    fn has_bench(&self) -> bool {
        false
    }

    /// True if a recording of its bench can be asked for, too.
    fn has_recording(&self) -> bool {
        self.has_bench()
    }

    /// Refuses values, and waveforms, that do not go together.
    fn check(&self, _values: &ScenarioValues, _waves: &WaveRequest) -> Result<(), SimError> {
        Ok(())
    }

    /// What the metrics of a run say of the hardware: an error with what is wrong, once the metrics are out.
    fn verdict(&self, _metrics: &Metrics) -> Result<(), String> {
        Ok(())
    }

    /// Runs it, with the waveform and recording asked for. A simulation that finds a mistake is an error, which names the
    /// waveform of the clocks before it.
    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        waves: &WaveRequest,
    ) -> Result<Metrics, SimError>;

    /// Runs it and gives the files of its report too; most scenarios have none.
    fn run_with_files(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        waves: &WaveRequest,
    ) -> Result<(Metrics, Vec<ScenarioFile>), SimError> {
        Ok((self.run(values, seed, progress, waves)?, vec![]))
    }
}

/// A file a scenario made, to be written where the user says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioFile {
    /// Name without folder.
    pub name: &'static str,
    /// Content.
    pub content: Vec<u8>,
}

/// A figure of a run, by its path in the metrics (`errors.count`, `results.0.losses`), as people read it; `?` if there is none.
pub fn figure(metrics: &Metrics, path: &str) -> String {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let pointer = if rest.is_empty() { String::new() } else { format!("/{}", rest.replace('.', "/")) };
    match metrics.get(first).and_then(|value| value.pointer(&pointer)) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "?".into(),
    }
}

/// A complete, checked set of parameter values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioValues {
    values: BTreeMap<String, u64>,
}

impl ScenarioValues {
    /// The defaults of `scenario` with these values over them. An unknown name or a value out of range is an
    /// error that says what is allowed.
    pub fn new(scenario: &dyn Scenario, given: &[(String, u64)]) -> Result<Self, SimError> {
        let parameters = scenario.parameters();
        let mut values: BTreeMap<String, u64> =
            parameters.iter().map(|parameter| (parameter.name.into(), parameter.default)).collect();
        for (name, value) in given {
            let parameter = parameters.iter().find(|parameter| parameter.name == name);
            let parameter = parameter.ok_or_else(|| SimError::Unknown {
                kind: "parameter",
                name: name.clone(),
                available: parameters.iter().map(|parameter| parameter.name.into()).collect(),
            })?;
            if !(parameter.min..=parameter.max).contains(value) {
                return Err(SimError::Format {
                    what: format!("scenario `{}`, parameter `{name}`", scenario.name()),
                    problem: format!("{value} is not in {}..={}", parameter.min, parameter.max),
                });
            }
            values.insert(name.clone(), *value);
        }
        Ok(Self { values })
    }

    /// A parameter's value; an error for a name the scenario does not have.
    pub fn get(&self, name: &str) -> Result<u64, SimError> {
        self.values.get(name).copied().ok_or_else(|| SimError::Unknown {
            kind: "parameter",
            name: name.into(),
            available: self.values.keys().cloned().collect(),
        })
    }
}

/// All scenarios of a program.
#[derive(Default)]
pub struct ScenarioRegistry {
    scenarios: Vec<Box<dyn Scenario>>,
}

impl ScenarioRegistry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scenario; a second one of the same name is an error.
    pub fn add(&mut self, scenario: impl Scenario + 'static) -> Result<&mut Self, SimError> {
        if self.scenarios.iter().any(|other| other.name() == scenario.name()) {
            return Err(SimError::Format {
                what: format!("scenario `{}`", scenario.name()),
                problem: "registered twice".into(),
            });
        }
        self.scenarios.push(Box::new(scenario));
        Ok(self)
    }

    /// All scenarios, in the order they were added.
    pub fn list(&self) -> impl Iterator<Item = &dyn Scenario> {
        self.scenarios.iter().map(AsRef::as_ref)
    }

    /// The scenario called `name`, or an error that lists the names there are.
    pub fn find(&self, name: &str) -> Result<&dyn Scenario, SimError> {
        self.list().find(|scenario| scenario.name() == name).ok_or_else(|| SimError::Unknown {
            kind: "scenario",
            name: name.into(),
            available: self.list().map(|scenario| scenario.name().to_string()).collect(),
        })
    }
}
