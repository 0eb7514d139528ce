import { defaultFailureConverter, type FailureConverter } from '@temporalio/common';
import encoded from './encrypt-failure-messages.cjs';

/** Set by a worker that encrypts, when it loads the bundle. */
const { journeymanEncrypts } = globalThis as { journeymanEncrypts?: boolean };

/** Converts failures that leave a workflow. */
export const failureConverter: FailureConverter = journeymanEncrypts
  ? encoded.failureConverter
  : defaultFailureConverter;
