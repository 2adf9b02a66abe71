/** `npm run test:conformance`: the protocol's own tests and clients of others, and docs/mcp-conformance.md. Ends with 1 if one failed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from '../install-folder.ts';
import { freePort } from '../service.ts';
import { realClients } from './clients.ts';
import { documentOf } from './document.ts';
import { authorizationScenarios, serverScenarios } from './scenarios.ts';
import { isOurs } from './seen.ts';
import { openWorld } from './world.ts';

// A folder of its own, so that what stands here never finds the libraries that the programs bring.
const programs = join(import.meta.dir, 'programs');
await installFolder(programs, 'the tests of the protocol');
const world = await openWorld();
const scenarios = [...(await serverScenarios(world)), ...(await authorizationScenarios(world, freePort()))];
const clients = world.site ? await realClients(world) : [];
await world.stop();

const { dependencies: versions } = JSON.parse(readFileSync(join(programs, 'package.json'), 'utf8'));
const on = new Date().toISOString().slice(0, 10);
await Bun.write(
  join(import.meta.dir, '../../docs/mcp-conformance.md'),
  documentOf({ versions, on, scenarios, clients }),
);
for (const { group, what, fault, why } of [...scenarios, ...clients])
  if (fault) console.log(`${why ? '-  ' : 'no '} ${group}: ${what}: ${fault}`);
const all = [...scenarios, ...clients];
console.log(`${all.filter(({ fault }) => !fault).length} of ${all.length} passed`);
process.exit(all.some(isOurs) ? 1 : 0);
