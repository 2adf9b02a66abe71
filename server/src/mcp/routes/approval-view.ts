import { z } from 'zod';

export const organisation = z.object({ id: z.int(), name: z.string() });

export const approvalView = z
  .object({
    id: z.int(),
    server: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    arguments_text: z
      .string()
      .describe('The same as indented JSON, for programs whose parser would round long numbers'),
    state: z.enum(['waiting', 'approved', 'refused']),
    created_at: z.int(),
    expires_at: z.int(),
    asked_by: z
      .object({
        type: z.enum(['application', 'api_key', 'session']),
        id: z.int().nullable(),
        name: z.string().nullable().describe('Null if it was deleted, and for a session'),
      })
      .nullable()
      .describe(
        'The program that wants to make the call; the approval is only for it. A session is a page of the web app',
      ),
    organisation: organisation
      .nullable()
      .describe('Organisation of the team key that made the call; its owners and administrators decide'),
  })
  .meta({ id: 'McpApproval' });
