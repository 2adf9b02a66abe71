import type { Billing } from './billing/billing.ts';
import type { AuditLog } from './identity/audit/log.ts';
import type { CalledTool, ToolPayments } from './mcp/called-tool.ts';
import type { Observer } from './observe.ts';
import type { Metrics } from './platform/metrics.ts';

type Tracer = NonNullable<Observer['tracer']>;

interface NoteDeps {
  billing: Pick<Billing, 'record'>;
  audit: Pick<AuditLog, 'record'>;
  observer: Pick<Observer, 'tracer'>;
  metrics: Metrics;
}

/** Records every tool call in usage, audit log, traces and metrics; a charged call is in usage already. */
export function noteToolCalls({ billing, audit, observer, metrics }: NoteDeps): (called: CalledTool) => void {
  const counter = (status: CalledTool['status']) =>
    metrics.counter('svc_mcp_calls_total', 'Tool calls over MCP by outcome.', { status });
  const count = { ok: counter('ok'), error: counter('error'), aborted: counter('aborted') };
  return (called) => {
    const { userId, keyId, origin, requestId, server, tool, status } = called;
    count[status]();
    if (!called.paid) billing.record({ requestId, userId, keyId, modelId: modelOf(called) }, detailOf(called, called));
    audit.record({
      action: 'mcp_tool_called',
      actor: userId,
      target: { type: 'mcp_server', id: server.id ?? server.name, name: server.name },
      metadata: { tool, status },
      origin,
    });
    if (observer.tracer) trace(observer.tracer, called);
  };
}

/** A tool's price is held before the call, and charged with the usage row that names the tool. */
export const toolMoney = (billing: Pick<Billing, 'hold' | 'settle' | 'release'>): ToolPayments => ({
  hold: async (call) => {
    const { userId, keyId, keyUnlimited, requestId, price } = call;
    const hold = await billing.hold({
      ...{ requestId, userId, keyId, keyUnlimited, amount: price, modelId: modelOf(call) },
    });
    return {
      settle: async (ended) =>
        void (await billing.settle(hold, { ...detailOf(call, ended), usage: oneCall, cost: price })),
      release: async () => void (await billing.release(hold)),
    };
  },
});

const noTokens = { promptTokens: 0, completionTokens: 0 };
const oneCall = { ...noTokens, units: 1 };

const detailOf = (
  { server, parentRequestId }: Pick<CalledTool, 'server' | 'parentRequestId'>,
  { status, durationMs }: Pick<CalledTool, 'status' | 'durationMs'>,
) => ({ usage: noTokens, endpoint: '/mcp', provider: server.name, status, durationMs, parentRequestId });

/** Stored in place of a model, so that summaries group by tool without knowing about tools. */
const modelOf = ({ server, tool }: Pick<CalledTool, 'server' | 'tool'>): string =>
  `mcp/${server.name}/${tool}`.slice(0, 256);

function trace(tracer: Tracer, { requestId, parentRequestId, server, tool, status, durationMs }: CalledTool): void {
  const endMs = Date.now();
  tracer.record({
    ...tracer.below(parentRequestId ?? requestId),
    name: `tool ${server.name}`,
    kind: 'client',
    startMs: endMs - durationMs,
    endMs,
    attributes: {
      'gen_ai.tool.name': tool,
      'svc.mcp_server': server.name,
      'svc.outcome': status,
      'svc.request_id': requestId,
    },
    failed: status === 'error',
  });
}
