// The features that are driven through the SDK, in about the order of docs/compatibility.md.

import { features as asking } from "./asking.ts";
import { features as content } from "./content.ts";
import { features as direct } from "./direct.ts";
import { features as failures } from "./failures.ts";
import { features as servers } from "./servers.ts";
import { features as sessions } from "./sessions.ts";
import { features as settings } from "./settings.ts";
import type { Feature } from "./stage.ts";
import { features as talking } from "./talking.ts";
import { features as tools } from "./tools.ts";
import { features as turns } from "./turns.ts";
import { features as work } from "./work.ts";

export const features: Feature[] = [
  ...talking,
  ...tools,
  ...work,
  ...asking,
  ...content,
  ...servers,
  ...settings,
  ...turns,
  ...direct,
  ...sessions,
  ...failures,
];
