import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Diagram } from '../../graph/diagram.js';
import { messages } from '../ui-texts.js';
import { documentsOf, draftsOf } from './share-link-and-drafts.js';
import type { Checked, Documents, NodeRange, Played } from './worker/worker-protocol.js';
import { PlaygroundWorker, TookTooLong } from './worker-client.js';

/** Where the documents come from. */
export type DocumentOrigin = { readonly example: string } | 'link' | 'own';

const noFindings: Checked['findings'] = { journey: [], scenario: [] };
const firstExample = 'checkout';

/** The documents of the playground, what is known about them, and the run that was played from them. */
export function usePlayground() {
  const worker = useMemo(() => new PlaygroundWorker(), []);
  const [examples, setExamples] = useState<readonly string[]>([]);
  const [documents, setDocuments] = useState<Documents>({ journey: '', scenario: '' });
  const [loaded, setLoaded] = useState(documents);
  const [origin, setOrigin] = useState<DocumentOrigin>('own');
  /** Edited documents, oldest first. */
  const [drafts, setDrafts] = useState(storedDrafts);
  /** The position of the documents among the drafts; undefined before the first change. */
  const [draft, setDraft] = useState<number>();
  const [findings, setFindings] = useState<Checked['findings'] | undefined>();
  const [graph, setGraph] = useState<{ diagram: Diagram; ranges: readonly NodeRange[]; isOutdated: boolean }>();
  const [run, setRun] = useState<Played | undefined>();
  const [isPlaying, setPlaying] = useState(false);
  const [failure, setFailure] = useState<string | undefined>();
  const checked = useRef(0);

  useEffect(() => () => worker.end(), [worker]);

  const show = useCallback((next: Documents, from: DocumentOrigin, position?: number) => {
    setDocuments(next);
    setLoaded(next);
    setDraft(position);
    setOrigin(from);
    setGraph(undefined);
    setRun(undefined);
    setFailure(undefined);
  }, []);

  const open = useCallback(
    async (name: string) => show(await worker.ask('example', name), { example: name }),
    [worker, show],
  );

  useEffect(() => {
    const start = async () => {
      setExamples(await worker.ask('examples', null));
      const fragment = window.location.hash.slice(1);
      const linked = fragment === '' ? undefined : await documentsOf(fragment);
      if (linked) return show(linked, 'link');
      await open(firstExample);
      if (fragment !== '') setFailure(messages.playground.badLink);
    };
    start().catch((error: unknown) => setFailure(failureText(error)));
  }, [worker, show, open]);

  // Checks once the author pauses; the answer about an earlier text is dropped.
  useEffect(() => {
    const number = ++checked.current;
    setFindings(undefined);
    const timer = setTimeout(async () => {
      try {
        const found = await worker.ask('check', documents);
        if (number !== checked.current) return;
        setFindings(found.findings);
        const { diagram, ranges } = found;
        if (diagram) setGraph({ diagram, ranges, isOutdated: false });
        else setGraph((before) => before && { ...before, ranges: [], isOutdated: true });
      } catch (error) {
        if (number === checked.current) setFailure(failureText(error));
      }
    }, 250);
    return () => clearTimeout(timer);
  }, [worker, documents]);

  const change = useCallback(
    (part: Partial<Documents>) => {
      setDocuments((before) => ({ ...before, ...part }));
      setDraft((before) => before ?? drafts.length);
      setOrigin((before) => (before === 'link' ? 'link' : 'own'));
      setRun(undefined);
    },
    [drafts.length],
  );

  useEffect(() => {
    if (draft !== undefined) setDrafts((before) => [...before.slice(0, draft), documents, ...before.slice(draft + 1)]);
  }, [draft, documents]);
  useEffect(() => storeDrafts(drafts), [drafts]);

  const openDraft = useCallback(
    (position: number) => show(drafts[position] as Documents, 'own', position),
    [show, drafts],
  );

  const play = useCallback(async (): Promise<boolean> => {
    setPlaying(true);
    setFailure(undefined);
    try {
      const played = await worker.ask('play', documents);
      setRun(played);
      return played.moments.length > 0;
    } catch (error) {
      setFailure(failureText(error));
      return false;
    } finally {
      setPlaying(false);
    }
  }, [worker, documents]);

  const all = findings && [...findings.journey, ...findings.scenario];
  const hasErrors = all === undefined || all.some(({ severity }) => severity === 'error');
  return {
    worker,
    examples,
    documents,
    loaded,
    origin,
    drafts: drafts.length,
    draft,
    isChecking: findings === undefined,
    findings: findings ?? noFindings,
    graph,
    run,
    isPlaying,
    failure,
    hasErrors,
    open,
    openDraft,
    change,
    play,
  };
}

/** Where the drafts of a tab are kept: they survive a reload of the page. */
const storageKey = 'journeyman.playground.drafts';

function storedDrafts(): readonly Documents[] {
  try {
    return draftsOf(sessionStorage.getItem(storageKey));
  } catch {
    return []; // The browser allows no storage.
  }
}

function storeDrafts(drafts: readonly Documents[]): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(drafts));
  } catch {
    // Full or not allowed: the drafts last as long as the page.
  }
}

function failureText(error: unknown): string {
  return error instanceof TookTooLong ? messages.playground.tooSlow : (error as Error).message;
}
