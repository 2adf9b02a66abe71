import { ActionIcon, Group, Loader, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconRestore } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { said } from '../language/said.ts';
import { t } from '../language/words.ts';

/** How saving one setting goes. Inline, so that while there is nothing to say it takes no line of its own. */
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
  /** The name it has in the API. */
  code?: string;
  help: ReactNode;
  /** The default, in words. */
  initial: string;
  isInitial: boolean;
  act: { isPending: boolean; isSuccess: boolean; error: Error | null };
  onReset: () => void;
  /** The input. */
  children: ReactNode;
}

/** A setting that is saved by itself as soon as it is changed: what it is on the left, its value on the right. Nothing is
 * disabled meanwhile: what has focus would lose it. */
export function SettingRow({ label, code, help, initial, isInitial, act, onReset, children }: SettingRowProps) {
  const value = useRef<HTMLDivElement>(null);
  const reset = () => {
    onReset();
    // The button hides itself: without this, whoever uses the keyboard would start from the top of the page again.
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
            {said(act.error.message)}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap" className="svc-option-control">
        <div ref={value} style={{ flex: 1 }}>
          {children}
        </div>
        <Tooltip label={t('Back to {initial}', { initial })}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Reset {label}', { label })}
            // Keeps its place, so that inputs do not move.
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
