// Waits that end.

/** How long anything may take on a busy machine. */
const DEADLINE_MS = 30_000;

/** Returns the promise's value, or fails with an error that names what was awaited. */
export async function within(what, promise, milliseconds = DEADLINE_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${milliseconds} ms for ${what}`)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks again and again until `look` gives something true, and returns that. */
export async function until(what, look, milliseconds = DEADLINE_MS) {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > deadline) throw new Error(`waited ${milliseconds} ms until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
