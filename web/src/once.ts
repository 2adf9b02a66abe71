import { useState } from 'react';
import { ApiError, post } from './api.ts';

type Send<W, R> = (what: W, idempotencyKey: string) => Promise<R>;

/** 128 bits; `crypto.randomUUID` is missing on pages that came over plain http. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether the outcome is known. No answer, a server fault, or "the first try still runs" leaves it open. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409;

/**
 * Sends a request under one idempotency key until it is answered, and never twice at a time: neither a second click nor a
 * retry after a lost connection carries it out again. Once answered, the next call gets a new key.
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

/** The key lives as long as the form that sends it. */
export function useOnce<W, R>(send: Send<W, R>): (what: W) => Promise<R> {
  return useState(() => onceUntilAnswered(send))[0];
}

type Sent = [path: string, options?: object];
/** Path and options were checked against each other where `post` was called. */
const anyPost = post as unknown as (path: string, options: object) => Promise<unknown>;
const sendOnce = ([path, options]: Sent, idempotencyKey: string) => anyPost(path, { ...options, idempotencyKey });

/** `post` for forms that move money or make something. */
export function usePost(): typeof post {
  const once = useOnce(sendOnce);
  // Parameters and result are those of `post`.
  return useState(
    () =>
      (...sent: Sent) =>
        once(sent),
  )[0] as unknown as typeof post;
}
