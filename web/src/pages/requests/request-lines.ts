import type { Result } from '../../api.ts';

type Own = Result<'/api/requests', 'get'>['requests'][number];
type Anybody = Result<'/api/admin/requests', 'get'>['requests'][number];

/** A request. The user and the upstream's answer are only present for administrators. */
export type RequestLine = Own & Partial<Pick<Anybody, 'account_name' | 'channel_id' | 'upstream'>>;

/** A single request, or all calls made by one turn, run or batch as one row. */
export interface LineGroup {
  key: string;
  /** The id of the request that made the calls; null for a single request. */
  parent: string | null;
  /** Newest first, never empty. */
  lines: RequestLine[];
}

/** Groups the calls of one turn at the position of its newest call. */
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

/** The line to highlight: a failed one, else one that did not end normally, else the newest. */
export const worstOf = ({ lines }: Pick<LineGroup, 'lines'>): RequestLine =>
  lines.find(({ status }) => status === 'failed') ?? lines.find(({ status }) => status !== 'ok') ?? lines[0]!;
