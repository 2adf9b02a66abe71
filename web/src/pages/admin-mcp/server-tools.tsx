import { Alert, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post, put } from '../../api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatMs } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { type McpServer, type McpTest, reloadServers } from './mcp-servers.ts';
import { ToolCard } from './tool-card.tsx';
import { type Choice, choicesOf, hasPrices, priceFaultsOf, wantedOf } from './tool-choices.ts';

interface Shown {
  server: McpServer;
  onClose: () => void;
}

function ToolChoice({ server, tested, onClose }: Shown & { tested: McpTest }) {
  const [choices, setChoices] = useState(() => choicesOf(tested.tools, server));
  const [faults, setFaults] = useState<Record<string, string>>({});
  const save = useAct({
    mutationFn: () =>
      put('/api/mcp/servers/{id}/tools', {
        path: { id: server.id },
        body: { tools: wantedOf(tested.tools, choices, server) },
      }),
    onSuccess: async ({ tools }) => {
      notifySuccess(
        t('{server}: {count, plural, one {# tool} other {# tools}} allowed', {
          server: server.name,
          count: tools.length,
        }),
      );
      onClose();
      await reloadServers();
    },
  });
  const set = (name: string, change: Partial<Choice>) =>
    setChoices((before) => ({ ...before, [name]: { ...before[name]!, ...change } }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const found = hasPrices(server) ? priceFaultsOf(choices) : {};
        setFaults(found);
        if (Object.keys(found).length === 0) save.mutate();
      }}
      noValidate
    >
      <Stack>
        <Text size="sm" c="dimmed" role="status">
          {t(
            '{server} {version} responded in {time}. Models see each tool as described below at the time you allow it.',
            {
              server: tested.server?.name || server.name,
              version: tested.server?.version ?? '',
              time: formatMs(tested.latency_ms),
            },
          )}
        </Text>
        {tested.cut && (
          <Alert color="orange">{t('The server lists more tools than can be read. The rest cannot be used.')}</Alert>
        )}
        {tested.tools.length === 0 && <Text size="sm">{t('The server lists no tools.')}</Text>}
        {tested.tools.map((tool) => (
          <ToolCard
            key={tool.name}
            tool={tool}
            choice={choices[tool.name]!}
            priced={hasPrices(server)}
            fault={Object.hasOwn(faults, tool.name) ? faults[tool.name] : undefined}
            set={(change) => set(tool.name, change)}
          />
        ))}
        <FormFoot act={save} failure={t('The tools were not saved')} submitLabel={t('Save')} onCancel={onClose} />
      </Stack>
    </form>
  );
}

/** Queries the server on opening, so that the choice is between its current tools. */
export function ServerTools({ server, onClose }: Shown) {
  const test = useQuery({
    queryKey: ['mcp-test', server.id],
    queryFn: ({ signal }) => post('/api/mcp/servers/{id}/test', { path: { id: server.id }, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  return (
    <Dialog opened onClose={onClose} title={t('Tools of {name}', { name: server.name })} size="xl">
      {test.isFetching && <Loader role="img" aria-label={t('Connecting')} />}
      {test.error && (
        <ErrorState error={test.error} title={t('The server was not tested')} onRetry={() => test.refetch()} />
      )}
      {test.data?.ok === false && !test.isFetching && (
        <ErrorState
          error={test.data.error}
          title={t('The server is not responding correctly')}
          onRetry={() => test.refetch()}
        />
      )}
      {test.data?.ok && <ToolChoice server={server} tested={test.data} onClose={onClose} />}
    </Dialog>
  );
}
