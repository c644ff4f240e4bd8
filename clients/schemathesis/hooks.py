"""Hooks of schemathesis: bodies that it cannot write by itself, and findings that are no defects."""

import schemathesis

schemathesis.serializer.alias("application/x-tar", "application/octet-stream")
schemathesis.serializer.alias("application/x-ndjson", "application/octet-stream")
