import type { Usage } from '../../lib/money.ts';
import type { Answer, Delta, Finish, UpstreamError } from './conversation.ts';

/** What is known of an answer once it is over: for the bill, the breaker and the quality score (contract §8, §9). */
export interface AnswerSummary {
  /** Ended the way its format ends, with a finish reason: not cut, not broken. */
  complete: boolean;
  /** Said something, called something or thought something. */
  hasOutput: boolean;
  /** Whether tool arguments, and the text where JSON was asked for, parse; undefined when there was nothing to check. */
  wellFormed: boolean | undefined;
  toolCalls: number;
  finish?: Finish;
  usage?: Usage;
  /** False when the stream broke off before the upstream had counted its output, or it counts none. */
  usageIsFinal: boolean;
  id?: string;
  /** As the upstream names it. */
  model?: string;
  error?: UpstreamError;
}

export interface WatchOptions {
  /** A format that ends by closing the connection has no `end` of its own. */
  endsExplicitly: boolean;
  /** JSON was asked for. */
  expectsJson?: boolean;
  /** Gets every piece of output, for counting tokens when the upstream counts none. */
  onOutput?: (text: string) => void;
}

/** Pieces kept to check that they parse; past this an answer counts as well formed, so that memory stays bounded. */
const maxCheckedChars = 256 * 1024;

/** Follows the deltas of one answer. */
export class AnswerWatch {
  #ended = false;
  #hasOutput = false;
  #finish: Finish | undefined;
  #usage: Usage | undefined;
  #id: string | undefined;
  #model: string | undefined;
  #text = '';
  #checked = 0;
  /** Arguments by index; made when the first call comes, which most answers never have. */
  #calls: Map<number, string> | undefined;
  error: UpstreamError | undefined;

  constructor(private readonly options: WatchOptions) {}

  get finished(): boolean {
    return this.#finish !== undefined;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  observe(delta: Delta): void {
    switch (delta.type) {
      case 'start':
        this.#id ??= delta.id;
        this.#model ??= delta.model;
        return;
      case 'text':
        this.#output(delta.text);
        if (this.options.expectsJson && this.#room(delta.text)) this.#text += delta.text;
        return;
      case 'thinking':
        this.#output(delta.text);
        return;
      case 'redacted_thinking':
        this.#hasOutput = true;
        return;
      case 'tool_start':
        this.#output(delta.name);
        this.#callsByIndex().set(delta.index, '');
        return;
      case 'tool_args':
        this.#output(delta.args);
        if (this.#room(delta.args)) this.#addArgs(delta.index, delta.args);
        return;
      case 'finish':
        this.#finish = delta.finish;
        return;
      case 'usage':
        this.#usage = delta.usage;
        return;
      case 'error':
        this.error ??= delta.error;
        return;
      case 'end':
        this.#ended = true;
        return;
      case 'signature':
        return;
    }
  }

  /** A piece of text passed by without being read. */
  sawOutput(): void {
    this.#hasOutput = true;
  }

  summary(): AnswerSummary {
    const complete = this.error === undefined && this.finished && (this.#ended || !this.options.endsExplicitly);
    return {
      complete,
      hasOutput: this.#hasOutput,
      wellFormed: this.#wellFormed(),
      toolCalls: this.#calls?.size ?? 0,
      usageIsFinal: this.finished && this.#usage !== undefined,
      finish: this.#finish,
      usage: this.#usage,
      id: this.#id,
      model: this.#model,
      error: this.error,
    };
  }

  #output(text: string): void {
    if (text === '') return;
    this.#hasOutput = true;
    this.options.onOutput?.(text);
  }

  #callsByIndex(): Map<number, string> {
    this.#calls ??= new Map();
    return this.#calls;
  }

  #addArgs(index: number, args: string): void {
    const calls = this.#callsByIndex();
    calls.set(index, (calls.get(index) ?? '') + args);
  }

  #room(text: string): boolean {
    this.#checked += text.length;
    return this.#checked <= maxCheckedChars;
  }

  #wellFormed(): boolean | undefined {
    if (!this.#calls)
      return this.options.expectsJson ? this.#checked > maxCheckedChars || parses(this.#text) : undefined;
    if (this.#checked > maxCheckedChars) return true;
    for (const args of this.#calls.values()) if (!parses(args || '{}')) return false;
    return true;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The same, for an answer that came whole. */
export function summarizeAnswer(
  answer: Answer,
  expectsJson: boolean,
  onOutput?: (text: string) => void,
): AnswerSummary {
  const watch = new AnswerWatch({ endsExplicitly: false, expectsJson, ...(onOutput && { onOutput }) });
  watch.observe({ type: 'start', id: answer.id, model: answer.model });
  answer.parts.forEach((part, index) => {
    if (part.type === 'text' || part.type === 'thinking') watch.observe({ type: part.type, text: part.text });
    else if (part.type === 'redacted_thinking') watch.observe(part);
    else if (part.type === 'image' || part.type === 'raw') watch.observe({ type: 'redacted_thinking', data: '' });
    else if (part.type === 'tool_call') {
      watch.observe({ type: 'tool_start', index, id: part.id, name: part.name });
      watch.observe({ type: 'tool_args', index, args: part.arguments });
    }
  });
  if (answer.usage) watch.observe({ type: 'usage', usage: answer.usage });
  watch.observe({ type: 'finish', finish: answer.finish });
  return watch.summary();
}
