import { Group, Select } from '@mantine/core';
import { IconBox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { del, put } from '../../api.ts';
import {
  allChannelsQuery,
  type ModelFilter,
  modelPageSize,
  modelTypes,
  type ProviderModel,
  providerModelsQuery,
  reloadCatalog,
  switchedOn,
} from '../../catalog.ts';
import { changedFields } from '../../changed-fields.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { isWhole, oneOf, upTo } from '../../filter-values.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { modelColumns } from './model-columns.tsx';
import { bodyOf, emptyModel, fieldsOf, isFree, type ModelFields } from './model-fields.ts';
import { ModelForm } from './model-form.tsx';
import { useModelSwitch } from './use-model-switch.ts';

const urlDefaults = { channel: '', type: '', model: '', page: '1' };
const urlFits = { channel: isWhole, type: oneOf(modelTypes), model: upTo(200) };

type Open = { act: 'add' } | { act: 'edit' | 'remove' | 'give away'; model: ProviderModel };

interface FiltersProps {
  filter: ModelFilter;
  channels: { value: string; label: string }[];
  set: (changes: Partial<ModelFilter>) => void;
}

function Filters({ filter, channels, set }: FiltersProps) {
  return (
    <Group gap="sm" mb="md">
      <SearchInput
        label={t('Model')}
        placeholder={t('Model, for example vendor/name')}
        value={filter.model}
        onChange={(model) => set({ model })}
      />
      <Select
        aria-label={t('Channel')}
        placeholder={t('All channels')}
        w={{ base: '100%', xs: 220 }}
        data={channels}
        searchable
        clearable
        value={filter.channel || null}
        onChange={(channel) => set({ channel: channel ?? '' })}
      />
      <Select
        aria-label={t('Type')}
        placeholder={t('All types')}
        data={modelTypes}
        clearable
        w={{ base: '100%', xs: 170 }}
        value={filter.type || null}
        onChange={(type) => set({ type: type ?? '' })}
      />
    </Group>
  );
}

export function AdminModelsPage() {
  const [{ page: _, ...filter }, set] = useUrlState(urlDefaults, urlFits);
  const [page, setPage] = usePage();
  const options = providerModelsQuery(filter, page);
  const query = useQuery(options);
  const channels = useQuery(allChannelsQuery).data?.channels ?? [];
  const toggle = useModelSwitch(options.queryKey);
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const post = usePost();
  const save = async (fields: ModelFields) => {
    if (open?.act === 'edit') {
      const { id } = open.model;
      const body = changedFields(bodyOf(fieldsOf(open.model)), bodyOf(fields));
      if (Object.keys(body).length > 0) await put('/api/admin/provider-models/{id}', { path: { id }, body });
    } else await post('/api/admin/provider-models', { body: bodyOf(fields) });
    notifySuccess(t('Model saved'));
    close();
    await reloadCatalog();
  };
  const filtered = Object.values(filter).some((value) => value !== '');
  return (
    <>
      <PageHeader
        title={t('Models')}
        description={t('Models served by each channel, with their names and prices per million tokens.')}
        actions={<AddButton onClick={() => setOpen({ act: 'add' })}>{t('Add model')}</AddButton>}
      />
      <Filters
        filter={filter}
        channels={channels.map(({ id, name }) => ({ value: String(id), label: name }))}
        set={(changes) => set({ ...changes, page: '1' })}
      />
      <DataTable
        label={t('Provider models')}
        columns={modelColumns({
          channelName: (id) => channels.find((channel) => channel.id === id)?.name ?? `#${id}`,
          edit: (model) => setOpen({ act: 'edit', model }),
          toggle: (model) =>
            model.status !== switchedOn && isFree(fieldsOf(model))
              ? setOpen({ act: 'give away', model })
              : toggle.mutate(model),
          remove: (model) => setOpen({ act: 'remove', model }),
          tryOut: ({ model_id }) => navigate({ to: '/playground', search: { model: model_id } }),
        })}
        rows={query.data?.provider_models}
        rowKey={({ id }) => id}
        query={query}
        minWidth={980}
        paging={{ page, pageSize: modelPageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={
          filtered
            ? { icon: IconBox, title: t('No models match these filters') }
            : {
                icon: IconBox,
                title: t('No models yet'),
                description: t('Add a channel first. Models and prices of known providers are added with it.'),
                action: <ButtonLink to="/admin/channels">{t('Go to channels')}</ButtonLink>,
              }
        }
      />
      {open?.act === 'add' && (
        <ModelForm
          title={t('Add a model')}
          submitLabel={t('Add model')}
          initial={{ ...emptyModel, channel: filter.channel }}
          onClose={close}
          onSubmit={save}
        />
      )}
      {open?.act === 'edit' && (
        <ModelForm
          title={t('Edit {name}', { name: open.model.model_id })}
          submitLabel={t('Save')}
          initial={fieldsOf(open.model)}
          onClose={close}
          onSubmit={save}
        />
      )}
      <ConfirmDelete
        opened={open?.act === 'give away'}
        onClose={close}
        title={
          open?.act === 'give away' ? t('Enable {name} without a price?', { name: open.model.model_id }) : t('Enable')
        }
        confirmLabel={t('Enable for free')}
        onConfirm={async () => {
          if (open?.act === 'give away') await toggle.mutateAsync(open.model);
        }}
      >
        {t('Everyone with access could call it for free while you pay the provider. Edit the model to set a price.')}
      </ConfirmDelete>
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? t('Delete {name}?', { name: open.model.model_id }) : t('Delete')}
        confirmLabel={t('Delete model')}
        onConfirm={async () => {
          if (open?.act === 'remove') await del('/api/admin/provider-models/{id}', { path: { id: open.model.id } });
          notifySuccess(t('Model deleted'));
          await reloadCatalog();
        }}
      >
        {t('This channel will no longer serve the model. Other channels that serve it are not affected.')}
      </ConfirmDelete>
    </>
  );
}
