// openid-client with Express: register http://127.0.0.1:4000/callback, and http://127.0.0.1:4000/ for after the logout.
import { randomUUID } from 'node:crypto';
import express from 'express';
import session from 'express-session';
import * as openid from 'openid-client';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env;
const own = `http://127.0.0.1:${PORT}`;
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: ISSUER.startsWith('http:') ? [openid.allowInsecureRequests] : [], // only for trying it out
});

const app = express();
app.use(session({ secret: randomUUID(), resave: false, saveUninitialized: false }));

app.get('/', (request, response) => response.json({ user: request.session.user ?? null }));

app.get('/login', async (request, response) => {
  const [verifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()];
  request.session.login = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  const code_challenge = await openid.calculatePKCECodeChallenge(verifier);
  const asked = { redirect_uri: `${own}/callback`, scope: 'openid profile email', state, nonce };
  const pkce = { code_challenge, code_challenge_method: 'S256' };
  response.redirect(openid.buildAuthorizationUrl(config, { ...asked, ...pkce }).href);
});

app.get('/callback', async (request, response) => {
  const tokens = await openid.authorizationCodeGrant(config, new URL(request.url, own), request.session.login);
  // A session from before the sign-in may be known to somebody else.
  await new Promise((done) => request.session.regenerate(done));
  Object.assign(request.session, { tokens, user: tokens.claims() });
  response.redirect('/');
});

app.get('/refresh', async (request, response) => {
  const { tokens, user } = request.session;
  const fresh = await openid.refreshTokenGrant(config, tokens.refresh_token);
  request.session.tokens = fresh;
  response.json({ user: await openid.fetchUserInfo(config, fresh.access_token, user.sub) });
});

app.get('/logout', (request, response) => {
  const after = { id_token_hint: request.session.tokens.id_token, post_logout_redirect_uri: `${own}/` };
  request.session.destroy(() => response.redirect(openid.buildEndSessionUrl(config, after).href));
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`open ${own}/login`));
