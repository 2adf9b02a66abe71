import { Alert, Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { rich, t } from '../../language/words.ts';

type Previewed = Result<'/api/admin/model-aliases/preview', 'get'>['models'][number];

const circuits = {
  closed: { color: 'teal', label: t('ready') },
  half_open: { color: 'yellow', label: t('being tested again') },
  open: { color: 'red', label: t('circuit open') },
};

function Line({ model, answers }: { model: Previewed; answers: boolean }) {
  return (
    <li>
      <Group gap={6}>
        <Text size="sm" fw={answers ? 600 : undefined} className="svc-anywhere">
          {model.model_id ?? model.name}
        </Text>
        {answers && <Badge color="indigo">{t('Answers now')}</Badge>}
        {model.model_id === null && <Badge color="orange">{t('Model not found')}</Badge>}
        {model.serving.map(({ provider, channel_id, circuit }) => (
          <Badge key={channel_id} color={circuits[circuit].color}>
            {t('{provider}: {state}', { provider, state: circuits[circuit].label })}
          </Badge>
        ))}
      </Group>
    </li>
  );
}

/** Debounce, so that not every keystroke sends a request. */
const pauseMs = 300;

/** Which model would currently answer requests for this name. */
export function Preview({ name, models }: { name: string; models: string[] }) {
  const [asked] = useDebouncedValue({ name: /\s/.test(name.trim()) ? '' : name.trim(), models }, pauseMs);
  const query = useQuery({
    queryKey: ['alias-preview', asked],
    queryFn: ({ signal }) =>
      get('/api/admin/model-aliases/preview', {
        query: { name: asked.name, models: asked.models.join(',') },
        signal,
      }),
    enabled: asked.models.length > 0,
    placeholderData: keepPreviousData,
  });
  if (models.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('Choose models to see which one would answer.')}
      </Text>
    );
  if (query.error)
    return <ErrorState error={query.error} title={t('Preview unavailable')} onRetry={() => query.refetch()} />;
  if (!query.data) return <Skeleton height={48} role="status" aria-label={t('Loading')} />;
  const { answers, shadowed_by: shadowedBy, models: previewed } = query.data;
  const first = previewed.find(({ model_id }) => model_id !== null && model_id === answers);
  return (
    <Stack gap="xs" aria-live="polite" aria-busy={query.isFetching}>
      {shadowedBy !== null && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          {rich(
            '<model>{name}</model> already has this name and takes precedence, so the alias would have no effect.',
            {
              name: shadowedBy,
              model: (name) => <span className="svc-anywhere">{name}</span>,
            },
          )}
        </Alert>
      )}
      <Stack component="ol" gap={6} m={0} pl="lg" fz="sm">
        {previewed.map((model) => (
          <Line key={model.name} model={model} answers={model === first} />
        ))}
      </Stack>
      {answers === null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {t('None of these models is available right now.')}
        </Text>
      )}
    </Stack>
  );
}
