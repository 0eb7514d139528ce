/** What can go wrong between us and a channel. */
export const channelCodes = {
  CHANNEL_REFUSED: {
    status: 422,
    title: 'The channel does not take this message',
    hint: '`reason` is the channel’s own word for it.',
  },
  CHANNEL_UNREACHABLE: { status: 503, title: 'The channel cannot take messages at the moment' },
  CHANNEL_MESSAGE_INVALID: { status: 400, title: 'The message of the channel cannot be read' },
} as const;
