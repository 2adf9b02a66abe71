/**
 * A tool's arguments as a form: one field per property of its schema, with JSON for types that have no input of their
 * own.
 */
import { t } from '../../language/words.ts';
import { readNumber } from '../../read-number.ts';

type Schema = Record<string, unknown>;

export interface ArgumentField {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  required: boolean;
  description: string;
  /** For a choice: the options as JSON, since they need not be strings. */
  choices: string[];
  /** For a number: whether it must be an integer. */
  whole: boolean;
}

/** The entered values; a missing name means that the field was not touched. */
export type Entered = Record<string, string | boolean>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function fieldsOf(schema: Schema): ArgumentField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isSchema(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, property]) => {
    const told = isSchema(property) ? property : {};
    return {
      ...{ name, required: required.includes(name), ...inputOf(told) },
      description: typeof told.description === 'string' ? told.description : '',
    };
  });
}

function inputOf(property: Schema): Pick<ArgumentField, 'kind' | 'choices' | 'whole'> {
  const plain = { choices: [], whole: false };
  const options = Array.isArray(property.enum) ? property.enum : 'const' in property ? [property.const] : null;
  if (options?.length)
    return { ...plain, kind: 'choice', choices: [...new Set(options.map((one) => JSON.stringify(one)))] };
  // A nullable argument is omitted instead of sent as null.
  const types = [property.type].flat().filter((type) => type !== 'null');
  if (types.length !== 1) return { ...plain, kind: 'json' };
  switch (types[0]) {
    case 'string':
      return { ...plain, kind: 'text' };
    case 'integer':
      return { ...plain, kind: 'number', whole: true };
    case 'number':
      return { ...plain, kind: 'number' };
    case 'boolean':
      return { ...plain, kind: 'boolean' };
    default:
      return { ...plain, kind: 'json' };
  }
}

/** The label of a choice: strings without their quotes. */
export const choiceLabel = (choice: string): string => {
  const value = JSON.parse(choice) as unknown;
  return typeof value === 'string' && value !== '' ? value : choice;
};

type Read = { value: unknown } | { fault: string } | null;

/** Null if nothing was entered. */
function read({ kind, whole, required }: ArgumentField, entered: string | boolean | undefined): Read {
  if (kind === 'boolean') return entered === undefined && !required ? null : { value: entered === true };
  const text = String(entered ?? '');
  if (text === '' && !(kind === 'text' && entered !== undefined && required))
    return required ? { fault: t('This field is required.') } : null;
  if (kind === 'text') return { value: text };
  return kind === 'number' ? readArgument(text, whole) : parsed(text);
}

/** As JSON writes them, with an exponent. */
const exponential = /^-?\d+(?:\.\d+)?e[+-]?\d+$/i;

function readArgument(text: string, whole: boolean): { value: number } | { fault: string } {
  const written = text.trim();
  const plain = exponential.test(written);
  const number = plain ? written : readNumber(text, false);
  const value = Number(number);
  if (!number || !/\d/.test(number) || !Number.isFinite(value)) return { fault: t('Enter a number.') };
  const isWhole = plain ? Number.isInteger(value) : readNumber(text, true) !== null;
  if (whole && !isWhole) return { fault: t('Enter a whole number.') };
  return isInexact(number, value) ? { fault: tooLong(written) } : { value };
}

/** Beyond 16 digits, such as in the ids of some services, a number would be rounded and name something else. */
const isInexact = (text: string, value: unknown): boolean =>
  /^-?\d+$/.test(text) && typeof value === 'number' && !Number.isSafeInteger(value);
const tooLong = (number: string): string => t('{number} has too many digits to be sent exactly.', { number });

function parsed(text: string): { value: unknown } | { fault: string } {
  let inexact: string | undefined;
  // Older browsers do not pass the source; then nothing is found.
  const look = (_: string, value: unknown, context?: { source?: string }) => {
    if (context?.source !== undefined && isInexact(context.source, value)) inexact = context.source;
    return value;
  };
  try {
    const value: unknown = JSON.parse(text, look);
    return inexact === undefined ? { value } : { fault: tooLong(inexact) };
  } catch (error) {
    return { fault: t('Invalid JSON: {reason}', { reason: (error as Error).message }) };
  }
}

export interface Arguments {
  values: Record<string, unknown>;
  faults: Record<string, string>;
}

/** The values to send, and the errors of invalid fields. Empty optional fields are omitted. */
export function argumentsOf(fields: readonly ArgumentField[], entered: Entered): Arguments {
  const values: [string, unknown][] = [];
  const faults: [string, string][] = [];
  for (const field of fields) {
    const result = read(field, Object.hasOwn(entered, field.name) ? entered[field.name] : undefined);
    if (result && 'fault' in result) faults.push([field.name, result.fault]);
    else if (result) values.push([field.name, result.value]);
  }
  return { values: Object.fromEntries(values), faults: Object.fromEntries(faults) };
}

/** All arguments, written as JSON by hand. */
export function argumentsIn(text: string): { values: Record<string, unknown> } | { fault: string } {
  const result = parsed(text.trim() === '' ? '{}' : text);
  if ('fault' in result) return result;
  return isSchema(result.value)
    ? { values: result.value }
    : { fault: t('Enter an object: {example}', { example: '{…}' }) };
}
