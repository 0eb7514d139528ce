import { positionAt } from '../../../base/document/locate-pointer.js';
import { parseSource } from '../../../base/document/parse-yaml.js';
import type { Finding } from '../../../base/problems/problem.js';
import type { Definition } from '../../../engine/definition/definition.js';
import type { DiagramGraph } from '../../../graph/diagram.js';
import { journeyDiagram } from '../../../graph/journey-diagram.js';
import { load } from '../../../language/load-journey.js';
import { checkScenario } from '../../../scenarios/read/check-names-against-journey.js';
import { readScript } from '../../../scenarios/read/read-scenario-file.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { catalogue } from './examples.js';
import type { Checked, Documents, NodeRange } from './worker-protocol.js';

/** Both documents after reading; each part is missing if its document has errors. */
interface ReadDocuments {
  readonly definition?: Definition;
  readonly script?: Scenario;
  readonly findings: Checked['findings'];
}

/** Reads both documents, as `journeyman validate` and `journeyman simulate` do. */
export function readDocuments({ journey, scenario }: Documents): ReadDocuments {
  const { definition, findings } = load({ text: journey }, { catalogue });
  const read = readScript(scenario.trim() === '' ? '{}' : scenario);
  if (definition) for (const { place } of read.scenarios) checkScenario(place, definition);
  const failed = (list: readonly Finding[]) => list.some(({ severity }) => severity === 'error');
  const script = failed(read.findings) ? undefined : read.scenarios[0]?.scenario;
  return {
    ...(definition && { definition }),
    ...(script && { script }),
    findings: { journey: findings, scenario: read.findings },
  };
}

/** Checks both documents, and draws the journey if it is valid. */
export function check(documents: Documents): Checked {
  const { definition, findings } = readDocuments(documents);
  if (!definition) return { findings, ranges: [] };
  const diagram = journeyDiagram(definition);
  const source = parseSource(documents.journey);
  const ranges: NodeRange[] = [];
  const add = ({ nodes }: DiagramGraph): void => {
    for (const { key, kind, inner } of nodes) {
      const found = kind === 'state' ? positionAt(source, key) : undefined;
      if (found?.own) ranges.push({ key, from: found.position.key ?? found.position.start, to: found.position.end });
      inner.forEach(add);
    }
  };
  diagram.graphs.forEach(add);
  return { findings, diagram, ranges };
}
