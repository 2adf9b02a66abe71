/** `npm run test:conformance`: the protocol's own tests and clients of others, and docs/mcp-conformance.md. Ends with 1 if one failed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from '../install-folder.ts';
import { freePort } from '../service.ts';
import { clientScenarios } from './as-client.ts';
import { realClients } from './clients.ts';
import { documentOf } from './document.ts';
import { authorizationScenarios, serverScenarios } from './scenarios.ts';
import { isOurs } from './seen.ts';
import { openWorld } from './world.ts';

// A folder of its own, so that what stands here never finds the libraries that the programs bring.
const programs = join(import.meta.dir, 'programs');
/** A run takes three minutes on an idle machine. */
const mostMinutes = 40;
await installFolder(programs, 'the tests of the protocol');
let part = 'opening the service';
// Each program has its own time; this is for what nobody thought of, so that a run ends every time, and says where it stood.
const watch = setTimeout(() => {
  console.log(`no  the run did not end within ${mostMinutes} minutes; it stood at: ${part}`);
  process.exit(1);
}, mostMinutes * 60_000);
const doing = <T>(what: string, work: () => Promise<T>): Promise<T> => {
  part = what;
  console.error(`${what}…`);
  return work();
};
const world = await openWorld();
const scenarios = [
  ...(await doing('scenarios of servers', () => serverScenarios(world))),
  ...(await doing('scenarios of authorization servers', () => authorizationScenarios(world, freePort()))),
];
const asClient = await doing('scenarios of clients', () => clientScenarios(world));
const clients = world.site ? await doing('clients of others', () => realClients(world)) : [];
await doing('closing the service', () => world.stop());
clearTimeout(watch);

const { dependencies: versions } = JSON.parse(readFileSync(join(programs, 'package.json'), 'utf8'));
const on = new Date().toISOString().slice(0, 10);
await Bun.write(
  join(import.meta.dir, '../../docs/mcp-conformance.md'),
  documentOf({ versions, on, scenarios, asClient, clients }),
);
const all = [...scenarios, ...asClient, ...clients];
for (const { group, what, fault, why } of all)
  if (fault) console.log(`${why ? '-  ' : 'no '} ${group}: ${what}: ${fault}`);
console.log(`${all.filter(({ fault }) => !fault).length} of ${all.length} passed`);
process.exit(all.some(isOurs) ? 1 : 0);
