//! Questions of agents, and answers to them.

use crate::schema::check;
use sa_acp::{Question as Asked, form_answers, question_form};
use sa_api::sessions::{QuestionKind, QuestionRequest};
use sa_universal::{BadAnswers, Form, question};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

fn asked(params: &Value) -> (QuestionRequest, Form) {
    check("CreateElicitationRequest", params);
    let (request, form) = question(&to_raw_value(params).unwrap(), "q", Some("t")).unwrap();
    // It is stored before it is answered.
    (request, serde_json::from_str(&serde_json::to_string(&form).unwrap()).unwrap())
}

fn form(message: &str, properties: Value, required: Value) -> (QuestionRequest, Form) {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    asked(&json!({ "mode": "form", "sessionId": "s", "message": message, "requestedSchema": schema }))
}

fn words(answers: &[&[&str]]) -> Vec<Vec<String>> {
    answers.iter().map(|answer| answer.iter().map(|word| (*word).to_owned()).collect()).collect()
}

/// The values that are filled in, after the answer was held against the schema.
fn filled(form: &Form, answers: &[&[&str]]) -> Result<Value, BadAnswers> {
    let answer = form.answer(&words(answers))?;
    check("CreateElicitationResponse", &answer);
    assert_eq!(answer["action"], "accept");
    Ok(answer["content"].clone())
}

fn ours(text: &str, several: bool, free: bool, options: &[&str]) -> Asked {
    let options = options.iter().map(|label| ((*label).to_owned(), format!("about {label}"))).collect();
    Asked { text: text.to_owned(), header: "Head".to_owned(), several, free, options }
}

#[test]
fn questions_of_our_adapters_come_back_as_they_were_answered() {
    let questions: Vec<_> = (1..=11)
        .map(|number| ours(&format!("Which {number}?"), number % 2 == 0, number % 3 != 0, &["red", "green"]))
        .chain([ours("What name?", false, true, &[])])
        .collect();
    let (message, schema) = question_form(&questions);
    let schema = serde_json::to_value(schema).unwrap();
    let params = json!({ "mode": "form", "sessionId": "s", "toolCallId": "c", "message": message, "requestedSchema": schema });
    let (request, form) = asked(&params);
    assert_eq!(request.tool_call_id.as_deref(), Some("c"));
    assert_eq!(request.message.as_deref(), Some("Please answer the following questions."));
    for (question, asked) in request.questions.iter().zip(&questions) {
        assert_eq!((&question.question, question.header.as_deref()), (&asked.text, Some("Head")));
        assert_eq!(question.multi_select, asked.several);
        assert_eq!(question.custom, asked.free && !asked.options.is_empty());
        let options =
            question.options.iter().map(|option| (option.label.clone(), option.description.clone().unwrap()));
        assert_eq!(options.collect::<Vec<_>>(), asked.options);
    }
    let answers: Vec<Vec<String>> = questions
        .iter()
        .enumerate()
        .map(|(index, question)| match (question.several, question.free) {
            _ if question.options.is_empty() => vec!["Bob".to_owned()],
            (true, true) => vec!["red".to_owned(), "my own".to_owned()],
            (true, false) => vec!["red".to_owned(), "green".to_owned()],
            (false, true) => vec!["my own".to_owned()],
            (false, false) => {
                if index % 2 == 0 {
                    vec!["green".to_owned()]
                } else {
                    Vec::new()
                }
            }
        })
        .collect();
    let answer = form.answer(&answers).unwrap();
    check("CreateElicitationResponse", &answer);
    let content = serde_json::from_value(answer["content"].clone()).unwrap();
    assert_eq!(form_answers(questions.len(), &content), answers);
}

#[test]
fn one_question_of_our_adapters_is_headed_by_its_text() {
    let (message, schema) = question_form(&[ours("Which?", false, true, &["red"])]);
    let schema = serde_json::to_value(schema).unwrap();
    let (request, form) =
        asked(&json!({ "mode": "form", "sessionId": "s", "message": message, "requestedSchema": schema }));
    assert_eq!((request.message, request.questions.len()), (None, 1));
    assert_eq!(request.questions[0].question, "Which?");
    assert_eq!(filled(&form, &[&["blue"]]), Ok(json!({ "question_1_custom": "blue" })));
    assert_eq!(filled(&form, &[&["red"]]), Ok(json!({ "question_1": "red" })));
    assert_eq!(filled(&form, &[&["red", "blue"]]), Err(BadAnswers::Several(1)));
    assert_eq!(filled(&form, &[&[]]), Ok(json!({})));
}

#[test]
fn every_kind_of_input_is_a_question() {
    let properties = json!({
        "age": { "type": "integer", "title": "Age" },
        "more": { "type": "array", "items": { "type": "string", "enum": ["1", "2"] } },
        "ratio": { "type": "number" },
        "size": { "type": "string", "enum": ["s", "m"] },
        "sure": { "type": "boolean" },
        "tags": { "type": "array", "items": { "anyOf": [{ "const": "x", "title": "X" }, { "const": "y", "title": "Y" }] } },
        "tone": { "type": "string", "oneOf": [{ "const": "f", "title": "Formal", "description": "Sir" }, { "const": "i", "title": "Informal" }] },
        "zeta": { "type": "string", "title": "Name", "description": "Your name?" },
    });
    let (request, form) = form("About you", properties, json!(["age"]));
    assert_eq!(request.message.as_deref(), Some("About you"));
    let kinds: Vec<_> =
        request.questions.iter().map(|question| (question.question.as_str(), question.kind)).collect();
    use QuestionKind::{Boolean, Choice, Integer, Number, Text};
    assert_eq!(
        kinds,
        [
            ("Age", Integer),
            ("more", Choice),
            ("ratio", Number),
            ("size", Choice),
            ("sure", Boolean),
            ("tags", Choice),
            ("tone", Choice),
            ("Your name?", Text)
        ]
    );
    let required: Vec<_> = request.questions.iter().map(|question| question.required).collect();
    assert_eq!(required.iter().position(|required| *required), Some(0));
    let answers: &[&[&str]] =
        &[&["42"], &["1", "2"], &["0.5"], &["m"], &["yes"], &["Y"], &["Informal"], &["Ann"]];
    let content = json!({ "age": 42, "more": ["1", "2"], "ratio": 0.5, "size": "m", "sure": true, "tags": ["y"], "tone": "i", "zeta": "Ann" });
    assert_eq!(filled(&form, answers), Ok(content));
}

#[test]
fn inputs_keep_the_order_in_which_they_are_written() {
    let text = r#"{"mode":"form","message":"m","requestedSchema":{"properties":{"z":{"type":"string"},"a":{"type":"string"},"m":{"type":"string"}}}}"#;
    let raw = serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    let (request, form) = question(&raw, "q", None).unwrap();
    let asked: Vec<_> = request.questions.iter().map(|question| question.question.as_str()).collect();
    assert_eq!(asked, ["z", "a", "m"]);
    assert_eq!(filled(&form, &[&["1"], &["2"], &[]]), Ok(json!({ "z": "1", "a": "2" })));
}

#[test]
fn answers_that_do_not_fit_are_refused_precisely() {
    let properties = json!({ "a": { "type": "integer" }, "b": { "type": "string", "enum": ["x"] } });
    let (_, form) = form("m", properties, json!(["a"]));
    let said = |answers: &[&[&str]]| filled(&form, answers).unwrap_err().to_string();
    assert_eq!(said(&[&["1"]]), "expected 2 answers, got 1");
    assert_eq!(said(&[&[], &["x"]]), "question 1 has to be answered");
    assert_eq!(said(&[&["one"], &[]]), "'one' is not a whole number, which question 1 asks for");
    assert_eq!(said(&[&["1", "2"], &[]]), "question 1 takes one answer");
    assert_eq!(said(&[&["1"], &["y"]]), "'y' is no option of question 2");
}

#[test]
fn labels_that_are_the_same_are_told_apart() {
    let options = json!([{ "const": "1", "title": "Same" }, { "const": "2", "title": "Same" }]);
    let (request, form) = form("m", json!({ "a": { "type": "string", "oneOf": options } }), json!([]));
    let labels: Vec<_> = request.questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["Same", "Same (2)"]);
    assert_eq!(filled(&form, &[&["Same (2)"]]), Ok(json!({ "a": "2" })));
}

#[test]
fn an_address_is_a_question_that_is_answered_elsewhere() {
    let params = json!({ "mode": "url", "sessionId": "s", "elicitationId": "e", "url": "https://example.org/login", "message": "Log in" });
    let (request, form) = asked(&params);
    let question = &request.questions[0];
    assert_eq!(
        (question.kind, question.url.as_deref()),
        (QuestionKind::Url, Some("https://example.org/login"))
    );
    assert_eq!(filled(&form, &[&[]]), Ok(Value::Null));
}

#[test]
fn a_form_without_inputs_is_yes_or_no() {
    let (request, form) = form("Go on?", json!({}), json!([]));
    assert_eq!(
        (request.questions[0].question.as_str(), request.questions[0].kind),
        ("Go on?", QuestionKind::Boolean)
    );
    assert!(request.questions[0].required);
    for yes in ["true", "yes", " Yes "] {
        assert_eq!(filled(&form, &[&[yes]]), Ok(json!({})), "{yes}");
    }
    for no in ["no", "false", "NO"] {
        assert_eq!(form.answer(&words(&[&[no]])).unwrap(), form.decline(), "{no}");
    }
}

#[test]
fn what_is_neither_yes_nor_no_is_no_consent() {
    let (_, form) = form("Go on?", json!({}), json!([]));
    for other in ["n", "y", "cancel", "nope", "0"] {
        let error = form.answer(&words(&[&[other]])).unwrap_err();
        assert_eq!(error.to_string(), format!("'{other}' is not yes or no, which question 1 asks for"));
    }
    for nothing in [&[] as &[&str], &[" "]] {
        assert_eq!(form.answer(&words(&[nothing])), Err(BadAnswers::Missing(1)));
    }
    assert_eq!(form.answer(&words(&[&["yes", "no"]])), Err(BadAnswers::Several(1)));
    assert_eq!(form.answer(&[]), Err(BadAnswers::Count { asked: 1, given: 0 }));
}

#[test]
fn declining_and_cancelling_are_answers() {
    let (_, form) = form("m", json!({ "a": { "type": "string" } }), json!([]));
    for answer in [form.decline(), form.cancel()] {
        check("CreateElicitationResponse", &answer);
    }
    assert_eq!((&form.decline()["action"], &form.cancel()["action"]), (&json!("decline"), &json!("cancel")));
}

/// Schemas of inputs, each with answers that do not keep a bound of it and answers that do.
fn bounded() -> [(Value, [&'static str; 3], [&'static str; 3]); 8] {
    [
        (
            json!({ "type": "integer", "minimum": 1, "maximum": 99, "default": 7 }),
            ["0", "100", "-5"],
            ["1", "99", " 50 "],
        ),
        (
            json!({ "type": "number", "minimum": 0.5, "maximum": 1.5 }),
            ["0.4", "1.6", "1e9"],
            ["0.5", "1", "1.5"],
        ),
        (
            json!({ "type": "string", "minLength": 2, "maxLength": 3 }),
            ["a", "abcd", "ä"],
            ["ab", "abc", "äöü"],
        ),
        (json!({ "type": "string", "pattern": "^v[0-9]+$" }), ["v", "1", "v1x"], ["v1", "v22", "v333"]),
        (
            json!({ "type": "string", "format": "email" }),
            ["me", "@b.c", "a @b"],
            ["a@b", "a.b@c.de", "a+b@c"],
        ),
        (
            json!({ "type": "string", "format": "uri" }),
            ["here", "1:x", "a b:c"],
            ["https://a", "mailto:x", "a+b:c"],
        ),
        (
            json!({ "type": "string", "format": "date" }),
            ["2026-02-30", "2026-2-3", "today"],
            ["2026-02-03", "1969-01-01", "2024-02-29"],
        ),
        (
            json!({ "type": "string", "format": "date-time" }),
            ["2026-02-03", "2026-02-03T25:00:00Z", "x"],
            ["2026-02-03T04:05:06Z", "1960-02-03T04:05:06Z", "2026-02-03T04:05:06+02:00"],
        ),
    ]
}

#[test]
fn bounds_reach_the_client_and_answers_are_held_against_them() {
    for (schema, bad, good) in bounded() {
        let (request, form) = form("m", json!({ "a": schema }), json!([]));
        let shown = serde_json::to_value(&request.questions[0]).unwrap();
        for (name, value) in schema.as_object().unwrap() {
            let expected = match name.as_str() {
                "type" => continue,
                "default" => json!([value.to_string()]),
                _ if value.is_number() && !name.ends_with("Length") => json!(value.as_f64()),
                _ => value.clone(),
            };
            assert_eq!(shown[name], expected, "{shown:#}");
        }
        for answer in bad {
            let error = form.answer(&words(&[&[answer]])).unwrap_err();
            let BadAnswers::Bound { question: 1, bound } = &error else { panic!("{answer}: {error}") };
            assert_eq!(bound.value, schema[bound.name], "{answer}: {error}");
            let said = format!("the answer to question 1 does not fit: `{}` is {}", bound.name, bound.value);
            assert_eq!(error.to_string(), said);
        }
        for answer in good {
            filled(&form, &[&[answer]]).unwrap_or_else(|error| panic!("{answer}: {error}"));
        }
        assert_eq!(filled(&form, &[&[]]), Ok(json!({})), "no answer breaks no bound");
    }
}

#[test]
fn the_number_of_choices_is_bounded() {
    let items = json!({ "type": "array", "minItems": 2, "maxItems": 3, "default": ["x", "z"],
        "items": { "anyOf": [{ "const": "x", "title": "X" }, { "const": "y", "title": "Y" },
                             { "const": "z", "title": "Z" }, { "const": "u", "title": "U" }] } });
    let (request, form) = form("m", json!({ "a": items }), json!([]));
    let question = &request.questions[0];
    assert_eq!(
        (question.min_items, question.max_items, &question.default),
        (Some(2), Some(3), &words(&[&["X", "Z"]])[0])
    );
    for (answers, bound) in [(&["X"][..], "minItems"), (&["X", "Y", "Z", "U"][..], "maxItems")] {
        assert!(
            matches!(filled(&form, &[answers]), Err(BadAnswers::Bound { bound: found, .. }) if found.name == bound)
        );
    }
    assert_eq!(filled(&form, &[&["X", "Y"]]), Ok(json!({ "a": ["x", "y"] })));
}

#[test]
fn patterns_that_cannot_be_matched_in_bounded_time_are_left_to_the_agent() {
    let deep = format!("{}a{}", "(".repeat(500), ")".repeat(500));
    let long = "a?".repeat(5_000);
    for pattern in ["(?=x)y", "(a{1000}){1000}{1000}", "(", r"(a)\1", deep.as_str(), long.as_str()] {
        let (request, form) = form("m", json!({ "a": { "type": "string", "pattern": pattern } }), json!([]));
        assert_eq!(request.questions[0].pattern.as_deref(), Some(pattern));
        assert_eq!(filled(&form, &[&["anything"]]), Ok(json!({ "a": "anything" })));
    }
    // Backtracking would take longer than the universe lasts.
    let (_, form) = form("m", json!({ "a": { "type": "string", "pattern": "^(a+)+$" } }), json!([]));
    let hostile = format!("{}b", "a".repeat(100_000));
    assert!(filled(&form, &[&[&hostile]]).is_err());
}

#[test]
fn forms_that_were_stored_without_bounds_have_none() {
    let stored =
        json!({ "type": "fields", "fields": [{ "key": "a", "takes": "integer", "required": true }] });
    let form: Form = serde_json::from_value(stored).unwrap();
    assert_eq!(filled(&form, &[&["500"]]), Ok(json!({ "a": 500 })));
}
