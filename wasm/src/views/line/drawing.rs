//! The line as it is drawn. What is drawn grows with the width of the canvas, not with the number of events.

use querypoint::execution_line::{ExecutionLine, Mark, Verdict};
use querypoint::session::timeline::{Lanes, Window, columns, seen};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// The height of a lane, as in the style sheet.
const LANE: i32 = 18;
/// What is above the lanes: what the user did.
const ABOVE: i32 = 1;
/// All of it.
const HEIGHT: i32 = LANE * 6;
/// An event that is narrower is drawn with others, as a column.
const CIRCLE: f64 = 7.0;
const FULL_CIRCLE: f64 = 6.3;
/// A text is not put into less.
const TEXT: f64 = 60.0;

/// The lane at a height; none: that of the user's actions.
pub(super) fn lane_at(y: i32) -> Option<usize> {
    usize::try_from(y / LANE - ABOVE).ok()
}

/// Draws it anew.
pub(super) fn draw(
    canvas: &HtmlCanvasElement,
    line: &ExecutionLine,
    lanes: &Lanes,
    window: Window,
    event: usize,
) {
    let Some(pen) = Pen::of(canvas) else { return };
    pen.chosen(window, event);
    pen.lanes(lanes, window);
    pen.actions(&line.actions, window);
    pen.boundary(&line.asked_at, window);
    for point in &line.points {
        pen.point(point, window);
    }
}

struct Pen {
    context: CanvasRenderingContext2d,
    width: f64,
    text: String,
    accent: String,
    subtle: String,
    chosen: String,
}

impl Pen {
    /// One for this canvas, with the colours that its style has.
    fn of(canvas: &HtmlCanvasElement) -> Option<Self> {
        let page = web_sys::window()?;
        let ratio = page.device_pixel_ratio();
        let width = f64::from(canvas.client_width());
        let style = page.get_computed_style(canvas).ok()??;
        let colour = |name| style.get_property_value(name).unwrap_or_default();
        let context = canvas
            .get_context("2d")
            .ok()??
            .dyn_into::<CanvasRenderingContext2d>()
            .ok()?;
        canvas.set_width(whole(width * ratio));
        canvas.set_height(whole(f64::from(HEIGHT) * ratio));
        context.scale(ratio, ratio).ok()?;
        context.set_font(&colour("font"));
        context.set_text_baseline("middle");
        Some(Self {
            context,
            width,
            text: colour("color"),
            accent: colour("caret-color"),
            subtle: colour("text-decoration-color"),
            chosen: colour("border-top-color"),
        })
    }

    fn x(&self, window: Window, before: usize) -> f64 {
        window.part_of_event(before) * self.width
    }

    /// The middle of an event.
    fn middle(&self, window: Window, event: usize) -> f64 {
        self.x(window, event) + window.width_of_event() * self.width / 2.0
    }

    fn is_seen(&self, x: f64) -> bool {
        (-20.0..self.width + 20.0).contains(&x)
    }

    /// The event that is looked at, from top to bottom.
    fn chosen(&self, window: Window, event: usize) {
        let wide = (window.width_of_event() * self.width).max(2.0);
        let x = self.middle(window, event);
        if self.is_seen(x) {
            self.context.set_fill_style_str(&self.chosen);
            self.context
                .fill_rect(x - wide / 2.0, 0.0, wide, f64::from(HEIGHT));
        }
    }

    fn lanes(&self, lanes: &Lanes, window: Window) {
        let wide = window.width_of_event() * self.width;
        self.context.set_fill_style_str(&self.text);
        let tops = (ABOVE..).map(|number| f64::from(number * LANE));
        for ((verdict, lane), top) in lanes.iter().zip(tops) {
            // Drawn as points.
            if verdict == Verdict::Found {
                continue;
            }
            if wide >= CIRCLE {
                for event in seen(lane, window, lane.len()).unwrap_or_default() {
                    let x = self.middle(window, *event as usize);
                    self.circle(x, top + f64::from(LANE) / 2.0, (wide / 3.0).min(4.0));
                }
                continue;
            }
            let columns = columns(lane, window, whole(self.width) as usize);
            for (column, count) in columns {
                let high = 2 + (usize::BITS - count.leading_zeros()).min(7) * 2;
                let bottom = top + f64::from(LANE) - 1.0;
                let x = f64::from(u32::try_from(column).unwrap_or(u32::MAX));
                self.context
                    .fill_rect(x, bottom - f64::from(high), 1.0, f64::from(high));
            }
        }
    }

    fn circle(&self, x: f64, y: f64, radius: f64) {
        self.context.begin_path();
        // There is no radius below 0.
        let _ = self.context.arc(x, y, radius, 0.0, FULL_CIRCLE);
        self.context.fill();
    }

    /// What the user did: as much of the text as there is room for before the next.
    fn actions(&self, actions: &[Mark], window: Window) {
        self.context.set_fill_style_str(&self.subtle);
        let mut drawn = f64::NEG_INFINITY;
        for (number, mark) in actions.iter().enumerate() {
            let x = self.x(window, mark.before);
            if !self.is_seen(x) || x < drawn + 2.0 {
                continue;
            }
            drawn = x;
            self.context.fill_rect(x, 2.0, 1.0, f64::from(LANE) - 4.0);
            let next = actions
                .get(number + 1)
                .map_or(self.width, |next| self.x(window, next.before));
            let room = next.min(self.width) - x - 8.0;
            if room > TEXT {
                self.write(&mark.text, x + 4.0, 0, room);
            }
        }
    }

    /// The moment at which it was asked.
    fn boundary(&self, mark: &Mark, window: Window) {
        let x = self.x(window, mark.before);
        if self.is_seen(x) {
            self.context.set_fill_style_str(&self.accent);
            let x = x.min(self.width - 2.0);
            self.context
                .fill_rect(x - 1.0, f64::from(LANE), 2.0, f64::from(HEIGHT - LANE));
            self.beside(&mark.text, x, 4.0, 5);
        }
    }

    fn point(&self, mark: &Mark, window: Window) {
        const RADIUS: f64 = 6.0;
        let x = self.middle(window, mark.before);
        if self.is_seen(x) {
            self.context.set_fill_style_str(&self.accent);
            let x = x.max(RADIUS).min(self.width - RADIUS);
            self.circle(x, f64::from(LANE) * 1.5, RADIUS);
            self.beside(&mark.text, x, RADIUS + 3.0, 1);
        }
    }

    /// Writes right of a place, or left of it where the line ends.
    fn beside(&self, text: &str, x: f64, gap: f64, lane: i32) {
        let is_last = x + TEXT > self.width;
        self.context
            .set_text_align(if is_last { "right" } else { "left" });
        let at = if is_last { x - gap } else { x + gap };
        self.write(text, at, lane, TEXT);
        self.context.set_text_align("left");
    }

    fn write(&self, text: &str, x: f64, lane: i32, room: f64) {
        let y = f64::from(lane * LANE) + f64::from(LANE) / 2.0;
        let short: String = text.chars().take(40).collect();
        let _ = self.context.fill_text_with_max_width(&short, x, y, room);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a canvas is no wider"
)]
fn whole(number: f64) -> u32 {
    number as u32
}
