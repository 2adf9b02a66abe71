import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { isObject } from '../lib/is-object.ts';
import type { OwnTool, OwnTools } from '../mcp/front/context.ts';
import { type Exchange, toolFailure } from '../mcp/front/endpoint.ts';
import type { Route } from '../platform/http/route.ts';
import { toAppError } from '../platform/http/to-app-error.ts';
import type { Log } from '../platform/log.ts';
import { askRoute } from './ask-route.ts';
import { type ToolRow, toolTable } from './tool-table.ts';

type Params = Record<string, unknown>;

/** The service as MCP tools: each is one of its endpoints, called with the caller's own rights. */
export function ownTools(deps: { routes: readonly Route[]; log: Log }): OwnTools {
  const rows = new Map(toolTable.map((row) => [row.name, row]));
  const views = toolTable.map(viewOf);
  return {
    list: () => views,
    call: async (name, args, exchange) => {
      const row = rows.get(name);
      if (!row) throw new AppError('not_found', `there is no tool ${name}`);
      try {
        return await callRow(deps.routes, row, args, exchange);
      } catch (thrown) {
        // A caller that is gone gets no answer.
        exchange.signal.throwIfAborted();
        const error = toAppError(thrown);
        if (error.status >= 500)
          deps.log.warn({ tool: name, requestId: exchange.requestId, error: thrown }, 'a built-in tool failed');
        return toolFailure(error.message);
      }
    },
  };
}

function viewOf({ name, title, description, input, readOnly }: ToolRow): OwnTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' }) as Params;
  return { name, title, description, inputSchema, annotations: { readOnlyHint: readOnly } };
}

async function callRow(routes: readonly Route[], row: ToolRow, args: Params, exchange: Exchange): Promise<Params> {
  const parsed = row.input.safeParse(args);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    return toolFailure(`${path.join('.') || 'arguments'}: ${message}`);
  }
  const answer = await askRoute(routes, row.request(parsed.data), exchange);
  if (row.told) return { content: [{ type: 'text', text: row.told(answer) }] };
  // Revision 2025-06-18, tools: structured content, and the same as text for clients that only know text.
  const content = [{ type: 'text', text: JSON.stringify(answer) }];
  return isObject(answer) ? { content, structuredContent: answer } : { content };
}
