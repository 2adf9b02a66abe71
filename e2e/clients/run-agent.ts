import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Agent, after, before, type Place } from './agents.ts';
import { inModules, ownNode } from './install.ts';
import { type Seen, textOf } from './run-library.ts';
import type { World } from './world.ts';

const longestMs = 120_000;

/** Lets the agent edit the file through each kind of channel; only the file decides whether it worked. */
export async function runAgent(world: World, agent: Agent): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const kind of agent.kinds) {
    const root = mkdtempSync(join(tmpdir(), 'svc-agent-'));
    const folder = join(root, 'work');
    const home = join(root, 'home');
    const file = join(folder, 'greeting.txt');
    mkdirSync(folder);
    writeFileSync(file, before);
    const by = new Set<string>();
    const { url } = world.upstreams[kind];
    // A model of OpenAI, whose channel gets the request unchanged.
    const capabilities = { responses: kind === 'openai' };
    const known = agent.knows && { kind, url, modelId: `${kind}/${agent.knows}`, capabilities };
    const model = known ? (await world.service.serve(known)).modelId : world.models[kind];
    world.think(({ tools, results }) => {
      const step = tools.length > 0 ? agent.steps(file, tools)[results] : undefined;
      if (step) by.add(step.name);
      return step ? { calls: [{ id: `call_${results}`, ...step }] } : { text: 'Done.' };
    });
    const asked = world.upstreams[kind].asked.length;
    const { url: address, key } = world.service;
    const working = work(agent, { url: address, key, model, folder, home });
    const connected = agent.bySocket ? socketSeen(address, working) : true;
    const said = await working;
    const edited = readFileSync(file, 'utf8') === after;
    const requests = world.upstreams[kind].asked.length - asked;
    const worked = edited && requests > 1 && (await connected);
    const fault = worked
      ? undefined
      : `${requests} requests reached the model${(await connected) ? '' : ', none by WebSocket'}; ${complaintIn(said)}`;
    seen.push({ ask: 'edits', kind, by: [...by], ...(fault && { fault }) });
    rmSync(root, { recursive: true, force: true });
  }
  return seen;
}

/** Whether the service had an open WebSocket for responses at any time during the work. */
async function socketSeen(url: string, working: Promise<unknown>): Promise<boolean> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  void working.then(end, end);
  while (!ended) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^svc_response_sockets [1-9]/m.test(metrics)) return true;
    await Bun.sleep(20);
  }
  return false;
}

/** The last line that looks like an error; agents print much else. */
const complaintIn = (said: string): string =>
  (said.split('\n').findLast((line) => /error|invalid|fail/i.test(line)) ?? said.slice(-300)).slice(0, 300);

async function work(agent: Agent, place: Place): Promise<string> {
  for (const [path, text] of Object.entries({ '.config/keep': '', ...agent.files?.(place) })) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), text);
  }
  const program = inModules(agent.program);
  const child = Bun.spawn([...(agent.byNode ? [ownNode(), program] : [program]), ...agent.arguments(place)], {
    cwd: place.folder,
    // Nothing of the caller's environment, which may have keys or settings of an agent.
    env: {
      PATH: `${dirname(ownNode())}:${process.env.PATH}`,
      HOME: place.home,
      NO_COLOR: '1',
      ...agent.environment(place),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return `${errors}\n${output}`.trim();
}
