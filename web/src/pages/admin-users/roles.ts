export const roleNames: Record<string, string> = { 1: 'User', 10: 'Administrator', 100: 'Root' };

export const roleName = (role: number): string => roleNames[role] ?? `Role ${role}`;
