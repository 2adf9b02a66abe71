import type { Answer, Delta, Json, Part, TextPart, ThinkingPart, WireFormat } from '../wire/conversation.ts';
import { deltasOf } from '../wire/responses/answer.ts';
import { hasUncacheableContent } from './uncacheable-content.ts';

/** A cached answer as stream deltas; each part is one delta. */
export const answerDeltas = ({ parts, finish, stopSequence, usage }: Answer): Delta[] => [
  { type: 'start', sure: true },
  ...(usage ? [{ type: 'usage' as const, usage }] : []),
  ...parts.flatMap(deltasOf),
  { type: 'finish', finish, ...(stopSequence !== undefined && { stopSequence }) },
  { type: 'end' },
];

/** Assembles an answer from its stream's deltas. */
export class GatheredAnswer {
  readonly #parts: Part[] = [];
  #finish: Extract<Delta, { type: 'finish' }> | undefined;
  #head: Extract<Delta, { type: 'start' }> | undefined;
  /** Something arrived that cannot be reproduced. */
  #beyond = false;

  constructor(readonly upstream: WireFormat) {}

  /** An upstream event and its deltas. */
  readonly see = (deltas: readonly Delta[], event: Json): void => {
    this.#beyond ||= hasUncacheableContent[this.upstream](event);
    for (const delta of deltas) this.#take(delta);
  };

  /** Null if it broke off, or cannot be reproduced. */
  answer(): Answer | null {
    const finish = this.#finish;
    if (!finish || finish.extra || this.#beyond) return null;
    const { id = '', model = '' } = this.#head ?? {};
    const { stopSequence } = finish;
    return {
      ...{ id, model, finish: finish.finish, parts: this.#parts },
      ...(stopSequence !== undefined && { stopSequence }),
    };
  }

  #take(delta: Delta): void {
    switch (delta.type) {
      case 'start':
        this.#head ??= delta;
        break;
      case 'text':
        this.#text(delta);
        break;
      case 'thinking':
        this.#thinking().text += delta.text;
        break;
      case 'signature':
        this.#thinking().signature = delta.signature;
        break;
      case 'redacted_thinking':
        this.#parts.push({ type: 'redacted_thinking', data: delta.data });
        break;
      case 'finish':
        this.#finish = delta;
        break;
      case 'usage':
      case 'end':
        break;
      default:
        this.#beyond = true;
    }
  }

  #text({ text, refusal, logprobs }: Extract<Delta, { type: 'text' }>): void {
    if (logprobs) this.#beyond = true;
    if (text === '') return;
    const last = this.#parts.at(-1);
    if (last?.type === 'text' && last.refusal === refusal) last.text += text;
    else this.#parts.push({ type: 'text', text, ...(refusal && { refusal }) } satisfies TextPart);
  }

  /** The current thought; a signed one is complete. */
  #thinking(): ThinkingPart {
    const last = this.#parts.at(-1);
    if (last?.type === 'thinking' && last.signature === undefined) return last;
    const next: ThinkingPart = { type: 'thinking', text: '' };
    this.#parts.push(next);
    return next;
  }
}
