// Every row of docs/compatibility.md is driven, or has a reason why not.

import { expect, test } from "vitest";
import { features } from "./features.ts";
import { rows } from "./matrix.ts";
import { undriven } from "./undriven.ts";

test("every row of the matrix is driven once, or listed with a reason", () => {
  const covered = [...features.map(({ title }) => title), ...Object.keys(undriven)];
  expect(covered.toSorted()).toEqual(rows().toSorted());
});
