import { type Changes, changesOf } from '../../lib/changes.ts';
import type { Log } from '../log.ts';
import type { Call, Route } from './route.ts';

interface Act extends Changes {
  action: string;
  target: { type: string; id: number | string | null; name?: string };
}

/** Writes an act to the audit log; never rejects. */
export type RecordAct = (act: Act, call: Call) => Promise<void>;

type Handle = Route['handle'];

/** A write endpoint for administrators without an audit rule is a programming error, reported at startup. */
export function requireAudit(route: Route): void {
  if (route.auth === ('admin' as Route['auth']) && route.method !== 'get' && route.audit === undefined)
    throw new Error(`${route.method} ${route.path} changes something and names no audit entry`);
}

/** Wraps the handler of a route with an audit rule, so that its changes are recorded. */
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
    // The act has succeeded, so its answer stands even if the database fails now.
    const after = await look(id).catch((error) => {
      log.error({ error, requestId: call.requestId }, 'the changes of an audited action could not be read');
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
