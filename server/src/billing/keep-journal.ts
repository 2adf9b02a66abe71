import { type Db, engineOf } from '../platform/db/tables.ts';
import { isTransient } from '../platform/durable/errors.ts';
import type { Log } from '../platform/log.ts';
import { fileJournal } from './store/journal.ts';

/** Of a busy process this collects a thousand entries, which cost little more than a hundred. */
const fileMs = 250;
/** Others may have died without filing theirs. */
const lookEvery = 20;

export interface JournalKeeper {
  /** There are new entries. */
  noted(): void;
  stop(): Promise<void>;
}

/** Files the journal in the background. */
export function keepJournal(db: Db, log: Log): JournalKeeper {
  if (engineOf(db) === 'sqlite') return { noted: () => {}, stop: async () => {} };
  let isNew = true;
  let turns = 0;
  let filing: Promise<void> | null = null;
  const file = async (): Promise<void> => {
    isNew = false;
    try {
      await fileJournal(db, (error, entry) =>
        log.error({ error, entry }, 'an entry of the usage log cannot be written'),
      );
    } catch (error) {
      isNew = true;
      if (!isTransient(error)) log.error({ error }, 'the usage log could not be written; trying again');
    }
  };
  const timer = setInterval(() => {
    turns += 1;
    if (filing || !(isNew || turns % lookEvery === 0)) return;
    filing = file().finally(() => {
      filing = null;
    });
  }, fileMs);
  timer.unref();
  return {
    noted: () => {
      isNew = true;
    },
    stop: async () => {
      clearInterval(timer);
      await filing;
      if (isNew) await file();
    },
  };
}
