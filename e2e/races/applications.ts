/** Applications, what they were given, and clients that registered themselves. */
import { callback, type Thing } from './thing.ts';

export const ofApplications: Thing[] = [
  {
    name: 'application',
    make: async (who) => {
      const made = await who.ids(
        'POST /api/oauth2/applications',
        { name: 'a', redirect_uris: [callback], scopes: 'openid email models:use tokens:write' },
        { application: 'id', client_id: 'client_id', secret: 'client_secret_plain' },
      );
      const approve = async () => {
        const body = {
          client_id: made.client_id,
          redirect_uri: callback,
          scope: 'openid models:use',
          approved: true,
          spending_limit: 9,
          spending_window: 'total',
        };
        const { url } = await who.ids('POST /api/oauth2/authorize', body, { url: 'redirect_url' });
        return new URL(`${url}`).searchParams.get('code')!;
      };
      const basic = `Basic ${btoa(`${made.client_id}:${made.secret}`)}`;
      const first = await who.ids(
        'client POST /api/oauth2/token',
        new URLSearchParams({ grant_type: 'authorization_code', code: await approve(), redirect_uri: callback }),
        { access: 'access_token', refresh: 'refresh_token' },
        { basic },
      );
      const device = await who.ids(
        'client POST /api/oauth2/device_authorization',
        new URLSearchParams({ scope: 'openid' }),
        { user_code: 'user_code', device_code: 'device_code' },
        { basic },
      );
      return { ...made, basic, ...first, ...device, code: await approve() };
    },
    acts: [
      ['PUT /api/oauth2/applications/{application}', { name: 'b' }],
      ['POST /api/oauth2/applications/{application}/rotate-secret'],
      ['POST /api/oauth2/applications/{application}/webhook-secret'],
      ['PUT /api/oauth2/consents/{application}', { spending_limit: 5, spending_window: 'month' }],
      [
        'POST /api/oauth2/authorize',
        ({ client_id }) => ({
          client_id,
          redirect_uri: callback,
          scope: 'openid email models:use',
          approved: true,
          spending_limit: 7,
          spending_window: 'total',
        }),
      ],
      [
        'client POST /api/oauth2/token',
        ({ code }) =>
          new URLSearchParams({ grant_type: 'authorization_code', code: `${code}`, redirect_uri: callback }),
        'once',
      ],
      [
        'client POST /api/oauth2/token',
        ({ refresh }) => new URLSearchParams({ grant_type: 'refresh_token', refresh_token: `${refresh}` }),
        'once',
      ],
      [
        'client POST /api/oauth2/token',
        ({ device_code }) =>
          new URLSearchParams({
            grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
            device_code: `${device_code}`,
          }),
      ],
      ['client POST /api/oauth2/revoke', ({ access }) => new URLSearchParams({ token: `${access}` })],
      [
        'client POST /api/oauth2/par',
        ({ client_id }) =>
          new URLSearchParams({
            client_id: `${client_id}`,
            redirect_uri: callback,
            response_type: 'code',
            scope: 'openid',
          }),
      ],
      ['client POST /api/oauth2/device_authorization', new URLSearchParams({ scope: 'openid' })],
      ['POST /api/oauth2/device', ({ user_code }) => ({ user_code, approved: true }), 'once'],
      ['admin POST /api/oauth2/admin/applications/suspend', ({ application }) => ({ app_id: application })],
      ['admin POST /api/oauth2/admin/applications/activate', ({ application }) => ({ app_id: application })],
      ['admin PUT /api/oauth2/admin/applications/{application}', { rate_limit: 100 }],
    ],
    ends: [['DELETE /api/oauth2/applications/{application}'], ['DELETE /api/oauth2/consents/{application}']],
  },
  {
    name: 'registered client',
    make: (who) =>
      who.ids(
        'nobody POST /api/oauth2/register',
        { redirect_uris: [callback] },
        { client: 'client_id', registration: 'registration_access_token' },
      ),
    acts: [
      [
        'registration PUT /api/oauth2/register/{client}',
        ({ client }) => ({ client_id: client, redirect_uris: [callback], client_name: 'b' }),
      ],
    ],
    ends: [['registration DELETE /api/oauth2/register/{client}']],
  },
];
