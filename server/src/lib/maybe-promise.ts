/** Synchronous if the value is in memory: awaiting it would cost each request on the hot path a microtask turn. */
export type MaybePromise<T> = T | Promise<T>;

export const thenMaybe = <A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
