/**
 * `npm run test:conformance`: runs the protocol's tests and third-party clients and writes docs/mcp-conformance.md. Exits with
 * 1 if one failed. With names of parts, or of client scenarios (`auth/…`), only those are run, and the page is not written.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from '../install-folder.ts';
import { freePort } from '../service.ts';
import { clientScenarios } from './as-client.ts';
import { realClients } from './clients.ts';
import { documentOf } from './document.ts';
import { authorizationScenarios, serverScenarios } from './scenarios.ts';
import { isOurFailure, type StepResult } from './step-result.ts';
import { openWorld, type World } from './world.ts';

// In its own folder, so that our code never resolves the libraries of these programs.
const programs = join(import.meta.dir, 'programs');
/** A run takes three minutes on an idle machine. */
const mostMinutes = 40;
const parts = ['servers', 'authorization', 'client', 'others'] as const;
type Part = (typeof parts)[number];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !parts.some((part) => part === name) && !name.startsWith('auth/'));
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(', ')}: there are ${parts.join(', ')} and auth/…`);
  process.exit(1);
}
const wanted = asked.filter((name) => name.startsWith('auth/'));
const isAsked = (part: Part): boolean =>
  asked.length === 0 || asked.includes(part) || (part === 'client' && wanted.length > 0);
await installFolder(programs, 'the tests of the protocol');
let part = 'opening the service';
let world: World | null = null;
/** Ends the run and everything it started. Otherwise an uncaught error would be printed while listening servers keep the process alive. */
async function giveUp(why: string): Promise<never> {
  console.log(`no  the run ended at: ${part}: ${why}`);
  await Promise.race([world?.stop().catch(() => {}), Bun.sleep(10_000)]);
  process.exit(1);
}
process.on('unhandledRejection', (error) => giveUp(String(error)));
process.on('uncaughtException', (error) => giveUp(String(error)));
// The browser library handles these itself and continues.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => giveUp(signal));
// Each program has its own time limit; this one covers everything else.
const watch = setTimeout(() => giveUp(`it took more than ${mostMinutes} minutes`), mostMinutes * 60_000);
const doing = async (name: Part, what: string, work: () => Promise<StepResult[]>): Promise<StepResult[]> => {
  if (!isAsked(name)) return [];
  part = what;
  const started = performance.now();
  const done = await work();
  console.error(`${what}: ${Math.round((performance.now() - started) / 1_000)} s`);
  return done;
};
const opened = await openWorld();
world = opened;
const scenarios = [
  ...(await doing('servers', 'scenarios of servers', () => serverScenarios(opened))),
  ...(await doing('authorization', 'scenarios of authorization servers', () =>
    authorizationScenarios(opened, freePort()),
  )),
];
const asClient = await doing('client', 'scenarios of clients', () => clientScenarios(opened, wanted));
const clients = opened.site ? await doing('others', 'clients of others', () => realClients(opened)) : [];
part = 'closing the service';
await opened.stop();
clearTimeout(watch);

const { dependencies: versions } = JSON.parse(readFileSync(join(programs, 'package.json'), 'utf8'));
const on = new Date().toISOString().slice(0, 10);
if (asked.length === 0)
  await Bun.write(
    join(import.meta.dir, '../../docs/mcp-conformance.md'),
    documentOf({ versions, on, scenarios, asClient, clients }),
  );
const all = [...scenarios, ...asClient, ...clients];
for (const { group, what, fault, why } of all)
  if (fault) console.log(`${why ? '-  ' : 'no '} ${group}: ${what}: ${fault}`);
console.log(`${all.filter(({ fault }) => !fault).length} of ${all.length} passed`);
process.exit(all.some(isOurFailure) ? 1 : 0);
