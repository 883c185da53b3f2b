//! Thresholds that a site sets for itself, in one YAML file:
//!
//!     rss-collapse:
//!       soft_floor: 60%
//!     cfs-throttling:
//!       ratio_floor: 1%
//!
//! Names and units are those that the rule declares under `tunables:`; anything else is a mistake, not ignored.

use std::sync::Arc;

use super::catalogue::Catalogue;
use super::problem::{Page, Problem};
use super::suggest;
use super::yaml::{self, Data, Node};
use crate::units::literal;

impl Catalogue {
    /// Sets tunables from the text of a file; `path` is for messages. Nothing is set when anything is wrong.
    pub fn with_tunables(mut self, path: &str, text: &str) -> Result<Catalogue, Vec<Problem>> {
        let page = Arc::new(Page { path: path.to_owned(), text: text.to_owned() });
        let problem = |node: &Node, title: String| Problem::new(&page, node.start..node.end, title);
        let tree = yaml::parse(text)
            .map_err(|broken| vec![Problem::new(&page, broken.at..broken.at, "not YAML").label(broken.message)])?;
        let items = match &tree.data {
            Data::Map(items) => items.as_slice(),
            Data::Null => &[],
            _ => return Err(vec![problem(&tree, "not a mapping of rules".into()).help(SHAPE)]),
        };
        let mut problems = Vec::new();
        for (key, value) in items {
            let Data::Scalar(id) = &key.data else { continue };
            let Some(at) = self.rules().iter().position(|rule| rule.id == *id) else {
                let near = suggest::closest(id, self.ids()).map(|near| format!("did you mean `{near}`?"));
                problems.push(problem(key, format!("unknown rule `{id}`")).label("no such rule").help_if(near));
                continue;
            };
            let Data::Map(values) = &value.data else {
                problems.push(problem(value, "not a mapping of tunables".into()).help(SHAPE));
                continue;
            };
            for (key, value) in values {
                let (Data::Scalar(name), Data::Scalar(text)) = (&key.data, &value.data) else {
                    problems.push(problem(value, "not a quantity".into()).help(SHAPE));
                    continue;
                };
                let rule = &mut self.rules_mut()[at];
                let names: Vec<String> = rule.tunables.iter().map(|tunable| tunable.name.clone()).collect();
                let Some(tunable) = rule.tunables.iter_mut().find(|tunable| tunable.name == *name) else {
                    let help = match suggest::closest(name, names.iter().map(String::as_str)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None if names.is_empty() => format!("`{id}` has no tunables"),
                        None => format!("`{id}` has {}", names.join(", ")),
                    };
                    problems.push(problem(key, format!("unknown tunable `{name}`")).label("of this rule").help(help));
                    continue;
                };
                match literal::parse(text).filter(|quantity| quantity.unit == tunable.default.unit) {
                    Some(quantity) => tunable.value = quantity,
                    None => {
                        let unit = tunable.default.unit.name();
                        let default = crate::units::human::show(tunable.default.value, tunable.default.unit);
                        let title = format!("`{name}` is a {unit}, like its default {default}");
                        problems.push(problem(value, title).label("not such a quantity"));
                    }
                }
            }
        }
        if problems.is_empty() { Ok(self) } else { Err(problems) }
    }
}

const SHAPE: &str = "write `rule-id:` and below it, indented, `name: quantity`";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::problem::tests_support::PAGE;

    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::default();
        catalogue.add("rules/network/sample.md", PAGE.to_owned());
        assert_eq!(catalogue.problems(), []);
        catalogue
    }

    #[test]
    fn sets_what_the_rule_declares_and_nothing_else() {
        let plain = catalogue().sha256();
        let set = catalogue().with_tunables("site.yaml", "sample:\n  soft_floor: 55%\n").unwrap();
        assert!((set.rule("sample").unwrap().tunables[0].value.value - 0.55).abs() < 1e-12);
        assert_ne!(set.sha256(), plain);
        let wrong = "sampel: {}\nsample:\n  soft_flor: 3%\n  soft_floor: 10s\n";
        let problems = catalogue().with_tunables("site.yaml", wrong).unwrap_err();
        let seen: Vec<(usize, Option<&str>)> =
            problems.iter().map(|problem| (problem.place().0, problem.help.as_deref())).collect();
        assert_eq!(seen, [(1, Some("did you mean `sample`?")), (3, Some("did you mean `soft_floor`?")), (4, None)]);
    }
}
