import { declareTests } from "./declare-tests.ts";

declareTests("claude");
