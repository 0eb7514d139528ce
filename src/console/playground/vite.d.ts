interface ImportMeta {
  /** Vite: the texts of files, bundled. */
  glob(patterns: readonly string[], options: { query: '?raw'; import: 'default'; eager: true }): Record<string, string>;
}
