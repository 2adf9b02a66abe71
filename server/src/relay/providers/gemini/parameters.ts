import { isObject, type Json } from '../../wire/conversation.ts';
import { toGeminiSchema } from './schema.ts';

/**
 * A function's parameters, or undefined if it has none: an object without properties is refused. A union of objects
 * becomes one object with all members, requiring only those that all of them require, since Google accepts nothing else
 * at the top level.
 */
export function parametersOf(schema: Json | undefined): Json | undefined {
  const written = schema && toGeminiSchema(schema);
  const whole = Array.isArray(written?.anyOf) ? asOne(written.anyOf.filter(isObject)) : written;
  return isObject(whole?.properties) && Object.keys(whole.properties).length > 0 ? whole : undefined;
}

function asOne(options: Json[]): Json {
  const objects = options.filter(({ properties }) => isObject(properties));
  const names = new Set(objects.flatMap(({ properties }) => Object.keys(properties as Json)));
  const properties = Object.fromEntries(
    [...names].map((name) => [name, eitherOf(objects.flatMap((one) => memberOf(one, name)))]),
  );
  const required = [...names].filter((name) =>
    options.every((one) => Array.isArray(one.required) && one.required.includes(name)),
  );
  const { description } = objects[0] ?? {};
  const told = objects.every((one) => one.description === description) && description !== undefined;
  return {
    ...{ type: 'object', properties },
    ...(required.length > 0 && { required }),
    ...(told && { description }),
  };
}

const memberOf = ({ properties }: Json, name: string): Json[] =>
  Object.hasOwn(properties as Json, name) ? [(properties as Record<string, Json>)[name]!] : [];

/** Discriminator values of such objects become one enum. */
function eitherOf(schemas: Json[]): Json {
  const first = schemas[0]!;
  if (schemas.every((one) => Array.isArray(one.enum)))
    return { ...first, enum: [...new Set(schemas.flatMap((one) => one.enum as string[]))] };
  const distinct = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()];
  return distinct.length === 1 ? first : { anyOf: distinct.flatMap((one) => (one.anyOf as Json[]) ?? [one]) };
}
