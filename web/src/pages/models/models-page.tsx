import { IconCube } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { modelTypes } from '../../catalog.ts';
import { DataTable } from '../../components/data-table.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { oneOf } from '../../filter-values.ts';
import { t } from '../../language/words.ts';
import { capabilities, measuredProviders } from '../../model-facts.ts';
import { chosenModels, sortings } from '../../model-list.ts';
import { modelsQuery, providersOf } from '../../models.ts';
import { isAdmin, useUser } from '../../session.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { modelColumns } from './model-columns.tsx';
import { ModelFilters } from './model-filters.tsx';

const urlDefaults = { q: '', capability: '', provider: '', type: '', sort: '', page: '1' };
const urlFits = {
  capability: oneOf(capabilities),
  type: oneOf(modelTypes),
  sort: oneOf(sortings),
};
const pageSize = 50;

const nothingFound = { icon: IconCube, title: t('No models match these filters') };
const noModels = (admin: boolean) => ({
  icon: IconCube,
  title: t('No models yet'),
  description: admin ? t('Add a channel to make its models available.') : t('Ask your administrator to add some.'),
  action: admin && <ButtonLink to="/admin/channels">{t('Go to channels')}</ButtonLink>,
});

/** Every model that this user may call, with what matters for choosing one. */
export function ModelsPage() {
  const [{ page: _, ...filter }, set] = useUrlState(urlDefaults, urlFits);
  const [page, setPage] = usePage();
  // Refetch sooner than elsewhere: users check the health right after a request, while other pages need only the names.
  const query = useQuery({ ...modelsQuery, staleTime: 5_000 });
  const models = query.data && chosenModels(query.data, filter);
  const admin = isAdmin(useUser());
  const filtered = Object.values(filter).some((value) => value !== '');
  return (
    <>
      <PageHeader
        title={t('Models')}
        description={t(
          'Models you can call. Prices are in dollars per million tokens, from the cheapest provider of each model.',
        )}
      />
      <ModelFilters
        filter={filter}
        providers={providersOf(query.data ?? []).map(({ name }) => name)}
        set={(changes) => set({ ...changes, page: '1' })}
      />
      <DataTable
        label={t('Models')}
        columns={modelColumns(measuredProviders(query.data ?? []))}
        rows={models?.slice((page - 1) * pageSize, page * pageSize)}
        rowKey={({ id }) => id}
        query={{ error: query.error, isFetching: query.isPending, refetch: query.refetch }}
        minWidth={820}
        paging={{ page, pageSize, total: models?.length ?? 0, exact: true, onPage: setPage }}
        empty={filtered ? nothingFound : noModels(admin)}
      />
    </>
  );
}
