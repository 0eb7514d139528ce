import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { available } from './available.js';

/** Helm, which lints and renders the chart. */
export const helm = resolve('.services/helm-3.22.0/helm');
export const hasHelm = available('helm', `${helm} is missing (npm run services)`, () => {
  execFileSync(helm, ['version'], { stdio: 'ignore' });
});

/** The Node of the image. */
export const imageNode = resolve(
  `.services/node-${/^FROM node:([0-9.]+)/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1]}/package/bin/node`,
);
export const hasImageNode = available('node', `${imageNode} is missing (npm run services)`, () => {
  execFileSync(imageNode, ['--version'], { stdio: 'ignore' });
});
