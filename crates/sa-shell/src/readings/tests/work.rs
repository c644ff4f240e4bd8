//! Lines that once took minutes to read, or a stack without end. A test that hangs is ended by the runner.

use super::*;
use crate::{Line, only_reads};
use std::time::{Duration, Instant};

/// Far more than any line takes without optimization on a busy machine, and far less than one that is read again and again.
const LONGEST: Duration = Duration::from_secs(20);

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    let taken = start.elapsed();
    assert!(taken < LONGEST, "{name}: {taken:?}");
    done
}

fn read(name: &str, line: &str) {
    timed(name, || {
        let _ = Line::read(line);
        let _ = only_reads(line);
        let _ = may("rm *", line);
    });
}

#[test]
fn ends_of_lines_behind_backslashes_do_not_nest_without_end() {
    for count in [20_000, 200_000] {
        assert!(may("rm *", &("\\".repeat(count) + &"\n".repeat(count))));
    }
}

#[test]
fn runs_of_one_letter_are_read_once() {
    for letter in [
        "*", "?", "[", "]", "{", "}", "{,", "{..", "[a", "[]", "X[", "(", "$(", "${", "`", "<<E\n", "#",
        " #", "$(#",
    ] {
        let run = letter.repeat(65_000 / letter.len());
        read(letter, &run);
        read(letter, &format!("ls ;{}", run.get(..60_000).unwrap()));
    }
}

#[test]
fn commands_within_commands_do_not_multiply_without_end() {
    let stars = "*".repeat(60_000);
    let braces = "${a".repeat(15_000) + &"}".repeat(15_000);
    for line in [
        format!("eval ';{stars}'"),
        format!("eval eval eval eval ';{stars}'"),
        format!("eval \\\neval eval eval eval ';{stars}'"),
        format!("sudo sudo eval eval eval eval -abc=';{stars}'"),
        format!(";{braces}"),
    ] {
        read(line.get(..30).unwrap(), &line);
    }
}

#[test]
fn many_words_are_not_compared_with_each_other() {
    for line in [
        format!("xargs {}", "-Ia ".repeat(16_000)),
        format!("xargs {}", (0..9_000).map(|mark| format!("-I{mark} ")).collect::<String>()),
        format!("find {}", "{} ".repeat(21_000)),
        format!("git {}", "-a ".repeat(21_000)),
        format!("git {}", "-a b ".repeat(13_000)),
        format!("sudo {}", "a ".repeat(32_000)),
        format!("env {}", "env ".repeat(16_000)),
        format!("sh {}", "-e ".repeat(21_000)),
        format!("env {}", "A= ".repeat(21_000)),
    ] {
        read(line.get(..12).unwrap(), &line);
    }
}

#[test]
fn a_command_of_any_size_is_judged_at_once() {
    let run = "*".repeat(65_000);
    let runs = vec![run.as_str(); 200].join(";");
    read("runs", &runs);
    assert!(may("rm *", &runs));
    for words in [
        vec!["ls".to_owned(), run.repeat(200)],
        vec!["sudo".to_owned(); 400_000],
        vec!["eval".to_owned(), runs],
        vec![String::new(); 2_000_000],
        [vec!["bash".to_owned(), "-c".to_owned()], vec![format!(";{run}"); 300]].concat(),
    ] {
        let readings = timed("words", || Readings::of_words(&words));
        assert!(readings.any("rm *", |_| false));
    }
}
