/**
 * `npm test` is to end within ten minutes on two cores, so what computes longest has its turn in one of eight runs: pages one
 * by one in a browser, floods, fuzzing and chaos, what the program has to do with the system around it, and on PostgreSQL the
 * rooms that neither move money nor keep work of their own.
 * SVC_TURN=1 to 8 repeats a run; SVC_TURN=all runs every test.
 */
import { relative } from 'node:path';

export const turns = 8;

export type Turn = number | 'all';

/** A turn of one's own choice, else that of the hour: whoever runs the tests through a day has them all. */
export function turnOfRun(asked = process.env.SVC_TURN ?? '', nowMs = Date.now()): Turn {
  if (asked === 'all') return 'all';
  if (asked === '') return (Math.floor(nowMs / 3_600_000) % turns) + 1;
  const turn = Number(asked);
  if (!Number.isInteger(turn) || turn < 1 || turn > turns) throw new Error(`SVC_TURN is 1 to ${turns}, or "all"`);
  return turn;
}

/** Every page in general, the way in, and what a lost network does are looked at each time. */
const inTurnInBrowser = /^e2e\/web-(?!pages|sign-in|network)/;
const inTurnAtLength = /^e2e\/(autonomous-(?!takeover)|hostile|fuzz\/|scale-out|soak)/;
/** Commands, files and permissions, examples for operators, frameworks of others: they change seldom, and each starts services. */
const inTurnAround =
  /^e2e\/(cli|conformance\/|data-folder|deploy-examples|descriptors|devices|file-modes|observability|relay-frameworks|start-stop|unregistered-clients|vendor-rules)/;
/** Almost all of these are about what goes over the wire, which is the same on either database. */
const inTurnOnPostgres =
  /^server\/src\/(?:[\w-]+\.|(?:accounts|agents|identity|mcp|oauth|orchestra|overview|platform|playground|relay|requests|routing)\/(?!.*(?:property|paid-once)))/;

export function ofTurn(files: string[], turn: Turn, engine: 'sqlite' | 'postgres' = 'sqlite'): string[] {
  if (turn === 'all') return files;
  const kinds = engine === 'postgres' ? [inTurnOnPostgres] : [inTurnInBrowser, inTurnAtLength, inTurnAround];
  const seen = kinds.map(() => 0);
  return files.filter((file) => {
    const kind = kinds.findIndex((pattern) => pattern.test(relative(process.cwd(), file)));
    return kind < 0 || seen[kind]!++ % turns === turn - 1;
  });
}
