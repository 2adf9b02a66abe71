import type { ReactNode } from 'react';
import { filtersOf } from '../left-lists.ts';
import { AnchorLink } from './link.tsx';

/** Leads from an item to the list it is in, as the list was left: with its filters, and on its page. */
export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <AnchorLink to={to} search={filtersOf(to)} size="sm" underline="always">
      {children}
    </AnchorLink>
  );
}
