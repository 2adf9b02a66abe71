import { type Changes, changesOf } from '../../lib/changes.ts';
import type { Log } from '../log.ts';
import type { Call, Route } from './route.ts';

interface Act extends Changes {
  action: string;
  target: { type: string; id: number | string | null; name?: string };
}

/** Where acts are written; resolves when that is done, and never throws. */
export type RecordAct = (act: Act, call: Call) => Promise<void>;

type Handle = Route['handle'];

/** What an administrator can change without a trace is a fault of the program, and shows at its start. */
export function requireAudit(route: Route): void {
  if (route.auth === ('admin' as Route['auth']) && route.method !== 'get' && route.audit === undefined)
    throw new Error(`${route.method} ${route.path} changes something and names no audit entry`);
}

/** The route's handler, which tells of what it changed when it has a rule for that. */
export function audited(route: Route, record: RecordAct, log: Log): Handle {
  const rule = route.audit;
  if (rule === undefined || rule === 'recorded') return route.handle;
  const look = async (id: number | string | undefined) =>
    id === undefined ? null : ((await rule.subject.look?.(id)) ?? null);
  return async (call) => {
    const before = await look(rule.id(call));
    const response = await route.handle(call);
    if (!response.ok) return response;
    const answer = await response
      .clone()
      .json()
      .catch(() => undefined);
    const id = rule.id(call, answer);
    // The act is done and its answer stands, even when the database goes away in this moment.
    const after = await look(id).catch((error) => {
      log.error({ error, requestId: call.requestId }, 'what an act changed could not be read');
      return before;
    });
    const changes = changesOf(before?.state ?? null, after?.state ?? null);
    const action = typeof rule.action === 'string' ? rule.action : rule.action(call);
    const { type } = rule.subject;
    const name = after?.name ?? before?.name;
    const whole = after?.partOf ?? before?.partOf;
    const target = whole ?? { type, id: id ?? null, name };
    const also = whole ? { [type]: name, ...rule.also?.(call, answer) } : rule.also?.(call, answer);
    await record({ action, target, ...changes, ...(also && { after: { ...changes.after, ...also } }) }, call);
    return response;
  };
}
