/** What administrators set up: channels, models and identity providers. */
import { chat, type Thing, unreachable } from './thing.ts';

export const ofOperators: Thing[] = [
  {
    name: 'channel',
    make: async (who) => {
      const made = await who.ids(
        'admin POST /api/admin/channels',
        { name: 'c', provider: 'p', kind: 'openai', base_url: unreachable, credential: 'sk-0123456789abcdef' },
        { channel: 'id' },
      );
      const credential = await who.ids(
        'admin POST /api/admin/channels/{channel}/credentials',
        { name: 'x', credential: 'sk-0123456789abcdef' },
        { credential: 'id' },
        made,
      );
      const model = await who.ids(
        'admin POST /api/admin/provider-models',
        { model_id: `m/${made.channel}`, channel_id: made.channel, model_name: 'up' },
        { model: 'id' },
      );
      const alias = await who.ids(
        'admin POST /api/admin/model-aliases',
        { name: `alias-${made.channel}`, models: ['demo/chat'] },
        { alias: 'id' },
      );
      return { ...made, ...credential, ...model, ...alias, model_id: `m/${made.channel}` };
    },
    acts: [
      ['admin PUT /api/admin/channels/{channel}', { name: 'd', priority: 3 }],
      ['admin POST /api/admin/channels/{channel}/credentials', { name: 'y', credential: 'sk-0123456789abcdef' }],
      ['admin PUT /api/admin/channels/{channel}/credentials/{credential}', { name: 'z' }],
      [
        'admin POST /api/admin/provider-models',
        ({ channel }) => ({ model_id: `n/${channel}`, channel_id: channel, model_name: 'up' }),
        'once',
      ],
      ['admin PUT /api/admin/provider-models/{model}', { quality_score: 0.5 }],
      ['admin PUT /api/admin/channels/{channel}/models', ({ model }) => ({ models: [{ id: model, prompt_price: 2 }] })],
      ['admin PUT /api/routing/configs/{model_id}', { latency_weight: 0.5 }],
      [
        'admin POST /api/admin/model-aliases',
        ({ channel }) => ({ name: `another-${channel}`, models: ['demo/chat'] }),
        'once',
      ],
      ['admin PUT /api/admin/model-aliases/{alias}', ({ channel }) => ({ name: `another-${channel}` })],
      ['key POST /v1/chat/completions', ({ channel }) => ({ ...chat, model: `m/${channel}` })],
    ],
    ends: [
      ['admin DELETE /api/admin/channels/{channel}'],
      ['admin DELETE /api/admin/channels/{channel}/credentials/{credential}'],
      ['admin DELETE /api/admin/provider-models/{model}'],
      ['admin DELETE /api/admin/model-aliases/{alias}'],
    ],
  },
  {
    name: 'identity provider',
    make: (who) =>
      who.ids(
        'admin POST /api/admin/identity-providers',
        { slug: `p${crypto.randomUUID().slice(0, 8)}`, name: 'P', issuer: unreachable, client_id: 'x' },
        { provider: 'id', slug: 'slug' },
      ),
    acts: [
      ['admin PUT /api/admin/identity-providers/{provider}', { name: 'Q' }],
      [
        'admin POST /api/admin/identity-providers',
        ({ slug }) => ({ slug: `${slug}n`, name: 'P', issuer: unreachable, client_id: 'x' }),
        'once',
      ],
      ['nobody GET /api/auth/{slug}/start'],
      ['POST /api/user/identities', ({ slug }) => ({ provider: slug })],
    ],
    ends: [['admin DELETE /api/admin/identity-providers/{provider}']],
  },
];
