import type { Result } from '../../api.ts';
import { type Grouped, groupCalls, type OtherPages } from '../../requests.ts';

type Own = Result<'/api/requests', 'get'>['requests'][number];
type Anybody = Result<'/api/admin/requests', 'get'>['requests'][number];

/** A request. The user and the upstream's answer are only present for administrators. */
export type RequestLine = Own & Partial<Pick<Anybody, 'account_name' | 'channel_id' | 'upstream'>>;

export type LineGroup = Grouped<RequestLine>;

/** Two entries may have the same request id. */
const keyOf = ({ request_id }: RequestLine, index: number): string => `${index} ${request_id}`;

/** Groups the calls of one turn at the position of its newest call. */
export const groupLines = (lines: RequestLine[], others: OtherPages): LineGroup[] => groupCalls(lines, keyOf, others);
export const singleLines = (lines: RequestLine[]): LineGroup[] =>
  lines.map((line, index) => ({ key: keyOf(line, index), parent: null, calls: [line], partial: false }));

/** The line to highlight: a failed one, else one that did not end normally, else the newest. */
export const worstOf = ({ calls }: Pick<LineGroup, 'calls'>): RequestLine =>
  calls.find(({ status }) => status === 'failed') ?? calls.find(({ status }) => status !== 'ok') ?? calls[0]!;
