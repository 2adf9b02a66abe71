import { AppError } from '../../lib/errors.ts';
import { isObject, type Json } from './conversation.ts';

/** Readers of request fields. Each error names the field; `null` counts as absent, as in the official APIs. */

export const invalid = (param: string, message: string): AppError => new AppError('invalid_value', message, { param });

export const missing = (param: string): AppError =>
  new AppError('missing_required_parameter', `Missing required parameter: '${param}'.`, { param });

export const unsupported = (param: string, message: string): AppError =>
  new AppError('unsupported_parameter', message, { param });

/** `a.b` below a parent; arrays are written `a[0]` by the caller. */
const path = (parent: string, key: string): string => (parent === '' ? key : `${parent}.${key}`);

/** Without undefined members, so that only what was asked for remains. */
export function onlyGiven<T extends object>(all: T): T {
  const given = {} as T;
  for (const key in all) if (all[key] !== undefined) given[key] = all[key];
  return given;
}

export function readObject(value: unknown, param: string): Json {
  if (!isObject(value)) throw invalid(param, `'${param}' must be an object.`);
  return value;
}

export function readArray(value: unknown, param: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(param, `'${param}' must be an array.`);
  return value;
}

export function readString(value: unknown, param: string): string {
  if (typeof value !== 'string') throw invalid(param, `'${param}' must be a string.`);
  return value;
}

export function requiredString(body: Json, key: string, parent = ''): string {
  const value = body[key];
  if (typeof value === 'string' && value !== '') return value;
  const param = path(parent, key);
  if (value === undefined || value === null) throw missing(param);
  readString(value, param);
  throw invalid(param, `'${param}' must not be empty.`);
}

export function optionalString(body: Json, key: string, parent = ''): string | undefined {
  const value = body[key];
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? undefined : readString(value, path(parent, key));
}

export function optionalBoolean(body: Json, key: string, parent = ''): boolean | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw invalid(path(parent, key), `'${path(parent, key)}' must be a boolean.`);
  return value;
}

export function optionalNumber(body: Json, key: string, min: number, max: number, parent = ''): number | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  const param = path(parent, key);
  throw invalid(param, `'${param}' must be a number ${range(min, max)}.`);
}

export function optionalInteger(body: Json, key: string, min: number, max: number, parent = ''): number | undefined {
  const value = optionalNumber(body, key, min, max, parent);
  if (value !== undefined && !Number.isInteger(value)) {
    throw invalid(path(parent, key), `'${path(parent, key)}' must be an integer.`);
  }
  return value;
}

const range = (min: number, max: number): string =>
  max >= Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `between ${min} and ${max}`;

export function optionalEnum<T extends string>(
  body: Json,
  key: string,
  values: readonly T[],
  parent = '',
): T | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const param = path(parent, key);
  if (!values.includes(value as T)) throw invalid(param, `'${param}' must be one of: ${values.join(', ')}.`);
  return value as T;
}

/** Far more than any schema needs. Serializing very deep JSON takes time quadratic in its depth. */
const maxDepth = 200;

/** No number takes more tokens than this, with all its digits. */
const scalarBytes = 8;

/**
 * Size of everything in a body, including names: an upper bound of its tokens with any tokenizer. Refuses bodies that
 * would block the process when they are serialized again.
 */
export function weigh(value: unknown, depth = 0): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return scalarBytes;
  if (depth > maxDepth) throw invalid('body', `The request is nested deeper than ${maxDepth} levels.`);
  let bytes = 0;
  if (Array.isArray(value)) for (const item of value) bytes += weigh(item, depth + 1);
  else for (const key in value) bytes += key.length + weigh((value as Json)[key], depth + 1);
  return bytes;
}

export const maxInteger = Number.MAX_SAFE_INTEGER;
