/**
 * The Agents SDK chains turns by `previous_response_id`: the first two are answered by one process, which is killed, and the
 * others by another process on the same database.
 */
import { join } from 'node:path';
import { hasBoth, ownDatabase } from '../own-database.ts';
import { says } from '../relay-replies.ts';
import { startService } from '../service.ts';
import { startUpstream } from '../upstream.ts';
import { ownNode } from './install.ts';
import { textOf } from './run-library.ts';

/** Undefined without PostgreSQL and Redis; otherwise the error, or an empty string. */
export async function chainThroughKill(): Promise<string | undefined> {
  if (!(await hasBoth())) return undefined;
  const { withRedis: env, drop } = await ownDatabase();
  const upstream = startUpstream(says('openai', { text: 'Noted.' }));
  const one = await startService({ env });
  const two = await startService({ env });
  try {
    const { modelId } = await one.serve({ kind: 'openai', url: upstream.url });
    const ask = (at: string, said: string, before = '') => turn([at, one.key, modelId, said, before]);
    const first = await ask(one.url, 'one');
    const second = await ask(one.url, 'two', first.id);
    await one.kill('SIGKILL');
    const third = await ask(two.url, 'three', second.id);
    const last = await ask(two.url, 'four', third.id);
    const said = (upstream.last().body.messages as { content: string }[]).map(({ content }) => content).join(' ');
    const expected = 'one Noted. two Noted. three Noted. four';
    return said === expected && last.answer === 'Noted.' ? '' : `the model was told: ${said}`;
  } catch (error) {
    return `${error}`;
  } finally {
    await Promise.all([one.stop(), two.stop()]);
    upstream.stop();
    await drop();
  }
}

async function turn(given: string[]): Promise<{ id: string; answer: string }> {
  const child = Bun.spawn([ownNode(), join(import.meta.dir, 'sdk/chain.mjs'), ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  const last = output.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{'))
    throw new Error(errors.trim().split('\n').slice(-6).join(' ') || 'it ended without a word');
  return JSON.parse(last) as { id: string; answer: string };
}
