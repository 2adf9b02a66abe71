/**
 * `npm test` must finish within eight minutes on two cores, so the slowest tests run in only one of sixteen runs: single
 * pages in a browser, floods, fuzzing and chaos, how the program interacts with the system, long tests of how models and
 * tools answer, and on PostgreSQL the modules that neither move money nor store jobs.
 * SVC_TURN=1 to 16 repeats a run; SVC_TURN=all runs every test.
 */
import { relative } from 'node:path';

export const turns = 16;

export type Turn = number | 'all';

/** The turn given by SVC_TURN, else one that changes every hour, so that runs over a day cover all tests. */
export function turnOfRun(asked = process.env.SVC_TURN ?? '', nowMs = Date.now()): Turn {
  if (asked === 'all') return 'all';
  if (asked === '') return (Math.floor(nowMs / 3_600_000) % turns) + 1;
  const turn = Number(asked);
  if (!Number.isInteger(turn) || turn < 1 || turn > turns) throw new Error(`SVC_TURN is 1 to ${turns}, or "all"`);
  return turn;
}

/** The general page tests, signing in and network failures run every time. */
const inTurnInBrowser = /^e2e\/web-(?!pages|sign-in|network)/;
const inTurnAtLength = /^e2e\/(autonomous-(?!takeover)|hostile|fuzz\/|scale-out|soak)/;
/**
 * Commands, files and permissions, deployment examples, other frameworks: they rarely change, and each starts services.
 */
const inTurnAround =
  /^e2e\/(cli|conformance\/|data-folder|deploy-examples|descriptors|devices|file-modes|observability|relay-frameworks|start-stop|unregistered-clients|vendor-rules)/;
/** Plans and their parts, MCP conversations and streams; not who may do what, what it costs, and what is stored. */
const inTurnOfAnswers =
  /^server\/src\/(?:mcp\/front\/(?!.*(?:hostile|rights|scopes|tokens|processes|prices))|orchestra\/(?!store\/|routes\/|autonomous\/(?:ask-once|leases|max-cost|money|recheck-access|stops)|turn\/lock|.*(?:access|paid-once|property))|playground\/)/;
/** Most of these take seconds for a few checks. */
const inTurnForLong =
  /^server\/src\/(?:platform\/upstream\/parser\.fuzz|lib\/audio\/duration|routing\/half-open|relay\/(?:agent-cache|classify-refusal|routes\/(?:audio|channel-tools|gemini-embeddings)|wire\/(?:odd-streams|chat\/normalize-choice)))\.test/;
/** Almost all of these test wire formats, which do not depend on the database. */
const inTurnOnPostgres =
  /^server\/src\/(?:[\w-]+\.|(?:accounts|agents|identity|mcp|oauth|orchestra|overview|platform|playground|relay|requests|routing)\/(?!.*(?:property|paid-once)))/;

export function ofTurn(files: string[], turn: Turn, engine: 'sqlite' | 'postgres' = 'sqlite'): string[] {
  if (turn === 'all') return files;
  const kinds =
    engine === 'postgres'
      ? [inTurnOnPostgres]
      : [inTurnInBrowser, inTurnAtLength, inTurnAround, inTurnOfAnswers, inTurnForLong];
  // One count for all kinds: if each began with the first turn, the last turns would have the least to do.
  let seen = 0;
  return files.filter((file) => {
    const name = relative(process.cwd(), file);
    return !kinds.some((kind) => kind.test(name)) || seen++ % turns === turn - 1;
  });
}
