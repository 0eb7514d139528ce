import type { Finding } from '../../base/problems/problem.js';
import { messages } from '../ui-texts.js';

interface FindingsListProps {
  readonly findings: readonly Finding[];
  readonly isChecking: boolean;
  onSelect(finding: Finding): void;
}

/** The findings of a document; choosing one moves the cursor there. */
export function FindingsList({ findings, isChecking, onSelect }: FindingsListProps) {
  const texts = messages.playground;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const summary = findings.length === 0 ? texts.noFindings : texts.findings(errors, findings.length - errors);
  return (
    <div className="findings">
      <p className={`small ${errors > 0 ? 'bad-text' : 'muted'}`} role="status">
        {isChecking ? `${texts.checking} …` : summary}
      </p>
      {findings.length > 0 && (
        <ul>
          {findings.slice(0, 100).map((it) => (
            <li key={`${it.code} ${it.pointer} ${it.line} ${it.column} ${it.message}`}>
              <button type="button" className="finding small" onClick={() => onSelect(it)}>
                <span className={`badge ${it.severity === 'error' ? 'bad' : 'warn'}`}>{it.code}</span>{' '}
                <span className="muted">{texts.line(it.line ?? 1)}</span> {it.message}
                {it.hint !== undefined && <span className="muted"> {it.hint}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
