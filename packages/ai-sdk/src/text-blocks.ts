// Text and reasoning: pieces that are appended, and whole messages that complete them.

import type { TranscriptPart } from "sandbox-agent/transcript";
import type { Chunk } from "./chunks.ts";

type Kind = "text" | "reasoning";

interface Block {
  readonly id: string;
  readonly kind: Kind;
  text: string;
  isOpen: boolean;
}

export class TextBlocks {
  readonly #emit: (chunk: Chunk) => void;
  readonly #messages = new Map<string, Block[]>();

  constructor(emit: (chunk: Chunk) => void) {
    this.#emit = emit;
  }

  /** Appends a piece of a message. */
  append(messageId: string, kind: Kind, text: string): void {
    const blocks = this.#blocksOf(messageId);
    const last = blocks.at(-1);
    if (last?.kind === kind && last.isOpen) this.#grow(last, text);
    else {
      if (last !== undefined) this.#end(last);
      this.#grow(this.#begin(messageId, kind), text);
    }
  }

  /** Completes a message: emits what its pieces lacked. Text that was sent cannot be taken back. */
  complete(messageId: string, parts: readonly TranscriptPart[]): void {
    const blocks = this.#blocksOf(messageId);
    const texts = parts.filter((part) => part.type === "text" || part.type === "reasoning");
    for (const [index, { type, text }] of texts.entries()) {
      const block = blocks[index] ?? this.#begin(messageId, type);
      if (block.isOpen && text.startsWith(block.text)) this.#grow(block, text.slice(block.text.length));
      this.#end(block);
    }
  }

  endAll(): void {
    for (const blocks of this.#messages.values()) for (const block of blocks) this.#end(block);
  }

  #blocksOf(messageId: string): Block[] {
    const blocks = this.#messages.get(messageId) ?? [];
    this.#messages.set(messageId, blocks);
    return blocks;
  }

  #begin(messageId: string, kind: Kind): Block {
    const blocks = this.#blocksOf(messageId);
    const block = { id: `${messageId}-${blocks.length}`, kind, text: "", isOpen: true };
    blocks.push(block);
    this.#emit({ type: `${kind}-start`, id: block.id });
    return block;
  }

  #grow(block: Block, delta: string): void {
    if (delta === "") return;
    block.text += delta;
    this.#emit({ type: `${block.kind}-delta`, id: block.id, delta });
  }

  #end(block: Block): void {
    if (!block.isOpen) return;
    block.isOpen = false;
    this.#emit({ type: `${block.kind}-end`, id: block.id });
  }
}
