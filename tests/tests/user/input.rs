//! What a user does with mouse and keyboard.

use serde_json::{Value, json};

use super::{User, soon};

impl User {
    pub async fn mouse(&self, kind: &str, x: i32, y: i32, more: Value) {
        let mut params = json!({ "type": kind, "x": x, "y": y });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        self.send("Input.dispatchMouseEvent", params).await;
    }

    pub async fn press(&self, x: i32, y: i32, button: &str, clicks: u32) {
        self.mouse("mouseMoved", x, y, json!({})).await;
        for count in 1..=clicks {
            let pressed = json!({ "button": button, "clickCount": count });
            self.mouse("mousePressed", x, y, pressed.clone()).await;
            self.mouse("mouseReleased", x, y, pressed).await;
        }
    }

    pub async fn click(&self, x: i32, y: i32) {
        self.press(x, y, "left", 1).await;
    }

    /// Clicks on the middle of an element, once it is there to be seen.
    pub async fn clicks_on(&self, element: &str) {
        let (x, y) = self.place_of(element).await;
        self.click(x, y).await;
    }

    /// The same with the right button.
    pub async fn clicks_with_right_on(&self, element: &str) {
        let (x, y) = self.place_of(element).await;
        self.press(x, y, "right", 1).await;
    }

    /// Goes from what is chosen in a list of choices (`<select>`) to what is below it, with the keys.
    pub async fn picks_next_in(&self, selector: &str) {
        let focused = format!(
            "(document.querySelector('{selector}').focus(), document.activeElement.matches('{selector}'))"
        );
        assert_eq!(self.look(&focused).await, Value::Bool(true));
        self.key("ArrowDown", "").await;
    }

    /// The middle of an element, once it is seen there, has nothing before it, and does not move.
    pub async fn place_of(&self, element: &str) -> (i32, i32) {
        let place = format!(
            "(() => {{
                const element = {element};
                if (!element?.getClientRects().length || document.visibilityState !== 'visible') return null;
                element.scrollIntoView({{ block: 'nearest' }});
                const {{ left, top, width, height }} = element.getBoundingClientRect();
                const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)];
                const front = document.elementFromPoint(x, y);
                return front && (element.contains(front) || front.contains(element)) ? [x, y] : null;
            }})()"
        );
        let mut before = Value::Null;
        let still = soon(&format!("{element} to be still"), async || {
            let now = self.look(&place).await;
            let is_still = now.is_array() && now == before;
            before = now;
            is_still.then(|| before.clone())
        })
        .await;
        let number = |of: usize| i32::try_from(still[of].as_i64().unwrap()).unwrap();
        (number(0), number(1))
    }

    /// Presses at the first of these places, moves over the others and lets go at the last.
    pub async fn drag(&self, places: &[(i32, i32)]) {
        let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
        let (&(x, y), rest) = places.split_first().unwrap();
        self.mouse("mouseMoved", x, y, json!({})).await;
        self.mouse("mousePressed", x, y, held.clone()).await;
        for &(x, y) in rest {
            self.mouse("mouseMoved", x, y, held.clone()).await;
        }
        let &(x, y) = places.last().unwrap();
        self.mouse("mouseReleased", x, y, held).await;
    }

    /// Clicks on what goes away before the click has been answered.
    pub async fn click_into_nothing(&self, x: i32, y: i32) {
        let session = self.tab.lock().0.clone();
        let protocol = self.browser.protocol();
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            let _ = protocol
                .send(Some(&session), "Input.dispatchMouseEvent", params)
                .await;
        }
    }

    /// A whole number that the page knows.
    pub async fn number(&self, expression: &str) -> i32 {
        let number = self.look(expression).await.as_i64().unwrap();
        i32::try_from(number).unwrap()
    }

    /// Turns the wheel.
    pub async fn wheel(&self, x: i32, y: i32, by: i32) {
        let by = json!({ "deltaX": 0, "deltaY": by });
        self.mouse("mouseWheel", x, y, by).await;
    }

    /// Turns the wheel over the middle of what a selector names.
    pub async fn wheel_on(&self, selector: &str, by: i32) {
        let (x, y) = self
            .place_of(&format!("document.querySelector('{selector}')"))
            .await;
        self.wheel(x, y, by).await;
    }

    /// Types a text, key by key.
    pub async fn types(&self, text: &str) {
        for letter in text.chars() {
            let key = if letter == '\n' {
                "Enter".to_owned()
            } else {
                letter.to_string()
            };
            self.key(&key, "").await;
        }
    }

    /// Presses and releases a key, while `held` is held if that is one.
    pub async fn key(&self, key: &str, held: &str) {
        let held: Vec<&str> = held.split('+').filter(|key| !key.is_empty()).collect();
        let mut bit = 0;
        for key in &held {
            bit |= bit_of(key);
            self.key_event("rawKeyDown", key, bit).await;
        }
        let with_held = bit;
        bit |= bit_of(key);
        let text = match key {
            "Enter" => Some("\r"),
            _ if key.chars().count() == 1 && held.is_empty() => Some(key),
            _ => None,
        };
        let down = json!({ "type": if text.is_some() { "keyDown" } else { "rawKeyDown" } });
        let mut params = key_params(key, bit);
        params["type"] = down["type"].clone();
        if let Some(text) = text {
            params["text"] = json!(text);
        }
        self.send("Input.dispatchKeyEvent", params).await;
        // What was held is held no longer when it has come up.
        self.key_event("keyUp", key, with_held).await;
        for key in held.iter().rev() {
            bit &= !bit_of(key);
            self.key_event("keyUp", key, bit).await;
        }
    }

    async fn key_event(&self, kind: &str, key: &str, modifiers: u32) {
        let mut params = key_params(key, modifiers);
        params["type"] = json!(kind);
        self.send("Input.dispatchKeyEvent", params).await;
    }

    /// Moves the pointer there.
    pub async fn points_at(&self, x: i32, y: i32) {
        self.mouse("mouseMoved", x, y, json!({})).await;
    }
}

/// As in the protocol's `modifiers`.
fn bit_of(key: &str) -> u32 {
    match key {
        "Alt" => 1,
        "Control" => 2,
        "Meta" => 4,
        "Shift" => 8,
        _ => 0,
    }
}

fn key_params(key: &str, modifiers: u32) -> Value {
    let (code, key_code) = match key {
        "Tab" => ("Tab".to_owned(), 9),
        "Enter" => ("Enter".to_owned(), 13),
        "Control" => ("ControlLeft".to_owned(), 17),
        "Shift" => ("ShiftLeft".to_owned(), 16),
        "Alt" => ("AltLeft".to_owned(), 18),
        "Meta" => ("MetaLeft".to_owned(), 91),
        "Escape" => ("Escape".to_owned(), 27),
        "ArrowDown" => ("ArrowDown".to_owned(), 40),
        "ArrowRight" => ("ArrowRight".to_owned(), 39),
        "Home" => ("Home".to_owned(), 36),
        "End" => ("End".to_owned(), 35),
        // As numbers their letters are other keys: 46 is Delete.
        mark if !mark.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ') => (String::new(), 0),
        letter => {
            let upper = letter.to_ascii_uppercase();
            let code = upper.bytes().next().unwrap_or_default();
            (format!("Key{upper}"), u32::from(code))
        }
    };
    json!({ "key": key, "code": code, "windowsVirtualKeyCode": key_code, "modifiers": modifiers })
}
