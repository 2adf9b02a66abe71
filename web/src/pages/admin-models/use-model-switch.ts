import { useMutation } from '@tanstack/react-query';
import { put } from '../../api.ts';
import { type ProviderModel, reloadCatalog, switchedOff, switchedOn } from '../../catalog.ts';
import { notifyError } from '../../components/notify.ts';
import { queryClient } from '../../session.ts';

const switched = ({ status }: ProviderModel) => (status === switchedOn ? switchedOff : switchedOn);

/** Optimistic update: the table changes at once, and the service's answer or error follows. */
export function useModelSwitch(queryKey: readonly unknown[]) {
  return useMutation({
    // Run switches sequentially, so that the last click wins.
    scope: { id: 'provider models' },
    mutationFn: (model: ProviderModel) =>
      put('/api/admin/provider-models/{id}', { path: { id: model.id }, body: { status: switched(model) } }),
    onMutate: (model: ProviderModel) => {
      queryClient.setQueryData(
        queryKey,
        (before: { provider_models: ProviderModel[] } | undefined) =>
          before && {
            ...before,
            provider_models: before.provider_models.map((one) =>
              one.id === model.id ? { ...one, status: switched(model) } : one,
            ),
          },
      );
    },
    onError: notifyError,
    onSettled: reloadCatalog,
  });
}
