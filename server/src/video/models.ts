import type { KeyPrincipal } from '../identity/principals.ts';
import type { ModelListing } from '../routing/catalog/listing.ts';
import { abilitiesOf, makersOf } from './candidates.ts';
import { mergeCapabilities } from './capabilities.ts';
import type { VideoDeps } from './deps.ts';

/** The video models that the key may use. */
export async function listModels(
  deps: Pick<VideoDeps, 'catalog' | 'reachOf'>,
  { user, models, keyId }: Pick<KeyPrincipal, 'user' | 'models' | 'keyId'>,
) {
  const reach = keyId === null ? null : ((await deps.reachOf?.(keyId)) ?? null);
  const allowed = ({ id }: ModelListing) =>
    models.length === 0 || models.includes(id) || models.some((name) => deps.catalog.resolve(name, user.group) === id);
  return deps.catalog
    .models(user.group)
    .filter((model) => model.types.includes('video') && allowed(model) && (reach?.mayAsk(model.id) ?? true))
    .flatMap((model) => {
      const able = makersOf(deps, model.id, user.group);
      const makers = able.filter(({ channel }) => reach?.mayUse(channel.provider) ?? true);
      if (makers.length === 0) return [];
      const { seed, ...can } = mergeCapabilities(makers.map(abilitiesOf));
      const description = makers
        .map((maker) => maker.capabilities.description)
        .find((text) => typeof text === 'string');
      return {
        id: model.id,
        name: model.name,
        description: (description as string | undefined) ?? '',
        created: model.created,
        ...can,
        seed: seed ?? true,
        /** USD per second of video. */
        pricing: { per_second: Math.min(...makers.map((maker) => maker.price.requestPrice)) },
      };
    });
}
