import { useEffect, useMemo, useRef, useState } from 'react';
import type { Finding } from '../../base/problems/problem.js';
import { DiagramView } from '../graph/diagram-view.tsx';
import { Card } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { messages } from '../ui-texts.js';
import { runAt } from './compute-run-at-moment.js';
import { type CursorRequest, Editor } from './editor.tsx';
import { EvaluatePanel } from './evaluate-panel.tsx';
import { Toolbar } from './example-and-share-toolbar.tsx';
import { FindingsList } from './findings-list.tsx';
import { Transport, usePlayback } from './playback-controls.tsx';
import { EventsPanel } from './played-moments-panel.tsx';
import { SavePanel } from './save-scenario-panel.tsx';
import { NowPanel } from './selected-moment-panel.tsx';
import { usePlayground } from './use-playground.js';
import type { NodeRange } from './worker/worker-protocol.js';

/** Editors, graph and player: a journey is written and played without a server. */
export function Playground() {
  const texts = messages.playground;
  const it = usePlayground();
  const { worker, documents, findings, graph, run } = it;
  const moments = run?.moments ?? [];
  const playback = usePlayback(moments.length);
  const [cursor, setCursor] = useState(0);
  const [journeyCursor, setJourneyCursor] = useState<CursorRequest>();
  const [scenarioCursor, setScenarioCursor] = useState<CursorRequest>();
  const atCursor = useExpressionAt(it, cursor);

  const moment = moments[playback.position];
  const at = useMemo(
    () => (graph && run && run.moments.length > 0 ? runAt(graph.diagram, run.moments, playback.position) : undefined),
    [graph, run, playback.position],
  );
  const selected = graph && nodeAt(graph.ranges, cursor);
  const [followed, setFollowed] = useState<string>();
  useEffect(() => setFollowed(selected), [selected]);
  useEffect(() => setFollowed(at?.node), [at?.node]);
  // Outside of an expression, the cursor does not choose a context.
  const own = selected === undefined || atCursor === null ? undefined : at?.contexts.get(selected);
  const play = async () => {
    if (run) playback.start();
    else if (await it.play()) playback.restart();
  };
  const select = (set: (to: CursorRequest) => void, text: string) => (finding: Finding) =>
    set({ offset: offsetOf(text, finding) });
  const erroneous = findings.journey.some(({ severity }) => severity === 'error') ? 'journey' : 'scenario';
  const hint = it.isPlaying
    ? `${texts.playing} …`
    : it.hasErrors && !it.isChecking
      ? texts.hasErrors[erroneous]
      : undefined;

  return (
    <div className="playground">
      <Toolbar
        examples={it.examples}
        origin={it.origin}
        drafts={it.drafts}
        draft={it.draft}
        documents={documents}
        onOpen={it.open}
        onOpenDraft={it.openDraft}
      />
      {it.origin === 'link' && <p className="notice">{texts.linked}</p>}
      {it.failure !== undefined && (
        <p className="notice bad" role="alert">
          <strong>{texts.failed}</strong> {it.failure}
        </p>
      )}
      <div className="playground-grid">
        <Card title={texts.journey} flush>
          <Editor
            label={texts.journeyEditor}
            document="journey"
            text={documents.journey}
            loaded={it.loaded}
            findings={findings.journey}
            cursor={journeyCursor}
            worker={worker}
            onChange={(journey) => it.change({ journey })}
            onCursor={setCursor}
          />
          <FindingsList
            findings={findings.journey}
            isChecking={it.isChecking}
            onSelect={select(setJourneyCursor, documents.journey)}
          />
        </Card>
        <Card title={messages.run.graph} flush>
          {graph ? (
            <DiagramView
              key={graph.diagram.name}
              diagram={graph.diagram}
              progress={at?.progress}
              selected={selected}
              follows={followed}
              onSelect={(key) => {
                const range = graph.ranges.find((one) => one.key === key);
                if (range) setJourneyCursor({ offset: range.from });
              }}
            />
          ) : (
            <p className="empty">{texts.noGraph}</p>
          )}
          {graph?.isOutdated && <p className="small muted outdated">{texts.outdated}</p>}
          <Transport
            moments={moments}
            position={playback.position}
            isRunning={playback.isRunning}
            canPlay={!it.hasErrors && !it.isPlaying}
            hint={hint}
            onPlay={() => void play()}
            onPause={playback.pause}
            go={playback.go}
          />
        </Card>
        <Card title={texts.scenario} flush>
          <Editor
            label={texts.scenarioEditor}
            document="scenario"
            text={documents.scenario}
            loaded={it.loaded}
            findings={findings.scenario}
            cursor={scenarioCursor}
            worker={worker}
            onChange={(scenario) => it.change({ scenario })}
          />
          <FindingsList
            findings={findings.scenario}
            isChecking={it.isChecking}
            onSelect={select(setScenarioCursor, documents.scenario)}
          />
        </Card>
        <section className="card" aria-label={texts.slider}>
          <Troubles run={run} />
          {run && moment && at ? (
            <Tabs
              label={texts.slider}
              tabs={{
                [texts.tabs.now]: (
                  <NowPanel
                    moment={moment}
                    at={at}
                    outcome={playback.position === moments.length - 1 ? run.outcome : undefined}
                    onSubmit={async ({ state, step: { schema } }) => {
                      const { sinceStartMs } = moment;
                      const ask = { scenario: documents.scenario, step: state, schema, sinceStartMs };
                      const scenario = await worker.ask('addSubmission', ask);
                      it.change({ scenario });
                      setScenarioCursor({ offset: scenario.length });
                    }}
                  />
                ),
                [texts.tabs.events]: <EventsPanel moments={moments} position={playback.position} go={playback.go} />,
                [texts.tabs.evaluate]: (
                  <EvaluatePanel
                    worker={worker}
                    atCursor={atCursor}
                    context={own ?? at.context}
                    state={own && selected?.split('/').at(-1)}
                    moment={texts.momentIn(playback.position + 1, moments.length, moment.state)}
                    now={run.startedAt + moment.sinceStartMs}
                  />
                ),
                [texts.tabs.save]: (
                  <SavePanel text={run.scenarioText} fileName={`${graph?.diagram.name}.scenario.yaml`} />
                ),
              }}
            />
          ) : (
            <p className="empty">{texts.nothingPlayed}</p>
          )}
        </section>
      </div>
    </div>
  );
}

/** The expression at the cursor of the journey, once it rests. */
function useExpressionAt({ worker, documents: { journey } }: ReturnType<typeof usePlayground>, offset: number) {
  const [found, setFound] = useState<{ expr: string; lang: string } | null>(null);
  const text = useRef(journey);
  text.current = journey;
  useEffect(() => {
    let isLatest = true;
    const timer = setTimeout(async () => {
      const answer = await worker
        .ask('expressionAt', { document: 'journey', text: text.current, offset })
        .catch(() => null);
      if (isLatest) setFound(answer);
    }, 300);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [worker, offset]);
  return found;
}

/** Problems of the scenario, or why the run could not start. */
function Troubles({ run }: { readonly run: ReturnType<typeof usePlayground>['run'] }) {
  const texts = messages.playground;
  if (!run) return null;
  return (
    <>
      {run.refused && (
        <p className="notice bad" role="alert">
          <strong>{texts.refused}</strong> <code>{run.refused.code}</code> {run.refused.detail}
        </p>
      )}
      {run.truncated && <p className="notice warn">{texts.truncated}</p>}
      {run.troubles.map(({ message, hint }) => (
        <p key={message} className="notice warn">
          {message} {hint !== undefined && <span className="muted">{hint}</span>}
        </p>
      ))}
    </>
  );
}

/** The innermost state whose text contains the offset. */
function nodeAt(ranges: readonly NodeRange[], offset: number): string | undefined {
  const around = ranges.filter(({ from, to }) => from <= offset && offset < to);
  return around.sort((a, b) => a.to - a.from - (b.to - b.from))[0]?.key;
}

function offsetOf(text: string, { line = 1, column = 1 }: Finding): number {
  const lines = text.split('\n');
  return lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0) + column - 1;
}
