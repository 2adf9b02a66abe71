import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, type TablerIcon } from '@tabler/icons-react';
import { t } from '../language/words.ts';

export interface RowAct {
  label: string;
  icon: TablerIcon;
  onClick: () => void;
  danger?: boolean;
  disabled?: boolean;
}

interface RowMenuProps {
  /** What the acts are about, for screen readers. */
  label: string;
  acts: RowAct[];
}

/** What can be done with one row of a table. */
export function RowMenu({ label, acts }: RowMenuProps) {
  // Named, because the menu would try the first one even when it is disabled: then nothing has focus, and no key works.
  const first = acts.findIndex(({ disabled }) => !disabled);
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('Actions for {label}', { label })}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {acts.map(({ label: text, icon: Icon, onClick, danger, disabled }, index) => (
          <Menu.Item
            key={text}
            c={danger ? 'var(--mantine-color-error)' : undefined}
            disabled={disabled}
            data-autofocus={index === first || undefined}
            leftSection={<Icon size={16} stroke={1.7} aria-hidden />}
            onClick={onClick}
          >
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
