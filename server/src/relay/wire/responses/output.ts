import { type Citation, lettersIn, responsesAnnotation } from '../citations.ts';
import type { Delta, Echo, ImagePart, Json } from '../conversation.ts';
import type { SearchPart } from '../search.ts';
import { parses } from '../watch.ts';
import {
  callItem,
  isToldWhole,
  itemPlace,
  type OpenCall,
  type OpenItem,
  type OpenMessage,
  type OpenReasoning,
  placeOf,
  searchItem,
  setWhole,
  summaryPlace,
} from './open-items.ts';
import { pack, type Thought } from './thoughts.ts';

/** Receives all events except those of the response as a whole. */
export type Emit = (type: string, members: Json) => void;

type Status = 'completed' | 'incomplete';

/**
 * The output of a growing response: used for whole answers and streams alike, so that they match. Text and reasoning
 * are open one at a time; calls stay open until the end, as their chunks may be interleaved.
 */
export class Output {
  readonly items: Json[] = [];
  #message: OpenMessage | undefined;
  #reasoning: OpenReasoning | undefined;
  readonly #calls = new Map<number, OpenCall>();
  /** Characters so far. */
  #said = 0;
  /** Citations of text that comes after them. */
  #early: Citation[] = [];

  constructor(
    readonly echo: Omit<Echo, 'members'> | undefined,
    readonly emit: Emit,
    readonly newId: (prefix: string) => string,
  ) {}

  push(delta: Delta): void {
    if (delta.type === 'text') this.#text(delta);
    else if (delta.type === 'citation') this.#cite(delta);
    else if (delta.type === 'thinking') this.#thinking(delta.text);
    else if (delta.type === 'signature') this.#signature(delta.signature);
    else if (delta.type === 'redacted_thinking' || delta.type === 'detail') this.#thought(delta);
    else if (delta.type === 'tool_start') this.#call(delta);
    else if (delta.type === 'image') this.#image(delta);
    else if (delta.type === 'search') this.#search(delta);
    else if (delta.type === 'tool_args') this.#args(delta.index, delta.args);
  }

  /** The vendor's encrypted part is carried like reasoning. */
  #search(search: SearchPart): void {
    if (search.pages.some(({ sealed }) => sealed !== undefined)) this.#thought(search);
    this.#closeReasoning('completed');
    this.#closeMessage('completed');
    const item = searchItem(this.newId('ws'), search);
    const open = { item, index: this.#add(item) };
    for (const step of ['in_progress', 'searching', 'completed'])
      this.emit(`response.web_search_call.${step}`, itemPlace(open));
    this.#done(open, 'completed');
  }

  /** An image made by the model. */
  #image({ source }: ImagePart): void {
    if (!('data' in source)) return;
    this.#closeMessage('completed');
    this.#closeReasoning('completed');
    const item = { id: this.newId('ig'), type: 'image_generation_call', status: 'completed', result: source.data };
    const index = this.#add(item);
    this.emit('response.output_item.done', { output_index: index, item });
  }

  /** Ends the output. Items still open in a truncated answer are incomplete. */
  close(status: Status): void {
    this.#closeReasoning(status);
    this.#closeMessage(status);
    for (const call of this.#calls.values()) this.#closeCall(call, status);
    this.#calls.clear();
  }

  /** The answer broke off: no more events for its items, which stay as they are. */
  abandon(): void {
    for (const { item } of [this.#message, this.#reasoning, ...this.#calls.values()].filter(
      (open) => open !== undefined,
    ))
      item.status = 'incomplete';
    for (const call of this.#calls.values()) setWhole(call);
    if (this.#reasoning) this.#seal(this.#reasoning);
  }

  #add(item: Json): number {
    this.items.push(item);
    this.emit('response.output_item.added', { output_index: this.items.length - 1, item });
    return this.items.length - 1;
  }

  #done({ item, index }: OpenItem, status: Status): void {
    item.status = status;
    this.emit('response.output_item.done', { output_index: index, item });
  }

  #text({ text, refusal, logprobs = [] }: Extract<Delta, { type: 'text' }>): void {
    if (text === '') return;
    this.#closeReasoning('completed');
    const message = this.#openMessage();
    const part = this.#openPart(message, refusal === true);
    const place = placeOf(message);
    if (refusal) {
      part.refusal += text;
      this.emit('response.refusal.delta', { ...place, delta: text });
      return;
    }
    part.text += text;
    this.#said += lettersIn(text);
    (part.logprobs as unknown[]).push(...logprobs);
    this.emit('response.output_text.delta', { ...place, delta: text, logprobs });
    for (const cited of this.#early.splice(0)) this.#cite(cited);
  }

  /** Positions count from the start of the part. */
  #cite(cited: Citation): void {
    const message = this.#message;
    if (message?.part?.type !== 'output_text') {
      this.#early.push(cited);
      return;
    }
    // Opened above, as a list.
    const annotations = message.part.annotations as Json[];
    const annotation = responsesAnnotation(cited, message.before);
    annotations.push(annotation);
    const place = { ...placeOf(message), annotation_index: annotations.length - 1 };
    this.emit('response.output_text.annotation.added', { ...place, annotation });
  }

  #openMessage(): OpenMessage {
    if (this.#message) return this.#message;
    const item = { id: this.newId('msg'), type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    this.#message = { item, index: this.#add(item), part: undefined, before: this.#said };
    return this.#message;
  }

  #openPart(message: OpenMessage, refusal: boolean): Json & { text?: string; refusal?: string } {
    const type = refusal ? 'refusal' : 'output_text';
    if (message.part?.type === type) return message.part;
    this.#closePart(message);
    const part: Json = refusal ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] };
    message.item.content.push(part);
    message.part = part;
    message.before = this.#said;
    this.emit('response.content_part.added', { ...placeOf(message), part });
    return part;
  }

  #closePart(message: OpenMessage): void {
    const { part } = message;
    if (!part) return;
    message.part = undefined;
    const place = placeOf(message);
    if (part.type === 'refusal') this.emit('response.refusal.done', { ...place, refusal: part.refusal });
    else this.emit('response.output_text.done', { ...place, text: part.text, logprobs: part.logprobs });
    this.emit('response.content_part.done', { ...place, part });
  }

  #closeMessage(status: Status): void {
    const message = this.#message;
    if (!message) return;
    this.#message = undefined;
    this.#closePart(message);
    this.#done(message, status);
  }

  #openReasoning(): OpenReasoning {
    if (this.#reasoning) return this.#reasoning;
    this.#closeMessage('completed');
    const item = {
      id: this.newId('rs'),
      type: 'reasoning',
      status: 'in_progress',
      summary: [],
      encrypted_content: null,
    };
    this.#reasoning = { item, index: this.#add(item), partOpen: false, thoughts: [] };
    return this.#reasoning;
  }

  #thinking(text: string): void {
    if (text === '') return;
    const reasoning = this.#openReasoning();
    const { summary } = reasoning.item;
    if (!reasoning.partOpen) {
      reasoning.partOpen = true;
      summary.push({ type: 'summary_text', text: '' });
      reasoning.thoughts.push({ type: 'thinking', text: '' });
      this.emit('response.reasoning_summary_part.added', { ...summaryPlace(reasoning), part: summary.at(-1) });
    }
    const last = reasoning.thoughts.at(-1);
    if (last?.type === 'thinking') last.text += text;
    summary.at(-1)!.text += text;
    this.emit('response.reasoning_summary_text.delta', { ...summaryPlace(reasoning), delta: text });
  }

  /** Belongs to the reasoning before it, if there is any. */
  #signature(signature: string): void {
    if (signature === '') return;
    const reasoning = this.#openReasoning();
    const last = reasoning.thoughts.at(-1);
    if (reasoning.partOpen && last?.type === 'thinking') last.signature = signature;
    else reasoning.thoughts.push({ type: 'thinking', text: '', signature });
    this.#closeSummary(reasoning);
  }

  #thought(thought: Thought): void {
    const reasoning = this.#openReasoning();
    this.#closeSummary(reasoning);
    reasoning.thoughts.push(thought);
  }

  #closeSummary(reasoning: OpenReasoning): void {
    if (!reasoning.partOpen) return;
    reasoning.partOpen = false;
    const part = reasoning.item.summary.at(-1)!;
    const place = summaryPlace(reasoning);
    this.emit('response.reasoning_summary_text.done', { ...place, text: part.text });
    this.emit('response.reasoning_summary_part.done', { ...place, part });
  }

  #seal({ item, thoughts }: OpenReasoning): void {
    const packed = pack(thoughts);
    item.encrypted_content = this.echo?.seals?.seal(packed) ?? packed;
  }

  #closeReasoning(status: Status): void {
    const reasoning = this.#reasoning;
    if (!reasoning) return;
    this.#reasoning = undefined;
    this.#closeSummary(reasoning);
    this.#seal(reasoning);
    this.#done(reasoning, status);
  }

  #call({ index, id, name, signature }: Extract<Delta, { type: 'tool_start' }>): void {
    const callId = id || this.newId('call');
    if (signature !== undefined) this.#thought({ type: 'call', id: callId, signature });
    this.#closeReasoning('completed');
    this.#closeMessage('completed');
    const tool = this.echo?.tools.get(name) ?? { name };
    const item = callItem(this.newId, callId, tool);
    this.#calls.set(index, { item, index: this.#add(item), tool, args: '' });
  }

  #args(index: number, args: string): void {
    const call = this.#calls.get(index);
    if (!call || args === '') return;
    call.args += args;
    if (isToldWhole(call)) return;
    call.item.arguments = call.args;
    this.emit('response.function_call_arguments.delta', { ...itemPlace(call), delta: args });
  }

  #closeCall(call: OpenCall, status: Status): void {
    const whole = status === 'completed' || parses(call.args);
    setWhole(call);
    if (call.tool.custom) this.#tellInput(call);
    else if (!call.tool.search) {
      // Clients parse it, and some models send nothing for empty arguments.
      if (call.args === '' && whole) this.#emptyArguments(call);
      const { arguments: args, name } = call.item;
      this.emit('response.function_call_arguments.done', { ...itemPlace(call), arguments: args, name });
    }
    this.#done(call, whole ? 'completed' : 'incomplete');
  }

  #emptyArguments(call: OpenCall): void {
    call.item.arguments = '{}';
    this.emit('response.function_call_arguments.delta', { ...itemPlace(call), delta: '{}' });
  }

  #tellInput(call: OpenCall): void {
    const { input } = call.item;
    if (input !== '') this.emit('response.custom_tool_call_input.delta', { ...itemPlace(call), delta: input });
    this.emit('response.custom_tool_call_input.done', { ...itemPlace(call), input });
  }
}
