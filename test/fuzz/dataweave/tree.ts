/**
 * A generated expression: text with holes. `type` is its intended type, `label` its construct. Both may be wrong if parentheses have been
 * omitted; they only steer generation, shrinking and grouping.
 */
export interface Node {
  type: string;
  label: string;
  parts: readonly (string | Node)[];
  /** Can be an operand without parentheses. */
  atom: boolean;
  /** A complete value (not a field, a case or a lambda), which can be wrapped in a call. */
  value: boolean;
  /** Lacks required parentheses, so the surrounding text may split it. */
  bare?: boolean;
  /** Separator of the parts if they are a list from which any may be removed. */
  list?: string;
}

export function print(node: Node): string {
  const texts = node.parts.map((part) => (typeof part === 'string' ? part : print(part)));
  return texts.join(node.list ?? '');
}

export function* descendants(node: Node): Generator<Node> {
  for (const part of node.parts) {
    if (typeof part === 'string') continue;
    yield part;
    yield* descendants(part);
  }
}

export function size(node: Node): number {
  let count = 1;
  for (const _ of descendants(node)) count++;
  return count;
}

/** Builds a node from a template: build('num', 'sizeOf')`sizeOf(${x})`. */
export function build(type: string, label: string, options: { atom?: boolean; value?: boolean } = {}) {
  return (texts: TemplateStringsArray, ...holes: (Node | string)[]): Node => {
    const parts: (string | Node)[] = [];
    texts.forEach((text, i) => {
      if (text) parts.push(text);
      const hole = holes[i];
      if (hole !== undefined) parts.push(hole);
    });
    return { type, label, parts, atom: options.atom ?? false, value: options.value ?? true };
  };
}

export function list(label: string, separator: string, parts: Node[]): Node {
  return { type: 'list', label, parts, atom: false, value: false, list: separator };
}

export function leaf(type: string, label: string, text: string): Node {
  return { type, label, parts: [text], atom: true, value: true };
}

/** The same expression with `e(…)` around every value, which hides types from a type checker. */
export function erased(node: Node): string {
  const inner = insideErased(node);
  return node.value && !node.bare && !node.label.startsWith('fixed') ? `e(${inner})` : inner;
}

/** A chain of selectors stays whole, because a missing value skips the rest of it. A key of hidden type is converted to a Key. */
function insideErased(node: Node): string {
  if (node.label === 'variable field') return print(node).replace(/^[$\w]+/, 'e($&)');
  const parts = node.parts.map((part, i) => {
    if (typeof part === 'string') return part;
    if (node.label === 'dynamic key' && i === 1) return `${erased(part)} as Key`;
    return i === 0 && isSelector(node) && isSelector(part) ? insideErased(part) : erased(part);
  });
  return parts.join(node.list ?? '');
}

function isSelector(node: Node): boolean {
  return (
    /^(\.|\[|index|slice|variable field|[?!])/.test(node.label) || /^(payload|context)[\w.*[\]-]*$/.test(print(node))
  );
}

/** Smaller variants of an expression, the smallest first. */
export function* shrinks(root: Node): Generator<Node> {
  const below = [...descendants(root)].filter((node) => node.value);
  below.sort((a, b) => size(a) - size(b));
  yield* below;
  yield* replacements(root);
}

const simple: Record<string, string[]> = {
  num: ['0', '1'],
  str: ['""', '"a"'],
  bool: ['true', 'false'],
  obj: ['{}', '{a: 1}'],
};

function* replacements(node: Node): Generator<Node> {
  for (let i = 0; i < node.parts.length; i++) {
    const part = node.parts[i]!;
    if (typeof part === 'string') continue;
    const put = (other: Node | undefined): Node => ({
      ...node,
      parts: node.parts.flatMap((it, j) => (j === i ? (other ? [other] : []) : [it])),
    });
    if (node.list !== undefined) yield put(undefined);
    if (part.value) {
      for (const text of [...(simple[part.type] ?? []), ...(part.type.startsWith('[') ? ['[]', '[1]'] : []), 'null']) {
        if (text.length < print(part).length) yield put(leaf(part.type, 'fixed', text));
      }
      for (const inner of descendants(part)) if (inner.value && size(inner) < size(part)) yield put(inner);
    }
    for (const smaller of replacements(part)) yield put(smaller);
  }
}

/** The node without protecting parentheses. */
export function bare(node: Node): Node {
  return node.atom ? node : { ...node, bare: true };
}
