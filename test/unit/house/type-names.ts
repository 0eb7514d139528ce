import { stateTypes } from '../../../src/language/states/registry.js';
import { taskBehaviours } from '../../../src/language/tasks/registry.js';
import type { Sources } from './sources.js';

/** The folders that may use the names: the code of each type or kind is there. */
const homes = /^src\/language\/(?:states|tasks)\//;

/** Names with another meaning in these files. */
export const otherMeanings: readonly { files: RegExp; names: readonly string[]; meaning: string }[] = [
  {
    files: /^src\/expressions\//,
    names: ['map', 'fail', 'transform'],
    meaning: 'functions of DataWeave and JSONata, and nodes of their syntax trees',
  },
  {
    files: /^src\/(?:config|gateway\/channels)\//,
    names: ['webhook'],
    meaning: 'a channel that messages arrive through',
  },
  {
    files: /^(?:src\/pipelines|workflows\/pipeline)\//,
    names: ['fail'],
    meaning: 'how the run of a handler ended',
  },
  {
    files: /^src\/(?:schedules\/bindings|temporal\/schedules|scenarios\/virtual)\//,
    names: ['fail', 'wait'],
    meaning: 'onExisting of a schedule, and what run-now does while a run is active',
  },
  {
    files: /^src\/(?:cli\/author\/simulate|scenarios\/simulate)\//,
    names: ['wait'],
    meaning: 'a reply to a prompt of simulate',
  },
  {
    files: /^src\/scenarios\/read\/read-backend-and-activities\.ts$/,
    names: ['fail'],
    meaning: 'a field of a scripted reply',
  },
  {
    files:
      /^src\/(?:engine\/definition\/definition|language\/(?:read\/read-call-policies|schema\/block-schemas|schema\/block-examples))\.ts$/,
    names: ['fail'],
    meaning: 'onUncertain of a call or a policy',
  },
  {
    files: /^src\/language\/(?:read|read-document\.ts|analysis\/checks\/step-ids-and-subjourneys\.ts)/,
    names: ['subjourney'],
    meaning: 'a graph under spec.subjourneys',
  },
  { files: /^src\/language\/schema\/journey-schema\.ts$/, names: ['task'], meaning: 'a part of the published schema' },
  {
    files: /^src\/(?:language\/schema\/block-examples|scenarios\/simulate\/simulate)\.ts$/,
    names: ['task', 'succeed', 'httpCall:v1'],
    meaning: 'states that are written, as an example or a stand-in',
  },
];

/** A name of a state type or task kind outside these folders. */
export interface NamedType {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** The source line. */
  readonly text: string;
}

/**
 * Finds the names of state types and task kinds outside their folders: every string that equals one (in a comparison, a `case`, a list, a set,
 * a type), and every object with two or more of them as keys, which is a table by type.
 */
export function typeNamesIn(sources: Sources): NamedType[] {
  const names = [...stateTypes.keys(), ...taskBehaviours.keys()];
  return [...sources].flatMap(([file, text]) => {
    if (homes.test(file)) return [];
    const lines = text.split('\n');
    const code = withoutComments(text);
    return [...stringsIn(code, names), ...tableKeysIn(code, names)].map(({ name, index }) => {
      const line = code.slice(0, index).split('\n').length;
      return { file, line, name, text: lines[line - 1]!.trim() };
    });
  });
}

/** The results of `typeNamesIn` that really are a state type or task kind. */
export function strayTypeNames(sources: Sources): NamedType[] {
  return typeNamesIn(sources).filter(
    ({ file, name }) => !otherMeanings.some(({ files, names }) => files.test(file) && names.includes(name)),
  );
}

interface Found {
  name: string;
  index: number;
}

function stringsIn(code: string, names: readonly string[]): Found[] {
  const literal = new RegExp(`(['"])(${names.join('|')})\\1`, 'g');
  return [...code.matchAll(literal)].map(({ 2: name, index }) => ({ name: name!, index }));
}

/** Keys of objects, grouped by the opening brace of the object. */
function tableKeysIn(code: string, names: readonly string[]): Found[] {
  const bare = code.replaceAll(/(['"`])(?:\\.|(?!\1)[^\\])*\1/g, blank);
  const token = new RegExp(`[{}]|(?<=[{,;]\\s*)(${names.join('|')})\\??:`, 'g');
  const objects: Found[][] = [[]];
  const open = [objects[0]!];
  for (const { 0: text, 1: name, index } of bare.matchAll(token)) {
    if (text === '{') {
      const keys: Found[] = [];
      objects.push(keys);
      open.push(keys);
    } else if (text === '}') open.pop();
    else open.at(-1)?.push({ name: name!, index });
  }
  return objects.filter((keys) => keys.length > 1).flat();
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, blank);
}

/** Blanks of the same length and number of lines. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
