import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered } from '../../platform/http/answers.ts';
import { maxJsonBytes, readJson, refuseNul } from '../../platform/http/body.ts';
import { mediaType, readMultipart } from '../../platform/http/multipart.ts';
import { type Call, defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import { acceptFile, type ImportedAs } from '../import/accept-file.ts';
import { FileFault } from '../import/faults.ts';
import { keepEntry } from '../import/import-entries.ts';
import { importLimits } from '../import/limits.ts';
import type { Caller, Deps } from '../ports.ts';
import { embedMany } from '../turn/embed.ts';
import { callerOf } from './caller.ts';
import { base, entryFields, newEntrySchema } from './schemas.ts';
import { sourceSchema, sourceView } from './sources.ts';

const entriesSchema = z.strictObject({ entries: z.array(newEntrySchema).min(1).max(importLimits.entries) });
/** Entries are validated one by one, so that an invalid one does not block the others. */
const unreadEntries = z.strictObject({ entries: z.array(z.unknown()).min(1).max(importLimits.entries) });

const defaultCategory = 'document';
const formFields = {
  category: entryFields.category.default(defaultCategory),
  keywords: entryFields.keywords.default([]),
  project_id: z.string().min(1).max(128).optional(),
  replace: z.enum(['true', 'false']).default('false'),
};
const filesSchema = z.strictObject({
  file: z
    .array(z.string().meta({ format: 'binary' }))
    .min(1)
    .max(importLimits.files),
  ...formFields,
});

const status = z.enum(['added', 'accepted', 'unchanged', 'refused']);
const importAnswer = z.object({
  entries: z
    .array(z.object({ index: z.number().int(), status, id: z.string().optional(), error: z.string().optional() }))
    .optional()
    .meta({ description: 'Result for each entry, in the order sent' }),
  files: z
    .array(z.object({ name: z.string(), status, source: sourceSchema.optional(), error: z.string().optional() }))
    .optional()
    .meta({ description: 'Result for each file, in the order sent; accepted files are read in the background' }),
});

export const importRoute = (deps: Deps): Route =>
  defineRoute({
    ...base,
    method: 'post',
    path: '/api/svc-ms/knowledge/import',
    summary: 'Import several entries, or text, Markdown and PDF files',
    bodyAs: 'raw',
    bodyTypes: ['application/json', 'multipart/form-data'],
    body: z.union([entriesSchema, filesSchema]),
    answers: { 200: answered(importAnswer), 202: answered(importAnswer) },
    handle: async (call) => {
      const caller = callerOf(call.principal);
      const type = mediaType(call.request);
      if (type === 'multipart/form-data')
        return ok(call, { files: await importFiles(deps, caller, await readMultipart(call, requestBytes)) }, 202);
      if (type === 'application/json' || type.endsWith('+json'))
        return ok(call, { entries: await importEntries(deps, caller, call) });
      throw new AppError('unsupported_media_type', 'Send entries as application/json, files as multipart/form-data.');
    },
  });

/** Adds room for the rest of the form around the files. */
const requestBytes = importLimits.requestBytes + 64 * 1024;

async function importEntries(deps: Deps, caller: Caller, call: Pick<Call, 'request' | 'arrived'>) {
  const { entries } = accept(unreadEntries, await readJson(call, maxJsonBytes));
  const told = [];
  for (const [index, given] of entries.entries()) told.push(await importEntry(deps, caller.userId, index, given));
  const added = told.filter((one) => one.status === 'added').length;
  if (added > 0)
    deps.background(
      embedMany(deps, caller, added, new AbortController().signal).catch((error) =>
        deps.warn('imported entries could not be embedded', error),
      ),
    );
  return told;
}

async function importEntry(deps: Deps, userId: number, index: number, given: unknown) {
  const parsed = newEntrySchema.safeParse(given);
  if (!parsed.success) return { index, status: 'refused' as const, error: faultIn(parsed.error, '') };
  const { project_id: projectId = null, ...fact } = parsed.data;
  try {
    refuseNul(parsed.data);
    const { entry, added } = await keepEntry(deps, userId, { ...fact, projectId });
    return { index, status: added ? ('added' as const) : ('unchanged' as const), id: entry.id };
  } catch (error) {
    if (isRefusal(error)) return { index, status: 'refused' as const, error: error.message };
    throw error;
  }
}

/** The user's storage is full, or the text cannot be stored; entries and files stored before stay. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'storage_full' || error.code === 'invalid_value');

async function importFiles(deps: Deps, caller: Caller, form: FormData) {
  const { files, as } = readForm(form);
  const told = [];
  for (const file of files) told.push(await importFile(deps, caller, file, as));
  return told;
}

async function importFile(deps: Deps, caller: Caller, file: File, as: ImportedAs) {
  // An empty file name is undefined here, whatever the type says.
  const sent: string | undefined = file.name;
  // Some clients send the file's path.
  const given = sent?.replace(/^.*[\\/]/, '') || 'untitled';
  const named = shownName(200).safeParse(given);
  if (!named.success) {
    const error = `Rename the file: its name ${named.error.issues[0]!.message}.`;
    return { name: given.slice(0, 200).toWellFormed(), status: 'refused' as const, error };
  }
  const name = named.data;
  try {
    const { source, accepted } = await acceptFile(deps, caller, { name, bytes: await file.bytes() }, as);
    return { name, status: accepted ? ('accepted' as const) : ('unchanged' as const), source: sourceView(source) };
  } catch (error) {
    if (error instanceof FileFault || isRefusal(error))
      return { name, status: 'refused' as const, error: error.message };
    throw error;
  }
}

/** The files of a form, and the fields that apply to all of them. */
function readForm(form: FormData): { files: File[]; as: ImportedAs } {
  const files: File[] = [];
  const fields: Record<string, unknown> = Object.create(null);
  const keywords: string[] = [];
  for (const [name, value] of form) {
    const isFile = typeof value !== 'string';
    if (isFile !== (name === 'file')) throw invalid(name, isFile ? 'must not be a file' : 'must be a file');
    if (isFile) files.push(value);
    else if (name === 'keywords') keywords.push(...value.split(',').filter((word) => word.trim() !== ''));
    else if (name in fields) throw invalid(name, 'is specified more than once');
    else fields[name] = value;
  }
  refuseNul({ ...fields, keywords });
  if (files.length === 0) throw new AppError('missing_required_parameter', 'file is required.', { param: 'file' });
  if (files.length > importLimits.files) throw invalid('file', `at most ${importLimits.files} files at once`);
  const { category, project_id, replace, ...said } = accept(z.strictObject(formFields), { ...fields, keywords });
  return {
    files,
    as: { category, keywords: said.keywords, projectId: project_id ?? null, replaces: replace === 'true' },
  };
}

const invalid = (param: string, message: string): AppError =>
  new AppError('invalid_value', `${param}: ${message}.`, { param });

function accept<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const { path } = parsed.error.issues[0]!;
  throw new AppError('invalid_value', faultIn(parsed.error, 'The body'), { param: path.join('.') });
}

function faultIn(error: z.ZodError, whole: string): string {
  const issue = error.issues[0]!;
  if (issue.code === 'unrecognized_keys') return `${issue.keys[0]}: there is no such parameter.`;
  const place = issue.path.join('.') || whole;
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}
