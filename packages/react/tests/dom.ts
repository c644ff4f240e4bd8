// A document for React. Everything else, such as `fetch`, stays that of Node.js. Import this before anything of React.

import { Window } from "happy-dom";

const window = new Window({ url: "http://localhost/" });
const names = [
  "document",
  "navigator",
  "Node",
  "Element",
  "HTMLElement",
  "HTMLIFrameElement",
  "HTMLInputElement",
  "HTMLTextAreaElement",
  "HTMLFormElement",
  "FormData",
  "SVGElement",
  "MutationObserver",
  "KeyboardEvent",
  "MouseEvent",
  "InputEvent",
  "getComputedStyle",
  "requestAnimationFrame",
  "cancelAnimationFrame",
] as const;
for (const name of names) {
  const value: unknown = window[name];
  const isMethod = typeof value === "function" && /^[a-z]/.test(name);
  Object.defineProperty(globalThis, name, {
    value: isMethod ? value.bind(window) : value,
    configurable: true,
    writable: true,
  });
}
Object.defineProperty(globalThis, "window", { value: window, configurable: true, writable: true });
Object.defineProperty(globalThis, "IS_REACT_ACT_ENVIRONMENT", {
  value: true,
  configurable: true,
  writable: true,
});
