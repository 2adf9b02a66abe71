import { Alert, Badge, Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconBox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { put } from '../api.ts';
import { type Channel, channelModelsQuery, type ProviderModel, reloadCatalog, typeName } from '../catalog.ts';
import { formatNumber } from '../format.ts';
import { rich, t } from '../language/words.ts';
import { useAct } from '../use-act.ts';
import type { Column } from './data-rows.tsx';
import { DataTable } from './data-table.tsx';
import { ErrorState } from './error-state.tsx';
import { AnchorLink } from './link.tsx';
import { type Choice, type Choices, changesOf, choiceOf, isFree, priced } from './model-choices.ts';

interface RowsProps {
  of: (model: ProviderModel) => Choice;
  set: (model: ProviderModel, choice: Choice) => void;
}

const price = { prefix: '$', min: 0, decimalScale: 6, hideControls: true, size: 'xs', w: 110 } as const;

const columns = ({ of, set }: RowsProps): Column<ProviderModel>[] => [
  {
    key: 'model',
    header: t('Model'),
    cell: (model) => (
      <Checkbox
        label={model.model_id}
        checked={of(model).on}
        onChange={(event) => set(model, { ...of(model), on: event.currentTarget.checked })}
      />
    ),
  },
  { key: 'type', header: t('Type'), cell: ({ type }) => <Badge color="gray">{typeName(type)}</Badge> },
  ...(['prompt', 'completion'] as const).map((name) => ({
    key: name,
    header: name === 'prompt' ? t('Prompt / M') : t('Completion / M'),
    cell: (model: ProviderModel) => (
      <NumberInput
        {...price}
        aria-label={
          name === 'prompt'
            ? t('Prompt price of {model}, per million tokens', { model: model.model_id })
            : t('Completion price of {model}, per million tokens', { model: model.model_id })
        }
        value={of(model)[name]}
        onChange={(value) => set(model, priced(model, of(model), { [name]: value }))}
      />
    ),
  })),
  {
    key: 'state',
    header: t('Price'),
    cell: (model) =>
      isFree(model, of(model)) ? (
        <Badge color="orange">{t('No price')}</Badge>
      ) : (
        <Badge color="teal">{t('Priced')}</Badge>
      ),
  },
];

interface AlikeProps {
  unpriced: number;
  onUse: (prices: Pick<Choice, 'prompt' | 'completion'>) => void;
}

/** Sets one price for all models that have none. */
function PricedAlike({ unpriced, onUse }: AlikeProps) {
  const [prompt, setPrompt] = useState<number | string>('');
  const [completion, setCompletion] = useState<number | string>('');
  const none = Number(prompt) === 0 && Number(completion) === 0;
  const use = () => onUse({ prompt: Number(prompt), completion: Number(completion) });
  // Must not save the choices of the form around it.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (!none) use();
  };
  return (
    <Group gap="sm" align="flex-end">
      <NumberInput
        {...price}
        w={180}
        label={t('Prompt, per million')}
        value={prompt}
        onChange={setPrompt}
        onKeyDown={onKeyDown}
      />
      <NumberInput
        {...price}
        w={180}
        label={t('Completion, per million')}
        value={completion}
        onChange={setCompletion}
        onKeyDown={onKeyDown}
      />
      <Button size="xs" variant="default" disabled={none} onClick={use}>
        {t('Apply to all {count} without a price', { count: unpriced })}
      </Button>
    </Group>
  );
}

interface ChooseModelsProps {
  channel: Channel;
  /** How many of the channel's models are enabled now, how many have no price, and one to try. */
  onChosen: (chosen: { on: number; unpriced: number; first: string | undefined }) => void;
}

/** Enables and prices the models of a channel in one form. */
export function ChooseModels({ channel, onChosen }: ChooseModelsProps) {
  const query = useQuery(channelModelsQuery(channel.id));
  const [choices, setChoices] = useState<Choices>({});
  const models = query.data?.provider_models ?? [];
  const of = (model: ProviderModel) => choices[model.id] ?? choiceOf(model);
  const set = (model: ProviderModel, choice: Choice) => setChoices((before) => ({ ...before, [model.id]: choice }));
  const changes = changesOf(models, choices);
  const on = models.filter((model) => of(model).on);
  const unpriced = models.filter((model) => isFree(model, of(model)));
  const free = on.filter((model) => isFree(model, of(model))).length;
  const save = useAct({
    mutationFn: () => put('/api/admin/channels/{id}/models', { path: { id: channel.id }, body: { models: changes } }),
    onSuccess: () => {
      const first = on.find(({ type }) => type === 'chat')?.model_id;
      onChosen({ on: on.length, unpriced: unpriced.filter((model) => !of(model).on).length, first });
    },
    onSettled: reloadCatalog,
  });
  const useForAll = (prices: Pick<Choice, 'prompt' | 'completion'>) => {
    for (const model of unpriced) set(model, priced(model, of(model), prices));
  };
  const all = (checked: boolean) => {
    for (const model of models) set(model, { ...of(model), on: checked && !isFree(model, of(model)) });
  };
  const priceable = models.length - unpriced.length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changes.length > 0) save.mutate();
  };
  return (
    // A form, so that closing the dialog with unsaved choices asks first.
    <form onSubmit={submit} noValidate>
      <Stack>
        {models.length > 1 && (
          <Group justify="space-between" gap="sm" align="flex-end">
            <Checkbox
              label={t('All models with a price')}
              disabled={priceable === 0}
              checked={priceable > 0 && on.length >= priceable}
              indeterminate={on.length > 0 && on.length < priceable}
              onChange={(event) => all(event.currentTarget.checked)}
            />
            {unpriced.length > 1 && <PricedAlike unpriced={unpriced.length} onUse={useForAll} />}
          </Group>
        )}
        <DataTable
          label={t('Models of this channel')}
          columns={columns({ of, set })}
          rows={query.data?.provider_models}
          rowKey={({ id }) => id}
          query={query}
          minWidth={620}
          empty={{ icon: IconBox, title: t('The provider lists no models') }}
        />
        {query.data && query.data.total > models.length && (
          <Text size="sm" c="dimmed">
            {rich('Showing the first {count} of {total}. <link>Show all</link>', {
              count: models.length,
              total: formatNumber(query.data.total),
              link: (text) => (
                <AnchorLink to="/admin/models" search={{ channel: String(channel.id) }} underline="always" inherit>
                  {text}
                </AnchorLink>
              ),
            })}
          </Text>
        )}
        {free > 0 && (
          <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} role="status">
            {t(
              '{count, plural, one {# model has no price: everyone who may call it uses it for free, at your expense.} other {# models have no price: everyone who may call them uses them for free, at your expense.}}',
              { count: free },
            )}
          </Alert>
        )}
        {save.error && <ErrorState error={save.error} title={t('The models were not changed')} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={changes.length === 0}>
            {on.length === 0
              ? t('Save')
              : t('{count, plural, one {Enable # model} other {Enable # models}}', { count: on.length })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
