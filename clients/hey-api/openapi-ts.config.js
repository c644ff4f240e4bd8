// Run `openapi-ts` in this folder.

export default {
  input: "../../openapi/openapi.json",
  output: { path: "dist/generated", importFileExtension: ".js" },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
};
