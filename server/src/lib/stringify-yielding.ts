import { YieldTimer } from './map-yielding.ts';

/** Items serialized at once, in half a millisecond. */
const runLength = 4_096;
/** Deeper values are serialized together with their container; large vectors and images are not deeper. */
const deepest = 8;
/** Characters collected before encoding, since each encoding has a fixed cost. */
const pieceLetters = 64 * 1024;

/** Like `JSON.stringify`, as bytes, yielding to the event loop in between. */
export async function stringifyYielding(value: unknown): Promise<Blob> {
  const encoder = new TextEncoder();
  const turns = new YieldTimer();
  const written: Uint8Array<ArrayBuffer>[] = [];
  let text = '';
  for (const piece of piecesOf(value, 0)) {
    text += piece;
    if (text.length < pieceLetters) continue;
    written.push(encoder.encode(text));
    text = '';
    if (turns.due) await turns.give();
  }
  written.push(encoder.encode(text));
  // Joining the parts takes a while, too.
  if (turns.due || written.length > 1) await turns.give();
  return new Blob(written);
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (depth === deepest || typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* typeof value[0] === 'number' ? runsOf(value) : itemsOf(value, depth);
  else yield* membersOf(value as Record<string, unknown>, depth);
}

function* itemsOf(list: unknown[], depth: number): Generator<string> {
  yield '[';
  for (const [i, item] of list.entries()) {
    if (i > 0) yield ',';
    yield* piecesOf(item, depth + 1);
  }
  yield ']';
}

function* membersOf(object: Record<string, unknown>, depth: number): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* piecesOf(member, depth + 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* runsOf(numbers: unknown[]): Generator<string> {
  for (let i = 0; i < numbers.length; i += runLength) {
    yield i === 0 ? '[' : ',';
    yield JSON.stringify(numbers.slice(i, i + runLength)).slice(1, -1);
  }
  yield ']';
}
