import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { Document, Endpoint, Schema } from './openapi.ts';

export type Schemas = NonNullable<NonNullable<Document['components']>['schemas']>;

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

/** Follows a `$ref`, if the schema is one. */
export const resolve = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref
    ? { ...schemas[nameOf(schema.$ref)], ...(schema.description && { description: schema.description }) }
    : schema;

const variants = (schema: Schema): Schema[] | undefined => schema.anyOf ?? schema.oneOf;

export const eitherOf = ([first = '', ...rest]: string[]): string =>
  rest.reduce((before, last) => t('{before} or {last}', { before, last }), first);

/** A short type: `string`, `integer or null`, `array of Key`. */
export function typeText(schema: Schema, schemas: Schemas, depth = 0): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = variants(schema);
  if (choices && depth < 4) {
    return eitherOf([...new Set(choices.map((choice) => typeText(choice, schemas, depth + 1)))]);
  }
  const types = [schema.type ?? (schema.properties ? 'object' : t('any'))].flat();
  return eitherOf(
    types.map((type) =>
      type === 'array' && schema.items && depth < 4
        ? t('array of {type}', { type: typeText(schema.items, schemas, depth + 1) })
        : type,
    ),
  );
}

/** Bounds, formats and defaults, as far as they help with writing a request. */
export function limitsText({ format, minimum, maximum, minLength, maxLength, default: given }: Schema): string {
  const within = (low: number | undefined, high: number | undefined, characters = false) => {
    // Omit Zod's safe-integer bounds, which carry no information.
    const top = high !== undefined && high < Number.MAX_SAFE_INTEGER ? high : undefined;
    const bottom = low !== undefined && low > Number.MIN_SAFE_INTEGER ? low : undefined;
    if (bottom !== undefined && top !== undefined) {
      const bounds = { least: formatNumber(bottom), most: formatNumber(top) };
      return characters ? t('{least} to {most} characters', bounds) : t('{least} to {most}', bounds);
    }
    if (top !== undefined) {
      return characters
        ? t('at most {most, plural, one {# character} other {# characters}}', { most: top })
        : t('at most {most}', { most: formatNumber(top) });
    }
    if (bottom === undefined || bottom <= 0) return '';
    return characters
      ? t('at least {least, plural, one {# character} other {# characters}}', { least: bottom })
      : t('at least {least}', { least: bottom });
  };
  const parts = [
    format ?? '',
    within(minimum, maximum),
    within(minLength, maxLength, true),
    given === undefined ? '' : t('default {value}', { value: JSON.stringify(given) }),
  ];
  return parts.filter(Boolean).join(', ');
}

/** The fields of an object, of an array's items, or of the first variant that has any. */
export function fieldsBelow(
  schema: Schema,
  schemas: Schemas,
  depth = 0,
): { name: string; schema: Schema; required: boolean }[] {
  if (depth > 6) return [];
  const own = resolve(schema, schemas);
  if (own.properties) {
    const required = new Set(own.required);
    return Object.entries(own.properties).map(([name, field]) => ({
      name,
      schema: field,
      required: required.has(name),
    }));
  }
  if (own.items) return fieldsBelow(own.items, schemas, depth + 1);
  if (own.allOf) return own.allOf.flatMap((part) => fieldsBelow(part, schemas, depth + 1));
  const withFields = variants(own)?.map((choice) => fieldsBelow(choice, schemas, depth + 1));
  return withFields?.find((fields) => fields.length > 0) ?? [];
}

/** An example value, with the required fields made up by type. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  const own = resolve(schema, schemas);
  if (own.example !== undefined) return own.example;
  if (own.examples?.length) return own.examples[0];
  if (own.default !== undefined) return own.default;
  if ('const' in own) return own.const;
  if (own.enum) return own.enum[0];
  if (depth > 4) return null;
  const choice = variants(own)?.[0];
  if (choice) return exampleOf(choice, schemas, depth + 1);
  const type = [own.type ?? (own.properties ? 'object' : 'string')].flat()[0];
  if (type === 'object') {
    const required = fieldsBelow(own, schemas).filter((field) => field.required);
    return Object.fromEntries(required.map(({ name, schema: field }) => [name, exampleOf(field, schemas, depth + 1)]));
  }
  if (type === 'array') return own.items ? [exampleOf(own.items, schemas, depth + 1)] : [];
  if (type === 'integer' || type === 'number') return Math.max(own.minimum ?? 1, 1);
  return type === 'boolean' ? true : 'string';
}

const authLines: Record<string, string> = {
  apiKey: '-H "Authorization: Bearer $SVC_API_KEY"',
  oauth: '-H "Authorization: Bearer $ACCESS_TOKEN"',
  bearer: '-H "Authorization: Bearer $ACCESS_TOKEN"',
  client: '-u "$CLIENT_ID:$CLIENT_SECRET"',
  session: '-b "svc_session=$SVC_SESSION"',
};

export function curlOf(endpoint: Endpoint, schemas: Schemas, baseUrl: string): string {
  const query = endpoint.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const search = query.map(({ name, schema }) => `${name}=${String(exampleOf(schema ?? {}, schemas))}`).join('&');
  const url = `${baseUrl}${endpoint.path}${search && `?${search}`}`;
  const auth = endpoint.auth.map((name) => authLines[name]).find(Boolean);
  const body = endpoint.body && JSON.stringify(exampleOf(endpoint.body.schema, schemas), null, 2);
  const lines = [
    `curl${endpoint.method === 'GET' ? '' : ` -X ${endpoint.method}`} "${url}"`,
    ...(auth ? [auth] : []),
    ...(endpoint.method === 'GET' ? [] : ['-H "Content-Type: application/json"']),
    ...(body ? [`-d '${body.replaceAll("'", "'\\''")}'`] : []),
  ];
  return lines.join(' \\\n  ');
}
