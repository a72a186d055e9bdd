/** Options of Fastify in specs: without its limit of 10 s for a start, which a busy machine may miss. */
export const PATIENT = { pluginTimeout: 0 } as const;
