// express-openid-connect: register http://127.0.0.1:4000/callback, and http://127.0.0.1:4000 for after the logout.
import { randomUUID } from 'node:crypto';
import express from 'express';
import openid from 'express-openid-connect';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env;
const own = `http://127.0.0.1:${PORT}`;

const app = express();
app.use(
  openid.auth({
    issuerBaseURL: ISSUER,
    baseURL: own,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: randomUUID(),
    authRequired: false,
    idpLogout: true,
    // Its default is the implicit flow, which is not offered here.
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
  }),
);

// It answers /login, /callback and /logout itself.
app.get('/', (request, response) => response.json({ user: request.oidc.user ?? null }));

app.get('/refresh', async (request, response) => {
  await request.oidc.accessToken.refresh();
  response.json({ user: await request.oidc.fetchUserInfo() });
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`open ${own}/login`));
