import { randomString } from '../../../lib/ids.ts';
import { objectsIn } from '../../../lib/is-object.ts';
import { isObject, type Json, type Turn } from '../conversation.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Arguments are JSON text in this format; some servers send the object itself. */
export const argumentsText = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : text(value));

export const newCallId = (): string => `call_${randomString(20)}`;

/**
 * Some servers count the calls of each answer from zero, and clients take a call with the id of an earlier one for that
 * one. Undefined if there were no calls, as in most conversations.
 */
export function unusedIds(turns: readonly Turn[]): UnusedIds | undefined {
  let ids: Set<unknown> | undefined;
  for (const { parts } of turns)
    for (const part of parts)
      if (part.type === 'tool_call') {
        ids ??= new Set();
        ids.add(part.id);
      }
  return ids && new UnusedIds(ids);
}

/** Gives the calls of an answer another id if theirs is used already, and the reasoning that belongs to them the same. */
export class UnusedIds {
  readonly #made = new Map<string, string>();

  constructor(private readonly used: ReadonlySet<unknown>) {}

  isUsed(id: unknown): boolean {
    return this.used.has(id);
  }

  of(id: string): string {
    if (!this.isUsed(id)) return id;
    const made = this.#made.get(id) ?? newCallId();
    this.#made.set(id, made);
    return made;
  }

  /** Of a message or delta; the same list if none of its members has a used id. */
  readonly inList = (members: unknown): unknown =>
    objectsIn(members).some(({ id }) => this.isUsed(id))
      ? objectsIn(members).map((member) =>
          typeof member.id === 'string' ? { ...member, id: this.of(member.id) } : member,
        )
      : members;
}

/** A whole answer in which no call has a used id; null if that is so already. */
export function withUnusedIds(body: Json, ids: UnusedIds): Json | null {
  let changed = false;
  const choices = objectsIn(body.choices).map((choice) => {
    if (!isObject(choice.message)) return choice;
    const { tool_calls: calls, reasoning_details: details } = choice.message;
    const renamed = ids.inList(calls);
    if (renamed === calls) return choice;
    changed = true;
    const message = {
      ...choice.message,
      tool_calls: renamed,
      ...(details != null && { reasoning_details: ids.inList(details) }),
    };
    return { ...choice, message };
  });
  return changed ? { ...body, choices } : null;
}

interface Placed {
  /** Position among the calls received, from 0. */
  place: number;
  /** Set if this chunk starts the call. */
  opens?: { id: string; name: string };
}

/**
 * Assigns chunks of a streamed choice to calls: by index, whatever the indexes are, except for servers that send every
 * call whole and number all of them 0, or none.
 */
export class CallPlaces {
  /** Upstream index to the last call received under it. */
  readonly #last = new Map<unknown, { place: number; id: string; opened: boolean }>();
  #count = 0;

  constructor(private readonly ids?: UnusedIds) {}

  /** `position`: index in the list of the chunk. */
  placeOf(piece: Json, position: number): Placed {
    const numbered = typeof piece.index === 'number';
    const number = numbered ? piece.index : position;
    const id = text(piece.id);
    const name = isObject(piece.function) ? text(piece.function.name) : '';
    let call = this.#last.get(number);
    const isAnother =
      call?.opened && name !== '' && (id === '' || call.id === '' ? !numbered && id === '' : id !== call.id);
    if (!call || isAnother) {
      call = { place: this.#count, id, opened: false };
      this.#count += 1;
      this.#last.set(number, call);
    }
    // Some servers repeat id and name on every chunk; the first one opens the call.
    if (call.opened || (id === '' && name === '')) return { place: call.place };
    call.opened = true;
    call.id = id;
    return { place: call.place, opens: { id: id === '' ? newCallId() : (this.ids?.of(id) ?? id), name } };
  }
}
