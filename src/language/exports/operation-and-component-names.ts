import type { Definition } from '../../engine/definition/definition.js';

/** A journey's name in camel case, for identifiers: `wait-approval` becomes `waitApproval`. */
export function camelName(name: string): string {
  return name.replace(/-+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Identifiers of several journeys. Journeys whose camel-case names collide keep their original names. */
export function identifiersOf(definitions: readonly Pick<Definition, 'name'>[]): ReadonlyMap<string, string> {
  const count = new Map<string, number>();
  for (const { name } of definitions) count.set(camelName(name), (count.get(camelName(name)) ?? 0) + 1);
  return new Map(
    definitions.map(({ name }) => [name, count.get(camelName(name)) === 1 ? camelName(name) : name] as const),
  );
}

/** A text as part of a component's name: characters that are not allowed there are escaped, so that different texts stay different. */
export function componentPart(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, (character) => `.${character.codePointAt(0)!.toString(16)}.`);
}

/** A step's id as a path segment. Braces are escaped: unescaped, they would denote a parameter. */
export function pathSegment(text: string): string {
  return encodeURIComponent(text);
}
