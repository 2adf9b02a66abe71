import type { Usage } from '../../../lib/money.ts';
import { isObject, type Json } from '../conversation.ts';
import { renderResponsesUsage } from '../usage.ts';
import { itemIds } from './item-ids.ts';
import type { ResponseOptions } from './response.ts';

/** Ids of this service instead of those of an upstream, the same one for the same item. */
export class OwnIds {
  readonly #ids = new Map<string, string>();
  readonly #newId: (prefix: string) => string;

  constructor(responseId: string) {
    this.#newId = itemIds(responseId);
  }

  /** What kind of thing an id names, by its beginning, stays: the vendor looks at it when the item comes back. */
  of(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const own = this.#newId(/^[a-z]{1,8}(?=_)/.exec(id)?.[0] ?? 'item');
    this.#ids.set(id, own);
    return own;
  }

  item(item: Json): Json {
    return typeof item.id === 'string' && item.id !== '' ? { ...item, id: this.of(item.id) } : item;
  }
}

/** Of what a response repeats, what an upstream was not told, or was told otherwise. */
const ourWord = ['background', 'conversation', 'previous_response_id', 'store', 'max_output_tokens'];

/** A response of an upstream as one of ours: its words, under our ids and with what is kept here. */
export function passedResponse(body: Json, options: ResponseOptions, ids: OwnIds, usage?: Usage): Json {
  const members = options.echo?.members ?? {};
  const own = Object.fromEntries(ourWord.flatMap((name) => (name in members ? [[name, members[name]]] : [])));
  return {
    ...body,
    ...own,
    id: options.id,
    model: options.model,
    ...(Array.isArray(body.output) && {
      output: body.output.map((item) => (isObject(item) ? ids.item(item) : item)),
    }),
    ...(body.usage == null && usage && { usage: renderResponsesUsage(usage) }),
  };
}
