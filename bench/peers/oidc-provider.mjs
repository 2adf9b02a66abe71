// The peer for sign-in: oidc-provider with its memory adapter, so that it writes nothing to disk.
import Provider from 'oidc-provider';

const port = Number(process.env.PORT);
const redirectUri = 'https://client.example/callback';
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: 'bench',
      client_secret: 'a secret that is long enough for a benchmark',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
      introspection_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  scopes: ['openid', 'offline_access', 'api'],
  features: { introspection: { enabled: true }, devInteractions: { enabled: false } },
  pkce: { required: () => false },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
});

// Codes are made directly, since the benchmark measures exchanges, not logins.
provider.use(async (context, next) => {
  if (context.path !== '/mint') return next();
  const client = await provider.Client.find('bench');
  const scope = context.query.scope ?? 'api offline_access';
  const codes = [];
  for (let i = 0; i < Number(context.query.n); i += 1) {
    const grant = new provider.Grant({ clientId: 'bench', accountId: 'somebody' });
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
