/**
 * `npm run test:clients`: runs every client against the service and writes docs/clients.md. With names, or parts of names, as
 * arguments it runs only these clients (`kill`: a chain of turns across the death of a process); the others keep their last
 * result and its day. Exits with 1 if a client failed.
 */
import { join } from 'node:path';
import { type Agent, agents } from './agents.ts';
import { chainThroughKill } from './chain-through-kill.ts';
import { asks } from './client-tasks.mjs';
import { documentOf, type Row } from './document.ts';
import { installClients, versionOf } from './install.ts';
import { type ClientResults, readResults, writeResults } from './recorded-results.ts';
import { runAgent } from './run-agent.ts';
import { runLibrary, type Seen } from './run-library.ts';
import { type Library, libraries } from './table.ts';
import { openWorld } from './world.ts';

type Client = Library | Agent;

const page = join(import.meta.dir, '../../docs/clients.md');
const wanted = process.argv.slice(2);
const isWanted = ({ name }: Client) => wanted.length === 0 || wanted.some((part) => name.includes(part));

await installClients();
const world = await openWorld();
const tried: Record<string, ClientResults> = wanted.length === 0 ? {} : readResults();
const names = new Set([...libraries, ...agents].map(({ name }) => name));
let failed = 0;

for (const client of [...libraries, ...agents].filter(isWanted)) {
  const version = versionOf(client.package);
  if (!version) continue;
  const seen = await ('file' in client ? runLibrary(world, client) : runAgent(world, client));
  for (const one of seen) console.log(lineOf(client, one));
  failed += seen.filter(({ fault }) => fault).length;
  // Clients that are no longer in the tables are removed.
  for (const name of Object.keys(tried)) if (!names.has(name)) delete tried[name];
  tried[client.name] = { version, on: new Date().toISOString().slice(0, 10), seen };
  // After each client, so that an interrupted run keeps its results.
  writeResults(tried);
  await Bun.write(page, documentOf(libraries.map(rowOf), agents.map(rowOf), asks));
}
await world.stop();
if (wanted.length === 0 || wanted.includes('kill')) {
  const fault = await chainThroughKill();
  const shown = { ask: 'a chain by two processes, one of which is killed', kind: 'openai' as const };
  if (fault === undefined) console.log(`-   @openai/agents: ${shown.ask}: PostgreSQL or Redis is missing`);
  else console.log(lineOf({ name: '@openai/agents' }, fault ? { ...shown, fault } : shown));
  if (fault) failed += 1;
}
process.exit(failed > 0 ? 1 : 0);

function lineOf({ name }: Pick<Client, 'name'>, { ask, kind, fault }: Seen): string {
  return fault ? `no  ${name}: ${ask}, ${kind}: ${fault}` : `yes ${name}: ${ask}, ${kind}`;
}

/** Results of another version say nothing about the installed one. */
function rowOf(client: Client): Row {
  const { name, package: from, speaks } = client;
  const version = versionOf(from);
  const last = tried[name]?.version === version ? tried[name] : undefined;
  return {
    name,
    version,
    speaks,
    on: last?.on,
    seen: last?.seen ?? [],
    besides: 'besides' in client ? client.besides : undefined,
  };
}
