import { isObject, type Json } from '../conversation.ts';

/**
 * A request with the settings that its `configuration_update` items have changed: each stays in effect until a later
 * item replaces it. OpenAI gets the items themselves.
 */
export function configured(body: Json, items: readonly Json[]): Json {
  let out = body;
  for (const { type, reasoning, text } of items) {
    if (type !== 'configuration_update') continue;
    if (isObject(reasoning) && reasoning.effort != null) out = within(out, 'reasoning', { effort: reasoning.effort });
    if (isObject(text) && text.format != null) out = within(out, 'text', { format: text.format });
  }
  return out;
}

const within = (body: Json, name: string, members: Json): Json => ({
  ...body,
  [name]: { ...(isObject(body[name]) && body[name]), ...members },
});
