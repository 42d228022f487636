//! What is at a place: numbers in the order in which they came, none twice.

/// So many are looked through one by one; of more there is a table.
const FEW: usize = 16;

/// The values of a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    in_order: Vec<u32>,
    /// Of many, where each is looked up: a power of two of places, at most half of which hold a value and 1.
    table: Vec<u32>,
}

impl Values {
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.in_order
    }

    pub(super) fn len(&self) -> usize {
        self.in_order.len()
    }

    pub(super) fn contains(&self, value: u32) -> bool {
        if self.table.is_empty() {
            return self.in_order.contains(&value);
        }
        let at = self.place(value);
        self.table.get(at).is_some_and(|held| *held != 0)
    }

    /// Adds a value that is not there.
    pub(super) fn push(&mut self, value: u32) {
        self.in_order.push(value);
        if self.in_order.len() <= FEW {
            return;
        }
        if self.table.len() >= 2 * self.in_order.len() {
            return self.note(value);
        }
        let size = (4 * self.in_order.len()).next_power_of_two();
        self.table = vec![0; size];
        for at in 0..self.in_order.len() {
            if let Some(&known) = self.in_order.get(at) {
                self.note(known);
            }
        }
    }

    fn note(&mut self, value: u32) {
        let at = self.place(value);
        if let Some(held) = self.table.get_mut(at) {
            *held = value.wrapping_add(1);
        }
    }

    /// Where a value is in the table, or the empty place where it is to be.
    fn place(&self, value: u32) -> usize {
        let mask = self.table.len().wrapping_sub(1);
        let spread = value.wrapping_mul(0x9E37_79B1);
        let mut at = (spread ^ (spread >> 15)) as usize & mask;
        let wanted = value.wrapping_add(1);
        while let Some(&held) = self.table.get(at) {
            if held == 0 || held == wanted {
                break;
            }
            at = at.wrapping_add(1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::Values;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn values_are_kept_in_order_and_found() {
        let mut values = Values::default();
        let number = |at: u32| at.wrapping_mul(7919) % 100_000;
        for at in 0..500 {
            assert!(!values.contains(number(at)), "{at}");
            values.push(number(at));
            assert!(values.contains(number(at)), "{at}");
            assert!(values.contains(number(at / 2)), "{at}");
            assert!(!values.contains(number(at + 1)), "{at}");
        }
        let all: Vec<u32> = (0..500).map(number).collect();
        assert_eq!(values.as_slice(), all);
        assert_eq!(values.len(), 500);
    }
}
