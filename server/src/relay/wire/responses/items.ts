import {
  isObject,
  type Json,
  type Part,
  type TextPart,
  type ToolName,
  type ToolResultPart,
  type Turn,
} from '../conversation.ts';
import { argumentsOf } from '../custom-tools.ts';
import { invalid, missing, optionalString, readArray, readObject, readString, requiredString } from '../read.ts';
import { foundText, isClientsSearch } from './added-tools.ts';
import { readContent, readOutput, readTexts } from './content.ts';
import { opened, partsOf, type Seals, unsealed } from './thoughts.ts';
import { searchName, type ToolTable } from './tool-table.ts';

/**
 * A search's findings are in the text that follows, and its encrypted part with the reasoning before it; tools and
 * settings were read with those of the request.
 */
const readElsewhere = new Set(['web_search_call', 'additional_tools', 'configuration_update']);

const pending = 'The result of this call is not there yet.';

const roles = ['user', 'assistant', 'system', 'developer'];

/** Collects consecutive items into turns. */
export class ItemReader {
  readonly system: TextPart[] = [];
  readonly turns: Turn[] = [];
  /** The turn with the calls, by call id. */
  readonly #calls = new Map<string, Turn>();
  /** Calls whose results may come later, by call id. */
  readonly #awaited = new Map<string, Turn>();
  /** Signatures of later calls, by call id. */
  readonly #signatures = new Map<string, string>();
  /** The turn with the results of a turn's calls; a map, as searching would be quadratic. */
  readonly #results = new Map<Turn, Turn>();
  /** Whether the last turn contains text. */
  #words = false;
  #called = false;

  constructor(
    readonly table: ToolTable,
    readonly seals: Seals = unsealed,
  ) {}

  read(item: Json, at: string): void {
    const type = typeOf(item, at);
    if (type === 'message') this.#message(item, at);
    else if (type === 'reasoning') this.#reasoning(item, at);
    else if (type === 'function_call')
      this.#call(item, at, toolName(item, at), readString(item.arguments ?? '', `${at}.arguments`));
    else if (type === 'custom_tool_call')
      this.#call(item, at, toolName(item, at), argumentsOf(readString(item.input, `${at}.input`)));
    else if (type === 'function_call_output' || type === 'custom_tool_call_output') this.#output(item, at);
    else if (type === 'tool_search_call' || type === 'tool_search_output') this.#search(item, at);
    else if (type === 'image_generation_call' && typeof item.result === 'string') this.#picture(item.result);
    else if (!readElsewhere.has(type)) this.#other(item, type, at);
  }

  #message(item: Json, at: string): void {
    const role = requiredString(item, 'role', at);
    const place = `${at}.content`;
    if (role === 'system' || role === 'developer') this.system.push(...readTexts(item.content, place));
    else if (role === 'user') this.turns.push({ role, parts: readContent(item.content, place) });
    else if (role === 'assistant') this.#said(readContent(item.content, place), 'message');
    else throw invalid(`${at}.role`, `'${at}.role' must be one of: ${roles.join(', ')}.`);
  }

  /** Items of one answer form one turn; text after text without calls is another answer. */
  #said(parts: Part[], kind: 'message' | 'thought' | 'call'): Turn {
    const last = this.turns.at(-1);
    const continues = last?.role === 'assistant' && (kind === 'call' || this.#called || !this.#words);
    if (continues) {
      for (const part of parts) last.parts.push(part);
    } else {
      this.turns.push({ role: 'assistant', parts });
      this.#words = false;
      this.#called = false;
    }
    this.#words ||= kind === 'message';
    this.#called ||= kind === 'call';
    return this.turns.at(-1)!;
  }

  #reasoning(item: Json, at: string): void {
    const sealed = optionalString(item, 'encrypted_content', at);
    if (sealed === undefined || sealed === '') {
      const text = thoughtText(item, at);
      if (text !== '') this.#said([{ type: 'thinking', text }], 'thought');
      return;
    }
    // Encrypted reasoning of another vendor means nothing in another format.
    const thoughts = opened(this.seals, sealed, `${at}.encrypted_content`);
    if (!thoughts) return;
    for (const thought of thoughts) if (thought.type === 'call') this.#signatures.set(thought.id, thought.signature);
    const parts = partsOf(thoughts);
    if (parts.length > 0) this.#said(parts, 'thought');
  }

  #call(item: Json, at: string, tool: ToolName, args: string): void {
    const id = requiredString(item, 'call_id', at);
    const signature = this.#signatures.get(id);
    const name = this.table.flatOf(tool);
    const part: Part = { type: 'tool_call', id, name, arguments: args, ...(signature !== undefined && { signature }) };
    const turn = this.#said([part], 'call');
    this.#calls.set(id, turn);
    if (item.async === true) this.#awaited.set(id, turn);
  }

  /** A tool search. One run by OpenAI found tools that others are offered from the start. */
  #search(item: Json, at: string): void {
    if (!isClientsSearch(item)) return;
    if (item.type === 'tool_search_call') this.#call(item, at, searchName, JSON.stringify(item.arguments ?? {}));
    else this.#result(item, at, [{ type: 'text', text: foundText(item.tools, this.table) }]);
  }

  #output(item: Json, at: string): void {
    if (item.output == null) throw missing(`${at}.output`);
    this.#result(item, at, readOutput(item.output, `${at}.output`));
  }

  /** Placed next to the call, whatever came in between: other formats require it there. */
  #result(item: Json, at: string, content: ToolResultPart['content']): void {
    const callId = requiredString(item, 'call_id', at);
    const caller = this.#calls.get(callId);
    if (!caller) throw invalid(`${at}.call_id`, `No tool call found for the output with call_id '${callId}'.`);
    this.#awaited.delete(callId);
    this.#place(caller, { type: 'tool_result', callId, content });
  }

  /** Other vendors require a result of every call before the conversation goes on. */
  end(): void {
    for (const [callId, caller] of this.#awaited)
      this.#place(caller, { type: 'tool_result', callId, content: [{ type: 'text', text: pending }] });
  }

  #place(caller: Turn, part: ToolResultPart): void {
    const known = this.#results.get(caller);
    if (known) {
      known.parts.push(part);
      return;
    }
    const turn: Turn = { role: 'user', parts: [part] };
    this.#results.set(caller, turn);
    this.turns.splice(this.turns.lastIndexOf(caller) + 1, 0, turn);
  }

  /** Shown as a user's image: most vendors refuse or ignore images in assistant messages. */
  #picture(data: string): void {
    this.turns.push({ role: 'user', parts: [{ type: 'image', source: { mediaType: pictureType(data), data } }] });
  }

  /** OpenAI's own tools, encrypted content, and types newer than this service: only OpenAI can read them. */
  #other(item: Json, type: string, at: string): void {
    if (type === 'item_reference')
      throw invalid(at, `No item with id '${requiredString(item, 'id', at)}' is stored here.`);
    this.#said([{ type: 'raw', format: 'responses', value: item }], 'message');
  }
}

/** By their base64 prefix, as the item does not say. */
const pictureTypes: [start: string, mediaType: string][] = [
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lG', 'image/gif'],
];

const pictureType = (data: string): string =>
  pictureTypes.find(([start]) => data.startsWith(start))?.[1] ?? 'image/png';

/** The short form of a message has no type. */
function typeOf(item: Json, at: string): string {
  return item.type == null && item.role !== undefined ? 'message' : requiredString(item, 'type', at);
}

/** Unsigned reasoning. */
function thoughtText(item: Json, at: string): string {
  const texts: string[] = [];
  for (const name of ['summary', 'content'])
    for (const [i, part] of readArray(item[name] ?? [], `${at}.${name}`).entries()) {
      const { text } = readObject(part, `${at}.${name}[${i}]`);
      texts.push(readString(text, `${at}.${name}[${i}].text`));
    }
  return texts.join('\n\n');
}

function toolName(item: Json, at: string): ToolName {
  const namespace = optionalString(item, 'namespace', at);
  return { name: requiredString(item, 'name', at), ...(namespace !== undefined && { namespace }) };
}

/** `input` as items: a string is a user message. */
export function itemsOf(input: unknown): Json[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) throw invalid('input', `'input' must be a string or an array of items.`);
  return input.map((item, i) => {
    if (!isObject(item)) throw invalid(`input[${i}]`, `'input[${i}]' must be an object.`);
    return item;
  });
}
