// The tour of the demo agent: its prompt is a script, so the reader sees what each line does.

export const DEMO_SCRIPT = [
  "think The reader wants to see what an agent does. First a plan, then a search, an edit and a test run.",
  "plan every 700",
  'tool search Search "notes" in src',
  "read README.md",
  "say I found the place. I will **edit one file** and then run the tests.",
  "edit notes.txt",
  "run echo 'FAIL  notes.test.ts'; echo 'expected 2 lines, got 3'; exit 1",
  "say One test fails: the count in the test is old. Running it again with the right one.",
  "run echo 'PASS  notes.test.ts'",
  "question single",
  "say That is all. Look at *Changes* and *Events* on the right, or write a message below.",
].join("\n");
