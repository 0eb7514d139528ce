/** What an operator of the product can meet: configuration, server, ports. */
export const operationCodes = {
  CONFIG_FILE_INVALID: { status: 500, title: 'The configuration has errors' },
  CONFIG_FILE_MISSING: { status: 500, title: 'The configuration file cannot be read' },
  CONFIG_UNKNOWN_KEY: { status: 500, title: 'The configuration has no such key' },
  CONFIG_VALUE_INVALID: { status: 500, title: 'A configuration value is not usable' },
  SECRET_UNKNOWN: { status: 500, title: 'The secret is not configured' },
  SECRET_UNAVAILABLE: { status: 500, title: 'The secret cannot be read' },
  PORT_IN_USE: { status: 500, title: 'The port is in use' },
  DATA_DIR_IN_USE: { status: 500, title: 'Another Temporal server uses the data directory' },
  DATA_DIR_UNUSABLE: { status: 500, title: 'The data directory cannot be written' },
  TEMPORAL_SERVER_NOT_FOUND: { status: 500, title: 'No Temporal server could be found or installed' },
  TEMPORAL_SERVER_FAILED: { status: 500, title: 'The Temporal server did not start, or ended by itself' },
  PART_FAILED: { status: 500, title: 'A part of Journeyman ended by itself' },
  TEMPORAL_UNREACHABLE: { status: 503, title: 'The Temporal server cannot be reached' },
  TEMPORAL_NAMESPACE_UNKNOWN: { status: 500, title: 'The Temporal server has no such namespace' },
  SEARCH_ATTRIBUTES_MISSING: { status: 500, title: 'The namespace lacks search attributes and they cannot be added' },
  EGRESS_REFUSED: {
    status: 502,
    title: 'The egress policy refused a call of a journey',
    hint: 'Allow the host in http.egress.allowPrivate (private networks) or http.egress.allow.',
  },
  AUTH_REQUIRED: { status: 500, title: 'A gateway beyond loopback needs authentication' },
} as const;
