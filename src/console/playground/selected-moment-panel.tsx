import type { Outcome } from '../../engine/outcome.js';
import type { RecordedMoment } from '../../scenarios/simulate/record-visited-moments.js';
import { Badge } from '../ui/badge.tsx';
import { JsonChanges } from '../ui/json-changes-table.tsx';
import { JsonText } from '../ui/json-text.tsx';
import { spanText } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';
import type { RunAtMoment, WaitingStep } from './compute-run-at-moment.js';

interface NowPanelProps {
  readonly moment: RecordedMoment;
  readonly at: RunAtMoment;
  /** Set at the end of the run. */
  readonly outcome: Outcome | undefined;
  onSubmit(step: WaitingStep): void;
}

/** The run at the moment: how it ended, what it waits for, how the context changed, and the context. */
export function NowPanel({ moment, at, outcome, onSubmit }: NowPanelProps) {
  const texts = messages.playground;
  return (
    <div className="playground-panel">
      {outcome && <EndOfRun outcome={outcome} />}
      {at.openSteps.length > 0 && (
        <>
          <h3>{texts.openSteps}</h3>
          <ul className="list">
            {at.openSteps.map((open) => (
              <li key={`${open.within} ${open.state}`} className="row">
                <code>{open.state}</code>
                {open.step.dueMs !== undefined && (
                  <span className="small muted">{texts.due(spanText(open.step.dueMs))}</span>
                )}
                <button type="button" className="button small end" onClick={() => onSubmit(open)}>
                  {texts.submit}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{texts.changes}</h3>
      {moment.before && moment.context ? (
        <JsonChanges before={moment.before} after={moment.context} nothing={texts.unchanged} />
      ) : (
        <p className="muted">{texts.unchanged}</p>
      )}
      <h3>{texts.context}</h3>
      <JsonText value={at.context} label={texts.context} />
    </div>
  );
}

function EndOfRun({ outcome: { phase, error, output, terminatedAtState } }: { readonly outcome: Outcome }) {
  return (
    <>
      <h3>
        {messages.run.result} <Badge text={phase} />
      </h3>
      {error && (
        <div className="notice bad">
          <strong>{messages.run.failedIn(terminatedAtState)}</strong> {error.reason} <code>{error.code}</code>
        </div>
      )}
      {output !== null && <JsonText value={output} label={messages.run.output} />}
    </>
  );
}
