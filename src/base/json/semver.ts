/** The grammar of semantic versions, as a pattern that JSON Schema and this code share. */
export const versionPattern =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$';

const version = new RegExp(versionPattern);

/** True for a semantic version. */
export function isVersion(text: string): boolean {
  return version.test(text);
}

/** Orders semantic versions: negative when `a` comes before `b`. Ignores build metadata. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePre(left.pre, right.pre);
}

function split(version: string): { numbers: number[]; pre: string[] } {
  const [core, ...rest] = version.split('+')[0]!.split('-');
  return { numbers: core!.split('.').map(Number), pre: rest.length === 0 ? [] : rest.join('-').split('.') };
}

/** A release comes after its pre-releases; numeric parts compare as numbers and come before texts. */
function comparePre(a: string[], b: string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    if (x === y) continue;
    const numeric = [/^\d+$/.test(x), /^\d+$/.test(y)] as const;
    if (numeric[0] && numeric[1]) return Number(x) - Number(y);
    if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}
