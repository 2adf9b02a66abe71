import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Created only after the database, or by a restore that was killed: if one exists, there was a database. */
const madeLater = ['encryption.key', 'blobs', 'svc.db-wal', 'restoring'];

/**
 * Reports a SQLite file that is missing while its companions exist: an unmounted disk, an aborted copy. Starting afresh
 * would look like total data loss, and soon overwrite the way back.
 */
export function missingDatabase(folder: string): string | null {
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
