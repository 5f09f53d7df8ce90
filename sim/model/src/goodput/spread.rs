//! How sure a mean is.

/// Standard error of the mean of these, taken for independent; 0 of fewer than two.
#[must_use]
pub fn standard_error(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    if values.len() < 2 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (count * (count - 1.0))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_the_books() {
        assert_eq!((standard_error(&[]), standard_error(&[3.0]), standard_error(&[2.0; 9])), (0.0, 0.0, 0.0));
        // Variance 2.5 of five values.
        assert!((standard_error(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 0.5f64.sqrt()).abs() < 1e-12);
    }
}
