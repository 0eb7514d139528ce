import { useEffect, useState } from 'react';
import type { Json } from '../../base/json/value.js';
import { JsonText } from '../ui/json-text.tsx';
import { messages } from '../ui-texts.js';
import type { Evaluated } from './worker/worker-protocol.js';
import type { PlaygroundWorker } from './worker-client.js';

interface EvaluatePanelProps {
  readonly worker: PlaygroundWorker;
  /** The expression in which the cursor is, if it is in one. */
  readonly atCursor: { readonly expr: string; readonly lang: string } | null;
  readonly context: Json;
  /** The state whose context it is; undefined for that of the moment. */
  readonly state: string | undefined;
  /** The name of the played moment. */
  readonly moment: string;
  readonly now: number;
}

const languages = ['dataweave', 'jsonata'];

/** Evaluates the expression at the cursor, or one that the author writes, on the context of the moment. */
export function EvaluatePanel({ worker, atCursor, context, state, moment, now }: EvaluatePanelProps) {
  const texts = messages.playground;
  const [expr, setExpr] = useState(atCursor?.expr ?? 'context');
  const [lang, setLang] = useState(atCursor?.lang ?? 'dataweave');
  const [result, setResult] = useState<Evaluated | undefined>();

  useEffect(() => {
    if (!atCursor) return;
    setExpr(atCursor.expr);
    setLang(atCursor.lang);
  }, [atCursor]);

  useEffect(() => {
    let isLatest = true;
    const timer = setTimeout(async () => {
      const evaluated = await worker
        .ask('evaluate', { expr, lang, context, now })
        .catch(
          (error: Error): Evaluated => ({ code: error.name, message: error.message || messages.playground.tooSlow }),
        );
      if (isLatest) setResult(evaluated);
    }, 200);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [worker, expr, lang, context, now]);

  return (
    <div className="playground-panel">
      <p className="small muted">{texts.evaluateHint}</p>
      <label className="field">
        <span>{texts.expression}</span>
        <textarea spellCheck={false} rows={4} value={expr} onChange={(event) => setExpr(event.target.value)} />
      </label>
      <label className="field language">
        <span>{texts.language}</span>
        <select value={lang} onChange={(event) => setLang(event.target.value)}>
          {languages.map((it) => (
            <option key={it}>{it}</option>
          ))}
        </select>
      </label>
      <p className="small muted">{state === undefined ? texts.contextNow(moment) : texts.contextOf(state, moment)}</p>
      {result && 'value' in result && <JsonText value={result.value} label={texts.result} />}
      {result && 'code' in result && (
        <p className="notice bad" role="status">
          <code>{result.code}</code> {result.message}
        </p>
      )}
    </div>
  );
}
