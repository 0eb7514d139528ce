/** `slugify:v1`: turns a text into a part of a URL. What a plugin may say and do: docs/plugins.md. */
export default {
  kind: 'slugify:v1',
  description: 'Turns a text into lower-case words with dashes between them.',
  fields: {
    text: { type: 'template', required: true, description: 'What to turn; placeholders are replaced.' },
    maxLength: { type: 'number', description: 'The most characters; 60 when left out.' },
  },
  result: 'required',
  // It changes nothing in the world, so that it may simply be repeated.
  safe: true,
  timeoutMs: 1_000,
  run({ text, maxLength = 60 }, { problem }) {
    const words = text
      .normalize('NFKD')
      .replace(/\p{Mark}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g);
    if (!words) {
      throw problem({
        type: 'https://example.com/problems/nothing-to-slugify',
        code: 'NOTHING_TO_SLUGIFY',
        title: 'The text has no letters or digits.',
        status: 422,
      });
    }
    return words.join('-').slice(0, maxLength).replace(/-$/, '');
  },
};
