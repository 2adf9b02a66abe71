import { join } from 'node:path';
import { type Kind, kinds } from '../relay-replies.ts';
import { ownNode } from './install.ts';
import type { Library } from './table.ts';
import { plainModel, type World } from './world.ts';

/** One task of a client, through a channel of one kind. */
export interface Seen {
  ask: string;
  kind: Kind;
  fault?: string;
  /** The tools that an agent was told to call. */
  by?: string[];
}

export const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

/** Time limit for all tasks of a client. */
const longestMs = 300_000;

export async function runLibrary(world: World, { file }: Library): Promise<Seen[]> {
  world.think(plainModel);
  const models = kinds.map((kind) => world.models[kind]);
  const command = [
    ownNode(),
    join(import.meta.dir, 'drive.mjs'),
    file,
    world.service.url,
    world.service.key,
    ...models,
  ];
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH ?? '', HOME: world.service.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  try {
    const seen = JSON.parse(output.trim().split('\n').at(-1)!) as { ask: string; model: string; fault?: string }[];
    return seen.map(({ ask, model, fault }) => ({ ask, kind: kinds[models.indexOf(model)]!, ...(fault && { fault }) }));
  } catch {
    const fault = errors.trim().split('\n').slice(-6).join(' ') || 'it ended without a word';
    return kinds.map((kind) => ({ ask: 'whole', kind, fault }));
  }
}
