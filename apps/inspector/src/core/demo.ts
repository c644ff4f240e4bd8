// The tour of the demo agent: its prompt is a script, so the reader sees what each line does.

export const DEMO_SCRIPT = [
  "think The reader wants to see what an agent does. First a plan, then a search, an edit and a test run.",
  "plan every 700",
  'tool search Search "notes" in src',
  "read README.md",
  "say I found the place. I will **edit one file** and then run the tests.",
  "edit notes.txt",
  "fail run_tests",
  "say One test fails: the count in it is old. I will run it again with the right one.",
  "run npm test",
  "question single",
  "say That is all. Look at *Changes* and *Events* on the right, or write a message below.",
].join("\n");
