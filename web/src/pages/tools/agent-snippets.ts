import type { Snippet } from '../../components/code-block.tsx';
import { t } from '../../language/words.ts';

interface Place {
  /** What the agent will call the server. */
  name: string;
  address: string;
  /** Without keys, agents sign in with a browser. */
  withKey: boolean;
}

const key = 'sk-your-key';
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** How agents are told of a server: each in its own few lines. */
export function agentSnippets({ name, address, withKey }: Place): Snippet[] {
  const bearer = t('Bearer {key}', { key });
  const headers = withKey && { headers: { Authorization: bearer } };
  return [
    {
      label: t('Claude Code'),
      code: `claude mcp add --transport http ${name} ${address}${withKey ? ` \\\n  --header "Authorization: ${bearer}"` : ''}`,
    },
    {
      label: t('Codex'),
      code: [
        '# ~/.codex/config.toml',
        `[mcp_servers.${name}]`,
        `url = ${JSON.stringify(address)}`,
        ...(withKey ? ['bearer_token_env_var = "SVC_API_KEY"'] : []),
      ].join('\n'),
    },
    {
      label: t('VS Code'),
      code: `// .vscode/mcp.json\n${json({ servers: { [name]: { type: 'http', url: address, ...headers } } })}`,
    },
    {
      label: t('Cursor'),
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
      ? t(', { authProvider }')
      : t(", '{'\n    requestInit: '{' headers: '{' Authorization: {bearer} '}' '}',\n  '}'", {
          bearer: JSON.stringify(bearer),
        })
  }),
);
console.log(await client.listTools());`;
