import type { Usage } from '../../../lib/money.ts';
import { isObject, type Json } from '../conversation.ts';
import { renderResponsesUsage } from '../usage.ts';
import { itemIds } from './item-ids.ts';
import type { ResponseOptions } from './response.ts';

/** Replaces an upstream's ids by ours, consistently per item. */
export class OwnIds {
  readonly #ids = new Map<string, string>();
  readonly #newId: (prefix: string) => string;

  constructor(responseId: string) {
    this.#newId = itemIds(responseId);
  }

  /** Keeps the prefix, which the vendor checks when the item is returned. */
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

/** Echoed fields that the upstream did not get, or got differently. */
const ourWord = ['background', 'conversation', 'previous_response_id', 'store', 'max_output_tokens'];

/** An upstream's response as one of ours: its content, our ids and stored fields. */
export function rewriteResponse(body: Json, options: ResponseOptions, ids: OwnIds, usage?: Usage): Json {
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
    ...(isObject(body.usage) && { usage: withDetails(body.usage) }),
  };
}

const none = renderResponsesUsage({ promptTokens: 0, completionTokens: 0 });

/** OpenAI's libraries require details, which other servers leave out. */
function withDetails(usage: Json): Json {
  const whole = (name: 'input_tokens_details' | 'output_tokens_details') => ({
    ...(none[name] as Json),
    ...(isObject(usage[name]) && usage[name]),
  });
  return {
    ...usage,
    input_tokens_details: whole('input_tokens_details'),
    output_tokens_details: whole('output_tokens_details'),
  };
}
