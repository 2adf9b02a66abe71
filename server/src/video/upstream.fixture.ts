/** A maker of videos that does what a test tells it, in the words of OpenAI or of OpenRouter. */
export interface ScriptedUpstream {
  url: string;
  submits: { id: string; type: string; key: string | null; auth: string | null; body: Record<string, unknown> }[];
  deletes: string[];
  downloads: number;
  polls: number;
  /** What the next questions are answered with; change it while a job runs. */
  script: Script;
  stop(): void;
}

interface Script {
  status: string;
  progress?: number;
  error?: string;
  /** Takes the place of the usual answer to a submission. */
  onSubmit?: (count: number) => Response | undefined | Promise<Response | undefined>;
  onPoll?: (count: number) => Response | undefined | Promise<Response | undefined>;
  onDownload?: (count: number) => Response | undefined | Promise<Response | undefined>;
  /** Addresses of results, OpenRouter only. */
  urls?: (id: string) => string[];
}

export const film = Uint8Array.from({ length: 5_000 }, (_, n) => n % 251);

export function startUpstream(
  kind: 'openai' | 'openrouter',
  script: Script = { status: 'completed' },
): ScriptedUpstream {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: (request) => answer(request) });
  const upstream: ScriptedUpstream = {
    url: `http://127.0.0.1:${server.port}/v1`,
    ...{ submits: [], deletes: [], downloads: 0, polls: 0, script },
    stop: () => void server.stop(true),
  };

  const view = (id: string, status: string) =>
    kind === 'openai'
      ? { id, object: 'video', status, progress: upstream.script.progress ?? 0, error: errorOf(status) }
      : {
          ...{ id, status, polling_url: `/v1/videos/${id}`, generation_id: `gen-${id}` },
          ...(status === 'failed' && { error: upstream.script.error }),
          ...(status === 'completed' && {
            unsigned_urls: upstream.script.urls?.(id) ?? [`${upstream.url}/files/${id}`],
          }),
        };
  const errorOf = (status: string) => (status === 'failed' ? { code: 'e', message: upstream.script.error } : null);

  /** Whoever does not hear of a submission can find it here. */
  const made = new Map<string, object>();
  const submit = async (request: Request): Promise<Response> => {
    const type = request.headers.get('content-type')!.split(';')[0]!;
    const body = type === 'application/json' ? await request.json() : Object.fromEntries(await request.formData());
    const id = `up-${upstream.submits.length + 1}`;
    const [key, auth] = [request.headers.get('idempotency-key'), request.headers.get('authorization')];
    upstream.submits.push({ id, type, key, auth, body: body as Record<string, unknown> });
    made.set(id, { ...view(id, 'queued'), size: '1280x720', ...body, created_at: Math.floor(Date.now() / 1000) });
    const scripted = await upstream.script.onSubmit?.(upstream.submits.length);
    if (scripted?.ok === false) made.delete(id);
    return scripted ?? Response.json(view(id, kind === 'openai' ? 'queued' : 'pending'));
  };
  /** OpenRouter has no such list. */
  const list = (): Response => {
    if (kind === 'openrouter') return Response.json({ error: { message: 'Not found' } }, { status: 404 });
    return Response.json({ object: 'list', data: [...made.values()].reverse(), has_more: false });
  };
  const answer = async (request: Request): Promise<Response> => {
    const [, , place, id, part] = new URL(request.url).pathname.split('/');
    if (request.method === 'POST') return submit(request);
    if (request.method === 'DELETE') {
      upstream.deletes.push(id!);
      return Response.json({ id, deleted: true });
    }
    if (place === 'files' || part === 'content') {
      upstream.downloads += 1;
      const scripted = await upstream.script.onDownload?.(upstream.downloads);
      return scripted ?? new Response(film, { headers: { 'content-type': 'video/mp4' } });
    }
    if (!id) return list();
    upstream.polls += 1;
    return (await upstream.script.onPoll?.(upstream.polls)) ?? Response.json(view(id!, upstream.script.status));
  };
  return upstream;
}
