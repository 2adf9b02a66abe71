/**
 * Maps with bounded concurrency; results keep the order. After a failure nothing new is started, and the error is
 * thrown once the running ones have ended, so that none is left unobserved.
 */
export async function mapAtOnce<T, R>(all: readonly T[], most: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = new Array(all.length);
  const failures: unknown[] = [];
  let next = 0;
  const goOn = async (): Promise<void> => {
    while (next < all.length) {
      const place = next++;
      try {
        done[place] = await work(all[place]!);
      } catch (error) {
        next = all.length;
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: most }, goOn));
  if (failures.length > 0) throw failures[0];
  return done;
}
