import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Made only once there is a database: where one of these is, there was one. */
const madeLater = ['encryption.key', 'blobs', 'svc.db-wal'];

/**
 * Says so when the SQLite file of a folder is gone while others are still there: a disk that was not mounted, a copy that
 * broke off. To begin anew would look like an installation that lost everything, and would soon overwrite the way back.
 */
export function lostDatabase(folder: string): string | null {
  const file = join(folder, 'svc.db');
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  const left = madeLater.filter((name) => existsSync(join(folder, name)));
  if (size || left.length === 0) return null;
  return (
    `${file} is ${size === 0 ? 'empty' : 'missing'}, but there was a database: ${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} still there. ` +
    'Put the file back (svc restore <backup> --force), or set DATA_DIR to the right folder; ' +
    'to begin with a new, empty database here, run: svc migrate --new'
  );
}
