import type { Json, Part, ToolCallPart } from '../conversation.ts';
import { parseInput } from '../messages/answer.ts';
import { unmarkGemini } from '../signature.ts';
import { sealThoughts, type Thought } from './sealed-thoughts.ts';

interface WriterOptions {
  /** For a client: calls get ids, and other vendors' signatures are included. */
  answer?: boolean;
  /** Include reasoning. */
  showThoughts?: boolean | undefined;
  /** Placeholder signature for the first call if it has none. */
  unsigned?: string | undefined;
}

/** Renders model output as `parts`, whole or streamed. A signature is put on the part that follows its thought. */
export class PartWriter {
  #signature: string | undefined;
  #foreign: Thought[] = [];
  #thought = '';
  #calls = 0;

  constructor(private readonly options: WriterOptions) {}

  /** Null if it is not model output. */
  write(part: Part): Json[] | null {
    switch (part.type) {
      case 'text':
        return this.text(part.text);
      case 'thinking': {
        const shown = this.think(part.text);
        if (part.signature === undefined) this.#thought = '';
        else this.sign(part.signature);
        return shown;
      }
      case 'redacted_thinking':
        this.redact(part.data);
        return [];
      case 'tool_call':
        return this.call(part);
      case 'raw':
        return part.format === 'gemini' ? [part.value] : [];
      default:
        return null;
    }
  }

  text(text: string): Json[] {
    return text === '' ? [] : [{ text, ...this.#signed(undefined) }];
  }

  think(text: string): Json[] {
    this.#thought += text;
    return this.options.showThoughts && text !== '' ? [{ text, thought: true }] : [];
  }

  /** Ends a thought. */
  sign(signature: string): void {
    const own = unmarkGemini(signature);
    if (own !== undefined) this.#signature = own;
    else if (signature !== '') this.#foreign.push({ text: this.#thought, signature });
    this.#thought = '';
  }

  redact(data: string): void {
    this.#foreign.push({ data });
  }

  call({ id, name, arguments: args, signature }: Omit<ToolCallPart, 'type'>): Json[] {
    const unsigned = this.#calls === 0 ? this.options.unsigned : undefined;
    this.#calls += 1;
    return [
      {
        functionCall: { ...(this.options.answer && { id }), name, args: parseInput(args) },
        ...this.#signed(signature, unsigned),
      },
    ];
  }

  /** A signature with nothing after it gets a part of its own. */
  end(): Json[] {
    const { thoughtSignature } = this.#signed(undefined);
    return thoughtSignature === undefined ? [] : [{ text: '', thoughtSignature }];
  }

  #signed(given: string | undefined, otherwise?: string): { thoughtSignature?: string } {
    const sealed = this.options.answer && this.#foreign.length > 0 ? sealThoughts(this.#foreign) : undefined;
    const thoughtSignature = given ?? this.#signature ?? sealed ?? otherwise;
    this.#signature = undefined;
    this.#foreign = [];
    return thoughtSignature === undefined ? {} : { thoughtSignature };
  }
}
