import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rooms } from './rooms.js';

/** The text of every source file, by its path from the root of the project. */
export type Sources = ReadonlyMap<string, string>;

/** An import of another source file or of a package. `types`: it is erased at run time. */
export interface Import {
  from: string;
  to: string;
  types: boolean;
  external: boolean;
}

const root = pathToFileURL(`${process.cwd()}/`);

/** Every source file of the product. */
export function readSources(): Sources {
  const files = ['src', 'workflows', 'activities'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.c?tsx?$/.test(name) && !name.endsWith('.d.ts'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
  return new Map(files.map((file) => [file, readFileSync(new URL(file, root), 'utf8')]));
}

const statement =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*(?:\/\*.*?\*\/\s*)?'([^']+)'\s*\)/g;

/** The imports of one file. */
export function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(statement)].map(([, types, named, called]) => {
    const spec = (named ?? called)!;
    const external = !spec.startsWith('.');
    const to = external ? packageOf(spec) : posix.join(posix.dirname(from), spec).replace(/\.(c?)js$/, '.$1ts');
    return { from, to, types: types !== undefined, external };
  });
}

/** The room of a file: the entry of the table with the longest matching path, else its folder. */
export function roomOf(file: string): string {
  const path = file
    .replace(/^src\//, '')
    .split('/')
    .slice(0, -1);
  for (let length = path.length; length > 0; length--) {
    const room = path.slice(0, length).join('/');
    if (Object.hasOwn(rooms, room)) return room;
  }
  return path[0] ?? file;
}

function packageOf(spec: string): string {
  const [first, second] = spec.split('/');
  return spec.startsWith('@') ? `${first}/${second}` : first!;
}
