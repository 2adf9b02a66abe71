import type { OpenStream } from './answer-stream.ts';
import type { Content, Contents, Said } from './contents.ts';
import type { Answer, Conversation, Delta, Json, Part, WireFormat } from './wire/conversation.ts';

/** Characters kept of the prompt and of the answer. */
const longest = 64 * 1024;

/** Images, audio and files are named, not stored. */
function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool_call':
      return `${part.name} ${part.arguments}`;
    case 'tool_result':
      return part.content.map(textOf).join('\n');
    case 'image':
    case 'audio':
      return `[${part.type}]`;
    case 'file':
      return part.name ? `[file ${part.name.slice(0, 200)}]` : '[file]';
    default:
      return '';
  }
}

/** Concatenates only slightly more than fits, since a prompt may have twenty megabytes. */
function textOfAll(parts: readonly Part[], most: number): string {
  let text = '';
  for (const part of parts) {
    const next = textOf(part);
    if (next === '') continue;
    text += `${text === '' ? '' : '\n'}${next.slice(0, most + 1)}`;
    if (text.length > most) break;
  }
  return text;
}

/** The end of a prompt matters most, so it is truncated at the beginning. */
function promptOf({ system, turns }: Conversation): { prompt: Said[]; cut: boolean } {
  const prompt: Said[] = [];
  let left = longest;
  const all = [{ role: 'system' as const, parts: system }, ...turns];
  for (const { role, parts } of all.toReversed()) {
    const text = textOfAll(parts, left);
    if (text === '') continue;
    if (text.length > left) return { prompt: [{ role, text: text.slice(0, left) }, ...prompt], cut: true };
    prompt.unshift({ role, text });
    left -= text.length;
  }
  return { prompt, cut: false };
}

type Watch = (upstream: WireFormat) => (deltas: readonly Delta[], event: Json) => void;

/** Combines two observers; undefined if there is neither. */
export function watchedBy(first: Watch | undefined, second: Watch | undefined): Watch | undefined {
  if (!first || !second) return first ?? second;
  return (upstream) => {
    const [one, other] = [first(upstream), second(upstream)];
    return (deltas, event) => {
      one(deltas, event);
      other(deltas, event);
    };
  };
}

type Asked = Pick<Content, 'requestId' | 'userId'>;

/** A request stored together with its answer, however it ends. */
export class ContentRecorder {
  readonly #asked: ReturnType<typeof promptOf>;
  #text = '';

  constructor(
    readonly contents: Contents,
    readonly of: Asked,
    conversation: Conversation,
  ) {
    this.#asked = promptOf(conversation);
  }

  /** Observes the events of a stream; starts over with each candidate. */
  readonly watch = (_upstream: WireFormat): ((deltas: readonly Delta[]) => void) => {
    this.#text = '';
    return (deltas) => {
      for (const delta of deltas) this.#take(delta);
    };
  };

  /** A request that fails before it is answered is stored without an answer. */
  follow(asked: Promise<unknown>): void {
    asked.catch(() => this.#note(null));
  }

  whole({ parts }: Pick<Answer, 'parts'>): void {
    this.#note(textOfAll(parts, longest));
  }

  /** The same stream, stored as far as it is read. */
  following(stream: OpenStream & { model: string }): OpenStream & { model: string } {
    const { candidate, model } = stream;
    return {
      candidate,
      model,
      pump: async (write) => {
        try {
          return await stream.pump(write);
        } finally {
          this.#note(this.#text);
        }
      },
    };
  }

  #take(delta: Delta): void {
    if (this.#text.length > longest) return;
    if (delta.type === 'text') this.#text += delta.text;
    else if (delta.type === 'tool_start') this.#text += `${this.#text === '' ? '' : '\n'}${delta.name} `;
    else if (delta.type === 'tool_args') this.#text += delta.args;
  }

  #note(text: string | null): void {
    const { prompt, cut } = this.#asked;
    const answer = text?.slice(0, longest) ?? null;
    this.contents.note({ ...this.of, prompt, answer, cut: cut || (text?.length ?? 0) > longest });
  }
}
