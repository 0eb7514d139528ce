import type { Known, Miss } from '../../expressions/shapes/select.js';
import { select } from '../../expressions/shapes/select.js';
import type { Shape } from '../../expressions/shapes/shape.js';
import type { Use } from '../../reading/reading.js';

/** What the bindings of an expression are known to hold. */
export type Bound = Readonly<Record<string, Shape>>;

/** What reads the context, by the state it stands in; the rest under the empty pointer. */
export class Uses {
  private readonly ofState = new Map<string, Use[]>();

  constructor(uses: readonly Use[], states: ReadonlySet<string>) {
    for (const use of uses) {
      const owner = ownerOf(use.user.pointer, states);
      const known = this.ofState.get(owner);
      if (known) known.push(use);
      else this.ofState.set(owner, [use]);
    }
  }

  /** Those of a state; `below` names the part of it that they stand in. */
  in(state: string, below = ''): Use[] {
    const all = this.ofState.get(state) ?? [];
    return below === '' ? all : all.filter(({ user }) => user.pointer.startsWith(`${state}/${below}/`));
  }
}

function ownerOf(pointer: string, states: ReadonlySet<string>): string {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (states.has(at)) return at;
  return '';
}

/** What the use gives where its bindings hold these; fields that cannot be there are added to `misses`. */
export function shapeOf({ reads }: Use, bound: Bound, misses: Miss[]): Shape {
  const known = (name: string): Known => ({ shape: bound[name] ?? 'anything', path: [name] });
  if ('parts' in reads) {
    for (const part of reads.parts) {
      if (!('root' in part)) continue;
      let offset = part.at + '${'.length + part.root.length;
      let at = known(part.root);
      for (const name of part.path) {
        at = select(at, name, offset + 1, false, misses);
        offset += name.length + 1;
      }
    }
    return 'anything';
  }
  const names = [
    'context',
    'payload',
    'platform',
    'error',
    'branches',
    'branchOutcomes',
    'output',
    'outcome',
    'request',
    'results',
    'failures',
    'item',
    'index',
  ];
  return reads.shape?.(new Map(names.map((name) => [name, known(name)])), misses) ?? 'anything';
}
