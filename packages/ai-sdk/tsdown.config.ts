import { library } from "../../tsdown.base.ts";

export default library(import.meta.dirname);
