import { SessionError } from '../../../contract/errors.ts'
import { checkAutoSave } from './auto-save.ts'
import { defaultConfig } from './default-config.ts'
import type { AutoSaveSettings, ManagerConfig } from './manager-types.ts'
import { readInterval } from './read-interval.ts'

/** A configuration that was checked, with the defaults filled in. */
export interface CheckedConfig {
  /** Name of the database. */
  readonly name: string
  readonly checkpoint: AutoSaveSettings
  readonly ttl: number
  /** 0: the manager doesn't sweep by itself. */
  readonly sweepMs: number
}

/**
 * @param openedOn - name of the database that the client has open; `undefined` for a bare store
 * @throws StorageUnavailable when the configuration switches sessions off; InvalidInput for a bad interval or `ttl`,
 *   and when it names another database than the client's
 */
export function readManagerConfig(config: Partial<ManagerConfig>, openedOn: string | undefined): CheckedConfig {
  const { enabled, checkpoint, ttl, sweepInterval = '0s', ...asked } = { ...defaultConfig(), ...config }
  const name = openedOn ?? asked.name
  if (!enabled)
    throw new SessionError(
      'StorageUnavailable',
      'Sessions are switched off (enabled: false). Run the agent without one, or set enabled to true.',
    )
  checkAutoSave(checkpoint)
  const sweepMs = readInterval(sweepInterval)
  if (!Number.isSafeInteger(ttl) || ttl < 0)
    throw new SessionError('InvalidInput', `ttl must be a whole number of milliseconds from 0 up, got ${String(ttl)}.`)
  if (config.name !== undefined && config.name !== name)
    throw new SessionError(
      'InvalidInput',
      `The configuration names the database ${JSON.stringify(config.name)}, but the client was opened on ` +
        `${JSON.stringify(name)}. Open it with the name of the configuration.`,
    )
  return { name, checkpoint, ttl, sweepMs }
}
