// better-auth with Express: register http://127.0.0.1:4000/api/auth/oauth2/callback/svc, and http://127.0.0.1:4000/ for after the logout.
import { randomUUID } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import { genericOAuth } from 'better-auth/plugins';
import express from 'express';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env;
const own = `http://127.0.0.1:${PORT}`;

const svc = {
  providerId: 'svc',
  discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  scopes: ['openid', 'profile', 'email'], // it takes nobody without an address
  pkce: true,
};
// Without a database, users are kept in memory: for trying it out.
const { api, handler } = betterAuth({ baseURL: own, secret: randomUUID(), plugins: [genericOAuth({ config: [svc] })] });
const ofUser = (request) => ({ headers: fromNodeHeaders(request.headers), returnHeaders: true });

const app = express();
app.all('/api/auth/*splat', toNodeHandler(handler));

app.get('/', async (request, response) => {
  const session = await api.getSession({ headers: fromNodeHeaders(request.headers) });
  response.json({ user: session?.user ?? null });
});

app.get('/login', async (request, response) => {
  const body = { providerId: 'svc', callbackURL: `${own}/` };
  const begun = await api.signInWithOAuth2({ ...ofUser(request), body });
  response.setHeader('set-cookie', begun.headers.getSetCookie()).redirect(begun.response.url);
});

app.get('/refresh', async (request, response) => {
  const fresh = await api.refreshToken({ ...ofUser(request), body: { providerId: 'svc' } });
  response.setHeader('set-cookie', fresh.headers.getSetCookie());
  const authorization = `Bearer ${fresh.response.accessToken}`;
  const user = await fetch(`${ISSUER}/api/oauth2/userinfo`, { headers: { authorization } });
  response.json({ user: await user.json() });
});

app.get('/logout', async (request, response) => {
  const tokens = await api.getAccessToken({ ...ofUser(request), body: { providerId: 'svc' } });
  const { headers } = await api.signOut(ofUser(request));
  const after = { id_token_hint: tokens.response.idToken, post_logout_redirect_uri: `${own}/` };
  response.setHeader('set-cookie', headers.getSetCookie());
  response.redirect(`${ISSUER}/api/oauth2/end_session?${new URLSearchParams(after)}`);
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`open ${own}/login`));
