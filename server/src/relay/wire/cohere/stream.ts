import { errorShapes } from '../../../lib/error-shapes.ts';
import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseEvent } from '../../../lib/sse.ts';
import { type CallDelta, CallSequence } from '../call-sequence.ts';
import { chatDone, type StreamRenderer } from '../chat/stream.ts';
import { type Citation, mostLetters } from '../citations.ts';
import type { Delta, Json } from '../conversation.ts';
import { reasonOf, renderCohereUsage } from './answer.ts';
import { writeCitation } from './citations.ts';

const event = (type: string, members: Json = {}): string => sseEvent(type, JSON.stringify({ type, ...members }));

const argsOf = ({ index, args }: Extract<CallDelta, { type: 'tool_args' }>): string =>
  event('tool-call-delta', { index, delta: { message: { tool_calls: { function: { arguments: args } } } } });

type Kind = 'text' | 'thinking';

/** Renders deltas as Cohere's events: blocks and calls in sequence, as clients keep one of each open. */
export class CohereStream implements StreamRenderer {
  #started = false;
  /** The open block, and how many there were. */
  #open: Kind | undefined;
  #blocks = 0;
  readonly #calls = new CallSequence();
  #openCall: number | undefined;
  #said = '';
  #cited = 0;
  #finish = 'COMPLETE';
  #usage: Usage | undefined;
  #extra: Json = {};

  constructor(private readonly options: { id: string }) {}

  push(delta: Delta): string {
    switch (delta.type) {
      case 'start':
        return delta.sure ? this.#start() : '';
      case 'text':
        if (this.#said.length < mostLetters) this.#said += delta.text;
        return this.#say('text', delta.text);
      case 'citation':
        return this.#cite(delta);
      case 'thinking':
        return this.#say('thinking', delta.text);
      case 'tool_start':
        return this.#writeCalls(this.#calls.start(delta));
      case 'tool_args':
        return this.#writeCalls(this.#calls.args(delta));
      case 'finish':
        this.#finish = reasonOf(delta.finish, delta.stopSequence);
        this.#extra = { ...this.#extra, ...delta.extra };
        return '';
      case 'extra':
        this.#extra = { ...this.#extra, ...delta.extra };
        return '';
      case 'usage':
        this.#usage = delta.usage;
        return '';
      case 'end':
        return this.#start() + this.#close() + this.#flushCalls() + this.#end() + chatDone;
      default:
        return '';
    }
  }

  withUsage(last: string, usage: Usage): string {
    const uncounted = this.#end();
    this.#usage = usage;
    return last.replace(uncounted, () => this.#end());
  }

  /** The last event carries the error, as a body would. */
  fail(error: AppError): string {
    const { message } = errorShapes.cohere(error);
    const delta = { finish_reason: 'ERROR', error: message };
    return this.#start() + event('message-end', { id: this.options.id, delta }) + chatDone;
  }

  #start(): string {
    if (this.#started) return '';
    this.#started = true;
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
    return event('message-start', { id: this.options.id, delta: { message } });
  }

  #say(kind: Kind, text: string): string {
    if (text === '') return '';
    let out = this.#start();
    if (this.#open !== kind) {
      out += this.#close() + this.#flushCalls();
      this.#open = kind;
      out += event('content-start', {
        index: this.#blocks,
        delta: { message: { content: { type: kind, [kind]: '' } } },
      });
    }
    return out + event('content-delta', { index: this.#blocks, delta: { message: { content: { [kind]: text } } } });
  }

  #cite(cited: Citation): string {
    const index = this.#cited++;
    const citations = writeCitation(cited, this.#said);
    return (
      this.#start() +
      event('citation-start', { index, delta: { message: { citations } } }) +
      event('citation-end', { index })
    );
  }

  #close(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    this.#blocks += 1;
    return event('content-end', { index: this.#blocks - 1 });
  }

  #writeCalls(calls: CallDelta[]): string {
    return calls.map((delta) => (delta.type === 'tool_start' ? this.#openTool(delta) : argsOf(delta))).join('');
  }

  #openTool({ index, id, name }: Extract<CallDelta, { type: 'tool_start' }>): string {
    const before = this.#start() + this.#close() + this.#closeCall();
    this.#openCall = index;
    const tool_calls = { id, type: 'function', function: { name, arguments: '' } };
    return before + event('tool-call-start', { index, delta: { message: { tool_calls } } });
  }

  #closeCall(): string {
    const index = this.#openCall;
    this.#openCall = undefined;
    return index === undefined ? '' : event('tool-call-end', { index });
  }

  #flushCalls(): string {
    return this.#writeCalls(this.#calls.flush()) + this.#closeCall();
  }

  #end(): string {
    const usage = this.#usage && { usage: renderCohereUsage(this.#usage) };
    const delta = { finish_reason: this.#finish, ...usage };
    return event('message-end', { id: this.options.id, delta, ...this.#extra });
  }
}
