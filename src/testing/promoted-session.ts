/** The scope whose session takes over the history of `old`. */
export const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'telegram',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:42' },
} as const

/** The key that an earlier release gave to the session of this scope. */
export const old = 'agent:main:direct:42'
