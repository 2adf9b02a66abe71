import type { Result } from '../../api.ts';

type Own = Result<'/api/requests', 'get'>['requests'][number];
type Anybody = Result<'/api/admin/requests', 'get'>['requests'][number];

/** A request of somebody's; whose it was and what the upstream said is for administrators. */
export type RequestLine = Own & Partial<Pick<Anybody, 'account_name' | 'channel_id' | 'upstream'>>;

/** A request that somebody made; or the calls that a turn, a run or a batch made in its course, as one. */
export interface LineGroup {
  key: string;
  /** What made the calls; null for a request of somebody's own. */
  parent: string | null;
  /** Newest first, never empty. */
  lines: RequestLine[];
}

/** Calls of one turn stand together where the newest of them is. */
export function groupLines(lines: RequestLine[]): LineGroup[] {
  const groups = new Map<string, LineGroup>();
  for (const [index, line] of lines.entries()) {
    const parent = line.parent_request_id;
    const key = parent ?? `${index} ${line.request_id}`;
    const group = groups.get(key);
    if (group) group.lines.push(line);
    else groups.set(key, { key, parent, lines: [line] });
  }
  return [...groups.values()];
}

export const singleLines = (lines: RequestLine[]): LineGroup[] =>
  lines.map((line, index) => ({ key: `${index} ${line.request_id}`, parent: null, lines: [line] }));

type Counted = 'quota' | 'prompt_tokens' | 'completion_tokens';
export const sumOfLines = ({ lines }: Pick<LineGroup, 'lines'>, name: Counted): number =>
  lines.reduce((sum, line) => sum + line[name], 0);

/** The one that deserves a look most: one that failed, else one that did not end well, else the newest. */
export const worstOf = ({ lines }: Pick<LineGroup, 'lines'>): RequestLine =>
  lines.find(({ status }) => status === 'failed') ?? lines.find(({ status }) => status !== 'ok') ?? lines[0]!;
