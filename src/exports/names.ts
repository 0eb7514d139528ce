import type { Definition } from '../definition/definition.js';

/** A journey's name as identifiers use it: `wait-approval` is `waitApproval`. */
export function camelName(name: string): string {
  return name.replace(/-+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Identifiers of several journeys: those that would be called the same keep their names as they are. */
export function identifiersOf(definitions: readonly Pick<Definition, 'name'>[]): ReadonlyMap<string, string> {
  const count = new Map<string, number>();
  for (const { name } of definitions) count.set(camelName(name), (count.get(camelName(name)) ?? 0) + 1);
  return new Map(
    definitions.map(({ name }) => [name, count.get(camelName(name)) === 1 ? camelName(name) : name] as const),
  );
}

/** A text as part of a component's name, which allows few characters. Different texts stay different. */
export function componentPart(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, (character) => `.${character.codePointAt(0)!.toString(16)}.`);
}

/** A step's id as a segment of a path; braces would make it a parameter. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}
