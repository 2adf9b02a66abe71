/** What takes a few milliseconds to unpack and to look through. */
const pieceBytes = 1024 * 1024;

/**
 * For bytes that are there at once, such as unpacked ones, of which a hundred may become many megabytes: after each
 * piece of them others have their turn.
 */
export function takeTurns(): (bytes: number) => Promise<void> | undefined {
  let since = 0;
  return (bytes) => {
    since += bytes;
    if (since < pieceBytes) return undefined;
    since = 0;
    return new Promise((next) => setImmediate(next));
  };
}
