import { useEffect, useState } from 'react';
import type { ConsoleSettings } from './api/gateway-settings.js';
import { beginSignIn, finishSignIn, isReturning } from './api/openid-sign-in.js';
import { session } from './api/session-credential.js';
import { basePath, navigate } from './router.tsx';
import { Loading } from './ui/loading-empty-and-failure.tsx';
import { messages } from './ui-texts.js';

interface SignInProps {
  readonly settings: ConsoleSettings | undefined;
  /** The gateway rejected the credential of this tab. */
  readonly refused: boolean;
}

/** Asks for an API key or a token, or sends the reader to the identity provider. */
export function SignIn({ settings, refused }: SignInProps) {
  const [credential, setCredential] = useState('');
  const [failure, setFailure] = useState<string>();
  const provider = settings?.signIn;
  const [returning, setReturning] = useState(() => provider !== undefined && isReturning());
  const fail = (error: Error) => {
    setReturning(false);
    setFailure(`${messages.signIn.providerFailed} ${error.message}`);
  };
  useEffect(() => {
    // Strict mode runs effects twice; the code can be exchanged once.
    if (!provider || !isReturning()) return;
    finishSignIn(provider).then(({ token, returnTo }) => {
      session.signIn(token);
      navigate(returnTo.slice(basePath.length) || '/', { replace: true });
    }, fail);
  });
  if (returning) return <Loading />;
  const problem = failure ?? (refused ? messages.signIn.refused : undefined);
  return (
    <main className="sign-in">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (credential.trim() !== '') session.signIn(credential.trim());
        }}
      >
        <div className="card-body">
          <h1>{messages.signIn.title}</h1>
          {problem !== undefined && (
            <p className="notice bad" role="alert">
              {problem}
            </p>
          )}
          {provider && (
            <button type="button" className="button primary" onClick={() => beginSignIn(provider).catch(fail)}>
              {messages.signIn.provider}
            </button>
          )}
          <p className="muted">{messages.signIn.explanation}</p>
          <label className="field">
            <span>{messages.signIn.credential}</span>
            <input
              type="password"
              autoComplete="off"
              spellCheck={false}
              required
              value={credential}
              onChange={(event) => setCredential(event.target.value)}
            />
          </label>
          <button type="submit" className={`button ${provider ? '' : 'primary'}`}>
            {messages.signIn.submit}
          </button>
        </div>
      </form>
    </main>
  );
}
