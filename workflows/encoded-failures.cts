import common = require('@temporalio/common');

const plain = new common.DefaultFailureConverter();
const encoded = new common.DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * Makes a payload of a failure's message and stack, which the codec then encrypts. What is no failure of Temporal's is a fault of ours that
 * fails a workflow task: it tells about code, and whoever looks for its cause must be able to read it in the history and in the log.
 */
const failureConverter: common.FailureConverter = {
  errorToFailure: (error, ...rest) =>
    (error instanceof common.TemporalFailure ? encoded : plain).errorToFailure(error, ...rest),
  failureToError: (...given) => plain.failureToError(...given),
};

export = { failureConverter };
