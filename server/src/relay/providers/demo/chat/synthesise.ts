import { table } from '../../../../lib/table.ts';
import { entities, keyTerms, sentences, shorten, summarise, words } from '../text.ts';
import { resolve, type Schema, typeOf } from './schema.ts';

export interface Material {
  /** The caller's text. */
  text: string;
  /** The responder's answer to it. */
  answer: string;
  /** Tool arguments omit optional members that the text does not mention. */
  requiredOnly?: boolean;
}

interface Scribe extends Material {
  root: Schema;
  numbers: number[];
  names: string[];
  /** Values that may still be generated: a schema can ask for an unbounded number. */
  left: number;
}

const mostValues = 5_000;
/** Deeper than any genuine schema; a self-requiring one has no end. */
const mostDepth = 32;
const mostItems = 100;
const mostCharacters = 10_000;

/** Generates an instance of the schema, filled from the text where names suggest how. */
export function synthesise(schema: Schema, material: Material): unknown {
  const numbers = (material.text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  return fill('', schema, { ...material, root: schema, numbers, names: entities(material.text), left: mostValues }, 0);
}

function fill(name: string, given: Schema, scribe: Scribe, depth: number): unknown {
  scribe.left -= 1;
  if (scribe.left < 0 || depth > mostDepth) return null;
  const schema = resolve(given, scribe.root);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return fromEnum(schema.enum, scribe.text);
  switch (typeOf(schema)) {
    case 'object':
      return fillObject(schema, scribe, depth);
    case 'array':
      return fillArray(name, schema, scribe, depth);
    case 'integer':
    case 'number':
      return fillNumber(name, schema, scribe);
    case 'boolean':
      return typeof schema.default === 'boolean' ? schema.default : !/\b(?:no|not|never|without)\b/i.test(scribe.text);
    case 'null':
      return null;
    default:
      return fillString(name, schema, scribe);
  }
}

function fromEnum(values: unknown[], text: string): unknown {
  const said = new Set(words(text));
  return values.find((value) => typeof value === 'string' && words(value).some((word) => said.has(word))) ?? values[0];
}

function fillObject(schema: Schema, scribe: Scribe, depth: number): Record<string, unknown> {
  const required = new Set(schema.required ?? []);
  // Without a prototype, since callers choose the names.
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    if (!required.has(key) && (scribe.requiredOnly ? !spokenOf(child, scribe) : depth >= 5)) continue;
    out[key] = fill(key, child, scribe, depth + 1);
  }
  for (const key of required) out[key] ??= out[key] === null ? null : shorten(scribe.text, 80);
  return out;
}

const spokenOf = (child: Schema, { text, root }: Scribe): boolean => {
  const said = new Set(words(text));
  return (resolve(child, root).enum ?? []).some((value) => typeof value === 'string' && said.has(value.toLowerCase()));
};

function fillArray(name: string, schema: Schema, scribe: Scribe, depth: number): unknown[] {
  const least = Math.min(schema.minItems ?? 0, mostItems);
  const most = Math.min(schema.maxItems ?? 3, Math.max(least, 3));
  const items = resolve(schema.items ?? {}, scribe.root);
  // Below this depth optional recursive lists end; required ones get their minimum length.
  if (depth > 5) return Array.from({ length: least }, () => fill(name, items, scribe, depth + 1));
  if (typeOf(items) === 'string' && !items.enum && !items.format) {
    const found = /key|tag|topic|term/i.test(name) ? keyTerms(scribe.text, most) : listed(scribe);
    const padded = [...found, ...sentences(scribe.answer)].slice(0, Math.max(least, Math.min(most, found.length || 1)));
    while (padded.length < least) padded.push(`${name || 'item'} ${padded.length + 1}`);
    return padded.map((text) => fit(text, items));
  }
  if (/integer|number/.test(typeOf(items)) && scribe.numbers.length > 1) {
    const taken = scribe.numbers.splice(0, schema.maxItems ?? scribe.numbers.length);
    return taken.map((value) => clamp(value, items));
  }
  const count = Math.max(least, Math.min(most, 1));
  return Array.from({ length: count }, () => fill(name, items, scribe, depth + 1));
}

const listed = (scribe: Scribe): string[] => (scribe.names.length > 1 ? scribe.names : keyTerms(scribe.text, 3));

function fillNumber(name: string, schema: Schema, scribe: Scribe): number {
  if (/confidence|score|probab|rating/i.test(name)) return clamp((schema.maximum ?? 1) * 0.8, schema);
  return clamp(scribe.numbers.shift() ?? (typeof schema.default === 'number' ? schema.default : 1), schema);
}

function clamp(wanted: number, schema: Schema): number {
  const whole = typeOf(schema) === 'integer';
  const step = schema.multipleOf ?? (whole ? 1 : 0);
  const nudge = step || 1e-6;
  const low = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -Infinity : schema.exclusiveMinimum + nudge);
  const high = schema.maximum ?? (schema.exclusiveMaximum === undefined ? Infinity : schema.exclusiveMaximum - nudge);
  let value = Math.min(high, Math.max(low, wanted));
  if (step) {
    value = Math.round(value / step) * step;
    if (value < low) value += step;
    if (value > high) value -= step;
  }
  return value;
}

const formats = table<[find: RegExp, otherwise: string]>({
  date: [/\b\d{4}-\d{2}-\d{2}\b/, '2025-01-01'],
  'date-time': [/\b\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})/, '2025-01-01T00:00:00Z'],
  time: [/\b\d{2}:\d{2}:\d{2}\b/, '00:00:00'],
  duration: [/\bP(?:T?\d+[YMWDHS])+\b/, 'PT1H'],
  email: [/[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{1,200}/, 'user@example.com'],
  hostname: [/\b[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}\b/, 'example.com'],
  ipv4: [/\b\d{1,3}(?:\.\d{1,3}){3}\b/, '192.0.2.1'],
  ipv6: [/\b2001:[\da-f:]{1,40}\b/i, '2001:db8::1'],
  uuid: [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i, '00000000-0000-4000-8000-000000000000'],
  uri: [/https?:\/\/\S+/, 'https://example.com/'],
});

function fillString(name: string, schema: Schema, scribe: Scribe): string {
  if (typeof schema.default === 'string') return schema.default;
  const format = schema.format ? formats[schema.format] : undefined;
  if (format) return scribe.text.match(format[0])?.[0] ?? format[1];
  return fit(byName(name, scribe), schema);
}

function byName(name: string, scribe: Scribe): string {
  const { text, answer } = scribe;
  if (/^(?:answer|response|reply|result|output|content|message|explanation|reason(?:ing)?|feedback)$/i.test(name))
    return answer;
  if (/summary|description/i.test(name)) return summarise(text, 2);
  if (/^(?:query|q|question|prompt|input|text|search)$/i.test(name)) return text.trim();
  if (/e-?mail/i.test(name)) return text.match(formats.email![0])?.[0] ?? formats.email![1];
  if (/url|link/i.test(name)) return text.match(formats.uri![0])?.[0] ?? formats.uri![1];
  if (/^date$|_date$|^day$/i.test(name)) return text.match(formats.date![0])?.[0] ?? formats.date![1];
  if (/expression|formula|calculation/i.test(name))
    return text.match(/[\d(][\d\s+*/().^-]{0,200}[\d)]/)?.[0]?.trim() ?? text.trim();
  const subject = text.match(
    /^\s*(\p{Lu}[\p{L}'-]+(?:\s+\p{Lu}[\p{L}'-]+)*)\s+(?:is|was|has|lives|works|likes)\b/u,
  )?.[1];
  if (subject && /^(?:name|person|subject|author|user)$|_name$/i.test(name)) return subject;
  const entity =
    scribe.names[0] ?? text.match(/\b(?:in|for|of|about|named|called|to)\s+(?:the\s+|a\s+)?([\p{L}\p{N}-]+)/iu)?.[1];
  if (entity) {
    // Each name is used once, so that "from Paris to Rome" fills two members.
    if (scribe.names.length > 1) scribe.names.push(scribe.names.shift()!);
    return entity;
  }
  return /title|name|label/i.test(name) ? keyTerms(text, 4).join(' ') || 'example' : shorten(text.trim(), 200);
}

function fit(text: string, schema: Schema): string {
  let value = text || 'example';
  if (schema.maxLength !== undefined) value = [...value].slice(0, schema.maxLength).join('');
  if (schema.minLength !== undefined) value = value.padEnd(Math.min(schema.minLength, mostCharacters), '.');
  return value;
}
