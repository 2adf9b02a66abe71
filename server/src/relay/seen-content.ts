import type { OpenStream } from './answer-stream.ts';
import type { Content, Contents, Said } from './contents.ts';
import type { Answer, Conversation, Delta, Json, Part, WireFormat } from './wire/conversation.ts';

/** Of the prompt, and of the answer: as much as somebody reads. */
const longest = 64 * 1024;

/** Pictures, sound and files are named, never kept. */
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

/** A little more than fits is put together at most: a prompt may be twenty megabytes. */
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

/** The last that was said matters most: what does not fit is missing at the beginning. */
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

/** Both see the same; nothing is watched where there is neither. */
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

/** A request that is kept with its answer, however it ends. */
export class SeenContent {
  readonly #asked: ReturnType<typeof promptOf>;
  #text = '';

  constructor(
    readonly contents: Contents,
    readonly of: Asked,
    conversation: Conversation,
  ) {
    this.#asked = promptOf(conversation);
  }

  /** Sees each event of a stream, and begins anew with each candidate. */
  readonly watch = (_upstream: WireFormat): ((deltas: readonly Delta[]) => void) => {
    this.#text = '';
    return (deltas) => {
      for (const delta of deltas) this.#take(delta);
    };
  };

  /** Of what fails before it is answered the question is kept. */
  follow(asked: Promise<unknown>): void {
    asked.catch(() => this.#note(null));
  }

  whole({ parts }: Pick<Answer, 'parts'>): void {
    this.#note(textOfAll(parts, longest));
  }

  /** The same stream, kept as far as it has come. */
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
