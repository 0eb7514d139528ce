import { parseDocument, YAMLSeq } from 'yaml';
import { validSample } from '../../../scenarios/simulate/schema-samples.js';
import { durationText } from '../../../scenarios/write-scenario.js';
import type { Submission } from './worker-protocol.js';

/** Adds a submission to the text of a scenario, with a sample of the step's schema. Comments and the rest of the text stay. */
export function addSubmission({ scenario, step, schema, sinceStartMs }: Submission): string {
  const document = parseDocument(scenario.trim() === '' ? '{}' : scenario);
  const entry = {
    step,
    payload: validSample(schema) ?? {},
    ...(sinceStartMs > 0 && { at: durationText(sinceStartMs) }),
  };
  const steps = document.get('steps');
  if (steps instanceof YAMLSeq) steps.add(document.createNode(entry));
  else document.set('steps', document.createNode([entry]));
  if (document.contents && 'flow' in document.contents) document.contents.flow = false;
  return document.toString({ lineWidth: 90, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}
