import type { Snippet } from '../../components/code-block.tsx';

interface Place {
  /** The server's name in the agent's configuration. */
  name: string;
  address: string;
  /** Without a key, agents sign in through a browser. */
  withKey: boolean;
}

const key = 'sk-your-key';
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** How to add a server to each agent, in that agent's own format. */
export function agentSnippets({ name, address, withKey }: Place): Snippet[] {
  const bearer = `Bearer ${key}`;
  const headers = withKey && { headers: { Authorization: bearer } };
  return [
    {
      label: 'Claude Code',
      code: `claude mcp add --transport http ${name} ${address}${withKey ? ` \\\n  --header "Authorization: ${bearer}"` : ''}`,
    },
    {
      label: 'Codex',
      code: [
        '# ~/.codex/config.toml',
        `[mcp_servers.${name}]`,
        `url = ${JSON.stringify(address)}`,
        ...(withKey ? ['bearer_token_env_var = "SVC_API_KEY"'] : []),
      ].join('\n'),
    },
    {
      label: 'VS Code',
      code: `// .vscode/mcp.json\n${json({ servers: { [name]: { type: 'http', url: address, ...headers } } })}`,
    },
    {
      label: 'Cursor',
      code: `// .cursor/mcp.json\n${json({ mcpServers: { [name]: { url: address, ...headers } } })}`,
    },
    { label: 'TypeScript', code: typescript(address, withKey ? bearer : null) },
  ];
}

const typescript = (
  address: string,
  bearer: string | null,
): string => `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'my-agent', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(${JSON.stringify(address)})${
    bearer === null
      ? ', { authProvider }'
      : `, {\n    requestInit: { headers: { Authorization: ${JSON.stringify(bearer)} } },\n  }`
  }),
);
console.log(await client.listTools());`;
