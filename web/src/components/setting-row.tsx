import { ActionIcon, Group, Loader, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconRestore } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { serverText } from '../language/server-texts.ts';
import { t } from '../language/words.ts';

/** The save state of one setting. Inline, so that it takes no extra line while it is empty. */
function SavedMark({ act }: { act: { isPending: boolean; isSuccess: boolean } }) {
  return (
    <span role="status">
      {act.isPending && <Loader size={14} role="img" aria-label={t('Saving')} style={{ verticalAlign: 'middle' }} />}
      {act.isSuccess && !act.isPending && (
        <>
          <IconCheck
            size={15}
            color="var(--mantine-color-teal-light-color)"
            style={{ verticalAlign: 'middle', marginRight: 4 }}
            aria-hidden
          />
          <Text span size="xs" c="dimmed">
            {t('Saved')}
          </Text>
        </>
      )}
    </span>
  );
}

interface SettingRowProps {
  label: string;
  /** The setting's name in the API. */
  code?: string;
  help: ReactNode;
  /** The default value, as text. */
  initial: string;
  isInitial: boolean;
  act: { isPending: boolean; isSuccess: boolean; error: Error | null };
  onReset: () => void;
  /** The input of the setting. */
  children: ReactNode;
}

/**
 * A setting that is saved as soon as it changes: description on the left, value on the right. The input is not disabled
 * while saving, because it would lose focus.
 */
export function SettingRow({ label, code, help, initial, isInitial, act, onReset, children }: SettingRowProps) {
  const value = useRef<HTMLDivElement>(null);
  const reset = () => {
    onReset();
    // The button hides itself when clicked; without this, keyboard focus would go back to the top of the page.
    value.current?.querySelector('input')?.focus();
  };
  return (
    <div className="svc-option">
      <div>
        <Text span size="sm" fw={600} mr={8} display="inline-block">
          {label}
        </Text>
        {code && (
          <Text span size="xs" c="dimmed" ff="monospace" mr={8} display="inline-block" className="svc-anywhere">
            {code}
          </Text>
        )}
        <SavedMark act={act} />
        <Text size="sm" c="dimmed" className="svc-anywhere">
          {help}
        </Text>
        {act.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {serverText(act.error.message)}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap" className="svc-option-control">
        <div ref={value} style={{ flex: 1 }}>
          {children}
        </div>
        <Tooltip label={t('Reset to {initial}', { initial })}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Reset {label}', { label })}
            // Hidden but not removed, so that inputs do not move.
            style={{ visibility: isInitial ? 'hidden' : 'visible' }}
            onClick={reset}
          >
            <IconRestore size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    </div>
  );
}
