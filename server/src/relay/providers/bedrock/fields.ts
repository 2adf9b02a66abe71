import { isObject, type Json } from '../../wire/conversation.ts';

/** What a member holds, or nothing of its type where it holds something else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
