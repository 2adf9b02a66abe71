/** A user's own keys, settings, chats, servers and codes. */
import { type Thing, unreachable } from './thing.ts';

export const ofUsers: Thing[] = [
  {
    name: 'key',
    make: async (who) => {
      const made = await who.ids('POST /api/tokens', { name: 'a' }, { key: 'id', secret: 'key' });
      await who.ids('PUT /api/tokens/{key}/limit', { amount: 1_000 }, {}, made);
      await who.ids('POST /api/tokens/{key}/rotate', { overlap_seconds: 600 }, {}, made);
      return made;
    },
    acts: [
      ['PUT /api/tokens/{key}', { name: 'b' }],
      ['POST /api/tokens/{key}/rotate', { overlap_seconds: 600 }],
      ['PUT /api/tokens/{key}/limit', { amount: 2_000 }],
    ],
    ends: [['DELETE /api/tokens/{key}'], ['DELETE /api/tokens/{key}/limit'], ['DELETE /api/tokens/{key}/previous']],
  },
  {
    name: 'own key',
    make: (who) =>
      who.ids(
        'POST /api/routing/own-keys',
        { name: 'a', provider: 'p', credential: 'sk-0123456789abcdef' },
        { own: 'id' },
      ),
    acts: [
      ['PUT /api/routing/own-keys/{own}', { name: 'b', credential: 'sk-other-0123456789' }],
      ['POST /api/routing/own-keys', { name: 'a', provider: 'p', credential: 'sk-0123456789abcdef' }],
    ],
    ends: [['DELETE /api/routing/own-keys/{own}']],
  },
  {
    name: 'playground',
    make: async (who) => {
      const content = { columns: [{ id: 'one', model: 'demo/chat' }], settings: {}, entries: [] };
      const chatId = `c-${crypto.randomUUID()}`;
      await who.ids(`PUT /api/playground/chats/${chatId}`, { version: 0, content }, {});
      return {
        chat: chatId,
        ...(await who.ids(
          'POST /api/playground/presets',
          { name: `p ${Math.random()}`, prompt: 'x' },
          { preset: 'id' },
        )),
      };
    },
    acts: [
      [
        'PUT /api/playground/chats/{chat}',
        { version: 1, content: { columns: [{ id: 'one', model: 'demo/chat' }], settings: {}, entries: [] } },
        'once',
      ],
      [
        'PUT /api/playground/chats/{chat}-new',
        { version: 0, content: { columns: [{ id: 'one', model: 'demo/chat' }], settings: {}, entries: [] } },
        'once',
      ],
      ['PUT /api/playground/chats/{chat}/name', { name: 'b' }],
      ['PUT /api/playground/presets/{preset}', ({ chat }) => ({ name: `to ${chat}` })],
      ['POST /api/playground/presets', ({ chat }) => ({ name: `of ${chat}`, prompt: 'x' }), 'once'],
    ],
    ends: [['DELETE /api/playground/chats/{chat}'], ['DELETE /api/playground/presets/{preset}']],
  },
  {
    name: 'MCP server',
    make: (who) =>
      who.ids(
        'POST /api/mcp/servers',
        { name: `s${crypto.randomUUID().slice(0, 6)}`, url: `${unreachable}/mcp`, auth: 'oauth' },
        { server: 'id', name: 'name' },
      ),
    acts: [
      ['PUT /api/mcp/servers/{server}', { timeout_ms: 5_000 }],
      ['POST /api/mcp/servers', ({ name }) => ({ name: `${name}n`, url: `${unreachable}/mcp` }), 'once'],
      ['PUT /api/mcp/servers/{server}/tools', { tools: [] }],
      ['POST /api/mcp/servers/{server}/authorize'],
      ['DELETE /api/mcp/servers/{server}/authorize'],
      ['POST /api/mcp/servers/{server}/test'],
      ['key POST /mcp/{name}', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ],
    ends: [['DELETE /api/mcp/servers/{server}']],
  },
  {
    name: 'redemption code',
    make: async (who) => {
      const made = await who.ids(
        'admin POST /api/admin/redemption-codes',
        { quota: 7, count: 1 },
        { code: 'codes.0.id', text: 'codes.0.code' },
      );
      return made;
    },
    acts: [
      ['POST /api/user/redemptions', ({ text }) => ({ code: text }), 'once'],
      ['admin PUT /api/admin/redemption-codes/{code}', { status: 2 }],
    ],
    ends: [],
  },
  {
    name: 'settings',
    make: (who) => who.ids('PUT /api/user/spending/month', { amount: 100_000_000 }, {}),
    acts: [
      ['PUT /api/routing/preferences', { default_strategy: 'cost' }],
      ['PUT /api/svc-ms/user/preferences', { use_custom_models: false }],
      ['PUT /api/user/spending', { time_zone: 'Europe/Vienna' }],
      ['PUT /api/user/spending/month', { amount: 100_000_000 }],
      ['POST /api/user/spending/webhook-secret'],
      ['PUT /api/user/self', { display_name: 'A', language: 'zh-CN' }],
      ['POST /api/user/totp', { password: 'a fine password' }],
      ['key POST /v1/videos/callback-secret/rotate', {}],
      ['POST /api/user/email/verification', { password: 'a fine password' }],
      ['admin POST /api/admin/users/{user}/links', { purpose: 'reset_password' }],
      ['admin POST /api/admin/users/{user}/credits', { quota: 1 }],
      ['admin PUT /api/admin/users/{user}', { display_name: 'B' }],
      ['admin PUT /api/admin/options', { key: 'DecisionLogDays', value: 9 }],
    ],
    ends: [
      ['DELETE /api/user/spending/month'],
      ['admin DELETE /api/admin/users/{user}/sessions', undefined, 'again'],
      ['admin DELETE /api/admin/users/{user}', undefined, 'again'],
    ],
  },
];
