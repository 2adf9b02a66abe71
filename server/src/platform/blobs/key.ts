/** Longest path that every file system and S3 take. */
const maxKeyLength = 512;

/** Keys are chosen by us, so a bad one is a fault of ours; still, none may ever lead out of the folder. */
export function assertKey(key: string): void {
  const parts = key.split('/');
  const sound = parts.every((part) => /^[a-z0-9_.-]+$/.test(part) && part !== '.' && part !== '..');
  if (!sound || key.length > maxKeyLength) throw new Error(`not a blob key: ${JSON.stringify(key.slice(0, 100))}`);
}
