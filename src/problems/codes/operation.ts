/** What an operator of the product can meet: configuration, server, ports. */
export const operationCodes = {
  CONFIG_FILE_INVALID: { status: 500, title: 'The configuration file has errors' },
  PORT_IN_USE: { status: 500, title: 'The port is in use' },
  TEMPORAL_SERVER_NOT_FOUND: { status: 500, title: 'No Temporal server could be found or installed' },
  TEMPORAL_SERVER_FAILED: { status: 500, title: 'The Temporal server did not start' },
  AUTH_REQUIRED: { status: 500, title: 'A gateway beyond loopback needs authentication' },
} as const;
