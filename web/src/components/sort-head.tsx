import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';

export type Sorted = 'ascending' | 'descending' | 'none';

const icons = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort };

/** A column header that sorts on click; its cell has the direction (`aria-sort`). */
export function SortHead({ sorted, onSort, children }: { sorted: Sorted; onSort: () => void; children: ReactNode }) {
  const Icon = icons[sorted];
  return (
    <UnstyledButton className="svc-sort" data-sorted={sorted !== 'none'} onClick={onSort}>
      {children}
      <Icon size={14} aria-hidden />
    </UnstyledButton>
  );
}
