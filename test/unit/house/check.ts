import { alone, never, pure, type Room, rooms } from './rooms.js';
import { type Import, importsOf, roomOf, type Sources } from './sources.js';

/** The violations of the allowed directions, one line each. */
export function wrongDirections(sources: Sources): string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text));
  return [
    ...imports.filter(({ to, external }) => !external && !sources.has(to)).map((it) => `${line(it)} does not exist`),
    ...imports.filter((it) => !isAllowed(it)).map((it) => `${line(it)} is not allowed`),
    ...cycles(imports).map((path) => `cycle: ${path.join(' → ')}`),
    ...outsidePure(imports),
    ...outsideBrowser(imports),
    ...reservedUses(sources),
  ];
}

function line({ from, to, types }: Import): string {
  return `${from} → ${to}${types ? ' (types)' : ''}`;
}

function isAllowed({ from, to, types, external }: Import): boolean {
  const here = roomOf(from);
  const { uses = [], types: forTypes = [], packages = [] }: Room = rooms[here] ?? {};
  if (external) return to.startsWith('node:') ? !pure.includes(here) : packages.includes(to);
  const there = roomOf(to);
  return there === here || uses.includes(there) || (types && forTypes.includes(there));
}

/** Import cycles at run time, each as its path. */
function cycles(imports: readonly Import[]): string[][] {
  const needs = new Map<string, string[]>();
  for (const { from, to, types, external } of imports)
    if (!types && !external) needs.set(from, [...(needs.get(from) ?? []), to]);
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) found.push([...way.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    for (const next of needs.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of needs.keys()) visit(file, []);
  return found;
}

/** Files outside the pure rooms that the workflow bundle includes. */
function outsidePure(imports: readonly Import[]): string[] {
  const reached = reachedFrom(['workflows/index.ts', 'workflows/preload.ts'], imports);
  return [...reached].filter((file) => !pure.includes(roomOf(file))).map((file) => `the workflow bundle holds ${file}`);
}

/** Built-ins of Node and clients of a server that the console's bundle includes. */
function outsideBrowser(imports: readonly Import[]): string[] {
  const entries = ['main.tsx', 'playground/static-site.tsx', 'playground/worker/worker.ts'];
  const reached = reachedFrom(
    entries.map((name) => `src/console/${name}`),
    imports,
  );
  return imports
    .filter(({ from, to, types }) => !types && reached.has(from) && /^(node:|@temporalio\/|jose$|pkijs$)/.test(to))
    .map(({ from, to }) => `the console bundle holds ${from}, which needs ${to}`);
}

/** All files that these import at run time, directly or not. */
function reachedFrom(entries: readonly string[], imports: readonly Import[]): ReadonlySet<string> {
  const needs = new Map<string, string[]>();
  for (const { from, to, types, external } of imports)
    if (!types && !external) needs.set(from, [...(needs.get(from) ?? []), to]);
  const reached = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...(needs.get(file) ?? []));
  }
  return reached;
}

/** Uses of code that is reserved for one file or forbidden everywhere. */
function reservedUses(sources: Sources): string[] {
  const files = (pattern: RegExp) => [...sources].filter(([, text]) => pattern.test(text)).map(([file]) => file);
  return [
    ...alone.flatMap(({ what, pattern, file }) =>
      files(pattern)
        .filter((other) => other !== file)
        .map((other) => `${other} ${what}; only ${file} may`),
    ),
    ...never.flatMap(({ what, pattern }) => files(pattern).map((file) => `${file} ${what}`)),
  ];
}
