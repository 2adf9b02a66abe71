import { AppError } from '../../lib/errors.ts';
import type { Block } from './client-ip.ts';
import { allowOrigin, type CorsPolicy, isRelayPath } from './cors.ts';
import type { HeaderSets } from './headers.ts';
import { HttpCall } from './http-call.ts';
import { formatOfPath, renderError } from './renderers.ts';
import type { Unmatched } from './router.ts';
import { insteadOf } from './served-elsewhere.ts';
import { webAsset } from './web-assets.ts';

/**
 * Outside the API: files of the web app, and its page for browsers. Otherwise 405 if another method is served there,
 * else 404, in the error format of that part of the API.
 */
export const handleUnmatched =
  ({ headers, trustedProxies, cors }: { headers: HeaderSets; trustedProxies: Block[]; cors?: CorsPolicy }): Unmatched =>
  async (path, allowed, request, server) => {
    const { method } = request;
    const mayBePage = (method === 'GET' || method === 'HEAD') && !/^\/(api|v1|v1beta|mcp|scim)(\/|$)/.test(path);
    if (mayBePage) {
      const asset = await webAsset(path, request);
      if (asset) {
        for (const [name, value] of Object.entries(headers.page))
          if (!asset.headers.has(name)) asset.headers.set(name, value);
        return asset;
      }
    }
    const error =
      allowed.length > 0
        ? new AppError('method_not_allowed', `${method} is not supported here.${insteadOf(path)}`, {
            headers: { allow: allowed.join(', ') },
          })
        : new AppError('not_found', `There is nothing at ${method} ${path}.${insteadOf(path)}`);
    const call = new HttpCall(request, server, trustedProxies, headers.api);
    if (allowed.length === 0 && cors?.enabled() && isRelayPath(path)) await allowOrigin(cors, 'relay', call);
    if (mayBePage) call.headers.vary = 'accept';
    return renderError(formatOfPath(path, request.headers), error, call.requestId, call.headers);
  };
