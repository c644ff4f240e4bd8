// `sandbox-agent/transcript`: from the events of a session to what a client shows of it.

export { ItemList } from "./item-list.ts";
export type * from "./model.ts";
export {
  applySession,
  type FirstPageOptions,
  fromTranscriptPage,
  type PageOptions,
  prependTranscriptPage,
} from "./pages.ts";
export { foldParts } from "./parts.ts";
export { applyEvent, applyEvents, applyGap, emptyTranscript } from "./reduce.ts";
export { childrenOf, diffsOf, isNested, messageOf, outputOf, textOf } from "./select.ts";
