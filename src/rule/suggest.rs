//! Did you mean: the nearest of the names that exist.

/// The candidate nearest to `wrong`, when it is near enough to be meant.
pub fn closest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wrong.chars().count() / 3).max(1) + usize::from(wrong.len() > 4);
    candidates
        .into_iter()
        .map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= limit && *distance < name.chars().count())
        .min_by_key(|(distance, name)| (*distance, *name))
        .map(|(_, name)| name)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_near_and_leaves_the_far() {
        let names = ["cpu.soft", "cpu.steal", "nic.rx_neff"];
        assert_eq!(closest("cpu.sofft", names), Some("cpu.soft"));
        assert_eq!(closest("nic.rx_nef", names), Some("nic.rx_neff"));
        assert_eq!(closest("disk.await", names), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
