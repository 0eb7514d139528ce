import { Empty } from '../ui/loading-empty-and-failure.tsx';
import { PageFrame } from '../ui/page.tsx';
import { messages } from '../ui-texts.js';

/** Shown at addresses without a page. */
export function NotFound() {
  return (
    <PageFrame title={messages.states.notFound}>
      <Empty>{messages.states.notFoundText}</Empty>
    </PageFrame>
  );
}
