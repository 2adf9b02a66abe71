import { Badge, Button, Group, Text, Tooltip } from '@mantine/core';
import { formatMs } from '../format.ts';
import { t } from '../language/words.ts';
import type { TestState } from '../use-connection-tests.ts';

interface TestButtonProps {
  /** Name of what is tested. */
  name: string;
  tried: TestState | undefined;
  onTest: () => void;
  /** Shows the full error, on separate lines. */
  whole?: boolean;
}

/** Runs a test and shows the result next to the button. */
export function TestButton({ name, tried, onTest, whole = false }: TestButtonProps) {
  const fault = { size: 'sm', c: 'var(--mantine-color-error)', role: 'status' } as const;
  return (
    <Group gap="xs" wrap={whole ? 'wrap' : 'nowrap'}>
      <Button
        size="compact-sm"
        variant="default"
        loading={tried?.state === 'running'}
        aria-label={t('Test {name}', { name })}
        onClick={onTest}
      >
        {t('Test')}
      </Button>
      {tried?.state === 'ok' && (
        <Badge color="teal" role="status" className="svc-number">
          {formatMs(tried.latencyMs ?? 0)}
        </Badge>
      )}
      {tried?.state === 'failed' && whole && (
        <Text {...fault} className="svc-anywhere">
          {tried.error}
        </Text>
      )}
      {tried?.state === 'failed' && !whole && (
        <Tooltip label={tried.error} multiline maw={420}>
          <Text {...fault} maw={150} truncate>
            {tried.error}
          </Text>
        </Tooltip>
      )}
    </Group>
  );
}
