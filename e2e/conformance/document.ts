/** docs/mcp-conformance.md, of what a run saw and nothing else. */
import { isOurFailure, type StepResult } from './step-result.ts';

const plain = (text: string): string =>
  text
    .replace(/https?:\/\/127\.0\.0\.1:\d+/g, '')
    .replace(/[\s`|<>*]+/g, ' ')
    .trim()
    .slice(0, 300);

function sectionOf(group: string, seen: StepResult[]): string {
  const passed = seen.filter(({ fault }) => !fault).length;
  const rows = seen.map(
    ({ what, fault, why = '' }) => `| ${what} | ${fault ? 'no' : 'yes'} | ${fault ? plain(why || fault) : ''} |`,
  );
  return `### ${group}\n\n${passed} of ${seen.length}.\n\n| what | passes | why not |\n|---|---|---|\n${rows.join('\n')}\n`;
}

const sectionsOf = (seen: StepResult[]): string =>
  [...Map.groupBy(seen, ({ group }) => group)].map(([group, ones]) => sectionOf(group, ones)).join('\n');

export interface Run {
  versions: Record<string, string>;
  on: string;
  scenarios: StepResult[];
  asClient: StepResult[];
  clients: StepResult[];
}

export function documentOf({ versions, on, scenarios, asClient, clients }: Run): string {
  const ours = [...scenarios, ...asClient, ...clients].filter(isOurFailure);
  const named = Object.entries(versions).map(([name, version]) => `\`${name}\` ${version}`);
  return `# MCP: conformance and clients

<!-- written by npm run test:conformance; not by hand -->

\`npm run test:conformance\` installs these versions into a folder of their own, starts the service with two reference servers behind
it, runs everything below and writes this page: ${named.join(', ')}. Last run: ${on}.
${ours.length === 0 ? 'Nothing failed that has no reason beside it.' : `**${ours.length} failed without a reason.**`}

## Scenarios

All that the two revisions name, required or not, through \`/mcp/{server}\`. The reference servers are written on the protocol's own
SDK, with the tools, resources and prompts that the scenarios ask for: one of the 2025 protocol, with sessions, and one of 2026-07-28.
The tests know no credentials, so that a relay before the service adds an API key and changes nothing else.

${sectionsOf(scenarios)}
## The gateway as a client

Servers that users sign in to, with authorization servers of the tests' own: each is connected, somebody signs in to it and
allows its tools, and one is called through \`/mcp/{server}\`; where the server asks for more, they sign in once more. To servers of
\`auth/client-credentials-…\` and \`auth/wif-jwt-bearer\` the gateway signs in for itself, to the last with what the tests say of it in the place of a platform. For \`auth/basic-cimd\` it is known by the one address that the test takes.
For \`auth/enterprise-managed-authorization\` somebody signs in to the service through a provider that vouches; since the test's own signs nobody in and gives its ID token by hand, one of ours stands before it: it signs people in,
and passes on what it is asked to vouch for with the ID token of the test in place of its own. What the test's provider and authorization server see besides is the gateway's.

${sectionsOf(asClient)}
## Clients

Nothing is registered beforehand: each is given an address, registers itself, a person agrees in a browser, and it lists the tools,
calls one and is refused another. \`/mcp/svc\` is the service's own server; behind \`/mcp/sessions\` and \`/mcp/modern\` stand the
reference servers.

${clients.length > 0 ? sectionsOf(clients) : 'Not run: no browser was found.\n'}`;
}
