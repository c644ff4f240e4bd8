//! Compares schemas. A request may only be allowed more, an answer may only promise more.

use super::document::{Document, Identity, Schema, component, names, types, values};
use super::{Comparison, Direction};
use serde_json::{Map, Value};

/// Bounds that get tighter as they grow, and bounds that get tighter as they shrink.
const LOWER_BOUNDS: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/// Keywords that decide how a value is written, or which type a generated client gives it.
const FORMS: [&str; 3] = ["format", "contentEncoding", "contentMediaType"];

/// Reports every change from `old` to `new` that breaks a client.
pub(super) fn compare(
    comparison: &mut Comparison,
    place: &str,
    old: &Value,
    new: &Value,
    direction: Direction,
) {
    let mut place = place.to_owned();
    if let (Some(before), Some(after)) = (component(old), component(new)) {
        // A component is reported once, in its own name, wherever it is used.
        if !comparison.seen.insert((before.to_owned(), after.to_owned(), direction)) {
            return;
        }
        place = match direction {
            Direction::Request => format!("schema {after} in requests"),
            Direction::Answer => format!("schema {after} in answers"),
        };
    }
    let (before, was_nullable) = comparison.old.variants(old);
    let (after, is_nullable) = comparison.new.variants(new);
    match direction {
        Direction::Request if was_nullable && !is_nullable && !unrestricted(comparison, &after) => {
            comparison.report(&place, "no longer takes null");
        }
        Direction::Answer if is_nullable && !was_nullable => comparison.report(&place, "may now be null"),
        _ => {}
    }
    union_tag(comparison, &place, old, new);
    if let ([before], [after]) = (&before[..], &after[..]) {
        let before = comparison.old.flatten(before);
        let after = comparison.new.flatten(after);
        return plain(comparison, &place, &before, &after, direction);
    }
    variants(comparison, &place, &before, &after, direction);
}

fn unrestricted(comparison: &Comparison, variants: &[Value]) -> bool {
    let flat = |variant| comparison.new.flatten(variant);
    variants.iter().map(flat).any(|schema| types(&schema).is_empty() && values(&schema).is_none())
}

fn union_tag(comparison: &mut Comparison, place: &str, old: &Value, new: &Value) {
    let (old, new) = (comparison.old.flatten(old), comparison.new.flatten(new));
    let tag = |schema: &Schema| {
        schema
            .get("discriminator")
            .and_then(|by| by.get("propertyName"))
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    if let Some(before) = tag(&old)
        && tag(&new).as_ref() != Some(&before)
    {
        comparison.report(place, format!("the discriminator is no longer `{before}`"));
    }
}

/// Compares the variants of two unions, or of a union and a schema that is none.
fn variants(comparison: &mut Comparison, place: &str, old: &[Value], new: &[Value], direction: Direction) {
    let identify = |document: Document, variants: &[Value]| -> Vec<Identity> {
        variants.iter().map(|variant| document.identity(variant)).collect()
    };
    let (before, after) = (identify(comparison.old, old), identify(comparison.new, new));
    let mut known = vec![false; new.len()];
    for (variant, identity) in old.iter().zip(&before) {
        let same = (0..new.len()).find(|at| {
            !known.get(*at).unwrap_or(&true) && after.get(*at).is_some_and(|it| identity.continues_as(it))
        });
        let Some((at, now)) = same.and_then(|at| Some((at, new.get(at)?))) else {
            comparison.report(place, format!("variant `{identity}` is gone"));
            continue;
        };
        if let Some(known) = known.get_mut(at) {
            *known = true;
        }
        compare(comparison, &format!("{place}, variant `{identity}`"), variant, now, direction);
    }
    // A client of a union ignores variants that it does not know; one of a single shape expects no other.
    if direction == Direction::Answer && old.len() == 1 {
        for identity in after.iter().zip(known).filter(|(_, known)| !known).map(|(identity, _)| identity) {
            comparison.report(place, format!("may now also be `{identity}`"));
        }
    }
}

/// Compares two schemas that are no unions.
fn plain(comparison: &mut Comparison, place: &str, old: &Schema, new: &Schema, direction: Direction) {
    type_sets(comparison, place, old, new, direction);
    listed_values(comparison, place, old, new, direction);
    for key in FORMS {
        if old.get(key) != new.get(key) {
            comparison.report(place, changed(key, old, new));
        }
    }
    if direction == Direction::Request {
        bounds(comparison, place, old, new);
    }
    properties(comparison, place, old, new, direction);
    further_properties(comparison, place, old, new, direction);
    for (key, name) in [("items", "items"), ("propertyNames", "names")] {
        match (old.get(key), new.get(key)) {
            (Some(before), Some(after)) => {
                compare(comparison, &format!("{place}, {name}"), before, after, direction);
            }
            (None, Some(_)) if direction == Direction::Request => {
                comparison.report(place, format!("`{key}` is new"));
            }
            (Some(_), None) if direction == Direction::Answer => {
                comparison.report(place, format!("`{key}` is gone"));
            }
            _ => {}
        }
    }
}

fn type_sets(comparison: &mut Comparison, place: &str, old: &Schema, new: &Schema, direction: Direction) {
    let (mut before, mut after) = (types(old), types(new));
    // `null` was compared already. A list of values has a type even if it names none.
    before.remove("null");
    after.remove("null");
    let listed = |schema: &Schema| values(schema).is_some();
    let (given, taken) = match direction {
        Direction::Request => (&before, &after),
        Direction::Answer => (&after, &before),
    };
    let fits = |one: &String| taken.contains(one) || (one == "integer" && taken.contains("number"));
    let unnamed = given.is_empty() && !taken.is_empty() && !listed(old) && !listed(new);
    if unnamed || (!taken.is_empty() && !given.iter().all(fits)) {
        let shown = |types: &std::collections::BTreeSet<String>| match types.is_empty() {
            true => "any".to_owned(),
            false => types.iter().cloned().collect::<Vec<_>>().join("|"),
        };
        comparison.report(place, format!("type changed from {} to {}", shown(&before), shown(&after)));
    }
}

fn listed_values(comparison: &mut Comparison, place: &str, old: &Schema, new: &Schema, direction: Direction) {
    match (values(old), values(new)) {
        // In requests a client may send what is gone; of answers it may name what is gone, which no longer compiles.
        (Some(before), Some(after)) => {
            for value in before.iter().filter(|value| !after.contains(value) && !value.is_null()) {
                comparison.report(place, format!("the value {value} is gone"));
            }
        }
        (None, Some(after)) if direction == Direction::Request => {
            let after = after.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
            comparison.report(place, format!("now limited to {after}"));
        }
        (Some(_), None) if direction == Direction::Answer => {
            comparison.report(place, "no longer limited to listed values");
        }
        _ => {}
    }
}

/// A request may still hold everything that it could hold before.
fn bounds(comparison: &mut Comparison, place: &str, old: &Schema, new: &Schema) {
    let number = |schema: &Schema, key: &str| schema.get(key).and_then(Value::as_f64);
    for (keys, lower) in [(LOWER_BOUNDS, true), (UPPER_BOUNDS, false)] {
        for key in keys {
            let Some(after) = number(new, key) else { continue };
            // A length or a count is never below 0, so a bound of 0 says nothing.
            let none = if lower && key != "minimum" && key != "exclusiveMinimum" { Some(0.0) } else { None };
            let before = number(old, key).or(none);
            let tighter = before.is_none_or(|before| if lower { after > before } else { after < before });
            if tighter {
                comparison.report(place, changed(key, old, new));
            }
        }
    }
    for key in ["pattern", "multipleOf"] {
        if new.contains_key(key) && old.get(key) != new.get(key) {
            comparison.report(place, changed(key, old, new));
        }
    }
    let unique = |schema: &Schema| schema.get("uniqueItems") == Some(&Value::Bool(true));
    if unique(new) && !unique(old) {
        comparison.report(place, changed("uniqueItems", old, new));
    }
    let default = |schema: &Schema| schema.get("default").filter(|value| !value.is_null()).cloned();
    if default(old).is_some() && default(old) != default(new) {
        comparison.report(place, changed("default", old, new));
    }
}

fn properties(comparison: &mut Comparison, place: &str, old: &Schema, new: &Schema, direction: Direction) {
    let members = |schema: &Schema| -> Map<String, Value> {
        schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let (before, after) = (members(old), members(new));
    let (was_required, is_required) = (names(old.get("required")), names(new.get("required")));
    for (name, property) in &before {
        match after.get(name) {
            Some(now) => compare(comparison, &format!("{place}, member `{name}`"), property, now, direction),
            None => comparison.report(place, format!("member `{name}` is gone")),
        }
    }
    match direction {
        Direction::Request => {
            for name in is_required.difference(&was_required) {
                let new = if before.contains_key(name) { "now required" } else { "new and required" };
                comparison.report(place, format!("member `{name}` is {new}"));
            }
        }
        Direction::Answer => {
            for name in was_required.difference(&is_required).filter(|name| after.contains_key(*name)) {
                comparison.report(place, format!("member `{name}` is no longer always present"));
            }
        }
    }
}

/// Compares what members may be there that are not listed.
fn further_properties(
    comparison: &mut Comparison,
    place: &str,
    old: &Schema,
    new: &Schema,
    direction: Direction,
) {
    let key = "additionalProperties";
    let open = Value::Bool(true);
    let (before, after) = (old.get(key).unwrap_or(&open), new.get(key).unwrap_or(&open));
    match (before, after, direction) {
        (Value::Bool(false), _, _) => {}
        (_, Value::Bool(false), Direction::Request) => {
            comparison.report(place, "no longer takes members that are not listed");
        }
        (_, Value::Bool(false), Direction::Answer) => {}
        // Members that a schema does not mention are not promised, so only stated ones count.
        (Value::Bool(true), Value::Bool(true), _) => {}
        _ => compare(comparison, &format!("{place}, further members"), before, after, direction),
    }
}

fn changed(key: &str, old: &Schema, new: &Schema) -> String {
    let shown = |schema: &Schema| schema.get(key).map_or_else(|| "none".to_owned(), Value::to_string);
    format!("`{key}` changed from {} to {}", shown(old), shown(new))
}
