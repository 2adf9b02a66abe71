import { randomString } from '../../../lib/ids.ts';
import type { Json } from '../conversation.ts';
import { isObject } from '../conversation.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Arguments are JSON text in this format; some servers send the object itself. */
export const argumentsText = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : text(value));

export const newCallId = (): string => `call_${randomString(20)}`;

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
    return { place: call.place, opens: { id: id || newCallId(), name } };
  }
}
