import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the service writes into its folder, and `svc backup` into its own. */
const ours =
  /^(svc\.db(-wal|-shm|-journal)?|owner\.(lock(-journal)?|json)|encryption\.key(\.new)?|blobs|restoring|backup\.json)$/;
/** Created by the file system on volumes; empty and owned by root. */
const ofTheDisk = new Set(['lost+found']);
const others = 0o077;

export interface RestrictedFolder {
  /** Files and folders whose access for others was removed. */
  closed: number;
  /** Still accessible: not ours to change. */
  open: string[];
  /** Other things in the folder, because of which the folder itself was left unchanged. */
  foreign: string[];
}

/**
 * Restricts a data folder to its owner: earlier versions, copies and restored backups may have left it open. In a
 * folder that also holds other things (a home, /tmp), only our own files are restricted. New files are restricted by
 * the umask, so nested files are checked only if the folder was open.
 */
export function restrictPermissions(folder: string): RestrictedFolder {
  const found: RestrictedFolder = { closed: 0, open: [], foreign: [] };
  const wasOpen = isOpen(folder);
  for (const name of readdirSync(folder)) {
    if (ours.test(name)) close(join(folder, name), found, wasOpen);
    else if (!ofTheDisk.has(name)) found.foreign.push(name);
  }
  if (wasOpen && found.foreign.length === 0) closeOne(folder, found);
  return found;
}

const isOpen = (path: string): boolean => (lstatSync(path).mode & others) !== 0;

function close(path: string, found: RestrictedFolder, deep: boolean): void {
  // A file may vanish after it was listed, as the database's logs do.
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // The target of a link was chosen by the operator.
  if (!entry || entry.isSymbolicLink()) return;
  const wasOpen = (entry.mode & others) !== 0;
  if (wasOpen) closeOne(path, found);
  if (entry.isDirectory() && (deep || wasOpen))
    for (const name of readdirSync(path)) close(join(path, name), found, true);
}

function closeOne(path: string, found: RestrictedFolder): void {
  try {
    chmodSync(path, lstatSync(path).mode & 0o700);
    found.closed += 1;
  } catch {
    // Owned by somebody else, or on a file system without modes; it can still be used.
    found.open.push(path);
  }
}
