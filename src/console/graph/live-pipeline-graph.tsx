import { useMemo } from 'react';
import type { LivePipeline } from '../api/pipeline-types.js';
import { livePipelineDiagram, pipelineProgress } from './build-live-pipeline-diagram.js';
import { DiagramView } from './diagram-view.tsx';

/** The live picture of a pipeline. */
export function PipelinePicture({ pipeline }: { readonly pipeline: LivePipeline }) {
  const diagram = useMemo(() => livePipelineDiagram(pipeline), [pipeline]);
  const progress = useMemo(() => pipelineProgress(pipeline), [pipeline]);
  return <DiagramView diagram={diagram} progress={progress} />;
}
