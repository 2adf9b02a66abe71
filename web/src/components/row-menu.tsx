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
  /** What the actions apply to, for screen readers. */
  label: string;
  acts: RowAct[];
}

/** The actions of a table row. */
export function RowMenu({ label, acts }: RowMenuProps) {
  // Set explicitly: the menu would focus its first item even if disabled, lose focus, and no key would work.
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
