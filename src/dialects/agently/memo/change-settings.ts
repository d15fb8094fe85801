import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { isObject } from '../../../domain/is-object.ts'
import type { MemoConfiguration } from '../memo-types.ts'
import { mergeSettings, settingAt } from '../rules/memo-settings.ts'
import type { MemoSettings } from '../rules/memo-state.ts'
import { patchMeta } from './patch-meta.ts'

/** Merges settings into those of a session. */
export async function changeSettings(store: SessionStore, key: string, over: MemoSettings): Promise<void> {
  await patchMeta(store, key, ({ contextState, state }) => ({
    contextState: { ...contextState, settings: mergeSettings(state.settings, over) },
  }))
}

/**
 * The settings for a configuration. As in Agently, a limit is also written under its older name. Source:
 * AgentlyMemoSession, `configure`
 */
export function settingsOf({ mode, limit = {}, everyNTurns }: MemoConfiguration): MemoSettings {
  const { chars, messages } = limit
  const resize = {
    ...(everyNTurns === undefined ? {} : { every_n_turns: everyNTurns }),
    ...(chars === undefined ? {} : { max_messages_text_length: chars }),
    ...(messages === undefined ? {} : { max_keep_messages_count: messages }),
  }
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(mode === 'memo' || mode === 'lite' ? { memo: { enabled: mode === 'memo' } } : {}),
    ...(chars === undefined && messages === undefined
      ? {}
      : { limit: { ...(chars === undefined ? {} : { chars }), ...(messages === undefined ? {} : { messages }) } }),
    ...(Object.keys(resize).length === 0 ? {} : { resize }),
  }
}

/** The settings for a path and a value. @throws InvalidInput for a path that is not below `session` */
export function settingsAt(path: string, value: JsonValue): MemoSettings {
  const [root, ...place] = path.split('.')
  if (root !== 'session' || place.includes(''))
    throw new SessionError(
      'InvalidInput',
      `The settings of a session are below "session", such as "session.resize.every_n_turns", but got "${path}".`,
    )
  if (place.length > 0) return settingAt(place, value)
  if (!isObject(value))
    throw new SessionError(
      'InvalidInput',
      'The value of "session" itself must be an object: its members are the settings.',
    )
  return value
}
