// Signs people in with svc and asks a model in their name. Start it, then open http://127.0.0.1:4000/login
import { createServer } from 'node:http';
import * as openid from 'openid-client';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env;
const own = `http://127.0.0.1:${PORT}`;
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, undefined, openid.ClientSecretBasic(CLIENT_SECRET), {
  execute: ISSUER.startsWith('http:') ? [openid.allowInsecureRequests] : [], // only for trying it out
});

async function login(response) {
  const state = openid.randomState();
  const verifier = openid.randomPKCECodeVerifier();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${own}/callback`,
    scope: 'openid profile email tokens:write',
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  // The answer must come back to the browser that asked: that is what the cookie proves.
  response.setHeader('set-cookie', `login=${state}.${verifier}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600`);
  response.writeHead(302, { location: address.href }).end();
}

async function callback(request, response) {
  const [state, verifier] = /login=([^.;]+)\.([^;]+)/.exec(request.headers.cookie ?? '')?.slice(1) ?? [];
  const tokens = await openid.authorizationCodeGrant(config, new URL(request.url, own), {
    expectedState: state ?? 'none',
    pkceCodeVerifier: verifier,
  });
  const user = await openid.fetchUserInfo(config, tokens.access_token, openid.skipSubjectCheck);
  const answer = await askAModel(tokens.access_token);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ user, answer }));
}

// With the scope tokens:write an application can make an API key for the user, who pays for its use.
async function askAModel(accessToken) {
  const made = await fetch(`${ISSUER}/api/oauth2/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'my app' }),
  });
  const { data } = await made.json();
  const answered = await fetch(`${ISSUER}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${data.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  return (await answered.json()).choices[0].message.content;
}

createServer((request, response) => {
  const isCallback = request.url.startsWith('/callback');
  (isCallback ? callback(request, response) : login(response)).catch((error) => {
    response.writeHead(400, { 'content-type': 'text/plain' }).end(`The sign-in failed: ${error.message}\n`);
  });
}).listen(Number(PORT), '127.0.0.1', () => console.log(`open ${own}/login`));
