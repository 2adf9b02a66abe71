// Auth.js with Express: register http://127.0.0.1:4000/auth/callback/svc as redirect address.
import { randomUUID } from 'node:crypto';
import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env;

// The type oidc and the issuer are what it takes: with the type oauth it refuses the iss of our redirects.
const svc = { id: 'svc', name: 'svc', type: 'oidc', issuer: ISSUER, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
const config = { providers: [svc], secret: randomUUID(), trustHost: true };

const app = express();
// It answers /auth/signin and /auth/signout, each with a page, and /auth/callback/svc.
app.use('/auth', ExpressAuth(config));
app.get('/', async (request, response) => {
  const session = await getSession(request, config);
  response.json({ user: session?.user ?? null });
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`open http://127.0.0.1:${PORT}/auth/signin`));
