/** Functions of the real engine that reach outside an expression; refused when an expression is compiled. */
export const refusedFunctions: ReadonlySet<string> = new Set(['readUrl', 'lookup', 'p', 'native']);
