// Prints the TypeScript types of the HTTP contract. `cargo xtask gen` writes them to src/generated/openapi.gen.ts.

import { readFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(readFileSync(new URL("../../../openapi/openapi.json", import.meta.url), "utf8"));

// Every operation can answer with the same problems. They are errors in the SDK, so their responses need no types.
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) {
    if (operation?.responses === undefined) continue;
    for (const status of Object.keys(operation.responses)) {
      if (Number(status) >= 300) delete operation.responses[status];
    }
  }
}

const types = astToString(await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true }));
process.stdout.write(
  `// Generated from openapi/openapi.json by \`cargo xtask gen\`. Do not edit.\n\n${types}`,
);
