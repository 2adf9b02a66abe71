export declare const asks: Record<string, { means: string; expected: unknown }>;
