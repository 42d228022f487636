//! From what was seen of a user's actions to the steps of a recording.
//!
//! What is seen comes from within a page: nothing of it is trusted to be of any size or sense.

use serde_json::{Map, json};

use super::{
    Action, AssertedEvent, ChosenFile, DeviceType, Dialog, Drag, DropPlace, Environment, FileSeen,
    Files, Fingerprint, Geolocation, History, LoginCookie, MouseButton, Observation,
    PlaceInElement, Pointer, RecordedInputs, Recording, ScriptEvents, Selector, SelectorChain,
    Step, StepKind, Storage, TargetState, Viewport, Wheel,
};

/// More text than a person types into one field.
const MOST_BYTES: usize = 1 << 20;

/// Puts a recording together while the user acts.
#[derive(Clone, Debug)]
pub struct Recorder {
    recording: Recording,
    /// When the last step ended, in milliseconds.
    last_at: Option<f64>,
    /// The choices of files whose contents may still come, and the indices of their steps.
    choices: Vec<(String, usize)>,
    inputs: RecordedInputs,
    /// What scripts have done so far, and what of it is in the steps.
    events: ScriptEvents,
    told: ScriptEvents,
    /// When the page last asked for an animation frame, in milliseconds; none: nobody watches that.
    frame_at: Option<f64>,
}

impl Recorder {
    /// More steps than a person makes: a page cannot fill the memory.
    const MOST_STEPS: usize = 20_000;

    /// A recording that begins with a page of that size at `url`.
    #[must_use]
    pub fn new(title: &str, viewport: Viewport, url: &str) -> Self {
        Self {
            recording: Recording {
                title: title.to_owned(),
                timeout_ms: None,
                steps: vec![
                    Step::new(StepKind::SetViewport(viewport)),
                    Step::new(StepKind::Navigate {
                        url: url.to_owned(),
                    }),
                ],
                other: Map::new(),
                responses: None,
            },
            last_at: None,
            choices: Vec::new(),
            inputs: RecordedInputs::default(),
            events: ScriptEvents::default(),
            told: ScriptEvents::default(),
            frame_at: None,
        }
    }

    /// From now on it is told when the page asks for an animation frame.
    pub fn watches_frames(&mut self) {
        self.frame_at = Some(f64::NEG_INFINITY);
    }

    /// The page asked for an animation frame at `at`, in milliseconds since 1970.
    pub fn asked_for_frame(&mut self, at: f64) {
        if let Some(last) = self.frame_at.as_mut().filter(|_| at.is_finite()) {
            *last = last.max(at);
        }
    }

    /// What scripts have done so far; each step says what they did since the one before.
    pub fn script_events(&mut self) -> &mut ScriptEvents {
        &mut self.events
    }

    /// What makes the page vary, to be put into the recording at its end. Where these know when the page was
    /// opened, each step says how long after that it was done.
    pub fn recorded_inputs(&mut self) -> &mut RecordedInputs {
        &mut self.inputs
    }

    /// What the browser tells the page of the person.
    pub fn set_environment(&mut self, environment: &Environment) {
        self.recording.set_environment(environment);
    }

    /// What the page has stored when it is opened.
    pub fn set_storage(&mut self, storage: &Storage) {
        self.recording.set_storage(storage);
    }

    /// The cookies that scripts cannot read and that the browser had for the page when it was loaded.
    pub fn set_login(&mut self, cookies: &[LoginCookie]) {
        self.recording.set_login(cookies);
    }

    /// What pages are told that ask where the user is: the first place, if there is one.
    fn located(&mut self, geolocation: Geolocation) {
        let mut environment = self.recording.environment();
        let is_sound = match geolocation {
            Geolocation::Denied => true,
            Geolocation::At(position) => position.is_sound(),
        };
        if is_sound && !matches!(environment.geolocation, Some(Geolocation::At(_))) {
            environment.geolocation = Some(geolocation);
            self.recording.set_environment(&environment);
        }
    }

    /// The recording as it is in the end.
    #[must_use]
    pub fn finished(mut self) -> Recording {
        self.recording.set_recorded_inputs(&self.inputs);
        self.recording.set_script_events(self.events);
        self.recording
    }

    /// The recording so far.
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Takes in what the page `target` (`main`, or another's URL) told; the step that came of it, if any did.
    pub fn observe(&mut self, target: &str, observation: Observation) -> Option<&Step> {
        let Observation {
            action,
            frame,
            at,
            state,
        } = observation;
        let is_late = self.recording.steps.len() >= Self::MOST_STEPS;
        if is_late || frame.len() > 50 || !at.is_finite() {
            return None;
        }
        let (choice, action) = match action {
            Action::Contents {
                choice,
                index,
                base64,
            } => {
                self.fill(&choice, index, &base64);
                return None;
            }
            Action::Position { geolocation } => {
                self.located(geolocation);
                return None;
            }
            Action::Files { ref choice, .. } => (Some(choice.clone()), action),
            action => (None, action),
        };
        let secret = match &action {
            Action::Value { secret, .. } => secret.as_deref().map(variable_of),
            _ => None,
        };
        let mut step = Step::new(kind_of(action)?);
        step.target = Some(target.to_owned());
        step.frame = frame;
        if let Some(secret) = secret {
            step.set_ours("secret", json!(secret));
        }
        if self.is_known_size(&step) {
            return None;
        }
        let replaced = self.replace_former(&step);
        self.note_time(&mut step, at);
        self.note_fingerprint(&mut step, state, &replaced);
        self.note_frames(&mut step, at);
        if let Some(choice) = choice {
            self.choices.push((choice, self.recording.steps.len()));
        }
        self.recording.steps.push(step);
        self.recording.steps.last()
    }

    /// The user answered a dialog of the page's, which came because of the last step.
    pub fn answered(&mut self, dialog: Dialog) {
        if let Some(step) = self.last_action() {
            step.add_dialog(dialog);
        }
    }

    /// The user went back or forward with the browser's own buttons, to `url`.
    pub fn went(&mut self, delta: i32, url: &str) {
        if delta != 0 && self.recording.steps.len() < Self::MOST_STEPS {
            let mut step = Step::new(StepKind::History(History { delta }));
            step.target = Some("main".to_owned());
            self.recording.steps.push(step);
            self.navigated(url, false);
        }
    }

    /// The user closed the page `target`, which is not the main one.
    pub fn closed(&mut self, target: &str) -> Option<&Step> {
        if self.recording.steps.len() >= Self::MOST_STEPS {
            return None;
        }
        let mut step = Step::new(StepKind::Close);
        step.target = Some(target.to_owned());
        self.recording.steps.push(step);
        self.recording.steps.last()
    }

    /// The last step that does something; a window that is resized does nothing.
    fn last_action(&mut self) -> Option<&mut Step> {
        let mut steps = self.recording.steps.iter_mut().rev();
        steps.find(|step| !matches!(step.kind, StepKind::SetViewport(_)))
    }

    /// Keeps what is in a file that was chosen.
    fn fill(&mut self, choice: &str, index: usize, base64: &str) {
        let step = self.choices.iter().find(|(known, _)| known == choice);
        let step = step.and_then(|(_, step)| self.recording.steps.get_mut(*step));
        let Some(StepKind::Files(files)) = step.map(|step| &mut step.kind) else {
            return;
        };
        let held = files.files.iter().filter_map(|file| file.contents.as_ref());
        let held: usize = held.map(Vec::len).sum();
        let Some(file) = files.files.get_mut(index) else {
            return;
        };
        // A page's process that says more than was chosen is not believed.
        if let Some(contents) = ChosenFile::decoded(base64)
            && contents.len() as u64 == file.size
            && (held + contents.len()) as u64 <= Files::MOST_BYTES
        {
            file.contents = Some(contents);
        }
    }

    /// The main document is another: because of the last step, or because the user asked the browser for it.
    pub fn navigated(&mut self, url: &str, by_browser: bool) {
        if by_browser && self.recording.steps.len() < Self::MOST_STEPS {
            let mut step = Step::new(StepKind::Navigate {
                url: url.to_owned(),
            });
            step.target = Some("main".to_owned());
            self.recording.steps.push(step);
        }
        let event = AssertedEvent {
            kind: "navigation".to_owned(),
            url: Some(url.to_owned()),
            title: None,
            other: Map::new(),
        };
        if let Some(last) = self.last_action() {
            // One that leads on at once is not the one that is reached.
            let is_other = |event: &AssertedEvent| event.kind != "navigation";
            last.asserted_events.retain(is_other);
            last.asserted_events.push(event);
        }
    }

    /// The document at `url` is called so. By the time that this is known, the page may be elsewhere already.
    pub fn titled(&mut self, url: &str, title: &str) {
        fn whole(url: &str) -> Option<&str> {
            url.split('#').next()
        }
        let steps = self.recording.steps.iter_mut().rev();
        let mut events = steps.flat_map(|step| step.asserted_events.iter_mut().rev());
        if let Some(event) = events.next()
            && event.title.is_none()
            && event.url.as_deref().and_then(whole) == whole(url)
        {
            event.title = Some(title.to_owned());
        }
    }

    /// Whether a step gives the page the size that it has.
    fn is_known_size(&self, step: &Step) -> bool {
        fn page(step: &Step) -> &str {
            step.target.as_deref().unwrap_or("main")
        }
        let sizes = self.recording.steps.iter().rev();
        let is_size = |step: &Step| matches!(step.kind, StepKind::SetViewport(_));
        let mut sizes = sizes.filter(|former| is_size(former) && page(former) == page(step));
        is_size(step) && sizes.next().is_some_and(|former| former.kind == step.kind)
    }

    /// Takes away what `step` says anew, the last first.
    fn replace_former(&mut self, step: &Step) -> Vec<Step> {
        let mut replaced = Vec::new();
        let steps = &mut self.recording.steps;
        let is_there = |former: &Step| former.target == step.target && former.frame == step.frame;
        match &step.kind {
            StepKind::Change { selectors, .. } => {
                let is_former = |former: &Step| {
                    is_there(former)
                        && matches!(&former.kind, StepKind::Change { selectors: others, .. } if others == selectors)
                };
                replaced.extend(steps.pop_if(|former| is_former(former)));
            }
            StepKind::Scroll { selectors, .. } => {
                let is_former = |former: &Step| {
                    is_there(former)
                        && matches!(&former.kind, StepKind::Scroll { selectors: others, .. } if others == selectors)
                };
                replaced.extend(steps.pop_if(|former| is_former(former)));
            }
            StepKind::SetViewport(_) => {
                let is_former = |former: &Step| {
                    former.target == step.target && matches!(former.kind, StepKind::SetViewport(_))
                };
                replaced.extend(steps.pop_if(|former| is_former(former)));
            }
            StepKind::DoubleClick(_) => {
                for _ in 0..2 {
                    replaced.extend(steps.pop_if(|former| {
                        is_there(former)
                            && former.asserted_events.is_empty()
                            && matches!(&former.kind, StepKind::Click(click) if click.button == MouseButton::Primary)
                    }));
                }
            }
            _ => {}
        }
        replaced
    }

    /// Keeps what became of the step. The first of those that it replaces reached it first.
    fn note_fingerprint(&mut self, step: &mut Step, state: Option<TargetState>, replaced: &[Step]) {
        let state = state.filter(TargetState::is_sound);
        let mut fingerprint = Fingerprint {
            events: self.events.since(self.told),
            target: state,
        };
        self.told = self.events;
        for former in replaced.iter().filter_map(Step::fingerprint) {
            fingerprint.events += former.events;
            fingerprint.target = former.target.or(fingerprint.target);
        }
        if fingerprint != Fingerprint::default() {
            step.set_fingerprint(&fingerprint);
        }
    }

    /// Keeps of a stroke, which ended at `at`, that the page asked for no animation frame meanwhile.
    fn note_frames(&self, step: &mut Step, at: f64) {
        // Between the clock by which frames are told and that of events.
        const SLACK_MS: f64 = 50.0;
        if let StepKind::Drag(drag) = &step.kind {
            let took_ms = drag.path.last().map_or(0.0, |place| place[2]);
            let began = at - took_ms - SLACK_MS;
            if self.frame_at.is_some_and(|frame| frame < began) {
                step.set_ours("noFrames", json!(true));
            }
        }
    }

    /// Keeps how long after the one before it a step came, for a replay at the recorded pace.
    fn note_time(&mut self, step: &mut Step, at: f64) {
        if let Some(after) = self.last_at.and_then(|last| whole(at - last))
            && after > 0
        {
            step.set_ours("afterMs", json!(after));
        }
        if let Some(start) = self.inputs.time
            && let Some(since) = whole(at - start.start)
        {
            step.set_ours("atMs", json!(since));
        }
        self.last_at = Some(at);
    }
}

/// What kind of step an action is; `None`: none.
fn kind_of(action: Action) -> Option<StepKind> {
    Some(match action {
        Action::Press {
            place,
            button,
            device,
            duration,
        } => {
            // What is shorter says nothing.
            const SHORTEST_MS: u64 = 50;
            let duration = whole(duration).filter(|duration| *duration > SHORTEST_MS);
            StepKind::Click(Pointer {
                duration_ms: duration,
                ..pointer(place, button, &device)?
            })
        }
        Action::Double { place } => StepKind::DoubleClick(pointer(place, 0, "mouse")?),
        Action::Drag {
            place,
            button,
            device,
            mut path,
            onto,
        } => {
            const MOST_PLACES: usize = 20_000;
            path.truncate(MOST_PLACES);
            path.retain(|place| place.iter().all(|number| number.is_finite()));
            StepKind::Drag(Drag {
                from: pointer(place, button, &device)?,
                path,
                onto: match onto {
                    None => None,
                    Some(onto) => Some(DropPlace {
                        selectors: chains(onto.selectors)?,
                        offset_x: pixels(onto.x)?,
                        offset_y: pixels(onto.y)?,
                    }),
                },
            })
        }
        Action::Value {
            selectors,
            value,
            secret,
        } => StepKind::Change {
            selectors: chains(selectors)?,
            value: match (value, secret) {
                (_, Some(_)) => String::new(),
                (Some(value), None) if value.len() <= MOST_BYTES => value,
                _ => return None,
            },
        },
        Action::Files {
            selectors, files, ..
        } => StepKind::Files(Files {
            selectors: chains(selectors)?,
            files: files.into_iter().map(chosen).collect::<Option<_>>()?,
        }),
        // It belongs to a step that is there already.
        Action::Contents { .. } | Action::Traverse | Action::Position { .. } => return None,
        Action::Hover { selectors } => StepKind::Hover {
            selectors: chains(selectors)?,
        },
        Action::Key { key, .. } if key.is_empty() || key.len() > 40 => return None,
        Action::Key { down: true, key } => StepKind::KeyDown { key },
        Action::Key { down: false, key } => StepKind::KeyUp { key },
        Action::Scroll { selectors, x, y } => StepKind::Scroll {
            selectors: match selectors.is_empty() {
                true => Vec::new(),
                false => chains(selectors)?,
            },
            x: Some(pixels(x)?),
            y: Some(pixels(y)?),
        },
        Action::Wheel { place, dx, dy } => StepKind::Wheel(Wheel {
            selectors: chains(place.selectors)?,
            offset_x: pixels(place.x)?,
            offset_y: pixels(place.y)?,
            delta_x: pixels(dx)?,
            delta_y: pixels(dy)?,
        }),
        Action::Viewport {
            width,
            height,
            scale,
        } => {
            let size = |pixels| whole(pixels).and_then(|pixels| u32::try_from(pixels).ok());
            StepKind::SetViewport(Viewport {
                width: size(width)?,
                height: size(height)?,
                device_scale_factor: Some(scale).filter(|scale| (0.1..=10.0).contains(scale))?,
                is_mobile: false,
                has_touch: false,
                is_landscape: false,
            })
        }
    })
}

fn pointer(place: PlaceInElement, button: u8, device: &str) -> Option<Pointer> {
    Some(Pointer {
        selectors: chains(place.selectors)?,
        offset_x: pixels(place.x)?,
        offset_y: pixels(place.y)?,
        button: match button {
            0 => MouseButton::Primary,
            1 => MouseButton::Auxiliary,
            2 => MouseButton::Secondary,
            3 => MouseButton::Back,
            4 => MouseButton::Forward,
            _ => return None,
        },
        device_type: match device {
            "pen" => DeviceType::Pen,
            "touch" => DeviceType::Touch,
            _ => DeviceType::Mouse,
        },
        duration_ms: None,
    })
}

fn chosen(file: FileSeen) -> Option<ChosenFile> {
    const LONGEST_TYPE: usize = 255;
    let is_sound = ChosenFile::is_name(&file.name) && file.media_type.len() <= LONGEST_TYPE;
    Some(ChosenFile {
        modified_ms: whole(file.modified).filter(|modified| *modified > 0),
        // Within these bounds nothing is cut off.
        size: Some(file.size)
            .filter(|size| (0.0..9e15).contains(size))
            .map(|size| size as u64)?,
        name: file.name,
        media_type: file.media_type,
        contents: None,
        path: None,
    })
    .filter(|_| is_sound)
}

/// The selectors of an element: there is at least one, and none is longer than makes sense.
fn chains(selectors: Vec<Vec<String>>) -> Option<Vec<SelectorChain>> {
    const MOST: usize = 20;
    let is_sound = |chain: &Vec<String>| {
        !chain.is_empty() && chain.len() <= MOST && chain.iter().all(|link| link.len() <= 2000)
    };
    let selectors = selectors.into_iter().filter(is_sound).take(MOST);
    let parsed = |chain: Vec<String>| {
        SelectorChain(chain.iter().map(|link| Selector::parse(link)).collect())
    };
    Some(selectors.map(parsed).collect::<Vec<_>>()).filter(|chains| !chains.is_empty())
}

fn pixels(number: f64) -> Option<f64> {
    Some(number.round()).filter(|number| number.abs() < 1e9)
}

fn whole(number: f64) -> Option<u64> {
    // Within these bounds nothing is cut off.
    (0.0..1e14).contains(&number).then(|| number.round() as u64)
}

/// The environment variable from which what was typed into the field `name` is taken.
fn variable_of(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .take(8)
        .map(|word| {
            word.chars()
                .take(40)
                .collect::<String>()
                .to_ascii_uppercase()
        })
        .collect();
    match words.as_slice() {
        [] => "QUERYPOINT_SECRET".to_owned(),
        words => format!("QUERYPOINT_{}", words.join("_")),
    }
}

#[cfg(test)]
mod tests;
