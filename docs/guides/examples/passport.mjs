// Passport with passport-openidconnect: register http://127.0.0.1:4000/callback, and http://127.0.0.1:4000/ for after the logout.
import { randomUUID } from 'node:crypto';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env;
const own = `http://127.0.0.1:${PORT}`;
const found = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json();

const svc = {
  issuer: found.issuer,
  authorizationURL: found.authorization_endpoint,
  tokenURL: found.token_endpoint,
  userInfoURL: found.userinfo_endpoint,
  clientID: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  callbackURL: `${own}/callback`,
  scope: ['profile', 'email'], // it adds openid
  skipUserProfile: false, // ask userinfo besides the ID token
};
passport.use(
  'svc',
  new OpenIDConnectStrategy(svc, (_issuer, profile, _context, idToken, done) => done(null, { ...profile, idToken })),
);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(session({ secret: randomUUID(), resave: false, saveUninitialized: false }), passport.session());
app.get('/', (request, response) => response.json({ user: request.user ?? null }));
app.get('/login', passport.authenticate('svc'));
app.get('/callback', passport.authenticate('svc', { successRedirect: '/', failureRedirect: '/' }));
app.get('/logout', (request, response) => {
  const after = { id_token_hint: request.user.idToken, post_logout_redirect_uri: `${own}/` };
  request.logout(() => response.redirect(`${found.end_session_endpoint}?${new URLSearchParams(after)}`));
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`open ${own}/login`));
