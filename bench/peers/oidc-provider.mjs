// The peer for sign-in: oidc-provider with its memory adapter, so that it writes nothing to disk.
import { generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const port = Number(process.env.PORT);
const redirectUri = 'https://client.example/callback';
const secret = {
  client_secret: 'a secret that is long enough for a benchmark',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_basic',
  introspection_endpoint_auth_method: 'client_secret_basic',
};
const keyOf = (kind, options) => generateKeyPairSync(kind, options).privateKey.export({ format: 'jwk' });
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    { client_id: 'bench', ...secret },
    { client_id: 'bench-es256', ...secret, id_token_signed_response_alg: 'ES256' },
  ],
  jwks: { keys: [keyOf('rsa', { modulusLength: 2048 }), keyOf('ec', { namedCurve: 'P-256' })] },
  scopes: ['openid', 'offline_access', 'api'],
  features: { introspection: { enabled: true }, devInteractions: { enabled: false } },
  pkce: { required: () => false },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
});

// Codes are minted directly, since the benchmark measures exchanges, not logins.
provider.use(async (context, next) => {
  if (context.path !== '/mint') return next();
  const clientId = context.query.client ?? 'bench';
  const client = await provider.Client.find(clientId);
  const scope = context.query.scope ?? 'api offline_access';
  const codes = [];
  for (let i = 0; i < Number(context.query.n); i += 1) {
    const grant = new provider.Grant({ clientId, accountId: 'somebody' });
    grant.addOIDCScope(scope);
    const grantId = await grant.save();
    const code = new provider.AuthorizationCode({
      accountId: 'somebody',
      client,
      redirectUri,
      scope,
      grantId,
      gty: 'authorization_code',
    });
    codes.push(await code.save());
  }
  context.body = codes;
});

provider.listen(port, '127.0.0.1');
