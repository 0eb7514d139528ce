import { useMemo } from 'react';
import type { Diagram } from '../../graph/diagram.js';
import { visitedNode } from '../../graph/find-visited-node.js';
import type { TrailItem, VisitItem } from '../api/run-types.js';
import { messages } from '../ui-texts.js';
import { DiagramView } from './diagram-view.tsx';
import { runProgress } from './trail-to-diagram-progress.js';

interface RunGraphProps {
  readonly diagram: Diagram;
  readonly entries: readonly TrailItem[];
  /** The selected visit. */
  readonly selected: VisitItem | undefined;
  onSelect(visit: VisitItem): void;
}

/** The graph of a journey, lit up by a run. Selecting a state selects its latest visit. */
export function RunGraph({ diagram, entries, selected, onSelect }: RunGraphProps) {
  const progress = useMemo(() => runProgress(diagram, entries), [diagram, entries]);
  const key = selected && visitedNode(diagram, selected.state, selected.within);
  return (
    <>
      <DiagramView
        diagram={diagram}
        progress={progress}
        selected={key}
        follows={key}
        onSelect={(node) => {
          const visits = entries.filter((it) => it.kind === 'visit');
          const latest = visits.findLast(({ state, within }) => visitedNode(diagram, state, within) === node);
          if (latest) onSelect(latest);
        }}
      />
      <p className="legend small muted" aria-hidden="true">
        {Object.entries(messages.run.legend).map(([name, text]) => (
          <span key={name} className={name}>
            {text}
          </span>
        ))}
      </p>
    </>
  );
}
