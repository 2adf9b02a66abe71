import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the service puts into its folder, and `svc backup` into its own. */
const ours =
  /^(svc\.db(-wal|-shm|-journal)?|owner\.(lock(-journal)?|json)|encryption\.key(\.new)?|blobs|backup\.json)$/;
/** Volumes have it by themselves; it is empty, and root's. */
const ofTheDisk = new Set(['lost+found']);
const others = 0o077;

export interface Closed {
  /** How many files and folders others could do something with, and now cannot. */
  closed: number;
  /** What stays open: not ours to change. */
  open: string[];
  /** Things beside ours, for whose sake the folder itself was left as it is. */
  foreign: string[];
}

/**
 * Takes a data folder away from all but its owner: earlier versions, copies and restored backups may have left it open. A
 * folder that holds other things as well (somebody's home, /tmp) is not closed, only what is ours in it. New files are made
 * closed to begin with, by the umask of the process; so what lies deep inside is looked at only if the folder was open.
 */
export function closeFolder(folder: string): Closed {
  const found: Closed = { closed: 0, open: [], foreign: [] };
  const wasOpen = isOpen(folder);
  for (const name of readdirSync(folder)) {
    if (ours.test(name)) close(join(folder, name), found, wasOpen);
    else if (!ofTheDisk.has(name)) found.foreign.push(name);
  }
  if (wasOpen && found.foreign.length === 0) closeOne(folder, found);
  return found;
}

const isOpen = (path: string): boolean => (lstatSync(path).mode & others) !== 0;

function close(path: string, found: Closed, deep: boolean): void {
  // A file may go between being listed and being looked at: logs of the database do.
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // Where a link leads was somebody's own choice.
  if (!entry || entry.isSymbolicLink()) return;
  const wasOpen = (entry.mode & others) !== 0;
  if (wasOpen) closeOne(path, found);
  if (entry.isDirectory() && (deep || wasOpen))
    for (const name of readdirSync(path)) close(join(path, name), found, true);
}

function closeOne(path: string, found: Closed): void {
  try {
    chmodSync(path, lstatSync(path).mode & 0o700);
    found.closed += 1;
  } catch {
    // Somebody else's, or a disk that knows no modes: what can be read and written still serves.
    found.open.push(path);
  }
}
