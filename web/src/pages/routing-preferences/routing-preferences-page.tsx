import { Button, Group, MultiSelect, NumberInput, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { get, put, type Result } from '../../api.ts';
import { changedFields } from '../../changed-fields.ts';
import { DollarInput } from '../../components/dollar-input.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { StrategyChoice } from '../../components/strategy-choice.tsx';
import { formatPercent } from '../../format.ts';
import { t } from '../../language/words.ts';
import { modelsQuery, providersOf } from '../../models.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';

type Preferences = Result<'/api/routing/preferences', 'get'>;

const queryKey = ['routing-preferences'];

interface FieldsProps {
  value: Preferences;
  set: (changes: Partial<Preferences>) => void;
}

function ProviderFields({ value, set }: FieldsProps) {
  const models = useQuery(modelsQuery);
  const known = providersOf(models.data ?? []).map(({ name }) => name);
  // Include providers that no longer exist, so that they can be removed from the list.
  const all = [...new Set([...known, ...value.preferred_providers, ...value.blocked_providers])];
  const choices = (taken: string[]) => all.filter((name) => !taken.includes(name));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <MultiSelect
        label={t('Preferred')}
        description={t('Their score is multiplied by 1.5')}
        data={choices(value.blocked_providers)}
        value={value.preferred_providers}
        onChange={(preferred_providers) => set({ preferred_providers })}
        searchable
        clearable
      />
      <MultiSelect
        label={t('Blocked')}
        description={t('Never called for you')}
        data={choices(value.preferred_providers)}
        value={value.blocked_providers}
        onChange={(blocked_providers) => set({ blocked_providers })}
        searchable
        clearable
      />
    </SimpleGrid>
  );
}

const orNull = (value: number | string): number | null => (value === '' ? null : Number(value));

function LimitFields({ value, set }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <DollarInput
        label={t('Maximum price')}
        description={t('Per million tokens; never exceeded')}
        placeholder={t('No limit')}
        value={value.max_price ?? ''}
        onChange={(price) => set({ max_price: orNull(price) })}
      />
      <NumberInput
        label={t('Minimum success rate')}
        description={t('Providers below this rate come last')}
        placeholder={t('No limit')}
        suffix={formatPercent('')}
        min={0}
        max={100}
        decimalScale={1}
        value={value.min_success_rate === null ? '' : Math.round(value.min_success_rate * 1_000) / 10}
        onChange={(percent) => set({ min_success_rate: percent === '' ? null : Number(percent) / 100 })}
      />
      <NumberInput
        label={t('Maximum latency')}
        description={t('Providers slower than this come last')}
        placeholder={t('No limit')}
        suffix={t(' ms')}
        min={1}
        max={3_600_000}
        allowDecimal={false}
        value={value.max_latency_ms ?? ''}
        onChange={(latency) => set({ max_latency_ms: orNull(latency) })}
      />
    </SimpleGrid>
  );
}

function PreferencesForm({ saved }: { saved: Preferences }) {
  const [chosen, setChosen] = useState<Partial<Preferences>>({});
  // What was not chosen here follows the saved preferences, which may change in another tab.
  const value = { ...saved, ...chosen };
  const set = (changes: Partial<Preferences>) => setChosen((before) => ({ ...before, ...changes }));
  const changes = changedFields(saved, value);
  const save = useAct({
    mutationFn: () => put('/api/routing/preferences', { body: changes }),
    onSuccess: (fresh) => {
      queryClient.setQueryData(queryKey, fresh);
      setChosen({});
      notifySuccess(t('Preferences saved'));
    },
  });
  const unchanged = Object.keys(changes).length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Section title={t('Selection strategy')}>
          <StrategyChoice
            value={value.default_strategy}
            onChange={(default_strategy) => set({ default_strategy })}
            noneLabel={t('As configured for the model')}
            noneHint={t('The administrator’s choice for each model, or balanced if none is set')}
          />
        </Section>
        <Section title={t('Providers')}>
          <ProviderFields value={value} set={set} />
        </Section>
        <Section title={t('Limits')}>
          <LimitFields value={value} set={set} />
        </Section>
        {save.error && <ErrorState error={save.error} title={t('The preferences were not saved')} />}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={unchanged}>
            {t('Save')}
          </Button>
          <Button variant="default" disabled={unchanged} onClick={() => setChosen({})}>
            {t('Undo changes')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function RoutingPreferencesPage() {
  const query = useQuery({ queryKey, queryFn: ({ signal }) => get('/api/routing/preferences', { signal }) });
  return (
    <>
      <PageHeader
        title={t('Routing preferences')}
        description={t(
          'How providers are chosen for your requests. A request can override this with its provider object.',
        )}
      />
      {query.error && !query.data && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.isPending && <Skeleton height={420} />}
      {query.data && <PreferencesForm saved={query.data} />}
    </>
  );
}
