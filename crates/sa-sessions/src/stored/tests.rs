//! Stored forms against `records-1.ndjson`: records as the first release wrote them.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::record::Record;
use serde_json::json;

#[test]
fn records_of_the_first_release_are_written_as_they_were() {
    for line in include_str!("records-1.ndjson").lines() {
        let mut before: Value = serde_json::from_str(line).unwrap();
        let record = Record::from_bytes(line.as_bytes()).unwrap();
        let after: Value = serde_json::from_slice(&record.to_bytes()).unwrap();
        before["version"] = json!(1);
        for moved in ["permissionMode", "validateToken", "cwd"] {
            before["request"].as_object_mut().unwrap().remove(moved);
        }
        if let Some(error) = before.get_mut("error") {
            error.as_object_mut().unwrap().remove("type");
        }
        assert_eq!(after, before);
    }
}

#[test]
fn members_that_few_records_have_keep_their_form() {
    let rules: Vec<AllowRule> =
        from_bytes(br#"[{"tool": "execute", "input": "git *"}, {"tool": "*"}]"#).unwrap();
    assert_eq!(to_bytes(&rules), r#"[{"tool":"execute","input":"git *"},{"tool":"*"}]"#);
    let status: WebhookStatus = from_bytes(
        br#"{"url": "u", "state": "failing", "deliveredEventId": 3, "failures": 2, "lastError": "e",
             "nextAttemptAt": "2026-01-02T03:04:05.678Z"}"#,
    )
    .unwrap();
    assert_eq!((status.state, status.failures), (WebhookState::Failing, 2));
    let again: WebhookStatus = from_bytes(&to_bytes(&status)).unwrap();
    assert_eq!(again, status);
    for error in [r#"{"timeout":{"message":"m"}}"#, r#"{"protocol":{"message":"m","details":{"code":7}}}"#] {
        let read: AgentError = from_bytes(error.as_bytes()).unwrap();
        assert_eq!(to_bytes(&read), error);
    }
}

#[test]
fn records_of_a_newer_form_are_refused() {
    let line = include_str!("records-1.ndjson").lines().next().unwrap();
    let newer = line.replacen('{', r#"{"version":2,"#, 1);
    let refused = Record::from_bytes(newer.as_bytes()).unwrap_err().to_string();
    assert!(refused.contains("version 2 is newer than 1"), "{refused}");
}
