/** Formats of keys and tokens of well-known services. */
const formats: readonly [RegExp, string][] = [
  [/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/, 'a private key'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\b[sr]k_live_[0-9A-Za-z]{16,}/, 'a Stripe key'],
  [/\bgh[pousr]_[0-9A-Za-z]{30,}/, 'a GitHub token'],
  [/\bxox[abprs]-[0-9A-Za-z-]{20,}/, 'a Slack token'],
  [/\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/, 'a signed token'],
  [/^https?:\/\/[^/\s:@]+:[^/\s:@$]+@/i, 'a password in a URL'],
  [/[?&](?:api_?key|access_?token|client_?secret|password)=(?![$<{])[^&\s]{6,}/i, 'a key in a URL'],
];

const secretField = /^(?:password|passwd|client_?secret|api_?key|secret_?key|private_?key|access_?token)$/i;

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretField.test(name);
}

/** The kind of secret that a text contains, by the formats of well-known services. */
export function secretIn(text: string): string | undefined {
  return formats.find(([pattern]) => pattern.test(text))?.[1];
}
