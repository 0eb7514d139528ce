import { arrayFromPayloads, defaultPayloadConverter } from '@temporalio/common';
import { activator } from './sdk.js';

/** What the text begins with that stands for arguments which nobody can read. */
const mark = '(unreadable: ';

/** Whether what a signal brought is JSON: neither bytes, which would look like an object, nor something that nobody could read. */
export function isReadable(argument: unknown): boolean {
  return !ArrayBuffer.isView(argument) && !(typeof argument === 'string' && argument.startsWith(mark));
}

/*
 * Anybody may signal a run, with whatever bytes. Arguments that nobody can read (an encoding we do not know, JSON that is none) would fail the
 * task that carries them, each time it is tried: the run would hang for ever, and even a replay could not tell what it knew. So such a signal
 * comes with a text that says what it was, which is refused like any other that does not fit. This module is loaded once for every run.
 */
if (activator) {
  const signal = activator.signalWorkflow.bind(activator);
  activator.signalWorkflow = (job) => {
    // The SDK fails the task of one whose name it keeps for itself.
    if (job.signalName?.startsWith('__temporal_') && !activator?.signalHandlers.has(job.signalName)) return;
    const problem = unreadable(job.input);
    signal(problem === undefined ? job : { ...job, input: [defaultPayloadConverter.toPayload(problem)!] });
  };
}

function unreadable(payloads: Parameters<typeof arrayFromPayloads>[1]): string | undefined {
  try {
    arrayFromPayloads(defaultPayloadConverter, payloads);
    return undefined;
  } catch (error) {
    return `${mark}${error instanceof Error ? error.message : String(error)})`;
  }
}
