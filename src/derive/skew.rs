//! Measures of how unevenly work is spread (rulebook 0.2). All take non-negative amounts.

/// Largest share of the total, 0..=1. `None` when the total is zero.
pub fn top1(amounts: &[f64]) -> Option<f64> {
    let total: f64 = amounts.iter().sum();
    (total > 0.0).then(|| amounts.iter().copied().fold(0.0, f64::max) / total)
}

/// Effective number, 1/sum(p^2): 1 when one does all, n when all do the same. `None` when the total is zero.
pub fn neff(amounts: &[f64]) -> Option<f64> {
    let total: f64 = amounts.iter().sum();
    (total > 0.0).then(|| 1.0 / amounts.iter().map(|x| (x / total).powi(2)).sum::<f64>())
}

/// Gini coefficient, 0 (even) to 1 - 1/n (one does all).
pub fn gini(amounts: &[f64]) -> Option<f64> {
    let total: f64 = amounts.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let mut sorted = amounts.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let weighted: f64 = sorted.iter().enumerate().map(|(i, x)| (2.0 * (i as f64 + 1.0) - n - 1.0) * x).sum();
    Some(weighted / (n * total))
}

/// Effective number that fair hashing of `flows` equal flows over `queues` reaches on average: nF/(n+F-1).
pub fn fair_neff(queues: f64, flows: f64) -> f64 {
    queues * flows / (queues + flows - 1.0)
}

/// Median; the mean of the middle two for an even count. `None` for none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => sorted.get(middle).copied(),
        _ => Some((sorted.get(middle - 1)? + sorted.get(middle)?) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(neff(&[5.0, 0.0, 0.0, 0.0]), Some(1.0));
        assert_eq!(neff(&[1.0; 4]), Some(4.0));
        assert_eq!(neff(&[0.0; 4]), None);
        assert_eq!(top1(&[3.0, 1.0]), Some(0.75));
        assert_eq!(gini(&[0.0, 0.0, 0.0, 4.0]), Some(0.75));
        assert_eq!(gini(&[1.0; 4]), Some(0.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        // Rulebook 0.2: n = 32, F = 8 -> 6.6; F = 128 -> 25.8.
        assert!((fair_neff(32.0, 8.0) - 6.6).abs() < 0.05);
        assert!((fair_neff(32.0, 128.0) - 25.8).abs() < 0.05);
    }
}
