import { useState } from 'react';
import { copyText } from '../ui/copy-text.js';
import { messages } from '../ui-texts.js';

interface SavePanelProps {
  readonly text: string;
  readonly fileName: string;
}

/** The play as a scenario file, to copy or download. */
export function SavePanel({ text, fileName }: SavePanelProps) {
  const texts = messages.playground;
  const [isCopied, setCopied] = useState(false);
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = fileName;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className="playground-panel">
      <p className="small muted">{texts.saveHint}</p>
      <div className="actions">
        <button type="button" className="button" onClick={download}>
          {texts.download}
        </button>
        <button type="button" className="button" onClick={async () => setCopied(await copyText(text))}>
          {isCopied ? texts.copied : texts.copy}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard. */}
      <section className="json" aria-label={texts.scenarioText} tabIndex={0}>
        <code>{text}</code>
      </section>
    </div>
  );
}
