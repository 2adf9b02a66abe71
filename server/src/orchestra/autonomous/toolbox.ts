import type { ConnectedTool, ConnectedTools } from '../../lib/connected-tools.ts';
import { AppError } from '../../lib/errors.ts';
import { callFault } from '../task/call-fault.ts';
import { inTime } from './call-tool.ts';
import { mostTools, type RunConfig } from './config.ts';
import { Pause } from './halt.ts';
import type { Work } from './work.ts';

/** The tools that tasks may use. */
export interface Toolbox {
  /** As models are told of them. */
  tools: unknown[];
  names: string[];
  /** The caller's own, one of a connected server, or none at all. */
  whose(name: string): 'own' | 'connected' | null;
  asksFirst(name: string): boolean;
}

type Holder = Pick<Work, 'deps' | 'caller' | 'config' | 'tools' | 'signal'>;

const nameOf = (tool: unknown): string => (tool as { function: { name: string } }).function.name;

/** Looked up anew for every answer: what the operator marks or takes away meanwhile counts. */
export async function openToolbox(work: Holder): Promise<Toolbox> {
  const { config, tools: own } = work;
  const ownNames = new Set(own.map(nameOf));
  const connected = (await connectedOf(work))
    .filter(({ name }) => !ownNames.has(name))
    .slice(0, mostTools - own.length);
  const byName = new Map(connected.map((tool) => [tool.name, tool]));
  return {
    tools: [...own, ...connected.map(told)],
    names: [...ownNames, ...byName.keys()],
    whose: (name) => (ownNames.has(name) ? 'own' : byName.has(name) ? 'connected' : null),
    asksFirst: (name) => {
      if (config.approve === 'always') return ownNames.has(name) || byName.has(name);
      return config.approve !== 'never' && (byName.get(name)?.askFirst ?? false);
    },
  };
}

/** Without the tools it was given a run would do something else than it was asked to: it waits for them. */
async function connectedOf({ deps, caller, config, signal }: Holder): Promise<ConnectedTool[]> {
  const { connected_tools = [] } = config;
  if (connected_tools !== true && connected_tools.length === 0) return [];
  try {
    const all = await inTime(deps.clock, signal, () => deps.connectedTools.list(caller.userId));
    return connected_tools === true ? all : all.filter(({ name }) => connected_tools.includes(name));
  } catch (error) {
    signal.throwIfAborted();
    if (callFault(error) === 'database') throw error;
    deps.warn('the tools of connected servers cannot be listed', error);
    throw new Pause('tools_unavailable');
  }
}

const told = ({ name, description, parameters }: ConnectedTool) => ({
  type: 'function',
  function: { name, description, parameters },
});

/** Throws where a name stands for nothing: the run would do without a tool that somebody counts on. */
export async function requireTools(connected: ConnectedTools, userId: number, config: RunConfig): Promise<void> {
  const { connected_tools = [] } = config;
  if (connected_tools === true || connected_tools.length === 0) return;
  const all = await connected.list(userId).catch((error) => {
    throw new AppError('unavailable', 'The tools of connected servers cannot be listed right now.', {}, error);
  });
  const there = new Set(all.map(({ name }) => name));
  const missing = connected_tools.find((name) => !there.has(name));
  const param = 'config.connected_tools';
  if (missing !== undefined) throw new AppError('invalid_value', `${param}: there is no tool "${missing}".`, { param });
}
