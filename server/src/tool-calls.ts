import type { Billing } from './billing/billing.ts';
import type { AuditLog } from './identity/audit/log.ts';
import type { CalledTool } from './mcp/front/room.ts';
import type { Observer } from './observe.ts';
import type { Metrics } from './platform/metrics.ts';

interface NoteDeps {
  billing: Pick<Billing, 'record'>;
  audit: Pick<AuditLog, 'record'>;
  observer: Pick<Observer, 'tracer'>;
  metrics: Metrics;
}

/** Every call of a tool over MCP stands in usage, where it costs nothing, in the audit log, in traces and in figures. */
export function noteToolCalls({ billing, audit, observer, metrics }: NoteDeps): (called: CalledTool) => void {
  const counter = (status: CalledTool['status']) =>
    metrics.counter('svc_mcp_calls_total', 'Calls of tools over MCP, by how they ended.', { status });
  const count = { ok: counter('ok'), error: counter('error'), aborted: counter('aborted') };
  return (called) => {
    const { asker, server, tool, status, durationMs } = called;
    const { caller, origin, requestId } = asker;
    count[status]();
    billing.record(
      { requestId, userId: caller.user.id, keyId: caller.keyId, modelId: modelOf(called) },
      { usage: { promptTokens: 0, completionTokens: 0 }, endpoint: '/mcp', provider: server.name, status, durationMs },
    );
    audit.record({
      action: 'mcp_tool_called',
      actor: caller.user.id,
      target: { type: 'mcp_server', id: server.id ?? server.name, name: server.name },
      metadata: { tool, status },
      origin,
    });
    trace(observer.tracer, called);
  };
}

/** Where a model would stand: summaries then tell tools apart without knowing of them. */
const modelOf = ({ server, tool }: CalledTool): string => `mcp/${server.name}/${tool}`.slice(0, 256);

function trace(tracer: Observer['tracer'], { asker, server, tool, status, durationMs }: CalledTool): void {
  if (!tracer) return;
  const endMs = Date.now();
  tracer.record({
    ...tracer.below(asker.requestId),
    name: `tool ${server.name}`,
    kind: 'client',
    startMs: endMs - durationMs,
    endMs,
    attributes: {
      'gen_ai.tool.name': tool,
      'svc.mcp_server': server.name,
      'svc.outcome': status,
      'svc.request_id': asker.requestId,
    },
    failed: status === 'error',
  });
}
