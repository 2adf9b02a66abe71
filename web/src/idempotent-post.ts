import { useState } from 'react';
import { ApiError, post } from './api.ts';

type Send<W, R> = (what: W, idempotencyKey: string) => Promise<R>;

/** 128 random bits. `crypto.randomUUID` does not exist on pages served over plain http. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Whether the outcome is known. It is not after no response, a server error, or a 409 (the first attempt still runs).
 */
const isAnswer = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409;

/**
 * Sends a request with one idempotency key until it gets an answer, and never concurrently: neither a second click nor
 * a retry after a lost connection executes it twice. After an answer, the next call gets a new key.
 */
export function onceUntilAnswered<W, R>(send: Send<W, R>): (what: W) => Promise<R> {
  const tries = new Map<string, { key: string; running: Promise<R> | null }>();
  return (what) => {
    const name = JSON.stringify(what);
    const one = tries.get(name) ?? { key: newKey(), running: null };
    tries.set(name, one);
    one.running ??= send(what, one.key).then(
      (answer) => {
        tries.delete(name);
        return answer;
      },
      (error) => {
        one.running = null;
        if (isAnswer(error)) tries.delete(name);
        throw error;
      },
    );
    return one.running;
  };
}

/** The idempotency key lives as long as the form. */
export function useIdempotent<W, R>(send: Send<W, R>): (what: W) => Promise<R> {
  return useState(() => onceUntilAnswered(send))[0];
}

type Sent = [path: string, options?: object];
/** `post` has checked path and options against each other at the call site. */
const anyPost = post as unknown as (path: string, options: object) => Promise<unknown>;
const sendOnce = ([path, options]: Sent, idempotencyKey: string) => anyPost(path, { ...options, idempotencyKey });

/** `post` for forms that move money or create something. */
export function usePost(): typeof post {
  const once = useIdempotent(sendOnce);
  // Same parameters and result as `post`.
  return useState(
    () =>
      (...sent: Sent) =>
        once(sent),
  )[0] as unknown as typeof post;
}
