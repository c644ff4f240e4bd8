//! Harmful commands in random disguises and forms.

use super::disguise::disguised;
use super::{DEEDS, FOREIGN, FORMS, Harm, quoted};
use proptest::prelude::*;
use proptest::sample::select;

/// Stands before a command and leaves it what it is. An operator in quotes there hides the program from those who cut lines.
const PREFIXES: [&str; 10] =
    ["", "", "", "", "", "", "X=';' ", "X=\"|\" ", "X=\\& Y='(' ", "X='a;b' 2>/dev/null "];

/// Harmful commands: deeds in their forms and in forms within forms, and those of other programs.
pub fn harms() -> impl Strategy<Value = Harm> {
    let deeds = (select(DEEDS.to_vec()), select(FORMS.to_vec()), select(vec![None, None, Some(())]))
        .prop_flat_map(|(deed, form, nests)| {
            let words: Vec<_> = deed.command.split(' ').map(disguised).collect();
            let outer = select(FORMS.to_vec());
            let blanks = select(vec![" ", " ", " ", "  ", "\t", " \\\n", "${IFS}", "$IFS"]);
            (words, blanks, outer, select(PREFIXES.to_vec())).prop_map(
                move |(words, blank, outer, prefix)| {
                    let harm = Harm::written(deed, form, &format!("{prefix}{}", words.join(blank)));
                    // Text that is put between single quotes must have none.
                    let is_free = !outer.contains("@plain") && !harm.command.contains("\nE");
                    match nests {
                        Some(()) if is_free => {
                            let text = quoted(&harm.command);
                            let line = outer.replace("@text", &text).replace("@cmd", &harm.command);
                            Harm { command: line, ..harm }
                        }
                        _ => harm,
                    }
                },
            )
        });
    let foreign = (select(FOREIGN.to_vec()), select(FORMS.to_vec())).prop_map(|(command, form)| {
        let is_free = !form.contains("@plain") && !command.contains('\n');
        let form = if is_free { form } else { "@cmd" };
        let line = form.replace("@text", &quoted(command)).replace("@cmd", command);
        Harm { command: line, pattern: None }
    });
    prop_oneof![4 => deeds, 1 => foreign]
}

/// Returns how many commands a property is tried with: `PROPTEST_CASES`, or else the usual number.
pub fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}
