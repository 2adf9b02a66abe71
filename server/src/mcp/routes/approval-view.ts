import { z } from 'zod';

export const organisation = z.object({ id: z.int(), name: z.string() });

export const approvalView = z
  .object({
    id: z.int(),
    server: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    state: z.enum(['waiting', 'approved', 'refused']),
    created_at: z.int(),
    expires_at: z.int(),
    organisation: organisation
      .nullable()
      .describe('Organisation of the team key that made the call; its owners and administrators decide'),
  })
  .meta({ id: 'McpApproval' });
