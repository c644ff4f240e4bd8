//! Prints the JSON Schema of universal events, and of what clients send and get next to them.

use sa_api::sessions::{
    CreateSession, EventPage, ForkSession, PermissionReply, PostMessage, QuestionReply, Session, SessionList,
    SessionPatch, UniversalEvent, WebhookDelivery,
};
use schemars::generate::SchemaSettings;

fn main() -> serde_json::Result<()> {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<CreateSession>();
    generator.subschema_for::<Session>();
    generator.subschema_for::<SessionList>();
    generator.subschema_for::<SessionPatch>();
    generator.subschema_for::<ForkSession>();
    generator.subschema_for::<PostMessage>();
    generator.subschema_for::<QuestionReply>();
    generator.subschema_for::<PermissionReply>();
    generator.subschema_for::<EventPage>();
    generator.subschema_for::<WebhookDelivery>();
    let schema = generator.into_root_schema_for::<UniversalEvent>();
    println!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(())
}
