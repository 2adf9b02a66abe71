import { isObject, type Json } from '../conversation.ts';
import { argumentsText, CallPlaces, newCallId, type UnusedIds } from './call-places.ts';
import { textAndReasoningIn } from './text-and-reasoning.ts';

/**
 * Repairs answers that servers of this format write differently from what clients read: null instead of absence, no
 * delta, arguments as objects, choices without index, calls without index or id, content as parts, `stop` for tool
 * calls. Correct answers pass unchanged.
 */
export const isNormalChoice = (choice: unknown): boolean =>
  isObject(choice) &&
  typeof choice.index === 'number' &&
  typeof choice.finish_reason === 'string' &&
  isObject(choice.message) &&
  !Array.isArray(choice.message.content) &&
  (choice.message.tool_calls === undefined || areTidyCalls(choice.message.tool_calls, choice.finish_reason));

const areTidyCalls = (calls: unknown, finish: string): boolean =>
  Array.isArray(calls) && (finish !== 'stop' || calls.length === 0) && calls.every(isTidyCall);

const isTidyCall = (call: unknown): boolean =>
  isObject(call) &&
  typeof call.id === 'string' &&
  call.id !== '' &&
  typeof call.type === 'string' &&
  (!isObject(call.function) || typeof call.function.arguments === 'string');

/** For a choice of a whole answer. */
export function normalizeChoice(choice: unknown, place: number): unknown {
  if (isNormalChoice(choice) || !isObject(choice) || !isObject(choice.message)) return choice;
  const { tool_calls: given, ...message } = choice.message;
  const calls = Array.isArray(given) ? given.map(tidyCall) : undefined;
  const ended = typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop';
  return {
    ...choice,
    index: typeof choice.index === 'number' ? choice.index : place,
    message: { ...withPlainContent(message), ...(calls && { tool_calls: calls }) },
    finish_reason: ended === 'stop' && calls?.length ? 'tool_calls' : ended,
  };
}

function tidyCall(call: unknown): unknown {
  if (isTidyCall(call) || !isObject(call)) return call;
  const { id, type, function: called } = call;
  return {
    ...call,
    id: typeof id === 'string' && id !== '' ? id : newCallId(),
    type: type ?? 'function',
    ...(isObject(called) && { function: { ...called, arguments: argumentsText(called.arguments) } }),
  };
}

/** Content parts as plain text, and reasoning where clients look for it. */
function withPlainContent(message: Json): Json {
  if (!Array.isArray(message.content)) return message;
  const { said, thought } = textAndReasoningIn(message.content);
  return { ...message, content: said, ...(thought !== '' && { reasoning_content: thought }) };
}

/** The same for the chunks of one stream. */
export class ChunkNormalizer {
  /** By choice; most have no calls. */
  readonly #places = new Map<unknown, CallPlaces>();

  constructor(private readonly ids?: UnusedIds) {}

  /** Modifies a parsed chunk in place; returns whether anything changed. */
  tidy(chunk: Json): boolean {
    if (!Array.isArray(chunk.choices)) {
      chunk.choices = [];
      return true;
    }
    let changed = false;
    for (const [place, choice] of chunk.choices.entries())
      if (isObject(choice) && this.#normalizeChoice(choice, place)) changed = true;
    return changed;
  }

  #normalizeChoice(choice: Json, place: number): boolean {
    const { delta } = choice;
    const told = 'usage' in choice && delete choice.usage;
    const placed = typeof choice.index !== 'number';
    if (placed) choice.index = place;
    if (!isObject(delta)) choice.delta = {};
    const changed = !isObject(delta) || this.#tidyDelta(choice, delta) || told || placed;
    if (choice.finish_reason !== 'stop' || !this.#places.has(choice.index)) return changed;
    choice.finish_reason = 'tool_calls';
    return true;
  }

  #tidyDelta(choice: Json, delta: Json): boolean {
    let changed = false;
    for (const name of ['tool_calls', 'function_call']) {
      if (delta[name] !== null) continue;
      delete delta[name];
      changed = true;
    }
    if (Array.isArray(delta.content)) {
      choice.delta = withPlainContent(delta);
      changed = true;
    }
    const { tool_calls: calls, reasoning_details: details } = delta;
    const renamed = details && this.ids ? this.ids.inList(details) : details;
    if (renamed !== details) {
      (choice.delta as Json).reasoning_details = renamed;
      changed = true;
    }
    if (!Array.isArray(calls) || calls.length === 0) return changed;
    const pieces = calls.map((piece, position) => (isObject(piece) ? this.#tidyPiece(choice, piece, position) : piece));
    if (pieces.every((piece, i) => piece === calls[i])) return changed;
    (choice.delta as Json).tool_calls = pieces;
    return true;
  }

  #tidyPiece({ index }: Json, piece: Json, position: number): Json {
    const places = this.#places.get(index) ?? new CallPlaces(this.ids);
    this.#places.set(index, places);
    const { place, opens } = places.placeOf(piece, position);
    const called = isObject(piece.function) ? piece.function : undefined;
    // Of a call that was given another id when it began.
    const { id: _, ...others } = piece;
    const own = !opens && this.ids?.isUsed(piece.id) ? others : piece;
    const isTidy =
      own === piece &&
      piece.index === place &&
      (opens ? piece.id === opens.id && typeof piece.type === 'string' : !hasNulls(piece)) &&
      (!called || (!hasNulls(called) && !isObject(called.arguments)));
    if (isTidy) return piece;
    return {
      ...withoutNulls(own),
      index: place,
      ...(opens && { id: opens.id, type: piece.type ?? 'function' }),
      ...(called && { function: tidyFunction(called) }),
    };
  }
}

const hasNulls = (value: Json): boolean => Object.values(value).includes(null);
const withoutNulls = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));

const tidyFunction = (called: Json): Json => ({
  ...withoutNulls(called),
  ...(isObject(called.arguments) && { arguments: argumentsText(called.arguments) }),
});
