//! Streams of server-sent events: the data of every event that an operation may send, as one union.

use std::collections::BTreeMap;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};

/// The data of a stream's events, and the operations that send it.
struct Stream {
    name: &'static str,
    description: &'static str,
    data: &'static [&'static str],
    operations: &'static [&'static str],
}

const STREAMS: &[Stream] = &[
    Stream {
        name: "SessionStreamData",
        description: "Data of a server-sent event: an event of the session, of the event `gap` a Gap, of `failure` a Problem.",
        data: &["UniversalEvent", "Gap", "Problem"],
        operations: &["streamEvents", "postMessageStream"],
    },
    Stream {
        name: "ProcessLogData",
        description: "Data of a server-sent event: of `log` a ProcessLogEntry, of `gap` a ProcessLogGap, of `exit` a ProcessExit.",
        data: &["ProcessLogEntry", "ProcessLogGap", "ProcessExit"],
        operations: &["getProcessLogs", "streamProcessLogs"],
    },
    Stream {
        name: "FsWatchData",
        description: "Data of a server-sent event: of `change` an FsChange, of `ready` an FsWatchReady, of `overflow` an FsOverflow.",
        data: &["FsChange", "FsWatchReady", "FsOverflow"],
        operations: &["watchFs"],
    },
];

/// Adds the unions to the components.
pub(super) fn add_components(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    for stream in STREAMS {
        let any =
            stream.data.iter().fold(AnyOfBuilder::new(), |any, data| any.item(Ref::from_schema_name(*data)));
        schemas.insert(stream.name.to_owned(), any.description(Some(stream.description)).into());
    }
}

/// Describes the stream of an operation by its union.
pub(super) fn describe(operation: &mut Operation) {
    let id = operation.operation_id.as_deref().unwrap_or_default();
    let Some(stream) = STREAMS.iter().find(|stream| stream.operations.contains(&id)) else { return };
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response
            && let Some(RefOr::T(content)) = response.content.get_mut("text/event-stream")
        {
            content.schema = Some(RefOr::Ref(Ref::from_schema_name(stream.name)));
        }
    }
}
