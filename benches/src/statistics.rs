//! Medians with spread, of a few rounds.

/// The numbers of all rounds, ascending.
#[derive(Clone, Debug)]
pub(crate) struct Sample(Vec<f64>);

impl Sample {
    /// What the rounds gave; numbers that are none are left out.
    pub(crate) fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// The middle.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The smallest.
    pub(crate) fn min(&self) -> f64 {
        self.quantile(0.0)
    }

    /// The value below which `share` (0 to 1) of the numbers lie, interpolated; not a number if there are none.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let Some(last) = self.0.len().checked_sub(1) else {
            return f64::NAN;
        };
        // A handful of rounds: no precision is lost.
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let (position, below) = {
            let position = last as f64 * share;
            (position, position.floor() as usize)
        };
        let above = (below + 1).min(last);
        let (low, high) = (self.0[below], self.0[above]);
        low + (high - low) * position.fract()
    }

    /// `median (min, quartiles)`, each as `show` writes it.
    pub(crate) fn described(&self, show: impl Fn(f64) -> String) -> String {
        format!(
            "{} (min {}, quartiles {}–{})",
            show(self.median()),
            show(self.min()),
            show(self.quantile(0.25)),
            show(self.quantile(0.75))
        )
    }
}

/// The geometric mean; 1 of nothing.
pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        count += 1.0;
    }
    if count == 0.0 {
        1.0
    } else {
        (sum / count).exp()
    }
}

/// Three digits that count, and no more zeros than needed.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sample = Sample::new([4.0, 1.0, 3.0, f64::NAN, 2.0]);
        assert_eq!(sample.median(), 2.5);
        assert_eq!(sample.min(), 1.0);
        assert_eq!(sample.quantile(0.25), 1.75);
        assert_eq!(sample.quantile(1.0), 4.0);
        assert!(Sample::new([]).median().is_nan());
        assert_eq!(
            sample.described(digits),
            "2.50 (min 1.00, quartiles 1.75–3.25)"
        );
    }

    #[test]
    fn the_geometric_mean_is_of_ratios() {
        assert!((geometric_mean([2.0, 0.5]) - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), 1.0);
    }
}
