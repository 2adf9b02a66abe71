/** Writes docs/clients.md from the results of a run. */
import { type Kind, kinds } from '../relay-replies.ts';
import type { Seen } from './run-library.ts';

export interface Row {
  name: string;
  version: string | undefined;
  speaks: string;
  /** The day of the run; undefined if it was not run. */
  on: string | undefined;
  /** Settings besides address, key and model; only agents need any. */
  besides?: string | undefined;
  seen: Seen[];
}

const names: Record<Kind, string> = { openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini' };

/** Yes, no, or the kinds of channel it works through; empty if not tried. */
function cell(seen: Seen[]): string {
  const works = seen.filter(({ fault }) => !fault);
  if (seen.length === 0) return '';
  if (works.length === seen.length) return 'yes';
  return works.length === 0 ? 'no' : `only ${works.map(({ kind }) => names[kind]).join(', ')}`;
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- ', '|---');

function rowsOf(rows: Row[], asks: string[]): string[][] {
  return rows.map(({ name, version, speaks, on, seen }) => [
    name,
    version ?? 'cannot be installed here',
    on ?? 'not run',
    speaks,
    ...asks.map((ask) => cell(seen.filter((one) => one.ask === ask))),
  ]);
}

const toolsOf = ({ seen }: Row): string => [...new Set(seen.flatMap(({ by }) => by ?? []))].join(', ');

/** Each fault once, as the client reported it; addresses and ids differ between runs. */
function faultsOf(rows: Row[]): string {
  const lines = rows.flatMap(({ name, seen }) => {
    const byFault = Map.groupBy(
      seen.filter(({ fault }) => fault),
      ({ fault }) => plain(fault!),
    );
    return [...byFault].map(([fault, ones]) => {
      const asks = [...new Set(ones.map(({ ask }) => ask))].join(', ');
      const over = kinds.filter((kind) => ones.some((one) => one.kind === kind)).map((kind) => names[kind]);
      return `- **${name}**, ${asks}${over.length < kinds.length ? ` (${over.join(', ')})` : ''}: ${fault}`;
    });
  });
  return lines.length === 0 ? 'Nothing.' : lines.join('\n');
}

const plain = (fault: string): string =>
  fault
    .replace(/https?:\/\/127\.0\.0\.1:\d+/g, '')
    .replace(/\b(req|request)[-_ ]?(id)?[:= ]*[0-9a-zA-Z_-]{12,}/g, '')
    .replace(/\/\S*svc-agent-\S*/g, 'the folder')
    .replace(/[\s`|<>*]+/g, ' ')
    .trim()
    .slice(0, 240);

export function documentOf(libraries: Row[], agents: Row[], asks: Record<string, { means: string }>): string {
  const ways = Object.keys(asks);
  return `# Clients that were tried

<!-- written by npm run test:clients; not by hand -->

\`npm run test:clients\` installs these versions, runs each unmodified and writes this page; with names of clients as arguments it runs these
alone, and the others keep their day. Behind the service stand three scripted vendors, in OpenAI's, Anthropic's and Gemini's format, which
refuse what these vendors are known to refuse; no model of theirs was asked. *Yes*: through a channel of each of the three. Empty: not tried.

${ways.map((ask) => `- *${ask}*: ${asks[ask]!.means}`).join('\n')}

## Libraries

Nothing is set but address, key and model, and that \`@openai/agents\` sends no traces to OpenAI. Embeddings and rerank are answered by
the built-in provider, not by the three vendors.

${table(['client', 'version', 'tried on', 'speaks', ...ways], rowsOf(libraries, ways))}

## Agents

Asked to change a file in a folder of its own, by the calls of tools that the model makes; *yes* where the file was changed.

${table(
  ['agent', 'version', 'tried on', 'speaks', 'edits a file', 'by', 'set besides address, key and model'],
  rowsOf(agents, ['edits']).map((cells, index) => [...cells, toolsOf(agents[index]!), agents[index]!.besides ?? '']),
)}

## What did not work

${faultsOf([...libraries, ...agents])}
`;
}
