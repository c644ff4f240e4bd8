#!/bin/sh
# An agent's program after two lines that none writes: one of an unknown type, and one that is not JSON.
echo '{"type":"from_the_future","method":"from/the/future","noise":1}'
echo 'not JSON at all'
exec "$QUIET_PROGRAM" "$@"
