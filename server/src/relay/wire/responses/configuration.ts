import { isObject, type Json } from '../conversation.ts';

/**
 * A request with the settings that its `configuration_update` items have changed: each stays in effect until a later
 * item replaces it. OpenAI gets the items themselves.
 */
export function configured(body: Json, items: readonly Json[]): Json {
  const changed: { reasoning: Json; text: Json } = { reasoning: {}, text: {} };
  for (const { type, reasoning, text } of items) {
    if (type !== 'configuration_update') continue;
    if (isObject(reasoning) && reasoning.effort != null) changed.reasoning = { effort: reasoning.effort };
    if (isObject(text) && text.format != null) changed.text = { format: text.format };
  }
  // Once for all items: a copy of the request for each would be quadratic.
  return within(within(body, 'reasoning', changed.reasoning), 'text', changed.text);
}

const within = (body: Json, name: string, members: Json): Json =>
  Object.keys(members).length === 0
    ? body
    : { ...body, [name]: { ...(isObject(body[name]) && body[name]), ...members } };
