import { PageFrame } from '../ui/page.tsx';
import { messages } from '../ui-texts.js';
import { Playground } from './editors-graph-and-player.tsx';

/** The playground as a page of the console. */
export function PlaygroundPage() {
  return (
    <PageFrame title={messages.playground.title}>
      <Playground />
    </PageFrame>
  );
}
