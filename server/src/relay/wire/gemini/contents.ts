import { objectsIn } from '../../../lib/is-object.ts';
import { isObject, type Json, type Part, type TextPart, type ToolResultPart, type Turn } from '../conversation.ts';
import { invalid, missing, optionalString, readArray, readObject, requiredString } from '../read.ts';
import { addTurn } from '../turns.ts';
import { readGeminiPart } from './read-part.ts';

/** `contents` as turns. */
export function readContents(value: unknown): Turn[] {
  if (value === undefined || value === null) throw missing('contents');
  const contents = readArray(value, 'contents');
  if (contents.length === 0) throw invalid('contents', `'contents' must contain at least one content.`);
  const calls = new OpenCalls();
  const turns: Turn[] = [];
  contents.forEach((item, i) => {
    const param = `contents[${i}]`;
    const content = readObject(item, param);
    const role = roleOf(content, param);
    const parts = readArray(content.parts, `${param}.parts`).flatMap((part, j) =>
      readPart(readObject(part, `${param}.parts[${j}]`), `${param}.parts[${j}]`, calls),
    );
    addTurn(turns, { role, parts });
  });
  return turns;
}

/** `function` is the former role of function results. */
function roleOf(content: Json, param: string): Turn['role'] {
  const role = optionalString(content, 'role', param) || 'user';
  if (role === 'model') return 'assistant';
  if (role === 'user' || role === 'function') return 'user';
  throw invalid(`${param}.role`, `'${param}.role' must be user or model.`);
}

export function readSystem(value: unknown): TextPart[] {
  if (value === undefined || value === null) return [];
  const content = readObject(value, 'systemInstruction');
  return readArray(content.parts, 'systemInstruction.parts').map((item, i) => {
    const param = `systemInstruction.parts[${i}]`;
    const part = readObject(item, param);
    if (typeof part.text !== 'string') throw invalid(param, `'systemInstruction' may contain only text parts.`);
    return { type: 'text', text: part.text };
  });
}

function readPart(part: Json, param: string, calls: OpenCalls): Part[] {
  if (part.text != null && typeof part.text !== 'string') throw invalid(param, `'${param}.text' must be a string.`);
  if (part.functionResponse != null) return [readResult(part.functionResponse, `${param}.functionResponse`, calls)];
  if (part.functionCall != null)
    requiredString(readObject(part.functionCall, `${param}.functionCall`), 'name', `${param}.functionCall`);
  return readGeminiPart(part, (call) => calls.open(call));
}

function readResult(value: unknown, param: string, calls: OpenCalls): ToolResultPart {
  const result = readObject(value, param);
  const name = requiredString(result, 'name', param);
  const callId = calls.close(optionalString(result, 'id', param), name);
  const beside = objectsIn(result.parts).flatMap(mediaOf);
  const { text, isError } = readResponse(result.response);
  const said: TextPart[] = text === '' ? [] : [{ type: 'text', text }];
  return { type: 'tool_result', callId, name, content: [...said, ...beside], ...(isError && { isError }) };
}

const mediaOf = (part: Json): ToolResultPart['content'] =>
  readGeminiPart(part, () => '').filter(
    (read) => read.type === 'text' || read.type === 'image' || read.type === 'file',
  );

/** Google's member name for a function's result, and the one used for other formats. */
const wholeNames = ['output', 'result'];

function readResponse(value: unknown): { text: string; isError?: true } {
  if (value === undefined || value === null) return { text: '' };
  const [only, ...more] = isObject(value) ? Object.keys(value) : [];
  if (only === undefined || more.length > 0) return { text: JSON.stringify(value) };
  const inner = (value as Json)[only];
  if (only === 'error' && typeof inner === 'string') return { text: inner, isError: true };
  if (!wholeNames.includes(only)) return { text: JSON.stringify(value) };
  return { text: typeof inner === 'string' ? inner : JSON.stringify(inner) };
}

/**
 * Other formats identify calls by id, which Gemini clients often omit: results then belong to the calls of their name,
 * in order.
 */
class OpenCalls {
  #made = 0;
  /** All ids in use, and the open calls of each name in order. */
  readonly #taken = new Set<string>();
  readonly #open = new Map<string, Set<string>>();

  open({ id: given, name }: Json): string {
    const own = typeof given === 'string' && given !== '' && !this.#taken.has(given) ? given : undefined;
    const id = own ?? this.#newId();
    this.#taken.add(id);
    const ofName = this.#open.get(String(name));
    if (ofName) ofName.add(id);
    else this.#open.set(String(name), new Set([id]));
    return id;
  }

  close(given: string | undefined, name: string): string {
    const ofName = this.#open.get(name);
    const id = given && ofName?.has(given) ? given : ofName?.values().next().value;
    if (id === undefined) return given || this.#newId();
    ofName!.delete(id);
    return id;
  }

  #newId(): string {
    do this.#made += 1;
    while (this.#taken.has(`call_${this.#made}`));
    return `call_${this.#made}`;
  }
}
