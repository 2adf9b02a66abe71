/** There at once where it is in memory: waiting would cost each request on the hot path a turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

export const after = <A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
