import { useState } from 'react';
import { copyText } from '../ui/copy-text.js';
import { messages } from '../ui-texts.js';
import { fragmentOf } from './share-link-and-drafts.js';
import type { DocumentOrigin } from './use-playground.js';
import type { Documents } from './worker/worker-protocol.js';

interface ToolbarProps {
  readonly examples: readonly string[];
  readonly origin: DocumentOrigin;
  /** How many drafts can be opened again. */
  readonly drafts: number;
  readonly draft: number | undefined;
  readonly documents: Documents;
  onOpen(example: string): void;
  onOpenDraft(position: number): void;
}

/** The examples to start from, and the link that carries the documents. */
export function Toolbar({ examples, origin, drafts, draft, documents, onOpen, onOpenDraft }: ToolbarProps) {
  const texts = messages.playground;
  const [copied, setCopied] = useState('');
  const copy = async () => {
    const fragment = await fragmentOf(documents);
    if (fragment === undefined) {
      setCopied(texts.tooLong);
      return;
    }
    window.history.replaceState(null, '', `#${fragment}`);
    setCopied((await copyText(window.location.href)) ? texts.copied : texts.inAddressBar);
  };
  return (
    <div className="row playground-toolbar">
      <p className="muted small">{texts.explanation}</p>
      <label className="field example">
        <span>{texts.example}</span>
        <select
          value={draft !== undefined ? `#${draft}` : typeof origin === 'object' ? origin.example : ''}
          onChange={({ target: { value } }) =>
            value.startsWith('#') ? onOpenDraft(Number(value.slice(1))) : onOpen(value)
          }
        >
          {typeof origin !== 'object' && draft === undefined && <option value="">{texts.fromLink}</option>}
          {[...Array(drafts).keys()].map((position) => (
            <option key={`#${position}`} value={`#${position}`}>
              {texts.own(drafts > 1 ? position + 1 : undefined)}
            </option>
          ))}
          {examples.map((it) => (
            <option key={it}>{it}</option>
          ))}
        </select>
      </label>
      <button type="button" className="button" onClick={() => void copy()}>
        {texts.copyLink}
      </button>
      <span className="small muted" role="status">
        {copied}
      </span>
    </div>
  );
}
