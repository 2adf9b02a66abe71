import type { ConnectedTool } from '../../lib/connected-tools.ts';
import { mostTools, namesAny } from '../connected-names.ts';
import { asFunction, inTime, refuseApplications, requireNamed } from '../connected-tools.ts';
import type { Caller, Deps } from '../ports.ts';
import { callFault } from '../task/call-fault.ts';
import type { RunConfig } from './config.ts';
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
    tools: [...own, ...connected.map(asFunction)],
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
  const { connected_tools } = config;
  if (!namesAny(connected_tools)) return [];
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

/** Before a run begins or goes on. Of all tools, whichever these are, none is missing: the run waits until they can be listed. */
export async function requireTools(deps: Deps, caller: Caller, { connected_tools: names }: RunConfig): Promise<void> {
  const param = 'config.connected_tools';
  if (names === true) await refuseApplications(deps, caller, param);
  else await requireNamed(deps, caller, names, param);
}
