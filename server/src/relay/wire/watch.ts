import type { Usage } from '../../lib/money.ts';
import type { Answer, Delta, Finish, Json, UpstreamError, WireFormat } from './conversation.ts';
import { hasOutput } from './output.ts';

/** What is known of a finished answer: for billing, the breaker and the quality score. */
export interface AnswerSummary {
  /** Every choice has a finish reason, or the format's end marker was seen: neither truncated nor broken. */
  complete: boolean;
  /** Something was produced, as seen or as counted by the upstream. */
  hasOutput: boolean;
  /** Whether tool arguments, and text where JSON was requested, parse; undefined if there was nothing to check. */
  wellFormed: boolean | undefined;
  toolCalls: number;
  /** Web searches by the vendor, as far as seen. */
  searches: number;
  finish?: Finish;
  usage?: Usage;
  /** False if the stream broke off before the upstream reported usage, or it reports none. */
  usageIsFinal: boolean;
  id?: string;
  /** The upstream's model name. */
  model?: string;
  error?: UpstreamError;
}

/** Characters kept to check that they parse; longer answers count as well-formed, to bound memory. */
const maxCheckedChars = 256 * 1024;

/** Observes the deltas of one answer. */
export class AnswerWatch {
  #ended = false;
  #hasOutput = false;
  #finish: Finish | undefined;
  #choices = 1;
  #finishes = 0;
  #usage: Usage | undefined;
  #id: string | undefined;
  #model: string | undefined;
  #text = '';
  #checked = 0;
  #searches = 0;
  /** Arguments by index; created with the first call, since most answers have none. */
  #calls: Map<number, string> | undefined;
  error: UpstreamError | undefined;

  constructor(private readonly expectsJson: boolean) {}

  get finished(): boolean {
    return this.#finish !== undefined;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get searches(): number {
    return this.#searches;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  observe(delta: Delta): void {
    switch (delta.type) {
      case 'start':
        this.begins(delta.id, delta.model);
        return;
      case 'choice':
        this.#choices += 1;
        return;
      case 'text':
        this.says(delta.text);
        return;
      case 'tool_start':
        this.opensCall(delta.index);
        return;
      case 'tool_args':
        this.addsArgs(delta.index, delta.args);
        return;
      case 'finish':
        this.finishes(delta.finish);
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
      case 'search':
        this.searched();
        return;
      case 'extra':
      case 'citation':
      case 'image':
      case 'thinking':
      case 'redacted_thinking':
      case 'signature':
      case 'detail':
        return;
    }
  }

  begins(id: string | undefined, model: string | undefined): void {
    this.#id ??= id;
    this.#model ??= model;
  }

  says(text: string): void {
    if (this.expectsJson && this.#room(text)) this.#text += text;
  }

  opensCall(index: number): void {
    this.#calls ??= new Map();
    this.#calls.set(index, '');
  }

  addsArgs(index: number, args: string): void {
    this.#calls ??= new Map();
    if (this.#room(args)) this.#calls.set(index, (this.#calls.get(index) ?? '') + args);
  }

  searched(): void {
    this.#searches += 1;
  }

  finishes(finish: Finish, usage = this.#usage): void {
    this.#finish = finish;
    this.#finishes += 1;
    this.#usage = usage;
  }

  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** Some output arrived, of any kind. */
  sawOutput(): void {
    this.#hasOutput = true;
  }

  summary(): AnswerSummary {
    const allFinished = this.finished && this.#finishes >= this.#choices;
    return {
      complete: this.error === undefined && (this.#ended || allFinished),
      hasOutput: this.#hasOutput || (this.finished && (this.#usage?.completionTokens ?? 0) > 0),
      wellFormed: this.#wellFormed(),
      toolCalls: this.#calls?.size ?? 0,
      searches: this.#searches,
      usageIsFinal: this.finished && this.#usage !== undefined,
      finish: this.#finish,
      usage: this.#usage,
      id: this.#id,
      model: this.#model,
      error: this.error,
    };
  }

  #room(text: string): boolean {
    this.#checked += text.length;
    return this.#checked <= maxCheckedChars;
  }

  #wellFormed(): boolean | undefined {
    if (!this.#calls) return this.expectsJson ? this.#checked > maxCheckedChars || parses(this.#text) : undefined;
    if (this.#checked > maxCheckedChars) return true;
    for (const args of this.#calls.values()) if (!parses(args || '{}')) return false;
    return true;
  }
}

/** Whether a text is complete JSON. */
export function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The same for a whole answer; `body` is the upstream's, in its own format. */
export function summarizeAnswer(answer: Answer, wire: WireFormat, body: Json, expectsJson: boolean): AnswerSummary {
  const watch = new AnswerWatch(expectsJson);
  const { id, model, parts, finish, usage } = answer;
  watch.begins(id, model);
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i]!;
    if (part.type === 'text') watch.says(part.text);
    else if (part.type === 'search') watch.searched();
    else if (part.type === 'tool_call') {
      watch.opensCall(i);
      watch.addsArgs(i, part.arguments);
    }
  }
  if (hasOutput(wire, body)) watch.sawOutput();
  watch.finishes(finish, usage);
  return watch.summary();
}
