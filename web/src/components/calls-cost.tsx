import { type Grouped, leastMark, sumOf } from '../requests.ts';
import { Money } from './money.tsx';

/** What a request cost, or all calls of one turn or run that the page has. */
export const CallsCost = ({ group }: { group: Grouped<{ quota: number }> }) => (
  <>
    {leastMark(group)}
    <Money quota={sumOf(group, 'quota')} />
  </>
);
