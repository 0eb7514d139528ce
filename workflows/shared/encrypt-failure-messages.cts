import common = require('@temporalio/common');

const plain = new common.DefaultFailureConverter();
const encoded = new common.DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * Moves the message and stack of a Temporal failure into a payload, which the codec encrypts. Any other error is a bug of ours that fails a
 * workflow task: it describes code, and must stay readable in the history and in the log.
 */
const failureConverter: common.FailureConverter = {
  errorToFailure: (error, ...rest) =>
    (error instanceof common.TemporalFailure ? encoded : plain).errorToFailure(error, ...rest),
  failureToError: (...given) => plain.failureToError(...given),
};

export = { failureConverter };
