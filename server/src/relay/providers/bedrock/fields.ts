import { isObject, type Json } from '../../wire/conversation.ts';

/** A member's value, or an empty one if its type differs. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
