import { Badge, Button, Group, Text, Tooltip } from '@mantine/core';
import { formatMs } from '../format.ts';
import { t } from '../language/words.ts';
import type { Tried } from '../use-tests.ts';

interface TestButtonProps {
  /** Of what is tried out. */
  name: string;
  tried: Tried | undefined;
  onTest: () => void;
  /** All of what went wrong, in lines of its own. */
  whole?: boolean;
}

/** Tries something out, and says beside it how that went. */
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
