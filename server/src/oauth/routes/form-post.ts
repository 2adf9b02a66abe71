import { z } from 'zod';
import { languageAsked } from '../../identity/caller-language.ts';
import { AppError } from '../../lib/errors.ts';
import { wantsPage } from '../../platform/http/error-page.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import type { OAuthContext } from '../context.ts';
import { expiredPage, formPostHeaders, formPostPage } from '../form-post-page.ts';
import { formPostPath, openAnswer } from '../response-mode.ts';
import { base, noStore } from './shapes.ts';

/** Form Post Response Mode: the page that posts an answer to the application. */
export function formPostRoute(room: OAuthContext): Route {
  return defineRoute({
    ...base,
    when: () => room.options.get('OAuth2OpenIDConnect'),
    method: 'get',
    path: formPostPath,
    visited: true,
    summary: 'Page that posts the response to an application that requested response_mode=form_post; for browsers',
    auth: 'none',
    limit: { option: 'RateLimitApi', by: 'ip' },
    headers: { ...noStore, ...formPostHeaders },
    query: z.object({ answer: z.string().optional() }),
    answers: {
      200: { type: 'text/html', description: 'A form that submits itself' },
      400: { type: 'text/html', description: 'For browsers, a page that says so' },
    },
    handle: (call) => {
      const language = languageAsked(call) ?? 'en';
      const answer = openAnswer(room, call.query.answer ?? '');
      if (!answer && !wantsPage(call.request))
        throw new AppError('invalid_request', 'answer is invalid or expired.', { param: 'answer' });
      const html = answer ? formPostPage(language, answer.action, answer.fields) : expiredPage(language);
      const headers = { ...call.headers, 'content-type': 'text/html; charset=utf-8' };
      return new Response(html, { status: answer ? 200 : 400, headers });
    },
  });
}
