import { escapePointer } from '../base/json/pointer.js';
import type {
  ConsumerDefinition,
  PipelineDefinition,
  ProducerDefinition,
  TopicDefinition,
} from '../pipelines/definition.js';
import type { Diagram, DiagramEdge, DiagramNode } from './diagram.js';
import type { Locate } from './journey-diagram.js';

/** Draws a pipeline: producers, topics and consumers. With `locate`, nodes have their positions in the text. */
export function pipelineDiagram(definition: PipelineDefinition, locate?: Locate): Diagram {
  const { name, version, producers, topics, consumers } = definition;
  const node = (kind: Part, id: string, caption: string): DiagramNode => {
    const key = pipelineNodeKey(kind, id);
    return { key, kind, label: id, caption, inner: [], calls: [], ...(locate && { position: locate(key) }) };
  };
  const nodes = [
    ...Object.entries(producers).map(([id, it]) => node('producer', id, producerCaption(it))),
    ...Object.entries(topics).map(([id, it]) => node('topic', id, topicCaption(it))),
    ...Object.entries(consumers).map(([id, it]) => node('consumer', id, consumerCaption(it))),
  ];
  const edge = (from: string, to: string): DiagramEdge => ({ key: `${from}>${to}`, from, to, kind: 'next', label: '' });
  const topic = (id: string) => pipelineNodeKey('topic', id);
  const publishes = (kind: Part, handlers: Record<string, { publishes: readonly string[] }>) =>
    Object.entries(handlers).flatMap(([id, it]) =>
      it.publishes.map((to) => edge(pipelineNodeKey(kind, id), topic(to))),
    );
  const edges = [
    ...publishes('producer', producers),
    ...publishes('consumer', consumers),
    ...Object.entries(consumers).flatMap(([id, it]) =>
      it.topics.map((from) => edge(topic(from), pipelineNodeKey('consumer', id))),
    ),
  ];
  return { kind: 'Pipeline', name, version, graphs: [{ key: '/spec', title: name, nodes, edges }] };
}

type Part = 'producer' | 'topic' | 'consumer';

/** The key of a node of a pipeline: the JSON pointer of that part. */
export function pipelineNodeKey(kind: Part, id: string): string {
  return `/spec/${kind}s/${escapePointer(id)}`;
}

function producerCaption({ schedule, journey }: ProducerDefinition): string {
  return `${journey}, ${'interval' in schedule ? `every ${schedule.interval}` : `${schedule.cron} ${schedule.zone}`}`;
}

function topicCaption({ source }: TopicDefinition): string {
  return source ? `topic, from Kafka ${source.kafka.topic}` : 'topic';
}

function consumerCaption({ journey }: ConsumerDefinition): string {
  return journey;
}
