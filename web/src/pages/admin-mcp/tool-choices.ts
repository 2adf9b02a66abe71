import type { McpServer, McpTool } from './mcp-servers.ts';

/** What is wanted of a tool. */
export interface Choice {
  allowed: boolean;
  askFirst: boolean;
  /** What the server says now is what is approved; where nothing changed there is nothing to say. */
  approve: boolean;
}

export type Choices = Record<string, Choice>;

export const choicesOf = (tools: readonly McpTool[]): Choices =>
  Object.fromEntries(
    tools.map(({ name, approved, state }) => [
      name,
      { allowed: approved !== null, askFirst: approved?.ask_first ?? false, approve: state === 'new' },
    ]),
  );

/** All that is allowed. A tool that changed keeps the definition from before until the new one is approved. */
export const wantedOf = (tools: readonly McpTool[], choices: Choices, server: Pick<McpServer, 'tools'>) =>
  tools.flatMap(({ name, definition }) => {
    const choice = choices[name];
    if (!choice?.allowed) return [];
    const before = server.tools.find((tool) => tool.name === name)?.definition;
    return [{ name, definition: choice.approve ? definition : (before ?? definition), ask_first: choice.askFirst }];
  });
