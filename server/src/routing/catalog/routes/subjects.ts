import { Secret } from '../../../lib/changes.ts';
import type { Subject } from '../../../platform/http/audit-rule.ts';
import type { CatalogContext } from '../channels.ts';
import { findChannel } from '../store/channels.ts';
import { findProviderModel } from '../store/provider-models.ts';
import { viewChannel, viewProviderModel } from './fields.ts';

/** What the audit log compares before and after an action on a channel; for the credential only whether it changed. */
export const channelSubject = ({ db, sealer }: Pick<CatalogContext, 'db' | 'sealer'>): Subject => ({
  type: 'channel',
  look: async (id) => {
    const channel = await findChannel(db, Number(id));
    if (!channel) return null;
    const {
      id: _,
      has_credential: __,
      credential_hint: ___,
      created_at,
      updated_at,
      ...state
    } = viewChannel(channel, sealer);
    return { name: channel.name, state: { ...state, credential: new Secret(channel.sealedCredential) } };
  },
});

export const providerModelSubject = ({ db }: Pick<CatalogContext, 'db'>): Subject => ({
  type: 'provider_model',
  look: async (id) => {
    const model = await findProviderModel(db, Number(id));
    if (!model) return null;
    const { id: _, created_at, updated_at, ...state } = viewProviderModel(model);
    return { name: model.modelId, state };
  },
});
