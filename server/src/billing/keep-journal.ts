import { type Db, engineOf } from '../platform/db/tables.ts';
import { isTransient } from '../platform/durable/errors.ts';
import type { Log } from '../platform/log.ts';
import { fileJournal, whatIsDue } from './store/journal.ts';

const lookMs = 100;
/** This collects a thousand entries of busy processes, which cost little more than a hundred. */
const fileAfterMs = 200;
/** Others may have died without filing theirs. */
const lookEvery = 50;

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
  let working: Promise<void> | null = null;
  const file = (): Promise<void> =>
    fileJournal(db, (error, entry) => log.error({ error, entry }, 'an entry of the usage log cannot be written'));
  /** Of all processes, mostly one files: the others find nothing that has waited long enough. */
  const fileIfDue = async (): Promise<void> => {
    const due = await whatIsDue(db, fileAfterMs);
    if (due === 'now') await file();
    if (due === 'later') isNew = true;
  };
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    isNew = false;
    try {
      await act();
    } catch (error) {
      isNew = true;
      if (!isTransient(error)) log.error({ error }, 'the usage log could not be written; trying again');
    }
  };
  const timer = setInterval(() => {
    turns += 1;
    if (working || !(isNew || turns % lookEvery === 0)) return;
    working = attempt(fileIfDue).finally(() => {
      working = null;
    });
  }, lookMs);
  timer.unref();
  return {
    noted: () => {
      isNew = true;
    },
    stop: async () => {
      clearInterval(timer);
      await working;
      if (isNew) await attempt(file);
    },
  };
}
