//! Members of a tool's input, by their names: which of them say what a call is about.

/// The meaning of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Command,
    Path,
    /// Next to a command it says where that runs, otherwise what the call is about.
    Directory,
    Address,
    /// Text that is looked for. Next to a path it does not say where.
    Pattern,
    Changes,
    /// Text that is written or explained. It may look like anything and leads nowhere.
    Content,
}

/// Names that tools have in common, and what they mean.
const KNOWN: [(Member, &str); 7] = [
    (Member::Command, "command cmd"),
    (Member::Address, "url urls uri"),
    (Member::Pattern, "pattern query glob include exclude filePattern"),
    (Member::Changes, "changes"),
    (
        Member::Path,
        "path paths file files file_path filePath filepath abs_path absolute_path notebook_path \
         target_file target_path source source_path destination destination_path old_path oldPath new_path \
         newPath move_path movePath from_path to_path",
    ),
    (Member::Directory, "directory dir_path dir cwd workdir working_directory workingDirectory working_dir"),
    (
        Member::Content,
        "content contents text file_text new_string old_string newString oldString new_str old_str newText \
         oldText new_text old_text new_source insert_text insert_line patch patchText diff description \
         explanation reason justification instruction instructions prompt message title body thought \
         summary",
    ),
];

/// Words that end the names of members which hold a place.
const PLACES: &str = "path paths file files filename dir directory folder dest destination dst target out \
    output to from src source location host hostname url uri address link href endpoint server proxy root";

/// Returns the meaning of a name that tools have in common.
pub(super) fn known(name: &str) -> Option<Member> {
    let has = |names: &str| names.split(' ').any(|known| known == name);
    KNOWN.iter().find(|(_, names)| has(names)).map(|(member, _)| *member)
}

/// Returns whether a member may hold a place, by its name or by how its text looks.
pub(super) fn may_be_place(name: &str, text: &str) -> bool {
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or_default();
    let hump = last.rfind(|c: char| c.is_ascii_uppercase()).and_then(|at| last.get(at..)).unwrap_or(last);
    let (last, hump) = (last.to_ascii_lowercase(), hump.to_ascii_lowercase());
    let is_place = |word: &str| last == word || hump == word || (word.len() > 3 && last.ends_with(word));
    PLACES.split(' ').any(is_place) || text.contains(['/', '\\']) || text.starts_with(['~', '.'])
}
