import type { ConnectedTool } from '../../lib/connected-tools.ts';
import { mostTools, namesAny } from '../connected-names.ts';
import { asFunction, inTime, refuseApplications, requireNamed } from '../connected-tools.ts';
import type { Caller, Deps } from '../ports.ts';
import { callFault } from '../task/call-fault.ts';
import type { RunConfig } from './config.ts';
import { Pause } from './halt.ts';
import type { Work } from './work.ts';

/** The tools available to tasks. */
export interface Toolbox {
  /** In the format sent to models. */
  tools: unknown[];
  names: string[];
  /** Whether it is one of the caller's own tools, a connected server's, or unknown. */
  whose(name: string): 'own' | 'connected' | null;
  asksFirst(name: string): boolean;
}

type Holder = Pick<Work, 'deps' | 'caller' | 'config' | 'tools' | 'signal'>;

const nameOf = (tool: unknown): string => (tool as { function: { name: string } }).function.name;

/** Looked up again for every answer, so that changes by the operator take effect during the run. */
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

/** If the tools cannot be listed, the run pauses: without them it would not do what was asked. */
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

/**
 * Checked before a run starts or resumes. With `true` (all tools) none can be missing: if they cannot be listed, the
 * run pauses later.
 */
export async function requireTools(deps: Deps, caller: Caller, { connected_tools: names }: RunConfig): Promise<void> {
  const param = 'config.connected_tools';
  if (names === true) await refuseApplications(deps, caller, param);
  else await requireNamed(deps, caller, names, param);
}
