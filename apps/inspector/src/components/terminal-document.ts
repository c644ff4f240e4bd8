// Opens xterm under a policy without inline styles. It writes `<style>` elements and `style` attributes, which the policy
// blocks; here they become constructed style sheets and CSSOM, which it allows.

import type { Terminal } from "@xterm/xterm";

type CreateElement = (name: string) => HTMLElement;

/** The private part of xterm that makes the cells. It takes the global document, whatever `documentOverride` says. */
interface Internals {
  readonly _core: {
    readonly _renderService: {
      readonly _renderer: { readonly value: { readonly _rowFactory: { _document: unknown } } };
    };
  };
}

export function openTerminal(screen: Terminal, parent: HTMLElement): void {
  const real = parent.ownerDocument;
  const create: CreateElement = real.createElement.bind(real);
  // All its style elements are made while it opens.
  real.createElement = (name: string) => (name === "style" ? sheetElement(real, create) : create(name));
  try {
    screen.open(parent);
  } finally {
    Reflect.deleteProperty(real, "createElement");
  }
  const { _rowFactory } = (screen as unknown as Internals)._core._renderService._renderer.value;
  _rowFactory._document = { createElement: (name: string) => styled(create(name)) };
}

/** Makes an element set its `style` attribute through CSSOM. */
function styled(element: HTMLElement): HTMLElement {
  element.setAttribute = (name, value) => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}

/** A stand-in for a `<style>` element: its text is the content of a constructed style sheet. */
function sheetElement(real: Document, create: CreateElement): HTMLElement {
  const element = create("span");
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  real.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, "textContent", {
    set: (text: string) => sheet.replaceSync(text),
  });
  element.remove = () => {
    real.adoptedStyleSheets = real.adoptedStyleSheets.filter((other) => other !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
