import type { SyncSettings } from './sync-protocol.ts'

const names = [
  'window',
  'retryMs',
  'liveMs',
  'announceMs',
  'presence',
] as const satisfies readonly (keyof SyncSettings)[]

/** The settings of sync among some options, if they were given. */
export function settingsOf(options: SyncSettings): SyncSettings {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])))
}
