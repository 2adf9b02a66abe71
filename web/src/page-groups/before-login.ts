/** Pages without navigation that open before login; part of the app's own bundle. */
export { ForgotPasswordPage } from '../pages/forgot-password/forgot-password-page.tsx';
export { GoodbyePage } from '../pages/goodbye/goodbye-page.tsx';
export { LoginPage } from '../pages/login/login-page.tsx';
export { LogoutPage } from '../pages/logout/logout-page.tsx';
export { NotFoundPage } from '../pages/not-found/not-found-page.tsx';
export { RegisterPage } from '../pages/register/register-page.tsx';
export { ResetPasswordPage } from '../pages/reset-password/reset-password-page.tsx';
export { VerifyEmailPage } from '../pages/verify-email/verify-email-page.tsx';
