//! Commands that only read.
//!
//! A command counts if the line is certain, each program is in the list under its bare name, and each of its options is listed
//! with it. Options are looked up letter by letter and by their full names: what is not listed here may write, or may start
//! another program. Not listed on purpose:
//!
//! * `git`, all of it: the repository's own settings name programs to run (`core.fsmonitor`, `core.pager`, `diff.external`,
//!   `gpg.program`, hooks, remotes of partial clones), and the model chooses the directory.
//! * `printf` and `test`: some shells evaluate their arguments.
//! * `date`, `hostname`, `file`, `less`, `env`, `awk`, `sed`, `xargs`: an option or an argument sets, writes or runs something.

use super::lexer::Line;
use super::names::Names;
use super::word::Word;

/// A program, the letters of its options, their long names, and what its other arguments may be.
struct Reader {
    name: &'static str,
    letters: &'static str,
    names: Names,
    operands: Operands,
}

#[derive(PartialEq, Eq)]
enum Operands {
    /// Anything: files to read, or text.
    Any,
    /// No way, as one of the files would be written to.
    None,
}

const fn reader(name: &'static str, letters: &'static str, names: Names) -> Reader {
    Reader { name, letters, names, operands: Operands::Any }
}

const GREP: Names = Names(
    "after-context before-context binary-files color context count exclude exclude-dir extended-regexp \
     files-with-matches files-without-match fixed-strings ignore-case include invert-match line-number \
     max-count no-filename no-messages null only-matching perl-regexp quiet recursive regexp text \
     with-filename word-regexp",
);

const RIPGREP: Names = Names(
    "after-context before-context case-sensitive color column context count files files-with-matches \
     files-without-match fixed-strings glob heading hidden iglob ignore-case invert-match json line-number \
     max-count max-depth multiline no-filename no-heading no-ignore no-line-number no-messages null \
     only-matching quiet regexp smart-case sort stats trim type type-list type-not with-filename \
     word-regexp",
);

static READERS: [Reader; 36] = [
    reader("basename", "asz", Names("")),
    reader("cat", "AbeEnstTuv", Names("number show-all show-ends show-tabs")),
    reader("cd", "LP", Names("")),
    reader("cksum", "", Names("")),
    reader("cmp", "bls", Names("print-bytes silent quiet verbose")),
    reader("cut", "bcdfsz", Names("bytes characters delimiter fields only-delimited output-delimiter")),
    reader("df", "ahHikPTl", Names("all human-readable inodes total")),
    reader("diff", "abBcdeEiNqrstTuwy", Names("brief color ignore-all-space recursive side-by-side unified")),
    reader("dirname", "z", Names("")),
    reader("du", "abchkmsSxdBL", Names("all apparent-size human-readable max-depth summarize total")),
    reader("echo", "neE", Names("")),
    reader("egrep", "abcEFGHhIiLlnoPqRrsvwxzABCem", GREP),
    reader("fgrep", "abcEFGHhIiLlnoPqRrsvwxzABCem", GREP),
    reader("grep", "abcEFGHhIiLlnoPqRrsvwxzABCem", GREP),
    reader("head", "cnqvz", Names("bytes lines quiet verbose")),
    reader("id", "gGnru", Names("group groups name user")),
    reader(
        "jq",
        "acCejMnrRsS",
        Names("compact-output exit-status null-input raw-input raw-output slurp sort-keys"),
    ),
    reader(
        "ls",
        "aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ",
        Names(
            "all almost-all color directory full-time group-directories-first human-readable recursive \
             reverse size sort time time-style",
        ),
    ),
    reader("md5sum", "bt", Names("")),
    reader("nl", "bdfhilnpsvw", Names("")),
    reader("nproc", "", Names("all")),
    reader("ps", "AaCefFGgHjLlmNnoOpsTtUuVvwxXZ", Names("forest no-headers pid ppid sort")),
    reader("pwd", "LP", Names("")),
    reader("readlink", "efmnqsvz", Names("canonicalize canonicalize-existing canonicalize-missing")),
    reader(
        "realpath",
        "eLmPqsz",
        Names("canonicalize-existing canonicalize-missing relative-base relative-to"),
    ),
    reader("rg", "ABCFHILNSTUceghijlmnorstuvwx", RIPGREP),
    reader("sha256sum", "bt", Names("")),
    reader(
        "sort",
        "bdfghikMnrstuVz",
        Names("field-separator ignore-case key numeric-sort reverse unique version-sort"),
    ),
    reader("stat", "cfLt", Names("dereference file-system format printf terse")),
    reader("tail", "cnqvz", Names("bytes lines quiet verbose")),
    reader("tr", "cCdst", Names("complement delete squeeze-repeats")),
    reader("true", "", Names("")),
    reader("uname", "aimnoprsv", Names("all machine kernel-name kernel-release")),
    Reader { operands: Operands::None, ..reader("uniq", "cdDiuz", Names("count repeated unique")) },
    reader("wc", "clLmw", Names("bytes chars lines max-line-length words")),
    reader("which", "a", Names("all")),
];

/// Tests and actions of `find`, and the options that it takes.
const FIND: Names = Names(
    "-H -L -P -a -amin -and -atime -cmin -ctime -daystart -depth -empty -executable -false -follow -group \
     -iname -inum -ipath -iregex -links -ls -maxdepth -mindepth -mmin -mount -mtime -name -newer -not -o \
     -or -path -perm -print -print0 -prune -quit -readable -regex -size -type -user -xdev",
);

/// Returns whether a command line is certain to do nothing but read.
pub fn only_reads(command: &str) -> bool {
    let line = Line::read(command);
    line.is_certain() && !line.commands().is_empty() && line.commands().iter().all(|words| reads(words))
}

fn reads(words: &[Word]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let Some(name) = program.text() else { return false };
    if name == "find" {
        return arguments.iter().all(|word| is_operand(word) || is_known_to_find(word));
    }
    let Some(reader) = READERS.iter().find(|reader| reader.name == name) else {
        return false;
    };
    let is_fine = |word: &Word| match is_operand(word) {
        true => reader.operands == Operands::Any,
        false => reader.knows(word),
    };
    // The words that echo prints are no options.
    let is_printed = |word: &Word| name == "echo" && word.text().is_some();
    arguments.iter().all(|word| is_fine(word) || is_printed(word))
}

/// Returns whether a word cannot be an option. Names of files that a shell puts in may begin with a dash.
fn is_operand(word: &Word) -> bool {
    let start = word.start();
    match word.text() {
        Some(text) => text == "-" || !text.starts_with('-'),
        None => !start.is_empty() && !start.starts_with('-'),
    }
}

fn is_known_to_find(word: &Word) -> bool {
    // Numbers below something: `-7`, `-10M`.
    let is_number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or_default();
        let digits = digits.strip_suffix(['b', 'c', 'w', 'k', 'M', 'G']).unwrap_or(digits);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    word.text().is_some_and(|text| FIND.contains(text) || is_number(text))
}

impl Reader {
    /// Returns whether all that an option may mean is listed.
    fn knows(&self, option: &Word) -> bool {
        let Some(text) = option.text() else { return false };
        match text.strip_prefix("--") {
            Some("") => true,
            Some(long) => self.names.contains(long.split_once('=').map_or(long, |(name, _)| name)),
            None => text.chars().skip(1).all(|c| self.letters.contains(c) || !c.is_ascii_alphabetic()),
        }
    }
}
