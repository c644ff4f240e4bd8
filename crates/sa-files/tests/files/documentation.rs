//! The page on files states every limit with its default.

use sa_files::FilesLimits;

#[test]
fn every_limit_is_there_with_its_default() {
    let page = include_str!("../../../../docs/files.md");
    let limits = serde_json::to_value(FilesLimits::default()).unwrap();
    let limits = limits.as_object().unwrap();
    for (key, value) in limits {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let default = row.and_then(|row| row.split('|').nth(2)).unwrap_or_else(|| panic!("no row of {key}"));
        let number: String = default.trim().chars().take_while(char::is_ascii_digit).collect();
        assert_eq!(number, value.to_string(), "{key}");
    }
    let (_, table) = page.split_once("## Limits").unwrap();
    assert_eq!(table.lines().filter(|line| line.starts_with("| `")).count(), limits.len(), "a row too many");
}
